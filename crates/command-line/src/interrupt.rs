//! Ctrl-C, and the polite signals of other programs: the search stops, its record is written.
//!
//! The second time the process ends at once, for those who really mean it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use report::Exit;

/// Whether the user wants the search to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    wanted: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. Where the system does not allow that, signals do what they always did.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let wanted = Arc::clone(&interrupt.wanted);
        let _ = ctrlc::set_handler(move || {
            if wanted.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Unknown.code().into());
            }
        });
        interrupt
    }

    /// Whether the search should stop.
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }
}
