//! Promela models with answers of SPIN: the folder `promela` of the oracles.

use std::path::PathBuf;

use crate::{OracleError, oracles_folder};

/// The folder `promela` of the oracles.
#[derive(Clone, Debug)]
pub struct Promela {
    folder: PathBuf,
}

/// A row of `expected.csv`: the state space of a model, or one property of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromelaAnswer {
    /// The file, inside the folder.
    pub file: String,
    /// Macros that are defined for the model, as `NAME=VALUE` or `NAME`.
    pub defines: Vec<String>,
    /// Number of states that SPIN stored, without any reduction.
    pub states: Option<u64>,
    /// Number of transitions, with one for the initial state.
    pub transitions: Option<u64>,
    /// Number of steps inside of atomic sequences, which are not among the transitions.
    pub atomic_steps: Option<u64>,
    /// Whether the search was complete.
    pub is_complete: bool,
    /// `yes`, `no`, `unknown`, or `no (reduced search)`.
    pub invalid_end_state: String,
    /// `yes`, `no`, `unknown`, or `no (reduced search)`.
    pub assertion_violated: String,
    /// `none` for a state space; else the name of an `ltl` block, `never`, `non-progress` or
    /// `acceptance`.
    pub property: String,
    /// `holds` or `violated`, for properties.
    pub verdict: String,
    /// Whether only weakly fair runs count.
    pub is_fair: bool,
    /// `yes`, or `no` with the reason.
    pub supported: String,
    /// Run-time errors, and why a search is not complete.
    pub note: String,
}

impl PromelaAnswer {
    /// The file with its macros, for messages.
    pub fn instance(&self) -> String {
        let defines: String = self.defines.iter().map(|one| format!(" -D{one}")).collect();
        format!("{}{defines}", self.file)
    }
}

impl Promela {
    /// Finds the models, if they exist.
    pub fn find() -> Option<Self> {
        let folder = oracles_folder()?.join("promela");
        folder.join("expected.csv").is_file().then_some(Self { folder })
    }

    /// Finds the models. If they are missing, prints that `what` is skipped.
    #[allow(clippy::print_stderr, reason = "tests must say what they did not test")]
    pub fn find_or_say_skipped(what: &str) -> Option<Self> {
        let found = Self::find();
        if found.is_none() {
            eprintln!("skipped: {what} (set SWEEPLINE_ORACLES to a folder with promela/expected.csv)");
        }
        found
    }

    /// The path of a file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// The rows of `expected.csv`.
    pub fn answers(&self) -> Result<Vec<PromelaAnswer>, OracleError> {
        let path = self.folder.join("expected.csv");
        let text = std::fs::read_to_string(&path).map_err(|error| OracleError::Read { path, error })?;
        answers(&text)
    }
}

fn answers(text: &str) -> Result<Vec<PromelaAnswer>, OracleError> {
    let wrong = |line, problem| OracleError::Format { file: "promela/expected.csv", line, problem };
    let mut lines = text.lines().enumerate();
    let header = lines.next().map(|(_, line)| cells(line)).unwrap_or_default();
    let mut found = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let cells = cells(line);
        if cells.len() != header.len() {
            return Err(wrong(number + 1, format!("{} cells instead of {}", cells.len(), header.len())));
        }
        let cell = |name: &str| {
            let column = header.iter().position(|title| title == name);
            column.map(|column| cells[column].clone()).ok_or_else(|| wrong(1, format!("no column `{name}`")))
        };
        found.push(PromelaAnswer {
            file: cell("file")?,
            defines: cell("defines")?.split_whitespace().map(Into::into).collect(),
            states: cell("states_stored")?.parse().ok(),
            transitions: cell("transitions")?.parse().ok(),
            atomic_steps: cell("atomic_steps")?.parse().ok(),
            is_complete: cell("complete")? == "yes",
            invalid_end_state: cell("invalid_end_state")?,
            assertion_violated: cell("assertion_violated")?,
            property: cell("property")?,
            verdict: cell("property_verdict")?,
            is_fair: cell("fairness")? == "weak",
            supported: cell("supported")?,
            note: cell("note")?,
        });
    }
    Ok(found)
}

/// The cells of a line. A cell in quotation marks may contain commas, and two quotation marks for
/// one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.last_mut().expect("there is at least one cell");
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => last.push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_may_contain_commas_and_quotation_marks() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",,d"), ["a", "b, \"c\"", "", "d"]);
    }
}
