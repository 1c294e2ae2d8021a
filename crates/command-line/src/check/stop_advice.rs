//! Why a search stopped early, and what would help: advice that knows the options in use.

use engine::explore::StopReason;
use engine::explore::search::Limits;
use engine::store::layer::LayerFull;
use engine::store::pages::machine_memory;
use report::{Bytes, Finding};
use sweepline::execution::Execution;

use crate::explain::codes;
use crate::options::SearchOptions;

/// The warning about a search that stopped early. The command line of the thesis has no options.
pub fn stop_advice(reason: &StopReason, options: Option<&SearchOptions>) -> Finding {
    let message = format!("the search is not complete: {reason}");
    let (code, help) = match reason {
        StopReason::StateLimit(_) => (codes::STATE_LIMIT, "raise --state-limit, or leave it out".to_owned()),
        StopReason::LevelLimit(_) => (codes::STATE_LIMIT, "longer runs were not explored".to_owned()),
        StopReason::TimeLimit => (codes::TIME_LIMIT, time_help(options)),
        StopReason::Memory(full) => (codes::MEMORY_LIMIT, memory_help(*full, options)),
        StopReason::BetterWay => {
            (codes::INTERRUPTED, "`sweepline progress` proposes measures for this model".to_owned())
        }
        StopReason::Interrupted => (
            codes::INTERRUPTED,
            "the answers cover only the explored part; run it again for the rest".to_owned(),
        ),
        StopReason::Observer(_) => {
            (codes::OBSERVER_FAILED, "name a directory on a disk with more space by --disk".to_owned())
        }
        StopReason::Disk(_) | StopReason::DiskLimit(_) => {
            let help = "name a directory on a disk with more space by --disk, or raise --disk-limit";
            (codes::OBSERVER_FAILED, help.to_owned())
        }
        StopReason::Pause => (codes::INTERRUPTED, "run it again".to_owned()),
    };
    let help = match options.and_then(|options| options.checkpoint.as_ref()) {
        Some(folder) => {
            format!("`sweepline resume {}` continues from the last checkpoint; {help}", folder.display())
        }
        None => help,
    };
    Finding::warning(code, message, help)
}

fn time_help(options: Option<&SearchOptions>) -> String {
    match options.and_then(|options| options.execution) {
        Some(Execution::Interpreted) => {
            "--execution compiled is many times faster; or raise --time-limit".into()
        }
        _ => "raise --time-limit, or check a smaller instance of the model".into(),
    }
}

fn memory_help(full: LayerFull, options: Option<&SearchOptions>) -> String {
    match (full, options.and_then(|options| options.memory)) {
        (LayerFull::Budget, Some(limit)) => {
            let machine = match physical_memory() {
                Some(bytes) => format!("; this machine has {bytes}"),
                None => String::new(),
            };
            format!("raise --memory, which is {} now{machine}", Bytes(limit as u64))
        }
        (LayerFull::Budget, None) => {
            let limit = Bytes(Limits::of_this_machine().memory as u64);
            let machine = match physical_memory() {
                Some(bytes) => format!(", four fifths of this machine's {bytes}"),
                None => String::new(),
            };
            format!(
                "without --memory, the limit is {limit}{machine}; raise it, or check a smaller instance of the model"
            )
        }
        (LayerFull::System(_), _) => {
            "other programs, or a limit of the shell (`ulimit -v`), leave no more memory".into()
        }
        (LayerFull::RecordNumbers | LayerFull::Offsets, _) => "check a smaller instance of the model".into(),
    }
}

/// Physical memory of this machine, if it is known.
fn physical_memory() -> Option<Bytes> {
    machine_memory().map(|bytes| Bytes(bytes as u64))
}
