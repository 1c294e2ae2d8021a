//! One beginning for models with several initial states.
//!
//! A trace is a list of actions from *the* initial state. So where there are several, the state space gets one artificial state more, the
//! start, whose steps lead to them, and the number of a step says which one a run begins with. The start is known by a byte in front of every encoded
//! state: models with one initial state do without it all.
//!
//! Nobody sees it. Paths begin behind it; predicates do not decide anything there; its progress value is zero and all others are
//! greater by one, so it is a layer of its own and the counts of all other layers are exact; the counts of the whole are
//! corrected here. What remains is that the start is pinned, not the initial states: a model that returns to them sweeps once more.

use crate::check::{Engine, Outcome};
use crate::explore::StopReason;
use crate::explore::search::Limits;
use crate::verdict::{UnknownReason, Verdict};

/// The byte in front of the start, and of all other states.
pub(super) const START: u8 = 1;
pub(super) const STATE: u8 = 0;

/// The progress value of a state behind the start. At the very end of the numbers two layers become one, which no answer depends
/// on.
pub(super) fn shifted(progress: u64) -> u64 {
    progress.saturating_add(1)
}

/// Limits with room for the start.
pub(super) fn more(limits: Limits) -> Limits {
    Limits { states: limits.states.saturating_add(1), levels: limits.levels.saturating_add(1), ..limits }
}

/// Takes the start out of all counts. `steps` lead from it to initial states.
pub(super) fn take_out<R, T, F>(outcome: &mut Outcome<R, T, F>, steps: u64, engine: Engine) {
    let less = |count: &mut u64, by: u64| *count = count.saturating_sub(by);
    let counters = &mut outcome.counters;
    less(&mut counters.explored, 1);
    less(&mut counters.transitions, steps);
    if engine == Engine::Sweep {
        less(&mut counters.forward, steps);
        less(&mut counters.layers, 1);
        less(&mut counters.peak.persistent, 1);
        less(&mut counters.persistent, 1);
    } else {
        less(&mut counters.largest_layer, 1);
        less(&mut counters.peak.current, 1);
        less(&mut counters.depth, u64::from(engine == Engine::Breadth));
    }
    if let Some(distinct) = &mut outcome.distinct {
        less(distinct, 1);
    }
    if let Some(regress) = &mut outcome.regress {
        less(&mut regress.before, 1);
        less(&mut regress.after, 1);
    }
    let reasons = outcome.verdicts.iter_mut().filter_map(|verdict| match verdict {
        Verdict::Unknown(UnknownReason::Stopped(reason)) => Some(reason),
        _ => None,
    });
    for reason in reasons.chain(&mut outcome.stopped) {
        if let StopReason::StateLimit(limit) | StopReason::LevelLimit(limit) = reason {
            less(limit, 1);
        }
    }
}
