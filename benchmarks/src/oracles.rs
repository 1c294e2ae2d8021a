//! The BEEM benchmark, where it exists: models with answers that others computed. Nothing of it is part of
//! this repository; every benchmark that needs it says so when it is missing.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// The folder `beem` of the oracles.
pub struct Beem {
    folder: PathBuf,
}

/// A row of `states.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub name: String,
    pub states: u64,
    /// Otherwise `states` is only a lower bound.
    pub complete: bool,
    pub transitions: Option<u64>,
}

impl Beem {
    /// Looks where `SWEEPLINE_ORACLES` points, else in `../shared/oracles` beside the workspace.
    pub fn find() -> Option<Beem> {
        let oracles = match std::env::var_os("SWEEPLINE_ORACLES") {
            Some(folder) => PathBuf::from(folder),
            None => crate::workspace_root().parent()?.join("shared").join("oracles"),
        };
        let folder = oracles.join("beem");
        folder.join("states.csv").is_file().then_some(Beem { folder })
    }

    /// The same, as an error for benchmarks that are nothing without it.
    pub fn require() -> Result<Beem> {
        Beem::find().context(
            "the BEEM models are not here: set SWEEPLINE_ORACLES to a folder that has beem/states.csv, \
             beem/models and beem/promela",
        )
    }

    pub fn dve(&self, name: &str) -> PathBuf {
        self.folder.join("models").join(format!("{name}.dve"))
    }

    pub fn promela(&self, name: &str) -> PathBuf {
        self.folder.join("promela").join(format!("{name}.pm"))
    }

    pub fn instances(&self) -> Result<Vec<Instance>> {
        let path = self.folder.join("states.csv");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        read_instances(&text)
    }
}

/// Columns are found by their names, so that a new one does no harm.
fn read_instances(csv: &str) -> Result<Vec<Instance>> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|title| *title == name)
            .with_context(|| format!("states.csv has no column {name}"))
    };
    let (name, states, complete, edges) =
        (column("instance")?, column("states")?, column("complete")?, column("edges")?);
    let mut instances = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != header.len() {
            bail!("states.csv: `{line}` has {} cells, the header {}", cells.len(), header.len());
        }
        instances.push(Instance {
            name: cells[name].to_string(),
            states: cells[states].parse().with_context(|| format!("states.csv: `{line}`"))?,
            complete: cells[complete] == "yes",
            transitions: cells[edges].parse().ok(),
        });
    }
    Ok(instances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_and_without_edges_are_read() {
        let csv =
            "instance,states,complete,edges,bfs_levels,state_bytes\na.1,80,yes,212,10,12\nb.2,900,no,,,12\n";
        let instances = read_instances(csv).unwrap();
        assert_eq!(instances[0].transitions, Some(212));
        assert_eq!(
            instances[1],
            Instance { name: "b.2".into(), states: 900, complete: false, transitions: None }
        );
    }

    #[test]
    fn a_row_with_missing_cells_is_an_error() {
        assert!(read_instances("instance,states,complete,edges\na.1,80,yes\n").is_err());
    }
}
