//! Test of a lasso: the model replays it, and the automaton, the formula and fairness judge it.

use crate::check::CheckError;
use crate::check::executable::Executable;
use crate::check::product::ProductSubject;
use crate::check::semantics::Semantics;
use crate::property::acceptor::Acceptor;
use crate::property::linear::{DeadEnds, LinearProperty};
use crate::property::product::REPEATED;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::ActionId;

/// An infinite run: the steps to a loop, and the steps of the loop.
pub(super) struct Lasso {
    pub(super) stem: LoggedRun,
    pub(super) cycle: Vec<ActionId>,
}

impl<M: Executable> ProductSubject<M, Acceptor> {
    /// The run that violates the property, and the number of the state at which its loop begins.
    /// `None` if the run does not violate it.
    pub(super) fn lasso(
        &self,
        linear: &LinearProperty<M::Predicate>,
        Lasso { stem, cycle }: Lasso,
    ) -> Result<Option<(M::Run, usize)>, CheckError> {
        let count = |actions: &[ActionId]| actions.iter().filter(|action| **action != REPEATED).count();
        let (mut start, mut end) = (count(&stem.actions), count(&stem.actions) + count(&cycle));
        let is_end = start == end;
        let mut actions = stem.actions;
        actions.extend(cycle);
        let whole = LoggedRun { initial: stem.initial, actions };
        let run = self.replay(&whole)?;
        let states = Self::states(&run);
        let closes = states.len() == end + 1 && states[start] == states[end];
        let may_repeat = linear.runs().dead_ends == DeadEnds::Repeated;
        if !closes || (is_end && !(may_repeat && self.is_terminal(states[start]))) {
            return Ok(None);
        }
        let steps: Vec<ActionId> =
            whole.actions.iter().copied().filter(|action| *action != REPEATED).collect();
        // The same run, with a loop that begins as early as possible.
        while !is_end
            && start > 0
            && states[start - 1] == states[end - 1]
            && steps[start - 1] == steps[end - 1]
        {
            (start, end) = (start - 1, end - 1);
        }
        if let Some(fair) = self.automaton().fairness() {
            let can_move = |state: &M::State| {
                let is_read = self.truth(state) & linear.skipped() == 0;
                is_read
                    .then(|| self.steps(state).into_iter().fold(0, |all, (action, _)| all | fair.of(action)))
            };
            let looped = states[start..end].iter().zip(&steps[start..end]);
            if !is_end && !fair.is_fair(looped.map(|(state, action)| (can_move(state), fair.of(*action)))) {
                return Ok(None);
            }
        }
        let truth = |state: &&M::State| self.truth(state);
        let stem: Vec<u64> = states[..start].iter().map(truth).collect();
        let cycle: Vec<u64> = states[start..end.max(start + 1)].iter().map(truth).collect();
        if !linear.is_violated_by(&stem, &cycle) {
            return Ok(None);
        }
        let actions = steps[..end].to_vec();
        let run = self.replay(&LoggedRun { initial: whole.initial, actions })?;
        Ok(Some((run, start)))
    }
}
