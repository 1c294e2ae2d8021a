//! The primitives of [claims](super::claims), so that a test can replace them.

pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

/// Called when a thread has looked for something in vain.
pub fn look_again() {
    std::hint::spin_loop();
}
