//! One process, run to its end on one core: what it printed and how much memory it needed.
//!
//! The peak resident size comes from `wait4`, so that it is the same figure for every tool, whatever the
//! tool says about itself. Most times are taken from the tools' own clocks (they leave out the start of
//! the process, for both sides); then the wall time here only guards against a clock that leaves out too
//! much. `default` compares the wall times, because it asks how long a user waits.
//! Output goes to a file rather than a pipe, so that no reader competes while the clock runs.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::mem::MaybeUninit;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The shortest and the longest pause between two looks at a running process.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// What a finished process left behind.
#[derive(Debug)]
pub struct Measured {
    /// Everything it wrote to standard output and standard error, in order.
    pub output: String,
    /// Its exit code; `None` when a signal ended it, ours (see `timed_out`) or another.
    pub exit_code: Option<i32>,
    /// Whether it was ended because it ran longer than allowed.
    pub timed_out: bool,
    /// From start to end, seen from outside.
    pub wall: Duration,
    /// Peak resident set size of the process and its descendants.
    pub peak_rss_bytes: u64,
}

/// Pins processes to one core where `taskset` exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    Core(usize),
    None,
}

impl Pinning {
    /// To the last core, which the system uses least, if `taskset` works here.
    pub fn detect() -> Pinning {
        let last = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
        let works = Command::new("taskset")
            .args(["-c", &last.to_string(), "true"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if works { Pinning::Core(last) } else { Pinning::None }
    }

    /// A command for `program`, started through `taskset` when pinned. `taskset` replaces itself by the
    /// program, so that the process measured is the program.
    pub fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        match self {
            Pinning::None => Command::new(program),
            Pinning::Core(core) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &core.to_string()]).arg(program);
                command
            }
        }
    }
}

/// Runs `command` to its end, or ends it after `time_limit`.
pub fn run(command: &mut Command, time_limit: Duration) -> Result<Measured> {
    let mut output = tempfile::tempfile().context("cannot make a file for the output")?;
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;

    let mut timed_out = false;
    let (status, usage) = loop {
        if let Some(end) = poll_end(child.id())? {
            break end;
        }
        if !timed_out && start.elapsed() > time_limit {
            timed_out = true;
            child.kill()?;
        }
        std::thread::sleep(pause(start.elapsed()));
    };
    let wall = start.elapsed();
    Ok(Measured {
        output: read_back(&mut output)?,
        exit_code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        timed_out,
        wall,
        peak_rss_bytes: peak_rss_bytes(&usage),
    })
}

/// The time until the next look at a process that has run this long: a hundredth of it, so that the
/// time of a process of ten milliseconds is not that of the clock that looks at it.
fn pause(elapsed: Duration) -> Duration {
    (elapsed / 100).clamp(PAUSES.0, PAUSES.1)
}

/// The status and resource usage of child `pid` if it has ended. Takes the place of [`Child::wait`], which
/// throws the usage away; a child that was polled to its end must not be waited for again.
///
/// [`Child::wait`]: std::process::Child::wait
fn poll_end(pid: u32) -> Result<Option<(libc::c_int, libc::rusage)>> {
    let pid = libc::pid_t::try_from(pid).context("a process id that is no process id")?;
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writes for the whole call.
    let ended = unsafe { libc::wait4(pid, &mut status, libc::WNOHANG, usage.as_mut_ptr()) };
    match ended {
        -1 => Err(std::io::Error::last_os_error()).context("cannot wait for a process"),
        0 => Ok(None),
        // SAFETY: `rusage` is plain integers, zeroed above: any content is valid.
        _ => Ok(Some((status, unsafe { usage.assume_init() }))),
    }
}

/// Linux counts in KiB, macOS in bytes.
fn peak_rss_bytes(usage: &libc::rusage) -> u64 {
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit
}

fn read_back(file: &mut File) -> Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn output_and_exit_code_are_collected() {
        let measured = run(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]), LONG).unwrap();
        assert_eq!(measured.output, "one\ntwo\n");
        assert_eq!(measured.exit_code, Some(3));
        assert!(!measured.timed_out);
        assert!(measured.peak_rss_bytes > 0);
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let measured = run(Command::new("sleep").arg("30"), Duration::from_millis(20)).unwrap();
        assert!(measured.timed_out);
        assert_eq!(measured.exit_code, None);
        assert!(measured.wall < Duration::from_secs(10));
    }

    #[test]
    fn short_processes_are_looked_at_more_often() {
        let pauses = [0, 10_000, 100_000, 10_000_000].map(|micros| pause(Duration::from_micros(micros)));
        assert_eq!(pauses.map(|pause| pause.as_micros()), [50, 100, 1000, 5000]);
    }

    #[test]
    fn memory_that_a_process_touches_is_seen() {
        let small = run(&mut Command::new("true"), LONG).unwrap();
        let large = run(Command::new("sh").args(["-c", "head -c 64M /dev/zero | tail -c 64M | wc -c"]), LONG)
            .unwrap();
        assert!(small.peak_rss_bytes < 60 << 20);
        assert!(large.peak_rss_bytes > 60 << 20, "descendants count: {}", large.peak_rss_bytes);
    }
}
