//! `rigfarm diff`: what an update takes away from those who use a bundle.

use serde_json::json;

use crate::args::DiffArgs;
use crate::bundle_files::Bundle;
use crate::failure::Failure;
use crate::out::{self, say};

/// Prints every difference; fails when something was lost that others may use.
pub(crate) fn run(args: &DiffArgs) -> Result<(), Failure> {
    let (old, new) = (Bundle::open(&args.old)?, Bundle::open(&args.new)?);
    let changes = bundle::diff::diff(&old.surface(), &new.surface());
    let breaking = changes.iter().filter(|c| c.breaking).count();
    if args.json {
        out::json(json!({"v": 1, "breaking": breaking, "changes": changes}));
    } else {
        for change in &changes {
            let mark = if change.breaking { "-" } else { "+" };
            let detail =
                if change.detail.is_empty() { String::new() } else { format!(": {}", change.detail) };
            say!("{mark} {} {} {}{detail}", change.kind, change.id, change.change);
        }
        if changes.is_empty() {
            say!("nothing changed for those who use it");
        }
    }
    if breaking == 0 {
        return Ok(());
    }
    Err(Failure::failed(format!("{breaking} things were lost that others may use")))
}
