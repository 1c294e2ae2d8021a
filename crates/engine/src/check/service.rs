//! Test of a run that violates a service, by the automaton as the user gave it.

use super::semantics::Semantics;
use crate::property::service::{Halt, ServiceProperty};
use model::guarded_commands::ActionId;

/// Whether the run violates the service, and does so in its last state. `None` if the predicate for
/// the end of runs has no value there.
pub(super) fn is_violated<M: Semantics>(
    subject: &M,
    service: &ServiceProperty<M::Predicate>,
    actions: &[ActionId],
    last: &M::State,
) -> Option<bool> {
    if let Some(step) = service.illegal_step(actions.iter().copied()) {
        return Some(step + 1 == actions.len());
    }
    let halts = match service.halt() {
        Halt::Prefix => false,
        Halt::Deadlock => subject.is_terminal(last),
        Halt::When(predicate) => subject.holds(predicate, last).ok()?,
    };
    Some(halts && !service.may_end(actions.iter().copied()))
}
