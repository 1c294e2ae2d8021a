//! Signals: Ctrl-C and termination stop the search, whose record is still written. SIGUSR1 requests
//! a checkpoint.
//!
//! A second Ctrl-C ends the process at once, without a record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use report::Exit;

/// Requests of the user to a running search.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    checkpoint: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the signal handlers. If the system refuses, signals keep their usual effect.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let stop = Arc::clone(&interrupt.stop);
        let _ = ctrlc::set_handler(move || {
            if stop.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Unknown.code().into());
            }
        });
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&interrupt.checkpoint));
        interrupt
    }

    /// Whether the search should stop.
    pub fn is_wanted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a checkpoint was requested since the last call.
    pub fn takes_checkpoint(&self) -> bool {
        self.checkpoint.swap(false, Ordering::Relaxed)
    }
}
