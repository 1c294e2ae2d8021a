//! Checks of several properties, some of which need a search of their own.
//!
//! Properties that single states decide are checked together, in one search. A formula of temporal
//! logic is checked alone. Properties of the terminal strongly connected components of layers are
//! checked with the others as long as progress is monotone and layers fit into memory. Otherwise
//! they are checked again, as formulas.

use super::linear::{Layers, check_linear};
use super::on_the_fly::{check_subject, decide_on_the_fly};
use super::product::ProductSubject;
use super::{
    CheckError, ErrorPlace, Executable, Figures, ModelError, Outcome, OutcomeOf, Plan, SearchPlan, Semantics,
    TerminalList, check_ctl,
};
use crate::explore::StopReason;
use crate::explore::sweep::OnRegress;
use crate::explore::{Monitor, Phase};
use crate::property::soundness::{Unsound, needs_monotone};
use crate::property::{BranchingProperty, Decision, Property, PropertyKind};
use crate::verdict::{UnknownReason, Verdict};
use model::transition_system::MAX_PREDICATES;

/// Checks the properties. Those that need a search of their own are checked one by one after the
/// others. The counts of the outcome are those of the first search.
///
/// # Errors
/// The errors of [`check`](super::check()).
pub fn check_each<M: Executable>(
    subject: impl Fn() -> M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    plan.require_kept(properties)?;
    let (alone, together): (Vec<_>, Vec<_>) =
        properties.iter().cloned().enumerate().partition(|(_, property)| property.kind.needs_own_search());
    if !alone.is_empty() && plan.checkpoint.is_some() {
        return Err(CheckError::TemporalNotSaved);
    }
    let mut answers = Answers { whole: None, verdicts: properties.iter().map(|_| None).collect(), alone };
    if !together.is_empty() || answers.alone.is_empty() {
        answers.ask_together(&subject, together, plan, monitor)?;
    }
    for (number, property) in std::mem::take(&mut answers.alone) {
        match answers.stopped() {
            // A user who stops a run does not want to stop it again for each property.
            Some(reason) => answers.verdicts[number] = Some(Verdict::Unknown(UnknownReason::Stopped(reason))),
            None => {
                monitor.phase(Phase::Checking(&property.name));
                let mut outcome = check_alone(subject(), &property, plan, monitor)?;
                let is_linear = property.kind.decision() == Decision::Cycles;
                if is_out_of_memory(&outcome) && is_linear && plan.search.sweep().is_some() {
                    outcome = check_linear(subject(), &property, plan, Layers::OnDisk, monitor)?;
                }
                let through = match property.kind.decision() {
                    Decision::Cycles | Decision::StatesOfProduct => Through::Product,
                    Decision::States | Decision::Components | Decision::Graph => Through::Model,
                };
                answers.add(&[number], outcome, through);
            }
        }
    }
    let Answers { whole, verdicts, .. } = answers;
    let verdicts = verdicts.into_iter().collect::<Option<Vec<_>>>();
    match (whole, verdicts) {
        (Some(whole), Some(verdicts)) => Ok(Outcome { verdicts, ..whole }),
        _ => Err(CheckError::WrongTrace("a property without an answer".into())),
    }
}

/// Checks one property, by the search that it needs.
///
/// # Errors
/// The errors of [`check`](super::check()).
pub fn check_alone<M: Executable>(
    subject: M,
    property: &Property<M::Predicate>,
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let (properties, predicates) = (std::slice::from_ref(property), property.kind.predicates().len());
    plan.require_kept(properties)?;
    if predicates > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(predicates));
    }
    match (property.kind.decision(), &property.kind) {
        (Decision::Graph, kind) => {
            let Some(PropertyKind::Branching(branching)) = kind.as_branching() else {
                return Err(CheckError::NeedsOwnSearch(property.name.clone()));
            };
            let BranchingProperty { formula, propositions } = &*branching;
            check_ctl(subject, formula, propositions, plan, monitor).map(|(outcome, _)| outcome)
        }
        (Decision::Cycles, _) => check_linear(subject, property, plan, Layers::InMemory, monitor),
        (Decision::StatesOfProduct, _) if plan.checkpoint.is_some() => Err(CheckError::TemporalNotSaved),
        (Decision::StatesOfProduct, PropertyKind::Service(service)) => {
            // The states after an illegal event are not explored, so the search does not count as
            // complete.
            let plan = Plan { explore_all: false, ..plan.clone() };
            decide_on_the_fly(ProductSubject::with_service(subject, service), properties, &plan, monitor)
        }
        (Decision::StatesOfProduct, _) => Err(CheckError::NeedsOwnSearch(property.name.clone())),
        (Decision::States | Decision::Components, _) => check_subject(subject, properties, plan, monitor),
    }
}

/// The state space that a search explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    /// The states of the model.
    Model,
    /// The states of a product with an automaton, which may leave out some states of the model.
    Product,
}

fn is_out_of_memory<R, T, F>(outcome: &Outcome<R, T, F>) -> bool {
    matches!(outcome.stopped, Some(StopReason::Memory(_)))
}

/// A property, and its number.
type Numbered<M> = (usize, Property<<M as Semantics>::Predicate>);

/// The verdicts so far.
struct Answers<M: Executable> {
    whole: Option<OutcomeOf<M>>,
    verdicts: Vec<Option<Verdict<M::Run, M::State>>>,
    /// Properties that remain to be checked, one by one.
    alone: Vec<Numbered<M>>,
}

impl<M: Executable> Answers<M> {
    /// Checks all properties by one search. At a regress edge, components of layers do not decide.
    /// Their properties are then checked again, alone, as formulas.
    fn ask_together(
        &mut self,
        subject: &impl Fn() -> M,
        together: Vec<Numbered<M>>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<(), CheckError> {
        let (numbers, asked): (Vec<usize>, Vec<_>) = together.iter().cloned().unzip();
        let has_components = needs_monotone(&asked).is_some();
        let may_ask_again =
            has_components && plan.checkpoint.is_none() && plan.search.on_regress() != OnRegress::Stop;
        // This engine never has a whole layer in memory.
        if may_ask_again && matches!(plan.search, SearchPlan::BreadthDisk) {
            return self.ask_again(subject, together, plan, monitor);
        }
        match check_subject(subject(), &asked, plan, monitor) {
            // Without components, whole layers need not be in memory.
            Ok(mut outcome) if may_ask_again && is_out_of_memory(&outcome) => {
                let is_open: Vec<bool> =
                    outcome.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Unknown(_))).collect();
                if !is_open.contains(&true) {
                    self.add(&numbers, outcome, Through::Model);
                    return Ok(());
                }
                let mut open = Vec::new();
                for ((one, verdict), is_open) in
                    together.into_iter().zip(outcome.verdicts.drain(..)).zip(is_open)
                {
                    if is_open { open.push(one) } else { self.verdicts[one.0] = Some(verdict) }
                }
                self.ask_again(subject, open, plan, monitor)
            }
            Ok(outcome) => {
                self.add(&numbers, outcome, Through::Model);
                if plan.search.on_regress() == OnRegress::Stop || plan.checkpoint.is_some() {
                    return Ok(());
                }
                let is_open = |(number, _): &Numbered<M>| {
                    matches!(self.verdicts[*number], Some(Verdict::Unknown(UnknownReason::NotMonotone)))
                };
                let open: Vec<_> = together.into_iter().filter(is_open).collect();
                if open.is_empty() {
                    return Ok(());
                }
                self.ask_again(subject, open, plan, monitor)
            }
            Err(CheckError::Unsound(Unsound::ComponentsAcrossLayers(_))) if plan.checkpoint.is_none() => {
                self.ask_again(subject, together, plan, monitor)
            }
            Err(error) => Err(error),
        }
    }

    /// Checks again where layers do not decide: properties of components alone, as formulas, and
    /// the others without them.
    fn ask_again(
        &mut self,
        subject: &impl Fn() -> M,
        open: Vec<Numbered<M>>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<(), CheckError> {
        let (components, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(_, property)| property.kind.is_about_components());
        self.alone.extend(components.into_iter().filter_map(as_formula));
        // A graph contains neither terminal states to list nor values.
        let is_listed = plan.terminal_states == TerminalList::Listed || plan.survey;
        if others.is_empty() && !is_listed {
            return Ok(());
        }
        self.ask_together(subject, others, plan, monitor)
    }

    /// Adds the verdicts of a search.
    fn add(&mut self, numbers: &[usize], mut outcome: OutcomeOf<M>, through: Through) {
        for (number, verdict) in numbers.iter().zip(std::mem::take(&mut outcome.verdicts)) {
            self.verdicts[*number] = Some(verdict);
        }
        if let Some(ModelError { place: ErrorPlace::Property(asked), .. }) = &mut outcome.error {
            // For a formula, which is checked alone, this is the number of a proposition.
            *asked = numbers.get(*asked).or(numbers.first()).copied().unwrap_or(*asked);
        }
        let Some(whole) = self.whole.take() else {
            self.whole = Some(outcome);
            return;
        };
        // A complete search says more about the states than one that ended early.
        let is_better = through == Through::Model
            && outcome.complete
            && !whole.complete
            && whole.stopped.is_none()
            && whole.error.is_none();
        let complete = is_better || (whole.complete && outcome.complete);
        let (base, other) = if is_better { (outcome, whole) } else { (whole, outcome) };
        self.whole = Some(Outcome {
            error: base.error.or(other.error),
            complete,
            stopped: base.stopped.or(other.stopped),
            figures: Figures {
                peak_state_bytes: base.figures.peak_state_bytes.max(other.figures.peak_state_bytes),
                disk_bytes: base.figures.disk_bytes.max(other.figures.disk_bytes),
                ..base.figures
            },
            graph: base.graph.or(other.graph),
            ..base
        });
    }

    /// The reason not to check further properties.
    fn stopped(&self) -> Option<StopReason> {
        let reason = self.whole.as_ref()?.stopped.clone()?;
        matches!(reason, StopReason::Interrupted | StopReason::TimeLimit).then_some(reason)
    }
}

fn as_formula<P: Clone>((number, property): (usize, Property<P>)) -> Option<(usize, Property<P>)> {
    let kind = property.kind.as_branching()?;
    Some((number, Property { kind, ..property }))
}
