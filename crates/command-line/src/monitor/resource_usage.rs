//! Time and memory that the process has used.

use std::time::Instant;

use report::Usage;

/// Wall-clock time since `start`, and processor time and peak memory of the process.
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

/// Greatest resident memory so far, in bytes; known only on Linux.
fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_reports_processor_time_and_memory() {
        let usage = usage_since(Instant::now());
        assert!(usage.cpu_seconds.unwrap() >= 0.0);
        assert!(usage.peak_rss_bytes.unwrap() > 1 << 16);
    }
}
