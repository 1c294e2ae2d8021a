//! Properties that hold vacuously: their premise is unreachable, or their types imply them.
//!
//! Whether a premise is reachable is a question like any other, so a second search answers it,
//! after one that found that the property holds. Usually that search soon finds a state in which
//! the premise is true. If there is none, it would visit all states again, so it gives up after a
//! few million.

use engine::check::{Outcome, Plan, TerminalList, TraceChoice};
use engine::explore::Monitor;
use engine::property::premises::{is_true_by_type, premises};
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use model::guarded_commands::{Expression, GuardedCommands};

use crate::execution::Execution;

/// Greatest number of states of the second search.
const MOST_STATES: u64 = 5_000_000;
/// Greatest number of premises that are searched for.
const MOST_PREMISES: usize = 32;

/// A property that holds vacuously, by its index.
#[derive(Clone, Debug)]
pub struct Vacuous {
    /// Index of the property.
    pub property: usize,
    /// Why it holds.
    pub reason: Reason,
}

/// Why a property says little about the model.
#[derive(Clone, Debug)]
pub enum Reason {
    /// This premise is true in no reachable state.
    UnreachablePremise(Expression),
    /// The types of its variables imply it.
    ImpliedByTypes,
}

/// Finds the properties that hold vacuously, among those that hold by `outcome`.
///
/// `plan` is the plan of that outcome. A second search that fails, or is stopped, finds none.
pub fn vacuous_properties(
    commands: &GuardedCommands,
    (properties, outcome): (&[Property], &Outcome),
    (execution, plan): (Execution, &Plan),
    monitor: &mut dyn Monitor,
) -> Vec<Vacuous> {
    let (mut assumed, mut implied) = (Vec::new(), Vec::new());
    for (index, (property, verdict)) in properties.iter().zip(&outcome.verdicts).enumerate() {
        if !matches!(verdict, Verdict::Holds(_)) {
            continue;
        }
        match &property.kind {
            PropertyKind::Invariant(expression) if is_true_by_type(commands, expression) => {
                implied.push(Vacuous { property: index, reason: Reason::ImpliedByTypes });
            }
            kind => assumed.extend(premises(kind).into_iter().map(|premise| (index, premise))),
        }
    }
    assumed.truncate(MOST_PREMISES);
    let mut vacuous = unreachable_premises(assumed, commands, (execution, plan), monitor);
    vacuous.append(&mut implied);
    vacuous
}

fn unreachable_premises(
    assumed: Vec<(usize, Expression)>,
    commands: &GuardedCommands,
    (execution, plan): (Execution, &Plan),
    monitor: &mut dyn Monitor,
) -> Vec<Vacuous> {
    if assumed.is_empty() {
        return Vec::new();
    }
    let question = |(_, premise): &(usize, Expression)| {
        Property::new("premise", PropertyKind::Reachable(premise.clone()))
    };
    let questions: Vec<Property> = assumed.iter().map(question).collect();
    let mut plan = Plan {
        explore_all: false,
        checkpoint: None,
        survey: false,
        course: false,
        terminal_states: TerminalList::Counted,
        traces: TraceChoice::First,
        ..plan.clone()
    };
    plan.limits.states = plan.limits.states.min(MOST_STATES);
    let Ok(outcome) = execution.check(commands, &questions, &plan, monitor) else { return Vec::new() };
    let unreachable = assumed.into_iter().zip(&outcome.verdicts);
    unreachable
        .filter(|(_, verdict)| matches!(verdict, Verdict::Violated(_)))
        .map(|((property, premise), _)| Vacuous { property, reason: Reason::UnreachablePremise(premise) })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn unreachable_premises_and_types_make_a_property_vacuous() {
        let text = "byte x; process P { state s; init s; \
            trans s -> s { guard x < 3; effect x = x + 1; }; } system async;";
        let model = languages::read_model(text).unwrap();
        let invariant =
            |text: &str| Property::new(text, PropertyKind::Invariant(model.expression(text).unwrap()));
        let properties = ["x == 2 imply x < 9", "x == 7 imply x < 2", "x >= 0", "x < 2"].map(invariant);
        let (plan, execution) = (Plan { explore_all: true, ..Plan::default() }, Execution::Interpreted);
        let outcome = execution.check(&model.commands, &properties, &plan, &mut ()).unwrap();
        let found = vacuous_properties(&model.commands, (&properties, &outcome), (execution, &plan), &mut ());
        let summary: Vec<(usize, bool)> = found
            .iter()
            .map(|one| (one.property, matches!(one.reason, Reason::UnreachablePremise(_))))
            .collect();
        assert_eq!(summary, [(1, true), (2, false)]);
    }
}
