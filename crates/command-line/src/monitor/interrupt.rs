//! Ctrl-C, and the polite signals of other programs: the search stops, its record is written. SIGUSR1 asks for a checkpoint.
//!
//! The second time the process ends at once, for those who really mean it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use report::Exit;

/// What the user wants of a running search.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    checkpoint: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. Where the system does not allow that, signals do what they always did.
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

    /// Whether a checkpoint is wanted; once for each time that somebody asks.
    pub fn takes_checkpoint(&self) -> bool {
        self.checkpoint.swap(false, Ordering::Relaxed)
    }
}
