//! Oracles: models from other sources, with answers that other tools computed.
//!
//! The principal types in this crate are [`Beem`], the benchmark for explicit model checkers,
//! [`Petri`], a collection of nets, and [`Promela`], models with SPIN's answers. The files are not part of this repository. They are looked up
//! in the folder that the environment variable `SWEEPLINE_ORACLES` names, or in `shared/oracles`
//! beside the workspace. Where they are missing, tests that need them report that they were
//! skipped:
//!
//! ```
//! if let Some(beem) = oracles::Beem::find_or_say_skipped("the example") {
//!     assert!(beem.instances()?.iter().any(|instance| instance.name == "bakery.6"));
//! }
//! # Ok::<(), oracles::OracleError>(())
//! ```

mod petri;
mod promela;

use std::path::PathBuf;

pub use petri::{NetAnswer, Petri};
pub use promela::{Promela, PromelaAnswer};

/// The reason why the oracles cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A file does not have the expected format.
    #[error("{file}, line {line}: {problem}")]
    Format {
        /// Name of the file.
        file: &'static str,
        /// Number of the line, from one.
        line: usize,
        /// Description of the problem.
        problem: String,
    },
}

/// The folder of the oracles, if it exists.
fn oracles_folder() -> Option<PathBuf> {
    match std::env::var_os("SWEEPLINE_ORACLES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
            Some(workspace.ancestors().nth(3)?.join("shared").join("oracles"))
        }
    }
}

/// The folder `beem` of the oracles.
#[derive(Clone, Debug)]
pub struct Beem {
    folder: PathBuf,
}

/// A row of `states.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Name of the instance, for example `bakery.6`.
    pub name: String,
    /// Number of reachable states, a lower bound if not complete.
    pub states: u64,
    /// Whether all states were counted.
    pub complete: bool,
    /// Number of transitions, where known.
    pub edges: Option<u64>,
    /// Number of breadth-first levels, where known.
    pub levels: Option<u64>,
}

/// Instances for which our count differs: the oracle's count, then ours. The reason why ours is
/// right:
///
/// In these four, a number exceeds its type: `next` in `anderson.1` and `anderson.3` exceeds 255,
/// and `actual_resistance` in `resistance.1` and `resistance.2` falls below -32768. The tool that
/// counted treated that as a run-time error, and counted the error states. We truncate the value to
/// its type, as SPIN does, and continue. With a guard that keeps the number in its range we find
/// the oracle's count except for those error states: 347,036 and 3, 75,573,912 and 13, 8,183,468
/// and 1, 51,516,700 and 1.
const OTHER_READING: [(&str, u64, u64); 4] = [
    ("anderson.1", 347_039, 352_664),
    ("anderson.3", 75_573_925, 131_777_303),
    ("resistance.1", 8_183_469, 13_762_624),
    ("resistance.2", 51_516_701, 86_638_828),
];

impl Instance {
    /// Number of states that we should find: the oracle's count, unless ours differs for a known
    /// reason.
    pub fn expected_states(&self) -> u64 {
        let is_this = |(name, oracle, _): &&(&str, u64, u64)| *name == self.name && *oracle == self.states;
        OTHER_READING.iter().find(is_this).map_or(self.states, |(.., ours)| *ours)
    }
}

/// The question of a row of `properties.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Is a state reachable in which the formula, a DVE expression, is true?
    Reach,
    /// Does the formula hold on all runs?
    ///
    /// The benchmark's page says on all *infinite* runs. But its answers also count runs into a
    /// deadlock, as if their last state were repeated.
    Ltl,
}

/// A row of `properties.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Name of the instance.
    pub instance: String,
    /// The question.
    pub kind: PropertyKind,
    /// The answer `yes` or `no`, or `None` if it is not known.
    pub verdict: Option<bool>,
    /// Number of steps of a shortest path to such a state.
    pub shortest: Option<usize>,
    /// The formula.
    pub formula: String,
    /// The name of the model file with the automaton of the negation, without its extension. For
    /// linear-time formulas only.
    pub automaton: Option<String>,
}

impl Beem {
    /// Finds the benchmark, if it exists.
    pub fn find() -> Option<Self> {
        let folder = oracles_folder()?.join("beem");
        folder.join("states.csv").is_file().then_some(Self { folder })
    }

    /// Finds the benchmark. If it is missing, prints that `what` is skipped.
    #[allow(clippy::print_stderr, reason = "tests must say what they did not test")]
    pub fn find_or_say_skipped(what: &str) -> Option<Self> {
        let found = Self::find();
        if found.is_none() {
            eprintln!("skipped: {what} (set SWEEPLINE_ORACLES to a folder with beem/states.csv)");
        }
        found
    }

    /// The DVE file of an instance.
    pub fn dve(&self, name: &str) -> PathBuf {
        self.folder.join("models").join(format!("{name}.dve"))
    }

    /// The Promela file of an instance; not every instance has one.
    pub fn promela(&self, name: &str) -> PathBuf {
        self.folder.join("promela").join(format!("{name}.pm"))
    }

    /// All DVE files, property variants included, in alphabetical order.
    pub fn model_files(&self) -> Result<Vec<PathBuf>, OracleError> {
        let path = self.folder.join("models");
        let read = |error| OracleError::Read { path: path.clone(), error };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(read)? {
            let file = entry.map_err(read)?.path();
            if file.extension().is_some_and(|extension| extension == "dve") {
                files.push(file);
            }
        }
        files.sort();
        Ok(files)
    }

    /// The rows of `states.csv`.
    pub fn instances(&self) -> Result<Vec<Instance>, OracleError> {
        instances(&self.read("states.csv")?)
    }

    /// The rows of `properties.csv`.
    pub fn properties(&self) -> Result<Vec<Property>, OracleError> {
        properties(&self.read("properties.csv")?)
    }

    fn read(&self, file: &str) -> Result<String, OracleError> {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).map_err(|error| OracleError::Read { path, error })
    }
}

/// The cells of each row under the named columns; the last column may contain commas.
fn rows<'t, const N: usize>(
    file: &'static str,
    text: &'t str,
    names: [&str; N],
) -> Result<Vec<(usize, [&'t str; N])>, OracleError> {
    let wrong = |line, problem| OracleError::Format { file, line, problem };
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split(',').collect());
    let mut columns = [0; N];
    for (column, name) in columns.iter_mut().zip(names) {
        let found = header.iter().position(|title| *title == name);
        *column = found.ok_or_else(|| wrong(1, format!("there is no column `{name}`")))?;
    }
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| {
            let cells: Vec<&str> = line.splitn(header.len(), ',').collect();
            if cells.len() != header.len() {
                return Err(wrong(number + 1, format!("{} cells instead of {}", cells.len(), header.len())));
            }
            Ok((number + 1, columns.map(|column| cells[column].trim_matches('"'))))
        })
        .collect()
}

fn instances(text: &str) -> Result<Vec<Instance>, OracleError> {
    let file = "states.csv";
    rows(file, text, ["instance", "states", "complete", "edges", "bfs_levels"])?
        .into_iter()
        .map(|(line, [name, states, complete, edges, levels])| {
            let problem = |_| OracleError::Format { file, line, problem: format!("`{states}` is no number") };
            Ok(Instance {
                name: name.to_string(),
                states: states.parse().map_err(problem)?,
                complete: complete == "yes",
                edges: edges.parse().ok(),
                levels: levels.parse().ok(),
            })
        })
        .collect()
}

fn properties(text: &str) -> Result<Vec<Property>, OracleError> {
    let file = "properties.csv";
    rows(file, text, ["instance", "kind", "verdict", "shortest_length", "formula", "automaton_file"])?
        .into_iter()
        .map(|(line, [instance, kind, verdict, shortest, formula, automaton])| {
            Ok(Property {
                instance: instance.to_string(),
                kind: match kind {
                    "reach" => PropertyKind::Reach,
                    "ltl" => PropertyKind::Ltl,
                    other => {
                        return Err(OracleError::Format {
                            file,
                            line,
                            problem: format!("what is `{other}`?"),
                        });
                    }
                },
                verdict: match verdict {
                    "yes" => Some(true),
                    "no" => Some(false),
                    _ => None,
                },
                shortest: shortest.parse().ok(),
                formula: formula.to_string(),
                automaton: automaton.strip_suffix(".dve").map(Into::into),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_and_without_edges_are_read() {
        let csv =
            "instance,states,complete,edges,bfs_levels,state_bytes\na.1,80,yes,212,10,12\nb.2,900,no,,,12\n";
        let instances = instances(csv).unwrap();
        assert_eq!((instances[0].edges, instances[0].levels), (Some(212), Some(10)));
        assert!(!instances[1].complete && instances[1].edges.is_none());
    }

    #[test]
    fn a_formula_may_contain_commas() {
        let csv = "instance,kind,property,verdict,shortest_length,automaton_file,formula\na.1,reach,1,yes,3,,f(a,b)\n";
        let properties = properties(csv).unwrap();
        assert_eq!(properties[0].formula, "f(a,b)");
        assert_eq!((properties[0].verdict, properties[0].shortest), (Some(true), Some(3)));
    }

    #[test]
    fn a_row_with_missing_cells_is_an_error() {
        assert!(instances("instance,states,complete,edges,bfs_levels\na.1,80,yes\n").is_err());
    }
}
