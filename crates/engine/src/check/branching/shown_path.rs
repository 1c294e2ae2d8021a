//! Test of a path that was found in a graph: the model itself replays it.

use crate::property::ctl::witness::{GraphPath, Shown};
use crate::verdict::trace_log::LoggedRun;
use logic::ctl::Ctl;
use model::guarded_commands::ActionId;

use super::{CtlWitness, Question};
use crate::check::CheckError;
use crate::check::executable::Executable;

/// Number of states of a path that are tested. Each test replays the run to its state from the
/// beginning.
const TESTED: usize = 512;

/// Replays the path, and tests that its states satisfy what the path shows.
pub(super) fn test_path<M: Executable>(
    question: &Question<'_, M>,
    path: GraphPath,
) -> Result<(CtlWitness, M::Run), CheckError> {
    let actions = |numbers: &[u32]| -> Vec<ActionId> { numbers.iter().map(|n| ActionId(*n)).collect() };
    let (stem, cycle) = (actions(&path.stem), actions(&path.cycle));
    let initial = ActionId(path.initial);
    let all = [&stem[..], &cycle].concat();
    let run = |steps: usize| {
        question
            .subject
            .replay(&LoggedRun { initial, actions: all[..steps].to_vec() })
            .map_err(CheckError::from)
    };
    let wrong = || CheckError::WrongTrace("a formula".into());
    let whole = run(all.len())?;
    let last = all.len();
    let ends = path.levels.iter().skip(1).map(|level| level.from).chain([last]);
    for (level, end) in path.levels.iter().zip(ends) {
        let from = level.from;
        for steps in (from..end).step_by(last / TESTED + 1).chain([end]) {
            let expected = match &level.shows {
                Shown::Until(f, g) => Some(if steps < end { f } else { g }),
                Shown::Next(f) => Some(f).filter(|_| steps == from + 1),
                Shown::ForEver(f) | Shown::UntilTheEnd(f) | Shown::Here(f) => Some(f),
            };
            if let Some(expected) = expected
                && question.truth(expected, M::last_state(&run(steps)?)) == Some(false)
            {
                return Err(wrong());
            }
        }
        let ends_well = match &level.shows {
            Shown::ForEver(_) => M::last_state(&run(stem.len())?) == M::last_state(&whole),
            Shown::UntilTheEnd(_) => question.subject.is_terminal(M::last_state(&whole)),
            Shown::Until(..) | Shown::Next(_) | Shown::Here(_) => true,
        };
        if !ends_well {
            return Err(wrong());
        }
    }
    let stem = LoggedRun { initial, actions: stem };
    Ok((CtlWitness { stem, cycle, levels: path.levels }, whole))
}

impl<M: Executable> Question<'_, M> {
    /// Whether a formula is true in a state, as far as that state alone decides.
    fn truth(&self, formula: &Ctl, state: &M::State) -> Option<bool> {
        match formula {
            Ctl::True => Some(true),
            Ctl::False => Some(false),
            Ctl::Proposition(number) => {
                self.subject.holds(&self.propositions[usize::from(*number)], state).ok()
            }
            Ctl::Not(f) => self.truth(f, state).map(|truth| !truth),
            Ctl::And(f, g) => match (self.truth(f, state), self.truth(g, state)) {
                (Some(true), Some(true)) => Some(true),
                (Some(false), _) | (_, Some(false)) => Some(false),
                _ => None,
            },
            Ctl::Or(f, g) => match (self.truth(f, state), self.truth(g, state)) {
                (Some(false), Some(false)) => Some(false),
                (Some(true), _) | (_, Some(true)) => Some(true),
                _ => None,
            },
            Ctl::ExistsNext(_) | Ctl::ExistsUntil(..) | Ctl::ExistsGlobally(_) => None,
        }
    }
}
