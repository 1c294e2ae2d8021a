//! Petri nets with answers of other tools: the folder `petri` of the oracles.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{OracleError, oracles_folder};

/// The folder `petri` of the oracles.
#[derive(Clone, Debug)]
pub struct Petri {
    folder: PathBuf,
}

/// A row of `expected.csv`: one question about one net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetAnswer {
    /// The file of the net, or the archive that holds it, inside the folder.
    pub file: String,
    /// Format of the net: `pnml-pt`, `pnml-pt+inhibitor`, `pnml-symmetric`, `lola` or
    /// `lola-highlevel`.
    pub format: String,
    /// Number of reachable markings, where known.
    pub states: Option<u64>,
    /// Number of pairs of a marking and a transition that can fire in it, where known.
    pub edges: Option<u64>,
    /// The name of the question.
    pub property: String,
    /// Kind of the question: `statespace`, `deadlock`, `reach`, `ctl`, `ltl`, `bound` and others.
    pub kind: String,
    /// The formula, or the file that holds it.
    pub formula: String,
    /// The answer.
    pub verdict: String,
}

impl NetAnswer {
    /// A number in the answer, such as `MAX_TOKEN_IN_PLACE` of a state space.
    pub fn number(&self, name: &str) -> Option<u64> {
        let parts = self.verdict.split(';').filter_map(|part| part.split_once('='));
        parts.into_iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.trim().parse().ok())
    }

    /// The name of the archive without its extension, or of the net's folder or file.
    pub fn instance(&self) -> &str {
        let name =
            self.file.strip_suffix(".tgz").or(self.file.strip_suffix("/model.pnml")).unwrap_or(&self.file);
        name.rsplit('/').next().unwrap_or(name)
    }
}

impl Petri {
    /// Finds the nets, if they exist.
    pub fn find() -> Option<Self> {
        let folder = oracles_folder()?.join("petri");
        folder.join("expected.csv").is_file().then_some(Self { folder })
    }

    /// Finds the nets. If they are missing, prints that `what` is skipped.
    #[allow(clippy::print_stderr, reason = "tests must say what they did not test")]
    pub fn find_or_say_skipped(what: &str) -> Option<Self> {
        let found = Self::find();
        if found.is_none() {
            eprintln!("skipped: {what} (set SWEEPLINE_ORACLES to a folder with petri/expected.csv)");
        }
        found
    }

    /// The rows of `expected.csv`.
    pub fn answers(&self) -> Result<Vec<NetAnswer>, OracleError> {
        let path = self.folder.join("expected.csv");
        let text = std::fs::read_to_string(&path).map_err(|error| OracleError::Read { path, error })?;
        answers(&text)
    }

    /// The rows of `expected.csv` about the number of states, with a number of states. Reads line by
    /// line and keeps no other rows, so that a process that measures others stays small.
    pub fn state_spaces(&self) -> Result<Vec<NetAnswer>, OracleError> {
        let path = self.folder.join("expected.csv");
        let read = |error| OracleError::Read { path: path.clone(), error };
        let lines = BufReader::new(File::open(&path).map_err(read)?).lines();
        let is_kept = |answer: &NetAnswer| answer.kind == "statespace" && answer.states.is_some();
        kept_answers(lines.map(|line| line.map_err(read)), is_kept)
    }

    /// The file of a net. A net in an archive is unpacked into `temporary`, once.
    pub fn net(&self, answer: &NetAnswer, temporary: &Path) -> Result<PathBuf, OracleError> {
        if !answer.file.ends_with(".tgz") {
            return Ok(self.folder.join(&answer.file));
        }
        let folder = temporary.join("petri");
        let net = folder.join(answer.instance()).join("model.pnml");
        if !net.is_file() {
            let failed = |error| OracleError::Read { path: self.folder.join(&answer.file), error };
            std::fs::create_dir_all(&folder).map_err(failed)?;
            let archive = self.folder.join(&answer.file);
            let done = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder).status();
            if !done.map_err(failed)?.success() {
                return Err(failed(std::io::Error::other("tar cannot unpack it")));
            }
        }
        Ok(net)
    }

    /// A file of the folder, as named in a row.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn answers(text: &str) -> Result<Vec<NetAnswer>, OracleError> {
    kept_answers(text.lines().map(|line| Ok(line.to_owned())), |_| true)
}

fn kept_answers(
    mut lines: impl Iterator<Item = Result<String, OracleError>>,
    is_kept: impl Fn(&NetAnswer) -> bool,
) -> Result<Vec<NetAnswer>, OracleError> {
    let file = "expected.csv";
    let header = lines.next().transpose()?.map(|line| cells(&line)).unwrap_or_default();
    let column = |name: &str| {
        let problem = format!("there is no column `{name}`");
        let place = header.iter().position(|title| title == name);
        place.ok_or(OracleError::Format { file, line: 1, problem })
    };
    let names = ["file", "format", "states", "edges", "property_id", "kind", "formula_or_file", "verdict"];
    let mut columns = [0; 8];
    for (place, name) in columns.iter_mut().zip(names) {
        *place = column(name)?;
    }
    let mut kept = Vec::new();
    for (line, text) in (2..).zip(lines) {
        let cells = cells(&text?);
        if cells.iter().all(String::is_empty) {
            continue;
        }
        if cells.len() != header.len() {
            let problem = format!("{} cells instead of {}", cells.len(), header.len());
            return Err(OracleError::Format { file, line, problem });
        }
        let [file, format, states, edges, property, kind, formula, verdict] =
            columns.map(|column| cells[column].clone());
        let (states, edges) = (states.parse().ok(), edges.parse().ok());
        let answer = NetAnswer { file, format, states, edges, property, kind, formula, verdict };
        kept.extend(Some(answer).filter(&is_kept));
    }
    Ok(kept)
}

/// The cells of a line. Quoted cells may contain commas and doubled quotation marks.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut characters = line.chars().peekable();
    while let Some(one) = characters.next() {
        let last = cells.len() - 1;
        match one {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => cells[last].push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            one => cells[last].push(one),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_hold_commas() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",,d"), ["a", "b, \"c\"", "", "d"]);
    }

    #[test]
    fn rows_are_read() {
        let text = "file,format,states,edges,deadlock,property_id,kind,formula_or_file,verdict,source_of_truth\n\
            mcc/N-PT-1.tgz,pnml-pt,2,1,yes,x,statespace,model.pnml,STATES=2;MAX_TOKEN_IN_PLACE=4,\"a, b\"\n";
        let row = answers(text).unwrap().swap_remove(0);
        assert_eq!(
            (row.instance(), row.states, row.number("MAX_TOKEN_IN_PLACE")),
            ("N-PT-1", Some(2), Some(4))
        );
        assert!(answers("file\n").is_err());
    }
}
