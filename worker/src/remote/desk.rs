//! What a worker has taken on: its leases, where each of them is, and what is still to be said of them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plan::JobKey;
use proto::v1;
use tokio::sync::Notify;

/// Reports in one message take at most about this many bytes.
const REPORT_BYTES: usize = 4 << 20;
/// Bundles that take less than this are asked for ahead, one for each slot, so that no slot waits for the coordinator.
const AHEAD_BELOW: Duration = Duration::from_millis(200);

/// A lease as the wire names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    pub(super) key: JobKey,
    pub(super) fence: u64,
}

impl Ticket {
    pub(super) fn to_wire(self) -> v1::Lease {
        v1::Lease { key: self.key.0.as_bytes().to_vec(), fence: self.fence }
    }
}

/// Where a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its inputs are being fetched, or it waits for a slot.
    Waiting,
    /// It runs, or what it made is on its way.
    Running,
    /// Its report waits or is on its way.
    Ended,
}

/// See the module. Shared by slots and the calls to the coordinator.
pub(super) struct Desk {
    slots: usize,
    kept: Mutex<Kept>,
    news: Notify,
}

#[derive(Default)]
struct Kept {
    leases: BTreeMap<Ticket, Stage>,
    reports: VecDeque<(Ticket, v1::report::What)>,
    /// Bundles that have not left their slot.
    bundles: usize,
    /// How long bundles took lately.
    pace: Option<Duration>,
    drains: bool,
    done: u64,
    failed: u64,
}

/// What a call to the coordinator says.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) bundles: u32,
    pub(super) held: Vec<v1::Lease>,
    pub(super) reports: Vec<(Ticket, v1::report::What)>,
}

impl Desk {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots: slots.max(1), kept: Mutex::default(), news: Notify::new() }
    }

    /// Waits until there is something to say.
    pub(super) async fn news(&self) {
        self.news.notified().await;
    }

    /// Takes on a new bundle; not while draining.
    pub(super) fn accept(&self, bundle: &[Ticket]) -> bool {
        let mut kept = self.lock();
        if kept.drains {
            let released = |ticket: &Ticket| (*ticket, v1::report::What::Released(v1::Released {}));
            kept.reports.extend(bundle.iter().map(released));
            kept.leases.extend(bundle.iter().map(|ticket| (*ticket, Stage::Ended)));
            self.news.notify_one();
            return false;
        }
        kept.leases.extend(bundle.iter().map(|ticket| (*ticket, Stage::Waiting)));
        kept.bundles += 1;
        true
    }

    /// A job is about to run; whether it still should.
    pub(super) fn begin(&self, ticket: &Ticket) -> bool {
        let mut kept = self.lock();
        let stage = kept.leases.get_mut(ticket).filter(|stage| **stage == Stage::Waiting);
        stage.map(|stage| *stage = Stage::Running).is_some()
    }

    /// Whether somebody still waits for this lease.
    pub(super) fn is_wanted(&self, ticket: &Ticket) -> bool {
        self.lock().leases.get(ticket).is_some_and(|stage| *stage != Stage::Ended)
    }

    /// A bundle has left its slot after so long.
    pub(super) fn bundle_ended(&self, took: Option<Duration>) {
        let mut kept = self.lock();
        kept.bundles = kept.bundles.saturating_sub(1);
        if let Some(took) = took {
            kept.pace = Some(kept.pace.map_or(took, |pace| (pace * 3 + took) / 4));
        }
        self.news.notify_one();
    }

    /// What became of leases; of those nobody wants any more nothing is said.
    pub(super) fn report(&self, ended: Vec<(Ticket, v1::report::What)>) {
        let mut kept = self.lock();
        for (ticket, what) in ended {
            let Some(stage) = kept.leases.get_mut(&ticket).filter(|stage| **stage != Stage::Ended) else {
                continue;
            };
            *stage = Stage::Ended;
            match &what {
                v1::report::What::Done(_) => kept.done += 1,
                v1::report::What::Failed(_) => kept.failed += 1,
                _ => {}
            }
            kept.reports.push_back((ticket, what));
        }
        self.news.notify_one();
    }

    /// What to say now.
    pub(super) fn word(&self) -> Word {
        let mut kept = self.lock();
        let mut word = Word { bundles: self.wanted(&kept), ..Word::default() };
        let mut bytes = 0;
        while let Some((_, what)) = kept.reports.front() {
            let len = if let v1::report::What::Done(result) = what { result.len() } else { 256 };
            if bytes > 0 && bytes + len > REPORT_BYTES {
                self.news.notify_one();
                break;
            }
            bytes += len;
            word.reports.extend(kept.reports.pop_front());
        }
        let said: std::collections::BTreeSet<Ticket> =
            word.reports.iter().map(|(ticket, _)| *ticket).collect();
        let others = kept.leases.keys().filter(|ticket| !said.contains(ticket));
        word.held = others.map(|ticket| ticket.to_wire()).collect();
        word
    }

    /// The reports were heard.
    pub(super) fn heard(&self, reports: &[(Ticket, v1::report::What)]) {
        let mut kept = self.lock();
        for (ticket, _) in reports {
            kept.leases.remove(ticket);
        }
    }

    /// The reports may not have been heard: say them again, first.
    pub(super) fn unheard(&self, reports: Vec<(Ticket, v1::report::What)>) {
        let mut kept = self.lock();
        reports.into_iter().rev().for_each(|report| kept.reports.push_front(report));
    }

    /// These are not ours any more. Those whose report is under way answer for themselves.
    pub(super) fn stop(&self, stopped: impl Iterator<Item = Ticket>) -> usize {
        let mut kept = self.lock();
        let stopped = stopped.filter(|ticket| {
            let is_ours = kept.leases.get(ticket).is_some_and(|stage| *stage != Stage::Ended);
            is_ours && kept.leases.remove(ticket).is_some()
        });
        stopped.count()
    }

    /// Takes no more, and gives back what has not begun.
    pub(super) fn drain(&self) {
        let mut kept = self.lock();
        kept.drains = true;
        let waiting: Vec<Ticket> =
            kept.leases.iter().filter(|(_, stage)| **stage == Stage::Waiting).map(|(t, _)| *t).collect();
        for ticket in waiting {
            kept.leases.insert(ticket, Stage::Ended);
            kept.reports.push_back((ticket, v1::report::What::Released(v1::Released {})));
        }
        self.news.notify_one();
    }

    /// Whether a call should be made now, though another one waits for work: there are reports, or a slot could take
    /// more than that one asked for.
    pub(super) fn has_news(&self, asked: u32) -> bool {
        let kept = self.lock();
        !kept.reports.is_empty() || self.wanted(&kept) > asked
    }

    /// Whether nothing is held and nothing is to be said.
    pub(super) fn is_clear(&self) -> bool {
        self.lock().leases.is_empty()
    }

    /// Whether nothing runs or waits to run; there may be reports.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().leases.values().all(|stage| *stage == Stage::Ended)
    }

    /// Leases held, jobs done, jobs failed.
    pub(super) fn counts(&self) -> (usize, u64, u64) {
        let kept = self.lock();
        (kept.leases.len(), kept.done, kept.failed)
    }

    fn wanted(&self, kept: &Kept) -> u32 {
        if kept.drains {
            return 0;
        }
        let is_quick = kept.pace.is_some_and(|pace| pace < AHEAD_BELOW);
        let most = if is_quick { 2 * self.slots } else { self.slots };
        most.saturating_sub(kept.bundles) as u32
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use canonical::Digest;

    use super::*;

    fn ticket(n: u8) -> Ticket {
        Ticket { key: JobKey(Digest::of(&[n])), fence: u64::from(n) }
    }

    fn done() -> v1::report::What {
        v1::report::What::Done(vec![1])
    }

    #[test]
    fn a_lease_is_named_until_its_report_is_heard() {
        let desk = Desk::new(1);
        assert_eq!(desk.word().bundles, 1);
        assert!(desk.accept(&[ticket(1), ticket(2)]));
        let word = desk.word();
        assert_eq!((word.bundles, word.held.len()), (0, 2));
        assert!(desk.begin(&ticket(1)) && !desk.begin(&ticket(1)));
        desk.report(vec![(ticket(1), done()), (ticket(9), done())]);
        let first = desk.word();
        assert_eq!((first.held.len(), first.reports.len()), (1, 1));
        // While the report is on its way the lease is still named by others, so that it is not taken back.
        assert_eq!(desk.word().held.len(), 2);
        assert_eq!(desk.stop([ticket(1)].into_iter()), 0);
        desk.unheard(first.reports);
        let again = desk.word();
        assert_eq!(again.reports.len(), 1);
        desk.heard(&again.reports);
        assert_eq!(desk.word().held, [ticket(2).to_wire()]);
        assert_eq!(desk.stop([ticket(2)].into_iter()), 1);
        assert!(!desk.begin(&ticket(2)) && desk.is_clear());
        desk.bundle_ended(None);
        assert_eq!(desk.word().bundles, 1);
    }

    #[test]
    fn quick_bundles_are_asked_for_ahead() {
        let desk = Desk::new(2);
        desk.accept(&[ticket(1)]);
        assert_eq!(desk.word().bundles, 1);
        desk.bundle_ended(Some(Duration::from_millis(1)));
        assert_eq!(desk.word().bundles, 4);
        for _ in 0..8 {
            desk.bundle_ended(Some(Duration::from_secs(9)));
        }
        assert_eq!(desk.word().bundles, 2);
    }

    #[test]
    fn draining_gives_back_what_has_not_begun() {
        let desk = Desk::new(4);
        desk.accept(&[ticket(1), ticket(2)]);
        assert!(desk.begin(&ticket(1)));
        desk.drain();
        assert!(!desk.begin(&ticket(2)) && !desk.accept(&[ticket(3)]));
        let word = desk.word();
        assert_eq!((word.bundles, word.reports.len(), word.held.len()), (0, 2, 1));
        desk.heard(&word.reports);
        assert!(!desk.is_clear());
        desk.report(vec![(ticket(1), done())]);
        let word = desk.word();
        desk.heard(&word.reports);
        assert!(desk.is_clear());
        assert_eq!(desk.counts(), (0, 1, 0));
    }
}
