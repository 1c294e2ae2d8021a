//! The watch over properties during a search: the first state, or the first component, that decides
//! each of them.
//!
//! All predicates of a state are evaluated at once into a bit set, and masks say which bits decide
//! something new. A state is tested when it is taken from the queue. So breadth-first search decides
//! with a shortest path, and a sweep with one that is shortest subject to progress.
//!
//! There are three ways to decide: by [one state](states), by [a state without
//! successors](deadlocks), and by [a terminal component of a layer](terminal_components). Accepting
//! cycles, which decide linear time, are [another observer](super::accepting_cycles).

mod answers;
mod deadlocks;
mod states;
mod terminal_components;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::explore::observer::{Step, Successors};
use crate::explore::{Observer, Record};
use model::transition_system::Truth;

use super::service::Halt;
use super::service_table::{UNFINISHED, VIOLATED};
use super::{Decision, Property, PropertyKind};
use answers::Answers;
use deadlocks::DeadlockWatch;
use states::StateWatch;
use terminal_components::ComponentWatch;

/// Decides properties on the fly.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PropertyWatch {
    answers: Answers,
    states: StateWatch,
    deadlocks: DeadlockWatch,
    /// `None` if no component decides anything, or nothing more.
    components: Option<ComponentWatch>,
    undefined_at: Option<Record>,
}

impl PropertyWatch {
    /// Creates a watch over these properties. Those that are decided in another way are ignored.
    pub fn new<P>(properties: &[Property<P>], explore_all: bool) -> Self {
        let mut watch = Self { answers: Answers::new(properties.len(), explore_all), ..Self::default() };
        // Number of the next predicate in the truth of a state.
        let mut predicate = 0;
        for (number, property) in properties.iter().enumerate() {
            match &property.kind {
                PropertyKind::DeadlockFree => watch.deadlocks.add(number),
                PropertyKind::ProperEnd(_) => watch.deadlocks.add_unless(number, 1 << predicate),
                PropertyKind::Invariant(_) | PropertyKind::Assertion(_) => {
                    watch.states.add(predicate, number, true)
                }
                PropertyKind::Reachable(_) => watch.states.add(predicate, number, false),
                PropertyKind::AlwaysPossible(_) => {
                    watch.components.get_or_insert_default().add_nowhere(predicate, number);
                }
                PropertyKind::PossiblyForEver(_) => {
                    watch.components.get_or_insert_default().add_everywhere(predicate, number);
                }
                // The only property of its search. States of the product have predicates of their
                // own.
                PropertyKind::Service(service) => {
                    watch.states.add(VIOLATED.trailing_zeros(), number, false);
                    if matches!(service.halt(), Halt::Deadlock) {
                        watch.deadlocks.add_unfinished(number, UNFINISHED);
                    }
                }
                kind => assert!(
                    matches!(kind.decision(), Decision::Cycles | Decision::Graph),
                    "a property that nothing watches would hold"
                ),
            }
            predicate += property.kind.predicates().len() as u32;
        }
        watch
    }

    /// The state that decides the property: a violation, or a witness. For components, their first
    /// state.
    pub fn decided(&self, property: usize) -> Option<Record> {
        self.answers.of(property)
    }

    /// A state in which a predicate has no value.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined_at
    }

    /// Predicates that are not decided yet.
    #[inline(always)]
    fn open(&self) -> u64 {
        self.states.open() | self.components.as_ref().map_or(0, ComponentWatch::open)
    }

    #[cold]
    fn news(&mut self, record: Record, truth: Truth) -> ControlFlow<()> {
        self.states.decide(record, truth, &mut self.answers);
        if truth.undefined & self.open() != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        self.answers.go_on()
    }

    #[cold]
    fn deadlock(&mut self, record: Record, truth: Truth) -> ControlFlow<()> {
        self.deadlocks.decide(record, truth, &mut self.answers);
        self.answers.go_on()
    }
}

impl Observer for PropertyWatch {
    #[inline]
    fn taken(&mut self, record: Record, _: &[u64], truth: Truth, successors: Successors) -> ControlFlow<()> {
        if let Some(components) = &mut self.components {
            components.layer.add_state(truth.holds);
        }
        if self.states.news(truth) | (truth.undefined & self.open()) != 0 {
            self.news(record, truth)?;
        }
        if successors == Successors::Steps(0) && self.deadlocks.is_news(truth) {
            self.deadlock(record, truth)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        self.states.open() != 0 || self.deadlocks.wants_truth() || self.components.is_some()
    }

    fn wants_steps(&self) -> bool {
        self.components.is_some()
    }

    fn wants_whole_layers(&self) -> bool {
        self.components.is_some()
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        match step.number {
            Some(to) => {
                if let Some(components) = &mut self.components {
                    components.layer.add_inner_step(step.from, to);
                }
            }
            None => Observer::erroneous_step(self, step.from),
        }
    }

    /// Marks the component that contains the state as not terminal.
    #[inline(always)]
    fn erroneous_step(&mut self, from: Record) {
        if let Some(components) = &mut self.components {
            components.layer.add_leaving_step(from);
        }
    }

    fn layer_begins(&mut self, first: Record, _: u64) {
        if let Some(components) = &mut self.components {
            components.layer.begin(first);
        }
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        let Some(components) = &mut self.components else { return ControlFlow::Continue(()) };
        components.decide(&mut self.answers);
        if components.open() == 0 {
            self.components = None;
        }
        self.answers.go_on()
    }

    fn bytes(&self) -> usize {
        self.components.as_ref().map_or(0, |components| components.layer.bytes())
    }
}
