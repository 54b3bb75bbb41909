//! What jobs are expected to cost.

use std::collections::BTreeMap;

use plan::JobKind;
use serde::{Deserialize, Serialize};

/// Expected cost of a job of which nothing is known, in microseconds.
const UNKNOWN_US: u64 = 20_000;

/// Running averages of job costs by kind and by size of the inputs. Estimates steer order and display; nothing that
/// is cached depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// By kind and size class; class 0 holds the average over all sizes.
    averages: BTreeMap<(JobKind, u8), u64>,
}

impl Costs {
    /// Learns from one run.
    pub fn observe(&mut self, kind: JobKind, input_bytes: u64, cost_us: u64) {
        for class in [0, size_class(input_bytes)] {
            self.averages
                .entry((kind, class))
                .and_modify(|average| *average = *average - *average / 8 + cost_us / 8)
                .or_insert(cost_us);
        }
    }

    /// The expected cost of a job of which only the kind is known, in microseconds.
    pub fn of_kind(&self, kind: JobKind) -> u64 {
        self.averages.get(&(kind, 0)).copied().unwrap_or(UNKNOWN_US)
    }

    /// The expected cost of a job with inputs of this many bytes, in microseconds.
    pub fn of(&self, kind: JobKind, input_bytes: u64) -> u64 {
        let exact = self.averages.get(&(kind, size_class(input_bytes)));
        exact.copied().unwrap_or_else(|| self.of_kind(kind))
    }

    /// One line for each average: kind, size class, microseconds.
    pub fn encode(&self) -> String {
        let line = |((kind, class), average): (&(JobKind, u8), &u64)| format!("{kind} {class} {average}\n");
        self.averages.iter().map(line).collect()
    }

    /// Reads what [`Self::encode`] wrote and leaves out whatever it does not understand: averages are never worth an
    /// error.
    pub fn decode(text: &str) -> Self {
        let parse = |line: &str| {
            let mut words = line.split(' ');
            let kind = JobKind::from_name(words.next()?)?;
            let class = words.next()?.parse().ok().filter(|class| *class <= size_class(u64::MAX))?;
            Some(((kind, class), words.next()?.parse().ok()?))
        };
        Self { averages: text.lines().filter_map(parse).collect() }
    }

    /// Whether any run of the kind was seen.
    pub fn knows(&self, kind: JobKind) -> bool {
        self.averages.contains_key(&(kind, 0))
    }
}

/// 1 for up to 1 KiB, one more for every factor of four.
fn size_class(bytes: u64) -> u8 {
    let doublings = 64 - (bytes >> 10).leading_zeros();
    1 + doublings.div_ceil(2) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_by_size_and_falls_back() {
        let mut costs = Costs::default();
        assert_eq!(costs.of(JobKind::Rig, 5), UNKNOWN_US);
        costs.observe(JobKind::Rig, 1 << 20, 800);
        assert_eq!(costs.of(JobKind::Rig, 1 << 20), 800);
        assert_eq!(costs.of(JobKind::Rig, 5), 800);
        costs.observe(JobKind::Rig, 5, 0);
        assert_eq!((costs.of(JobKind::Rig, 5), costs.of_kind(JobKind::Rig)), (0, 700));
        assert_eq!(Costs::decode(&costs.encode()), costs);
        let odd = "rig 1 5\nrig 99 5\nrig 1\nmine 1 5\n\u{0} x\nrig 1 -5\n";
        assert_eq!(Costs::decode(odd).encode(), "rig 1 5\n");
        assert_eq!((size_class(0), size_class(1023), size_class(1024), size_class(u64::MAX)), (1, 1, 2, 28));
    }
}
