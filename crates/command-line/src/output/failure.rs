//! Commands that fail: the errors, and the exit code.

use engine::check::CheckError;
use engine::explore::StopReason;
use engine::property::soundness::{Advice, NotKept, Unsound};
use model::transition_system::ExecutionError;
use report::{Exit, Finding};

use crate::check::stop_advice::stop_advice;
use crate::explain::codes;
use crate::options::SearchOptions;

/// Why a command has no result.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The errors.
    pub findings: Vec<Finding>,
}

impl From<Vec<Finding>> for Failure {
    fn from(findings: Vec<Finding>) -> Self {
        Self { exit: Exit::BadInput, findings }
    }
}

impl From<Finding> for Failure {
    fn from(finding: Finding) -> Self {
        vec![finding].into()
    }
}

impl Failure {
    /// A check that could not start or finish.
    pub fn of_check(error: &CheckError, options: Option<&SearchOptions>) -> Self {
        let message = error.to_string();
        let (exit, finding) = match error {
            CheckError::TooManyPredicates(_) => {
                let help = "use fewer of --property, --invariant, --reach, --ctl and --home in one run";
                (Exit::BadInput, Finding::error(codes::TOO_MANY_EXPRESSIONS, message, help))
            }
            CheckError::TooManyActions(_) => {
                let help = "check a smaller instance of the model";
                (Exit::BadInput, Finding::error(codes::NOT_EXECUTABLE, message, help))
            }
            CheckError::Outgrown(_) => {
                let help = "the model creates more processes than a sample of its runs showed; `check` and `explore` make room for them";
                (Exit::BadInput, Finding::error(codes::NOT_EXECUTABLE, message, help))
            }
            CheckError::NeedsOwnSearch(_) => {
                (Exit::BadInput, Finding::error(codes::UNSOUND, message, "check it in a run of its own"))
            }
            CheckError::Unsound(
                unsound @ (Unsound::Reduced(..) | Unsound::ReducedCounts | Unsound::NotGuardedCommands),
            ) => (Exit::BadInput, not_preserved(unsound)),
            CheckError::Unsound(unsound) => {
                let help = worded(unsound.advice());
                (Exit::BadInput, Finding::error(codes::UNSOUND, message, help))
            }
            CheckError::Execution(ExecutionError::Defect(_)) => (Exit::Defect, bug(&message)),
            CheckError::Execution(why) => {
                let no_memory = matches!(why, ExecutionError::NoMemory(_));
                let help = match no_memory {
                    true => "give --memory less, or use --execution interpreted, which needs no machine code",
                    false => "use --execution interpreted, which needs no machine code",
                };
                let exit = if no_memory { Exit::Unknown } else { Exit::BadInput };
                (exit, Finding::error(codes::NOT_EXECUTABLE, message, help))
            }
            CheckError::NoMemory(full) => (Exit::Unknown, stop_advice(&StopReason::Memory(*full), options)),
            CheckError::TemporalNotSaved => {
                let help = "leave --checkpoint out";
                (Exit::BadInput, Finding::error(codes::UNSOUND, message, help))
            }
            CheckError::NotSaved => {
                let help = "leave --checkpoint out, or choose another --engine";
                (Exit::BadInput, Finding::error(codes::ANOTHER_RUN, message, help))
            }
            CheckError::Checkpoint(_) | CheckError::AnotherRun(_) => {
                let help = "run the original command again, from the beginning";
                (Exit::BadInput, Finding::error(codes::ANOTHER_RUN, message, help))
            }
            CheckError::FolderInUse(_) => {
                let help = "wait until it ends, or name another folder by --checkpoint";
                (Exit::BadInput, Finding::error(codes::CHECKPOINT_IN_USE, message, help))
            }
            CheckError::TraceLog(_) => {
                let help = "name a directory on another disk by --disk";
                (Exit::Unknown, Finding::error(codes::SEARCH_FAILED, message, help))
            }
            CheckError::Replay(_) | CheckError::WrongTrace(_) => (Exit::Defect, bug(&message)),
        };
        Self { exit, findings: vec![finding] }
    }
}

/// The error for a run whose answers the reduction does not preserve.
fn not_preserved(unsound: &Unsound) -> Finding {
    let message = match unsound {
        Unsound::Reduced(name, lost) => {
            let lost = match lost {
                NotKept::Branching => "branching time",
                NotKept::Repetitions => "how often a state repeats, which `X` and automata can count",
                NotKept::FairRuns => "fairness",
                NotKept::Events => "the order of visible actions",
            };
            format!("stubborn sets do not preserve {lost}, so `{name}` cannot be checked with --reduction")
        }
        _ => "--reduction omits states, and this run must visit all of them".into(),
    };
    Finding::error(codes::NOT_KEPT, message, worded(unsound.advice()))
}

/// The library's advice, in the options of this program.
fn worded(advice: Advice) -> String {
    match advice {
        Advice::AllRuns => {
            "check it for all runs, without --fairness, or write the assumption into the formula: `([]<> p) -> …`"
                .into()
        }
        Advice::NoReduction => {
            "leave --reduction out; it preserves deadlocks, invariants, reachability, and LTL without `X`".into()
        }
        Advice::CoarserMeasure => format!("{advice}; --expect-monotone shows a regress edge"),
        Advice::Engines(_) | Advice::FewerStrong => advice.to_string(),
    }
}

/// The error for a bug of this program.
pub fn bug(what: &str) -> Finding {
    let message = format!("a bug in sweepline: {what}");
    let help = "please report it with the model and the command line; --execution interpreted may work";
    Finding::error(codes::DEFECT, message, help)
}
