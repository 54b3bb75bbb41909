//! Ctrl-C: the first gives up what is not done, the second ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};

/// Exit status after Ctrl-C, by custom 128 + SIGINT.
pub(crate) const STATUS: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static STOPPER: Mutex<Option<Stopper>> = Mutex::new(None);

/// What the first interrupt does.
type Stopper = Box<dyn Fn() + Send>;

/// Listens for SIGINT and SIGTERM from now on, on a thread of its own. Without one they end the process at once.
pub(crate) fn listen() {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(follow());
        }
    };
    // A machine that has no thread left has worse troubles.
    let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
}

async fn follow() {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(STATUS));
        }
        STOPPER.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|stop| stop());
    }
}

/// Whether the user has asked to stop.
pub(crate) fn is_asked() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// What an interrupt does from now on.
pub(crate) fn calls(stopper: Option<Stopper>) {
    let mut slot = STOPPER.lock().unwrap_or_else(PoisonError::into_inner);
    *slot = stopper;
    if is_asked() {
        slot.iter().for_each(|stop| stop());
    }
}
