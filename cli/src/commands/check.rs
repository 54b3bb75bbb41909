//! `rigfarm check`: the integrity audits on a finished bundle.

use serde_json::json;

use crate::args::CheckArgs;
use crate::bundle_files::Bundle;
use crate::failure::Failure;
use crate::out::{self, say};

/// Prints every audit; fails when one did.
pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let bundle = Bundle::open(&args.bundle)?;
    let mut audits = audit::audit(&bundle.model, &[]);
    audits.push(listed("files", bundle.unsound_files()));
    audits.push(listed("references", bundle.dangling_parameters()));
    let ok = audits.iter().all(|a| a.ok);
    if args.json {
        let counts = json!({
            "parameters": bundle.model.parameters.len(),
            "parts": bundle.model.parts.len(),
            "deformers": bundle.model.deformers.len(),
            "drawables": bundle.model.drawables.len(),
        });
        let moc_version = bundle.model.version.byte();
        out::json(
            json!({"v": 1, "bundle": bundle.name, "moc3_version": moc_version, "ok": ok, "audits": audits,
            "counts": counts}),
        );
    } else {
        for audit in &audits {
            let mark = if audit.ok { "ok  " } else { "FAIL" };
            let place = if audit.r#where.is_empty() { String::new() } else { format!("  {}", audit.r#where) };
            say!("{mark} {:16} {:>10.4}{place}", audit.name, audit.worst);
        }
    }
    if ok { Ok(()) } else { Err(Failure::failed(format!("{}: not all audits passed", bundle.name))) }
}

fn listed(name: &str, faults: Vec<String>) -> audit::Audit {
    audit::Audit {
        name: name.to_owned(),
        ok: faults.is_empty(),
        worst: faults.len() as f64,
        r#where: faults.into_iter().take(3).collect::<Vec<_>>().join(", "),
    }
}
