//! The primitives of the [exchange](super::exchange), so that a test can replace them.

pub use std::sync::{Condvar, Mutex, PoisonError, atomic};

use std::cell::Cell;

/// Rounds of spinning before a helper sleeps: some tens of microseconds.
pub const SPINS: u32 = 1 << 12;
/// Rounds of spinning before a thread lets others run. They would wait for it in vain if there are
/// fewer processors than threads.
const PATIENCE: u32 = 64;

thread_local! {
    static PAUSES: Cell<u32> = const { Cell::new(0) };
}

/// Waits for a moment.
pub fn pause() {
    PAUSES.with(|pauses| {
        let now = pauses.get().wrapping_add(1);
        pauses.set(now);
        if now.is_multiple_of(PATIENCE) { std::thread::yield_now() } else { std::hint::spin_loop() }
    });
}
