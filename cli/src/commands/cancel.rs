//! `rigfarm cancel`.

use proto::v1;
use serde_json::json;

use crate::args::BuildOnFarmArgs;
use crate::failure::Failure;
use crate::out;
use crate::remote::session::Session;

/// Gives up a build.
pub(crate) fn run(args: &BuildOnFarmArgs) -> Result<(), Failure> {
    let session = Session::open(&args.ask.farm)?;
    session.wait(async { session.farm().cancel(v1::CancelRequest { build: args.build }).await })?;
    if args.ask.json {
        out::json(json!({"v": 1, "event": "cancelled", "build": args.build}));
    } else {
        out::note(format!("build {} is cancelled", args.build));
    }
    Ok(())
}
