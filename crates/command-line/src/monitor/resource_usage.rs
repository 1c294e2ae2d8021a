//! What the process used so far, from where the system tells it.

use std::time::{Duration, Instant};

use report::Usage;

use crate::lean_execution::give_heap_back;

/// What was used since `start`, and by the process as a whole.
pub fn usage_since(start: Instant) -> Usage {
    Usage {
        wall_seconds: Some(start.elapsed().as_secs_f64()),
        cpu_seconds: cpu_seconds(),
        peak_rss_bytes: peak_resident_bytes(),
    }
}

#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

/// The high-water mark of resident memory; only Linux tells it in a file.
fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Memory that the process holds and that nobody accounts for. What was given up stays with the allocator, which gives it back only when told to.
#[derive(Clone, Copy, Debug)]
pub struct UnusedHeap {
    next_look: Instant,
    /// Resident bytes, at the last time that memory was given back, and after it.
    left: u64,
}

impl UnusedHeap {
    /// Time between two looks.
    const EVERY: Duration = Duration::from_millis(50);
    /// Bytes that a process takes besides states.
    const USUAL: u64 = 12 << 20;
    /// Bytes that make it worth the time.
    const WORTH_IT: u64 = 2 << 20;

    /// Looks for the first time soon.
    pub fn new(start: Instant) -> Self {
        Self { next_look: start, left: 0 }
    }

    /// Gives memory back if there is much more than the search accounts for.
    pub fn look(&mut self, now: Instant, accounted: u64) {
        if now < self.next_look {
            return;
        }
        self.next_look = now + Self::EVERY;
        let is_much = |resident: u64| resident > (accounted + Self::USUAL).max(self.left + Self::WORTH_IT);
        if resident_bytes().is_some_and(is_much) {
            give_heap_back();
            self.left = resident_bytes().unwrap_or(0);
        }
        self.left = self.left.min(resident_bytes().unwrap_or(0));
    }
}

/// Bytes of memory that the process holds now, where the system tells.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_everything() {
        let usage = usage_since(Instant::now());
        assert!(usage.cpu_seconds.unwrap() >= 0.0);
        assert!(usage.peak_rss_bytes.unwrap() > 1 << 16);
    }
}
