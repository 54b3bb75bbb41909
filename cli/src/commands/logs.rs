//! `rigfarm logs`.

use canonical::Digest;
use proto::v1;
use serde_json::json;

use crate::args::LogsArgs;
use crate::failure::Failure;
use crate::out::{self, say};
use crate::remote::session::Session;

/// Prints what the jobs of a build wrote to their logs.
pub(crate) fn run(args: &LogsArgs) -> Result<(), Failure> {
    let session = Session::open(&args.ask.farm)?;
    let request = v1::LogsRequest { build: args.build, job: args.job.clone(), after: 0 };
    let count = session.wait(async {
        let mut lines = session.farm().logs(request).await?.into_inner();
        let mut count = 0;
        while let Some(line) = lines.message().await? {
            count += 1;
            tell(args.ask.json, &line);
        }
        Ok(count)
    })?;
    if count == 0 && !args.ask.json {
        out::note(format!("no job of build {} wrote a log", args.build));
    }
    Ok(())
}

fn tell(as_json: bool, line: &v1::LogLine) {
    let key = <[u8; 32]>::try_from(line.key.as_slice()).map(|bytes| Digest::from_bytes(bytes).to_hex());
    let key = key.unwrap_or_default();
    if as_json {
        out::line(
            json!({"v": 1, "event": "log", "id": line.id, "key": key, "node": line.node, "text": line.text}),
        );
    } else {
        say!("{} {}: {}", key.get(..8).unwrap_or_default(), line.node, line.text);
    }
}
