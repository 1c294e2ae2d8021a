//! Linear time on the graph of the product, for layers that do not fit into memory.
//!
//! A search for cycles needs the whole current layer in memory. A search that records its graph
//! does not: its states may spill to disk. The recorded graph consists of numbers only. On these, a
//! fixed point finds accepting cycles, as for a formula of branching time. It is the set of
//! accepting nodes from which accepting nodes can be reached again and again. A lasso is a path
//! through the graph, and is replayed and judged like any other.

use crate::explore::Monitor;
use crate::explore::sweep::{Nesting, OnRegress};
use crate::property::acceptor::Acceptor;
use crate::property::ctl::evaluation::SETS_OF_RECURRING;
use crate::property::ctl::witness::recurring_path;
use crate::property::linear::LinearProperty;
use crate::property::{Property, predicates};
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, Verdict};
use model::guarded_commands::ActionId;

use super::lasso::Lasso;
use crate::check::branching::{Answer, FinishedSearch, decide_on_graph};
use crate::check::product::ProductSubject;
use crate::check::{CheckError, Executable, OutcomeOf, Plan, Reduction};

/// Checks one linear-time property on the graph of this product.
pub(super) fn decide_on_graph_of_product<M: Executable>(
    subject: ProductSubject<M, Acceptor>,
    property: &Property<M::Predicate>,
    linear: &LinearProperty<M::Predicate>,
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    // The model is reduced already. The progress of an automaton is no part of a nested measure.
    let search = plan.search.changed(|sweep| {
        sweep.on_regress = OnRegress::Sweep;
        sweep.nesting = Nesting::default();
    });
    let plan = Plan { reduction: Reduction::None, search, ..plan.clone() };
    let predicates = predicates(std::slice::from_ref(property));
    // The first predicate of a product is whether the state accepts.
    decide_on_graph(subject, (&predicates, 1), &plan, monitor, |subject, search| {
        answer(subject, search, linear, &property.name)
    })
}

fn answer<M: Executable>(
    subject: &ProductSubject<M, Acceptor>,
    search: FinishedSearch<'_>,
    linear: &LinearProperty<M::Predicate>,
    name: &str,
) -> Result<Answer<ProductSubject<M, Acceptor>>, CheckError> {
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
        // There is a cycle, but no memory to find the path to it.
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
    Ok(Ok((verdict, summary)))
}
