//! Keys that are ready to run, in the order in which they should.
//!
//! Bands come first, lowest number first. Within a band tenants share by virtual time: a claim adds the expected cost
//! divided by the tenant's weight, the tenant that has had least comes next, and one that arrives late starts where
//! the others are. Within a tenant started builds finish first, then characters in their order, then the longest
//! remaining path (FARM 7).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::JobKey;
use serde::{Deserialize, Serialize};

/// Where a key stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    /// Priority band.
    pub(super) band: u8,
    /// Who pays.
    pub(super) tenant: Arc<str>,
    /// Order within the tenant.
    pub(super) rank: Rank,
}

/// Order within a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Rank {
    /// Submission order of the build.
    pub(super) build: u64,
    /// Place of the character.
    pub(super) character: u32,
    /// Expected cost from here to the end of the character, in microseconds; larger first.
    pub(super) path_us: Reverse<u64>,
}

/// Band and tenant.
type Line = (u8, Arc<str>);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    lines: BTreeMap<Line, BTreeSet<(Rank, JobKey)>>,
    /// Virtual time: cost given so far, in microseconds over weight.
    given: BTreeMap<Line, u64>,
    weights: BTreeMap<Arc<str>, u64>,
}

impl Queue {
    /// Sets a tenant's weight; 1 is usual.
    pub(super) fn set_weight(&mut self, tenant: Arc<str>, weight: u64) {
        self.weights.insert(tenant, weight.max(1));
    }

    /// Sets all weights.
    pub(super) fn set_weights(&mut self, weights: BTreeMap<Arc<str>, u64>) {
        self.weights = weights.into_iter().map(|(tenant, weight)| (tenant, weight.max(1))).collect();
    }

    pub(super) fn insert(&mut self, place: &Place, key: JobKey) {
        let line = (place.band, Arc::clone(&place.tenant));
        if !self.lines.contains_key(&line) {
            let present = self.lines.keys().filter(|other| other.0 == place.band);
            let least = present.filter_map(|other| self.given.get(other)).min().copied().unwrap_or(0);
            let given = self.given.entry(line.clone()).or_insert(0);
            *given = least.max(*given);
        }
        self.lines.entry(line).or_default().insert((place.rank, key));
    }

    pub(super) fn remove(&mut self, place: &Place, key: JobKey) {
        let line = (place.band, Arc::clone(&place.tenant));
        if let Some(keys) = self.lines.get_mut(&line) {
            keys.remove(&(place.rank, key));
            if keys.is_empty() {
                self.lines.remove(&line);
            }
        }
    }

    /// Charges a tenant for a claimed key.
    pub(super) fn charge(&mut self, place: &Place, cost_us: u64) {
        let weight = self.weights.get(&place.tenant).copied().unwrap_or(1);
        let given = self.given.entry((place.band, Arc::clone(&place.tenant))).or_insert(0);
        *given = given.saturating_add((cost_us / weight).max(1));
    }

    /// The first key in order that `fits`.
    pub(super) fn first(&self, mut fits: impl FnMut(JobKey) -> bool) -> Option<JobKey> {
        let mut lines: Vec<_> = self
            .lines
            .iter()
            .map(|(line, keys)| (line.0, self.given.get(line).copied().unwrap_or(0), keys))
            .collect();
        lines.sort_by_key(|(band, given, _)| (*band, *given));
        lines.into_iter().flat_map(|(.., keys)| keys).map(|(_, key)| *key).find(|key| fits(*key))
    }

    /// The keys of one character of one build, in order.
    pub(super) fn of_character(&self, place: &Place) -> impl Iterator<Item = JobKey> {
        let Rank { build, character, .. } = place.rank;
        let start = Rank { build, character, path_us: Reverse(u64::MAX) };
        let line = self.lines.get(&(place.band, Arc::clone(&place.tenant)));
        line.into_iter()
            .flat_map(move |keys| keys.range((start, JobKey(canonical::Digest::from_bytes([0; 32])))..))
            .take_while(move |(rank, _)| rank.build == build && rank.character == character)
            .map(|(_, key)| *key)
    }

    pub(super) fn len(&self) -> usize {
        self.lines.values().map(BTreeSet::len).sum()
    }
}
