//! Bars on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::out;

/// Bars shown at once for running characters.
const MOST_BARS: usize = 8;
/// How often moving parts move.
const TICK: Duration = Duration::from_millis(120);

/// How far a build is.
pub(crate) struct Progress {
    bars: Option<Mutex<Bars>>,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    running: BTreeMap<String, ProgressBar>,
    characters: (usize, usize),
    hits: u64,
}

impl Progress {
    /// Bars when they are wanted and standard error is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        let shown = wanted && std::io::stderr().is_terminal();
        let bars = shown.then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
            Mutex::new(Bars {
                all,
                total: ProgressBar::hidden(),
                running: BTreeMap::new(),
                characters: (0, 0),
                hits: 0,
            })
        });
        Self { bars }
    }

    /// A batch of so many characters.
    pub(crate) fn begin(&self, characters: usize) {
        let Some(mut bars) = self.lock() else { return };
        bars.total = bars.all.add(ProgressBar::new(0));
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {pos}/{len} jobs, {msg} [{elapsed}, {eta} left]")
        {
            bars.total.set_style(style.progress_chars("=> "));
        }
        bars.total.enable_steady_tick(TICK);
        bars.characters = (0, characters);
        bars.hits = 0;
        bars.show();
    }

    /// One more job is known of.
    pub(crate) fn planned(&self) {
        let Some(bars) = self.lock() else { return };
        bars.total.inc_length(1);
    }

    /// A job of a character started.
    pub(crate) fn job_started(&self, character: &str, kind: &str) {
        let Some(mut bars) = self.lock() else { return };
        if !bars.running.contains_key(character) {
            if bars.running.len() >= MOST_BARS {
                return;
            }
            let bar = bars.all.insert_before(&bars.total, ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.set_prefix(out::visible(character).into_owned());
            bar.enable_steady_tick(TICK);
            bars.running.insert(character.to_owned(), bar);
        }
        bars.running[character].set_message(kind.to_owned());
    }

    /// A job ended.
    pub(crate) fn job_ended(&self, is_hit: bool) {
        let Some(mut bars) = self.lock() else { return };
        bars.hits += u64::from(is_hit);
        bars.total.inc(1);
        bars.show();
    }

    /// A character ended.
    pub(crate) fn character_ended(&self, character: &str) {
        let Some(mut bars) = self.lock() else { return };
        if let Some(bar) = bars.running.remove(character) {
            bar.finish_and_clear();
            bars.all.remove(&bar);
        }
        bars.characters.0 += 1;
        bars.show();
    }

    /// The batch ended.
    pub(crate) fn end(&self) {
        let Some(mut bars) = self.lock() else { return };
        for bar in std::mem::take(&mut bars.running).into_values() {
            bar.finish_and_clear();
        }
        bars.total.finish_and_clear();
        // A line that cannot be cleared does no harm.
        let _ = bars.all.clear();
    }

    /// One line above the bars, as it is.
    pub(crate) fn line(&self, text: &str) {
        match self.lock() {
            Some(bars) => {
                let _ = bars.all.println(text);
            }
            None => out::painted(text),
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Bars>> {
        Some(self.bars.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Bars {
    fn show(&self) {
        let (done, all) = self.characters;
        self.total.set_message(format!("{} from cache, {done}/{all} characters", self.hits));
    }
}
