//! Linear time on the graph of the product, where its layers do not fit into memory.
//!
//! A search for cycles needs the layer at work as a whole. A search that records its graph does not: it may go to disk, state by state, and what
//! is left are numbers, on which accepting cycles are looked for as a formula of branching time would be: nodes that accept, and can come back to
//! accepting ones again and again. A lasso is a path through the numbers, and is replayed and judged like any other.

use crate::explore::Monitor;
use crate::explore::sweep::{Nesting, OnRegress};
use crate::property::ctl::evaluation::SETS_OF_RECURRING;
use crate::property::ctl::witness::recurring_path;
use crate::property::linear::LinearProperty;
use crate::property::{Property, predicates};
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, Verdict};
use model::guarded_commands::ActionId;

use super::ctl::{Answer, FinishedSearch, decide_on_graph};
use super::linear::Lasso;
use super::product::ProductSubject;
use super::{CheckError, Outcome, OutcomeOf, Plan, Reduction, Subject};

/// Checks one property of linear time on the graph of this product.
pub(super) fn check_on_graph<M: Subject>(
    subject: ProductSubject<M>,
    property: &Property<M::Predicate>,
    linear: &LinearProperty<M::Predicate>,
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    // The model is reduced already; the progress of an automaton is no part of a nested measure.
    let plan = Plan {
        reduction: Reduction::None,
        on_regress: OnRegress::Sweep,
        nesting: Nesting::default(),
        ..plan.clone()
    };
    let predicates = predicates(std::slice::from_ref(property));
    // Of what the product says of a state, the first bit is whether it accepts.
    let decided = decide_on_graph(subject, (&predicates, 1), &plan, monitor, |subject, search| {
        answer(subject, search, linear, &property.name)
    });
    decided.map(Outcome::from)
}

fn answer<M: Subject>(
    subject: &ProductSubject<M>,
    search: FinishedSearch<'_>,
    linear: &LinearProperty<M::Predicate>,
    name: &str,
) -> Result<Answer<ProductSubject<M>>, CheckError> {
    let token = search.token;
    let found = search.evaluate(SETS_OF_RECURRING, |evaluation, truths, most| {
        let recurring = evaluation.recurring(&truths[0])?;
        match recurring.ones() {
            0 => Ok(None),
            _ => recurring_path(evaluation.graph(), &recurring, most).map(Some),
        }
    });
    let (found, summary) = match found {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let verdict = match found {
        None => Verdict::Holds(Evidence::Search(token)),
        // It is there, and there is no memory to find the way.
        Some(None) => Verdict::Violated(Evidence::Search(token)),
        Some(Some(lasso)) => {
            let actions = |numbers: Vec<u32>| numbers.into_iter().map(ActionId).collect();
            let stem = LoggedRun { initial: ActionId(lasso.initial), actions: actions(lasso.stem) };
            let lasso = Lasso { stem, cycle: actions(lasso.cycle) };
            let (run, start) =
                subject.lasso(linear, lasso)?.ok_or_else(|| CheckError::WrongTrace(name.into()))?;
            Verdict::Violated(Evidence::Lasso(run, start))
        }
    };
    Ok(Ok((verdict, None, summary)))
}
