//! What SPIN finds in a program, without reductions.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Answer;

/// The most states that are compared.
const LARGEST: u64 = 20_000;

/// Whether SPIN and the compiler it needs are installed.
pub fn is_installed() -> bool {
    let runs = |program, argument| {
        let mut command = Command::new(program);
        command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    runs("spin", "-V") && runs("gcc", "--version")
}

/// Explores `model.pml` in the folder. `None` if SPIN refuses it, if its run ends with an error that
/// has no count, or if it is too large.
pub fn explore(folder: &Path) -> Option<Answer> {
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let refused = ["unless' on a guard", "Error", "error:"];
    let written = output(folder, Path::new("spin"), &["-a", "-o1", "-o2", "-o3", "model.pml"])?;
    if refused.iter().any(|one| written.contains(one)) || !folder.join("pan.c").exists() {
        return None;
    }
    let options = "-w -O0 -DSAFETY -DNOREDUCE -DNOFAIR -DNOCLAIM pan.c -o pan";
    let _ = std::fs::remove_file(folder.join("pan"));
    output(folder, Path::new("gcc"), &options.split(' ').collect::<Vec<_>>())?;
    let report = output(folder, &folder.join("pan"), &["-c0", "-m20000", "-w18"])?;
    let number = |unit: &str| {
        let line = report.lines().find(|line| line.contains(unit))?;
        line.trim().split(' ').next()?.parse::<u64>().ok()
    };
    let problems = ["max search depth", "VECTORSZ", "aborting", "error:"];
    let messages: BTreeSet<&str> = report
        .lines()
        .filter(|line| line.starts_with("pan:") && line.contains("(at depth"))
        .filter_map(|line| line.splitn(3, ':').nth(2))
        .map(str::trim)
        .collect();
    let is_end = |message: &&str| message.starts_with("invalid end state");
    let is_assertion =
        |message: &&str| message.starts_with("assertion violated") && !message.contains("invalid array");
    let has_other = messages.iter().any(|message| !is_end(message) && !is_assertion(message));
    if has_other || problems.iter().any(|one| report.contains(one)) {
        return None;
    }
    let answer = Answer {
        states: number("states, stored")?,
        transitions: (number("atomic steps")? == 0).then_some(number("transitions (=")?),
        has_invalid_end: messages.iter().any(is_end),
        fails_assertion: messages.iter().any(is_assertion),
    };
    (answer.states <= LARGEST).then_some(answer)
}

/// Everything that a program prints. `None` if it needs too long.
fn output(folder: &Path, program: &Path, arguments: &[&str]) -> Option<String> {
    let log = folder.join("output");
    let file = std::fs::File::create(&log).expect("the folder can be written to");
    let mut command = Command::new(program);
    let errors = file.try_clone().expect("a file has two handles");
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(file).stderr(errors);
    let mut child = command.spawn().expect("the program is installed");
    let start = Instant::now();
    while child.try_wait().expect("the program runs").is_none() {
        if start.elapsed() > Duration::from_secs(10) {
            child.kill().expect("the program runs");
            child.wait().expect("the program ends");
            return None;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    let bytes = std::fs::read(&log).expect("the file was written");
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
