//! A directory with model files, in which the program is run.

pub mod schema;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use report::{RunRecord, run_record_schema};
use serde_json::Value;
use tempfile::TempDir;

/// Two processes and a lock that both can find open: mutual exclusion is violated.
pub const BROKEN_LOCK: &str = "\
byte locked;
byte inside;

process P {
    state away, take, critical;
    init away;
    assert critical: inside == 1;
    trans
        away -> take { guard locked == 0; },
        take -> critical { effect locked = 1, inside = inside + 1; },
        critical -> away { effect locked = 0, inside = inside - 1; };
}

process Q {
    state away, take, critical;
    init away;
    trans
        away -> take { guard locked == 0; },
        take -> critical { effect locked = 1, inside = inside + 1; },
        critical -> away { effect locked = 0, inside = inside - 1; };
}

system async;
";

/// Counts to nine and stops there.
pub const COUNTER: &str = "\
byte x;
process P {
    state s;
    init s;
    trans s -> s { guard x < 9; effect x = x + 1; };
}
system async;
";

/// Writes past the end of an array in its third step.
pub const OVERRUN: &str = "\
byte a[2];
process P {
    byte at;
    state s;
    init s;
    trans s -> s { guard at < 5; effect a[at] = 1, at = at + 1; };
}
system async;
";

/// Three independent counters, with more states than a test can explore.
pub const ENDLESS: &str = "\
int a, b, c;
process P { state s; init s; trans s -> s { effect a = (a + 1) % 30000; }; }
process Q { state s; init s; trans s -> s { effect b = (b + 1) % 30000; }; }
process R { state s; init s; trans s -> s { effect c = (c + 1) % 30000; }; }
system async;
";

/// A model with a property process.
pub const WITH_AUTOMATON: &str = "\
byte x;
process P {
    state s;
    init s;
    trans s -> s { effect x = 1 - x; };
}
process Never {
    state wait, bad;
    init wait;
    accept bad;
    trans wait -> wait {}, wait -> bad { guard x == 1; }, bad -> bad { guard x == 1; };
}
system async property Never;
";

/// The directory in which a test runs the program.
pub struct Session {
    directory: TempDir,
}

/// The exit code and output of a run.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Session {
    /// An empty directory.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// A directory with one model, `m.dve`.
    pub fn with_model(text: &str) -> Self {
        let session = Self::new();
        session.write("m.dve", text);
        session
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A JSON file. Run records are compared with their schema.
    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        let value: Value = serde_json::from_str(&self.read(name)).unwrap();
        if value["format"] == RunRecord::FORMAT {
            assert_eq!(schema::difference(&run_record_schema(), &value), None, "the schema of run records");
        }
        value
    }

    /// Names of the files in the directory.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sweepline"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Runs with this text on stdin.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut child = self.spawn(arguments, Stdio::piped());
        // The caller judges a program that ends without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Run::of(child.wait_with_output().unwrap())
    }

    pub fn spawn(&self, arguments: &[&str], input: Stdio) -> Child {
        self.command(arguments).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("the program ends by itself, not by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts the exit code, and shows all output otherwise.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn out(self, part: &str) -> Self {
        assert!(self.stdout.contains(part), "no `{part}` in stdout:\n{}", self.stdout);
        self
    }

    #[track_caller]
    pub fn err(self, part: &str) -> Self {
        assert!(self.stderr.contains(part), "no `{part}` in stderr:\n{}", self.stderr);
        self
    }
}
