//! The watch over properties during a search: the first state, or the first component, that decides
//! each of them.
//!
//! One call per state evaluates all predicates into a bit set. A mask says which bits decide
//! something new. A state is tested when it is taken from the queue. So breadth-first search
//! decides with a shortest path, and a sweep with one that is shortest subject to progress.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::explore::observer::{Step, Successors};
use crate::explore::{Observer, Record};
use model::transition_system::Truth;

use super::accepting_cycles::{AcceptingCycles, AcceptingState};
use super::components::LayerComponents;
use super::progress_graph::ProgressComponents;
use super::service::Halt;
use super::service_table::{UNFINISHED, VIOLATED};
use super::{Property, PropertyKind};

/// Decides properties on the fly.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PropertyWatch {
    /// The state that decides each property.
    decided: Vec<Option<Record>>,
    /// The property of each predicate.
    owners: Vec<usize>,
    /// Predicates whose truth is the normal case.
    expected: u64,
    /// Predicates that one state decides, and that are not decided yet.
    open: u64,
    deadlock: Vec<usize>,
    /// Predicates of terminal states: one of them must be true for the state to be a deadlock.
    unfinished: u64,
    /// Predicates that components decide. A component violates them if they are true nowhere in it,
    /// or shows them if they are true everywhere in it.
    nowhere: u64,
    everywhere: u64,
    components: Option<LayerComponents>,
    /// The search for accepting cycles, for a product with an automaton.
    cycles: Option<AcceptingCycles>,
    undecided: usize,
    undefined_at: Option<Record>,
    /// Whether to continue when all properties are decided.
    explore_all: bool,
}

impl PropertyWatch {
    /// Creates a watch over these properties.
    pub fn new<P>(properties: &[Property<P>], explore_all: bool) -> Self {
        let mut watch = Self {
            decided: vec![None; properties.len()],
            undecided: properties.len(),
            explore_all,
            ..Self::default()
        };
        for (number, property) in properties.iter().enumerate() {
            let bit = 1u64.unbounded_shl(watch.owners.len() as u32);
            match property.kind {
                PropertyKind::DeadlockFree => watch.deadlock.push(number),
                PropertyKind::Invariant(_) => {
                    watch.expected |= bit;
                    watch.open |= bit;
                }
                PropertyKind::Reachable(_) => watch.open |= bit,
                PropertyKind::AlwaysPossible(_) => watch.nowhere |= bit,
                PropertyKind::PossiblyForEver(_) => watch.everywhere |= bit,
                // The recorded graph decides.
                PropertyKind::Branching(_) => {}
                // The only property of its search. The product evaluates its propositions.
                PropertyKind::Linear(_) => {
                    watch.cycles = Some(AcceptingCycles::default());
                    continue;
                }
                // The only property of its search. States of the product have predicates of their
                // own.
                PropertyKind::Service(ref service) => {
                    watch.open |= VIOLATED;
                    watch.owners.push(number);
                    if matches!(service.halt(), Halt::Deadlock) {
                        watch.deadlock.push(number);
                        watch.unfinished = UNFINISHED;
                    }
                    continue;
                }
            }
            watch.owners.extend(property.kind.predicates().iter().map(|_| number));
        }
        if watch.nowhere | watch.everywhere != 0 {
            watch.components = Some(LayerComponents::default());
        }
        watch
    }

    /// The state that decides the property: a violation, or a witness. For components, their first
    /// state.
    pub fn decided(&self, property: usize) -> Option<Record> {
        self.decided[property]
    }

    /// A state of an accepting cycle inside a layer.
    pub fn accepting_state(&self) -> Option<AcceptingState> {
        self.cycles.as_ref().and_then(AcceptingCycles::found)
    }

    /// The components in which accepting cycles across layers can be.
    pub fn cycles_across_layers(&self) -> ProgressComponents {
        self.cycles.as_ref().map(AcceptingCycles::across_layers).unwrap_or_default()
    }

    /// A state in which a predicate has no value.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined_at
    }

    #[cold]
    fn news(&mut self, record: Record, truth: Truth) -> ControlFlow<()> {
        let news = (truth.holds ^ self.expected) & self.open & !truth.undefined;
        self.decide(news, record);
        self.open &= !news;
        if truth.undefined & (self.open | self.nowhere | self.everywhere) != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        self.go_on()
    }

    fn decide(&mut self, news: u64, record: Record) {
        for bit in (0..self.owners.len()).filter(|bit| news & 1 << bit != 0) {
            self.settle(self.owners[bit], record);
        }
    }

    /// Notes the state that decides a property. A service is decided by an event or by an end, by
    /// the one that comes first.
    fn settle(&mut self, property: usize, record: Record) {
        if self.decided[property].is_none() {
            self.decided[property] = Some(record);
            self.undecided -= 1;
        }
    }

    /// Observes a state of a product.
    fn follow(&mut self, record: Record, truth: Truth) -> ControlFlow<()> {
        let Some(cycles) = &mut self.cycles else { return ControlFlow::Continue(()) };
        if truth.undefined != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        if cycles.add_state(truth.holds) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[cold]
    fn deadlock(&mut self, record: Record) -> ControlFlow<()> {
        for property in std::mem::take(&mut self.deadlock) {
            self.settle(property, record);
        }
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.undecided == 0 && !self.explore_all {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Observer for PropertyWatch {
    #[inline]
    fn taken(&mut self, record: Record, _: &[u64], truth: Truth, successors: Successors) -> ControlFlow<()> {
        if self.cycles.is_some() {
            return self.follow(record, truth);
        }
        if self.open != 0 || self.components.is_some() {
            if let Some(components) = &mut self.components {
                components.add_state(truth.holds);
            }
            let watched = self.open | self.nowhere | self.everywhere;
            if ((truth.holds ^ self.expected) & self.open) | (truth.undefined & watched) != 0 {
                self.news(record, truth)?;
            }
        }
        if successors == Successors::Steps(0)
            && !self.deadlock.is_empty()
            && (self.unfinished == 0 || truth.holds & self.unfinished != 0)
        {
            self.deadlock(record)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        self.open | self.unfinished != 0 || self.components.is_some() || self.cycles.is_some()
    }

    fn wants_steps(&self) -> bool {
        self.components.is_some() || self.cycles.is_some()
    }

    fn wants_whole_layers(&self) -> bool {
        Observer::wants_steps(self)
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        match step.number {
            Some(to) => {
                if let Some(cycles) = &mut self.cycles {
                    cycles.add_step(step.from, to);
                }
                if let Some(components) = &mut self.components {
                    components.add_inner_step(step.from, to);
                }
            }
            None => Observer::erroneous_step(self, step.from),
        }
    }

    /// Marks the component that contains the state as not terminal.
    #[inline(always)]
    fn erroneous_step(&mut self, from: Record) {
        if let Some(components) = &mut self.components {
            components.add_leaving_step(from);
        }
    }

    #[inline(always)]
    fn progress_step(&mut self, before: u64, after: u64) {
        if let Some(cycles) = &mut self.cycles {
            cycles.add_progress(before, after);
        }
    }

    fn layer_begins(&mut self, first: Record, progress: u64) {
        if let Some(cycles) = &mut self.cycles {
            cycles.begin(first, progress);
        }
        if let Some(components) = &mut self.components {
            components.begin(first);
        }
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        if self.cycles.as_mut().is_some_and(AcceptingCycles::look) {
            return ControlFlow::Break(());
        }
        let Some(components) = &mut self.components else { return ControlFlow::Continue(()) };
        for component in components.terminal() {
            let news = (self.nowhere & !component.some) | (self.everywhere & component.all);
            self.nowhere &= !news;
            self.everywhere &= !news;
            self.decide(news, component.first);
        }
        if self.nowhere | self.everywhere == 0 {
            self.components = None;
        }
        self.go_on()
    }

    fn bytes(&self) -> usize {
        self.components.as_ref().map_or(0, LayerComponents::bytes)
            + self.cycles.as_ref().map_or(0, AcceptingCycles::bytes)
    }
}
