//! `rigfarm cache`: looking after the local cache.

use std::time::Duration;

use serde_json::json;
use store::{Amount, GcOptions, Store};
use tokio::runtime::{Builder, Runtime};

use crate::args::{CacheAction, CacheArgs};
use crate::failure::Failure;
use crate::out::say;
use crate::{out, stores};

/// Runs one of the actions.
pub(crate) fn run(args: &CacheArgs) -> Result<(), Failure> {
    let (address, store) = stores::open_for_maintenance(args.store.as_deref())?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| Failure::failed(format!("cannot start a thread: {e}")))?;
    let place = Place { address, store, runtime, json: args.json };
    match args.action {
        CacheAction::Stats => place.stats(),
        CacheAction::Gc { dry_run, keep_hours } => place.gc(dry_run, keep_hours),
        CacheAction::Verify => place.verify(),
    }
}

struct Place {
    address: String,
    store: Store,
    runtime: Runtime,
    json: bool,
}

impl Place {
    fn stats(&self) -> Result<(), Failure> {
        let stats = self.wait(self.store.stats())?;
        let oldest = stats.oldest.and_then(|used| used.elapsed().ok()).map(|age| age.as_secs());
        if self.json {
            out::json(json!({"v": 1, "store": self.address, "blobs": amount(stats.blobs),
                "actions": amount(stats.actions), "quarantine": amount(stats.quarantine),
                "oldest_seconds": oldest}));
            return Ok(());
        }
        out::line(&self.address);
        line("blobs", stats.blobs);
        line("results", stats.actions);
        line("set aside", stats.quarantine);
        if let Some(age) = oldest {
            say!("least recently used {} ago", out::duration(age as f64));
        }
        Ok(())
    }

    fn gc(&self, dry_run: bool, keep_hours: u64) -> Result<(), Failure> {
        let keep = Duration::from_secs(keep_hours.saturating_mul(3600));
        let grace = GcOptions::default().grace.min(keep);
        let collected =
            self.wait(self.store.gc(&GcOptions { keep, grace, dry_run, ..GcOptions::default() }))?;
        if self.json {
            out::json(json!({"v": 1, "store": self.address, "dry_run": dry_run,
                "removed": {"blobs": amount(collected.removed_blobs), "actions": amount(collected.removed_actions),
                    "quarantine": amount(collected.removed_quarantine)},
                "kept": {"blobs": amount(collected.kept_blobs), "actions": amount(collected.kept_actions)}}));
            return Ok(());
        }
        let word = if dry_run { "would remove" } else { "removed" };
        line(&format!("{word} blobs"), collected.removed_blobs);
        line(&format!("{word} results"), collected.removed_actions);
        line(&format!("{word} set aside"), collected.removed_quarantine);
        line("kept blobs", collected.kept_blobs);
        line("kept results", collected.kept_actions);
        Ok(())
    }

    /// What is damaged is set aside and made again by the next build that needs it; it still is a finding.
    fn verify(&self) -> Result<(), Failure> {
        let verified = self.wait(self.store.verify())?;
        let names =
            |digests: &[canonical::Digest]| digests.iter().map(ToString::to_string).collect::<Vec<_>>();
        let damaged = verified.corrupt_blobs.len() + verified.corrupt_actions.len();
        if self.json {
            out::json(json!({"v": 1, "store": self.address, "blobs": amount(verified.blobs),
                "actions": amount(verified.actions), "corrupt_blobs": names(&verified.corrupt_blobs),
                "corrupt_actions": names(&verified.corrupt_actions),
                "incomplete_actions": names(&verified.incomplete_actions)}));
        } else {
            line("blobs read", verified.blobs);
            line("results read", verified.actions);
            names(&verified.corrupt_blobs).iter().for_each(|n| say!("damaged blob {n}"));
            names(&verified.corrupt_actions).iter().for_each(|n| say!("damaged result {n}"));
            say!("{} results without all their blobs", verified.incomplete_actions.len());
        }
        match damaged {
            0 => Ok(()),
            _ => Err(Failure::failed(format!(
                "{} damaged and set aside; the next build makes it again",
                out::counted(damaged, "entry").replace("entrys", "entries")
            ))),
        }
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, store::Error>>) -> Result<T, Failure> {
        self.runtime.block_on(work).map_err(|e| Failure::unreachable(e.to_string()))
    }
}

fn amount(amount: Amount) -> serde_json::Value {
    json!({"entries": amount.entries, "bytes": amount.bytes})
}

fn line(name: &str, amount: Amount) {
    say!("{name:24} {:>9}  {}", amount.entries, out::bytes(amount.bytes));
}
