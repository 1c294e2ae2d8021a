//! The sweepline binary: building it, running `explore` and `check`, reading the run record.
//!
//! A comparison is fair if both sides use as many threads, so every run says how many it may use, one
//! unless told otherwise, and a record of more is an error.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::measure::{self, Measured, Pinning};

/// Bytes of a record that a slow machine writes in a second; a fast one writes ten times as many.
const WRITTEN_PER_SECOND: f64 = 5e7;

/// The built binary, ready to be measured.
pub struct Sweepline {
    path: PathBuf,
    pinning: Pinning,
}

/// A run was ended because it took too long.
#[derive(Debug)]
pub struct OutOfTime(Duration);

impl std::fmt::Display for OutOfTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no result after {} s", self.0.as_secs())
    }
}

impl std::error::Error for OutOfTime {}

/// The figures of one `explore` run.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    pub complete: bool,
    pub distinct_states: Option<u64>,
    pub transitions: Option<u64>,
    pub deadlocks: Option<u64>,
    pub peak_stored: Option<u64>,
    pub peak_layer: Option<u64>,
    pub layers: Option<u64>,
    pub states_written: Option<u64>,
    pub states_read: Option<u64>,
    /// Threads that explored.
    pub threads: u32,
    /// The run's own clock, from start to end: reading and compiling the model included.
    pub wall_seconds: f64,
    /// From the start to the end of the process, measured from outside; the run's own clock in a record
    /// that was read from a file.
    pub process_seconds: f64,
    /// Measured from outside, like every other tool's.
    pub peak_rss_bytes: u64,
    /// Errors the tool reported, one line each.
    pub errors: Vec<String>,
    /// What the tool printed.
    pub said: String,
    /// The whole record, for benchmarks that want more of it.
    pub record: Value,
}

impl Sweepline {
    /// Builds the release binary and finds out where cargo put it.
    pub fn build(pinning: Pinning) -> Result<Sweepline> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--release", "--bin", "sweepline", "--message-format", "json-render-diagnostics"])
            .current_dir(crate::workspace_root())
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo")?;
        if !output.status.success() {
            bail!("sweepline does not build");
        }
        let path = executable(&String::from_utf8_lossy(&output.stdout))
            .ok_or_else(|| anyhow!("cargo built no binary named sweepline"))?;
        Ok(Sweepline { path, pinning })
    }

    /// A text that changes when the binary does.
    pub fn fingerprint(&self) -> Result<String> {
        let bytes =
            std::fs::read(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?;
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(&bytes);
        Ok(format!("{:016x}", hasher.finish()))
    }

    /// Walks the whole state space of `model` in memory, on one thread.
    pub fn explore(&self, model: &Path, time_limit: Duration) -> Result<Exploration> {
        self.explore_by(model, &["--engine".into(), "breadth".into()], time_limit)
    }

    /// Walks the whole state space with these options.
    pub fn explore_by(&self, model: &Path, options: &[String], time_limit: Duration) -> Result<Exploration> {
        self.ask("explore", model, options, 1, time_limit)
    }

    /// Runs `explore` or `check`, whichever `command` is, with these options on at most so many threads.
    pub fn ask(
        &self,
        command: &str,
        model: &Path,
        options: &[String],
        threads: u32,
        time_limit: Duration,
    ) -> Result<Exploration> {
        let mut process = self.pinning.command(&self.path);
        process.arg(command).arg(model).args(options).arg("--quiet");
        // No number is as many threads as the program likes.
        if threads < u32::MAX && !options.iter().any(|option| option == "--threads") {
            process.args(["--threads", &threads.to_string()]);
        }
        Self::explored(process, threads, time_limit)
    }

    /// Walks the whole state space with these options, started in a folder, and keeps what is printed.
    pub fn explore_from(
        &self,
        folder: &Path,
        model: &Path,
        options: &[String],
        time_limit: Duration,
    ) -> Result<Exploration> {
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        self.run(folder, model, &words, time_limit)
    }

    /// Reads, analyses and compiles `model`, and stops as soon as the search has begun.
    pub fn prepare(&self, model: &Path, time_limit: Duration) -> Result<Exploration> {
        self.run(Path::new("."), model, &["--engine", "breadth", "--state-limit", "1", "--quiet"], time_limit)
    }

    /// The record of `progress` for measures that are derived from all states.
    pub fn progress_exact(&self, model: &Path, time_limit: Duration) -> Result<Value> {
        let mut command = self.pinning.command(&self.path);
        command.arg("progress").arg(model).args(["--exact", "--quiet"]);
        let (text, _) = recorded(&mut command, time_limit)?;
        let record: Value = serde_json::from_str(&text).context("the record of measures is no JSON")?;
        match errors(&record["diagnostics"]).first() {
            Some(error) => bail!("{error}"),
            None => Ok(record),
        }
    }

    /// Looks for a progress measure and saves it in `file`, for `--measure @FILE`. `None` if none was found.
    pub fn save_measure(&self, model: &Path, file: &Path, time_limit: Duration) -> Result<Option<String>> {
        let mut command = self.pinning.command(&self.path);
        command.arg("progress").arg(model).arg("--save").arg(file).arg("--quiet");
        let (text, _) = recorded(&mut command, time_limit)?;
        let record: Value = serde_json::from_str(&text).context("the record of measures is no JSON")?;
        if let Some(error) = errors(&record["diagnostics"]).first() {
            bail!("{error}");
        }
        if !file.exists() {
            return Ok(None);
        }
        let saved = std::fs::read_to_string(file).context("cannot read the measure that was saved")?;
        let lines: Vec<&str> = saved.lines().filter(|line| !line.starts_with("//")).collect();
        Ok(Some(lines.join(" ")))
    }

    /// Checks what the options ask.
    pub fn check_by(&self, model: &Path, options: &[String], time_limit: Duration) -> Result<Exploration> {
        self.ask("check", model, options, 1, time_limit)
    }

    fn run(&self, from: &Path, model: &Path, options: &[&str], time_limit: Duration) -> Result<Exploration> {
        let mut command = self.pinning.command(&self.path);
        command.current_dir(from).arg("explore").arg(model).args(options).args(["--threads", "1"]);
        Self::explored(command, 1, time_limit)
    }

    fn explored(mut command: Command, threads: u32, time_limit: Duration) -> Result<Exploration> {
        let (text, measured) = recorded(&mut command, time_limit)?;
        let mut exploration = Exploration::with_threads(&text, threads)?;
        exploration.process_seconds = measured.wall.as_secs_f64();
        exploration.peak_rss_bytes = measured.peak_rss_bytes;
        exploration.check_clock(measured.wall, text.len())?;
        exploration.said = measured.output;
        Ok(exploration)
    }
}

/// Runs sweepline to its end, and reads what it wrote for `--json`.
fn recorded(command: &mut Command, time_limit: Duration) -> Result<(String, Measured)> {
    let folder = tempfile::tempdir()?;
    let record = folder.path().join("record.json");
    let measured = measure::run(command.arg("--json").arg(&record), time_limit)?;
    if measured.timed_out {
        return Err(OutOfTime(time_limit).into());
    }
    let text = std::fs::read_to_string(&record).map_err(|_| {
        let said = measured.output.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        anyhow!("no run record (exit code {:?}); sweepline said: {said}", measured.exit_code)
    })?;
    Ok((text, measured))
}

impl Exploration {
    /// Reads a record as `--json` writes it, of a search on one thread.
    pub fn from_record(text: &str) -> Result<Exploration> {
        Self::with_threads(text, 1)
    }

    /// Reads a record as `--json` writes it, of a search on at most so many threads.
    pub fn with_threads(text: &str, most: u32) -> Result<Exploration> {
        let record: Value = serde_json::from_str(text).context("the run record is no JSON")?;
        let format = record["format"].as_str().unwrap_or("none");
        if format != "sweepline-run/1" {
            bail!("a run record of format {format}; this reader knows sweepline-run/1");
        }
        let threads = u32::try_from(record["plan"]["threads"].as_u64().unwrap_or(1))?;
        if threads > most {
            bail!("the search used {threads} threads; at most {most} may be compared");
        }
        let search = &record["search"];
        let resources = &record["resources"];
        let wall_seconds = resources["wall_seconds"].as_f64().context("the record has no wall time")?;
        Ok(Exploration {
            complete: search["complete"].as_bool().unwrap_or(false),
            distinct_states: search["states"]["distinct"].as_u64(),
            transitions: search["transitions"]["total"].as_u64(),
            deadlocks: search["deadlocks"].as_u64(),
            peak_stored: search["states"]["peak_stored"].as_u64(),
            peak_layer: search["states"]["peak_layer"].as_u64(),
            layers: search["layers"].as_u64(),
            states_written: search["io"]["states_written"].as_u64(),
            states_read: search["io"]["states_read"].as_u64(),
            threads,
            wall_seconds,
            process_seconds: wall_seconds,
            peak_rss_bytes: resources["peak_rss_bytes"].as_u64().unwrap_or(0),
            errors: errors(&record["diagnostics"]),
            said: String::new(),
            record,
        })
    }

    /// The distinct states of a complete search, or what went wrong.
    pub fn all_states(&self) -> Result<u64> {
        if !self.complete {
            bail!("incomplete: {}", self.cut_off());
        }
        self.distinct_states.context("the record does not know how many states there are")
    }

    /// Expansions of all attempts, and the most states held in any of them: measures that were abandoned
    /// on the way count.
    pub fn all_attempts(&self) -> Option<(u64, u64)> {
        let kept = &self.record["search"]["states"];
        let mut work = (kept["explored"].as_u64()?, kept["peak_stored"].as_u64()?);
        let attempts = self.record["measure_search"]["attempts"].as_array().map_or(&[][..], Vec::as_slice);
        for attempt in attempts.iter().filter(|attempt| attempt["end"] != "kept") {
            work.0 += attempt["explored"].as_u64()?;
            work.1 = work.1.max(attempt["peak_stored"].as_u64()?);
        }
        Some(work)
    }

    /// Why a search that is not complete is not.
    pub fn cut_off(&self) -> &str {
        let stopped = || self.record["search"]["stopped"].as_str();
        self.errors.first().map(String::as_str).or_else(stopped).unwrap_or("the search was cut off")
    }

    /// Compares the clock of the record with the time of the process. A clock that misses more than
    /// the start and the end of a process would make every rate a lie.
    ///
    /// The record is written after its clock has stopped, and a list of all terminal states makes
    /// it long. The time to write it is allowed for by its size.
    fn check_clock(&self, outside: Duration, record_bytes: usize) -> Result<()> {
        let missed = outside.as_secs_f64() - self.wall_seconds;
        let writing = record_bytes as f64 / WRITTEN_PER_SECOND;
        if missed > 0.2 + 0.05 * self.wall_seconds + writing {
            bail!(
                "the record says {:.2} s, the process ran {:.2} s",
                self.wall_seconds,
                outside.as_secs_f64()
            );
        }
        Ok(())
    }
}

fn errors(diagnostics: &Value) -> Vec<String> {
    let all = diagnostics.as_array().map_or(&[][..], Vec::as_slice);
    all.iter()
        .filter(|diagnostic| diagnostic["severity"] == "error")
        .map(|diagnostic| {
            let code = diagnostic["code"].as_str().unwrap_or("error");
            let message = diagnostic["message"].as_str().unwrap_or("");
            format!("{code}: {message}")
        })
        .collect()
}

/// The executable that cargo's JSON messages name for the binary target `sweepline`.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == "sweepline"
        })
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{ "format": "sweepline-run/1", "exit_code": 0,
      "model": {"path": "m.dve", "language": "dve", "variables": 3, "state_bits": 20},
      "plan": {"engine": "breadth", "execution": "compiled", "threads": 1, "measure": null},
      "search": {"complete": true,
        "states": {"distinct": 12498, "explored": 12498, "peak_stored": 12498, "peak_layer": 420, "persistent": 0},
        "transitions": {"total": 33369, "forward": 0, "stationary": 0, "regress": 0},
        "sweeps": 1, "layers": 54, "deadlocks": 0, "io": {"states_written": 0, "states_read": 0}},
      "properties": [], "traces": [],
      "diagnostics": [{"code": "W0001", "severity": "warning", "message": "never used", "line": 1, "column": 1, "help": null}],
      "resources": {"wall_seconds": 0.25, "cpu_seconds": 0.25, "peak_rss_bytes": 4096, "peak_state_bytes": 0, "disk_bytes": 0} }"#;

    #[test]
    fn the_figures_of_a_record_are_read() {
        let exploration = Exploration::from_record(RECORD).unwrap();
        assert_eq!(exploration.all_states().unwrap(), 12498);
        assert_eq!(exploration.transitions, Some(33369));
        assert_eq!(exploration.deadlocks, Some(0));
        assert_eq!(exploration.wall_seconds, 0.25);
        assert!(exploration.errors.is_empty(), "a warning is no error");
    }

    #[test]
    fn an_incomplete_search_gives_no_state_count() {
        let record = RECORD.replace("\"complete\": true", "\"complete\": false").replace("warning", "error");
        let exploration = Exploration::from_record(&record).unwrap();
        assert_eq!(exploration.all_states().unwrap_err().to_string(), "incomplete: W0001: never used");
    }

    #[test]
    fn an_unknown_format_is_refused() {
        let record = RECORD.replace("sweepline-run/1", "sweepline-run/9");
        assert!(Exploration::from_record(&record).unwrap_err().to_string().contains("sweepline-run/9"));
    }

    #[test]
    fn a_search_with_more_threads_than_expected_is_refused() {
        let record = RECORD.replace("\"threads\": 1", "\"threads\": 2");
        assert!(Exploration::from_record(&record).unwrap_err().to_string().contains("2 threads"));
        assert_eq!(Exploration::with_threads(&record, 2).unwrap().threads, 2);
        assert_eq!(Exploration::with_threads(RECORD, 2).unwrap().threads, 1);
    }

    #[test]
    fn abandoned_attempts_count() {
        let attempts = r#""measure_search": {"attempts": [
            {"end": "better-measure", "explored": 5, "peak_stored": 20000},
            {"end": "kept", "explored": 12498, "peak_stored": 12498}]}, "properties""#;
        let run = Exploration::from_record(&RECORD.replace("\"properties\"", attempts)).unwrap();
        assert_eq!(run.all_attempts(), Some((12503, 20000)));
    }

    #[test]
    fn a_clock_that_stops_early_is_noticed() {
        let exploration = Exploration::from_record(RECORD).unwrap();
        assert!(exploration.check_clock(Duration::from_millis(300), RECORD.len()).is_ok());
        assert!(exploration.check_clock(Duration::from_millis(900), RECORD.len()).is_err());
    }

    #[test]
    fn a_long_record_takes_its_time_to_write_and_no_longer() {
        let exploration = Exploration::from_record(RECORD).unwrap();
        assert!(exploration.check_clock(Duration::from_millis(900), 50_000_000).is_ok());
        assert!(exploration.check_clock(Duration::from_millis(1900), 50_000_000).is_err());
    }

    #[test]
    fn the_binary_is_found_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"sweepline"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"sweepline"},"executable":"out/release/sweepline"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("out/release/sweepline")));
    }
}
