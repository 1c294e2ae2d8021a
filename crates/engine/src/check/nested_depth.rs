//! Linear-time properties by nested depth-first search: the baseline, with everything in memory.

use super::linear::Lasso;
use super::product::ProductSubject;
use super::subject::Expanded as Supplied;
use super::{
    CheckError, ErrorPlace, IoCounts, ModelError, OnRuntimeError, Outcome, OutcomeOf, Plan, SearchEnd,
    Subject,
};
use crate::explore::Monitor;
use crate::explore::nested_depth::{DepthCycle, Expanded, Expander, NestedDepth};
use crate::property::linear::LinearProperty;
use crate::store::layer::LayerFull;
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, UnknownReason, Verdict};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

/// The product as the search sees it.
struct ProductExpander<'a, M: Subject> {
    subject: &'a mut ProductSubject<M>,
    propositions: &'a [M::Predicate],
    system: Option<<ProductSubject<M> as Subject>::System>,
    on_runtime_error: OnRuntimeError,
    widenings: u32,
    fault: Option<(ErrorPlace, M::Fault)>,
    failure: Option<CheckError>,
}

impl<M: Subject> Expander for ProductExpander<'_, M> {
    fn successors(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Result<Expanded, SearchEnd> {
        let Some(system) = &self.system else { return Err(SearchEnd::Decided) };
        let mut expander = system.expander();
        if expander.predicates(state).undefined != 0 {
            let decoded = self.subject.decode(state);
            let error = self.propositions.iter().find_map(|one| self.subject.holds(one, &decoded).err());
            self.fault = error.map(|error| (ErrorPlace::Property(0), error));
            return Err(SearchEnd::Decided);
        }
        if !expander.expand(state, batch).trouble {
            return Ok(Expanded::Done);
        }
        drop(expander);
        batch.clear();
        match self.subject.expand(state, batch) {
            Supplied::Widened(translate) => {
                self.widenings += 1;
                self.system = None;
                match self.subject.prepare(self.propositions) {
                    Ok(system) => self.system = Some(system),
                    Err(error) => {
                        self.failure = Some(error.into());
                        return Err(SearchEnd::Decided);
                    }
                }
                Ok(Expanded::Widened(self.subject.words(), translate))
            }
            Supplied::Successors(fault) => {
                if self.fault.is_none() {
                    self.fault = fault.map(|(action, error)| (ErrorPlace::Action(action), error));
                }
                let ends = self.fault.is_some() && self.on_runtime_error == OnRuntimeError::Stop;
                if ends { Err(SearchEnd::Decided) } else { Ok(Expanded::Done) }
            }
        }
    }

    fn is_accepting(&self, state: &[u64]) -> bool {
        self.subject.acceptor().is_accepting(self.subject.place().automaton(state))
    }
}

fn logged(actions: &[ActionId]) -> LoggedRun {
    let initial = actions.first().copied().unwrap_or(ActionId(0));
    LoggedRun { initial, actions: actions.get(1..).unwrap_or_default().to_vec() }
}

/// Checks a linear-time property.
pub(super) fn check_by_nested_depth<M: Subject>(
    mut subject: ProductSubject<M>,
    name: &str,
    linear: &LinearProperty<M::Predicate>,
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let no_memory = |error| CheckError::NoMemory(LayerFull::System(error));
    let mut search = NestedDepth::new(subject.words(), plan.limits).map_err(no_memory)?;
    let mut initial = SuccessorBatch::new(subject.words(), 1);
    subject.initial(&mut initial);
    let system = Some(subject.prepare(linear.propositions())?);
    let mut product = ProductExpander {
        subject: &mut subject,
        propositions: linear.propositions(),
        system,
        on_runtime_error: plan.on_runtime_error,
        widenings: 0,
        fault: None,
        failure: None,
    };
    let (found, end) = search.run(&initial, &mut product, monitor);
    let ProductExpander { widenings, fault, failure, .. } = product;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let error = match fault {
        Some((place, error)) => {
            Some(ModelError { error, trace: subject.replay(&logged(&search.path()))?, place })
        }
        None => None,
    };
    let verdict = match (found, &end, &error) {
        (Some(DepthCycle { stem, cycle }), ..) => {
            let (run, start) = subject
                .lasso(linear, Lasso { stem: logged(&stem), cycle })?
                .ok_or_else(|| CheckError::WrongTrace(name.into()))?;
            Verdict::Violated(Evidence::Lasso(run, start))
        }
        (None, _, Some(_)) => Verdict::Unknown(UnknownReason::RuntimeError),
        (None, SearchEnd::Complete(token), None) => Verdict::Holds(Evidence::Search(*token)),
        (None, SearchEnd::Stopped(reason), None) => Verdict::Unknown(UnknownReason::Stopped(reason.clone())),
        _ => return Err(CheckError::WrongTrace(name.into())),
    };
    Ok(Outcome {
        verdicts: vec![verdict],
        error,
        regress: None,
        complete: matches!(end, SearchEnd::Complete(_)),
        stopped: if let SearchEnd::Stopped(reason) = end { Some(reason) } else { None },
        distinct: Some(search.states()),
        estimated_distinct: search.states(),
        deadlocks: None,
        terminal_states: None,
        survey: None,
        counters: search.counters(),
        peak_state_bytes: search.peak_bytes() as u64,
        disk_bytes: 0,
        io: IoCounts::default(),
        state_bits: subject.bits() as u64,
        state_words: subject.words() as u64,
        widenings,
        graph: None,
        course: None,
    })
}
