//! Why a search was stopped, and what would help: advice that knows the options in use.

use engine::explore::StopReason;
use engine::store::layer::LayerFull;
use engine::store::pages::available_memory;
use report::{Bytes, Finding};

use crate::codes;
use crate::options::{ExecutionChoice, SearchOptions};

/// What to tell the user about a stopped search. The thesis' command line has no options.
pub fn stop_advice(reason: &StopReason, options: Option<&SearchOptions>) -> Finding {
    let message = format!("the search is not complete: {reason}");
    let (code, help) = match reason {
        StopReason::StateLimit(_) => (codes::STATE_LIMIT, "raise --state-limit, or leave it out".to_owned()),
        StopReason::LevelLimit(_) => (codes::STATE_LIMIT, "longer runs were not looked at".to_owned()),
        StopReason::TimeLimit => (codes::TIME_LIMIT, time_help(options)),
        StopReason::Memory(full) => (codes::MEMORY_LIMIT, memory_help(*full, options)),
        StopReason::BetterWay => {
            (codes::INTERRUPTED, "see `sweepline progress` for measures of this model".to_owned())
        }
        StopReason::Interrupted => {
            (codes::INTERRUPTED, "the answers are as far as it came; run it again for the rest".to_owned())
        }
        StopReason::Observer(_) => {
            (codes::OBSERVER_FAILED, "name a directory on a disk with more room by --disk".to_owned())
        }
        StopReason::Disk(_) | StopReason::DiskLimit(_) => {
            let help = "name a directory on a disk with more room by --disk, or raise --disk-limit";
            (codes::OBSERVER_FAILED, help.to_owned())
        }
        StopReason::Pause => (codes::INTERRUPTED, "run it again".to_owned()),
    };
    let help = match options.and_then(|options| options.checkpoint.as_ref()) {
        Some(folder) => {
            format!("`sweepline resume {}` goes on from the last checkpoint; {help}", folder.display())
        }
        None => help,
    };
    Finding::warning(code, message, help)
}

fn time_help(options: Option<&SearchOptions>) -> String {
    match options.and_then(|options| options.execution) {
        Some(ExecutionChoice::Interpreted) => {
            "--execution compiled is many times faster; or raise --time-limit".into()
        }
        _ => "raise --time-limit, or check a smaller instance of the model".into(),
    }
}

fn memory_help(full: LayerFull, options: Option<&SearchOptions>) -> String {
    match (full, options.and_then(|options| options.memory)) {
        (LayerFull::Budget, Some(limit)) => {
            let (limit, machine) = (Bytes(limit as u64), Bytes(available_memory() as u64));
            format!("raise --memory, which is {limit} now; this machine has {machine}")
        }
        (LayerFull::Budget, None) => {
            let machine = Bytes(available_memory() as u64);
            format!(
                "without --memory, the limit is four fifths of this machine's {machine}; raise it, or check a smaller instance of the model"
            )
        }
        (LayerFull::System(_), _) => {
            "other programs, or a limit of this shell (`ulimit -v`), leave no more memory".into()
        }
        (LayerFull::RecordNumbers, _) => "check a smaller instance of the model".into(),
    }
}
