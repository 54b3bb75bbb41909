//! Wall time of closures: the minimum of several runs.

use std::time::Instant;

/// Seconds of the fastest of `runs` runs (at least one), and the last result.
pub(crate) fn fastest<T>(runs: usize, mut f: impl FnMut() -> T) -> (f64, T) {
    let mut once = || {
        let started = Instant::now();
        let result = std::hint::black_box(f());
        (started.elapsed().as_secs_f64(), result)
    };
    (1..runs).fold(once(), |(best, _), _| {
        let (seconds, result) = once();
        (best.min(seconds), result)
    })
}
