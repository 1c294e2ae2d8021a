//! Watching properties while states are met: the first state that decides each of them.
//!
//! All predicates are evaluated by one call per state, into a bit set; a mask tells which bits are news. The state is looked at when it is
//! taken from the queue, so breadth-first search decides with a shortest path.

use std::ops::ControlFlow;

use crate::explore::observer::Successors;
use crate::explore::{Observer, Record};
use crate::model::guarded_commands::{ActionId, Expression};
use crate::model::transition_system::{TransitionSystem, Truth};

use super::{Property, PropertyKind};

/// Decides deadlock, invariant and reachability properties on the fly.
#[derive(Debug)]
pub struct PropertyWatch {
    /// For each property, the state that decides it.
    decided: Vec<Option<Record>>,
    /// The property that each predicate belongs to.
    owners: Vec<usize>,
    /// Predicates whose truth is the normal case.
    expected: u64,
    /// Predicates that are still to be watched.
    open: u64,
    deadlock: Vec<usize>,
    undecided: usize,
    undefined_at: Option<Record>,
    /// Whether to go on when everything is decided.
    explore_all: bool,
}

impl PropertyWatch {
    /// A watch over these properties.
    pub fn new(properties: &[Property], explore_all: bool) -> Self {
        let mut watch = Self {
            decided: vec![None; properties.len()],
            owners: Vec::new(),
            expected: 0,
            open: 0,
            deadlock: Vec::new(),
            undecided: 0,
            undefined_at: None,
            explore_all,
        };
        for (number, property) in properties.iter().enumerate() {
            match property.kind {
                PropertyKind::DeadlockFree => watch.deadlock.push(number),
                PropertyKind::Invariant(_) => {
                    watch.expected |= 1 << watch.owners.len();
                    watch.owners.push(number);
                }
                PropertyKind::Reachable(_) => watch.owners.push(number),
                // Never decided here: a search that should also answer this one has to run to its end.
                PropertyKind::Ltl => watch.undecided += 1,
            }
        }
        watch.undecided += watch.deadlock.len() + watch.owners.len();
        watch.open = u64::MAX.unbounded_shr(64 - watch.owners.len() as u32);
        watch
    }

    /// The predicates that [`TransitionSystem::predicates`] must evaluate, in this order.
    pub fn predicates(properties: &[Property]) -> Vec<Expression> {
        properties.iter().filter_map(|property| property.kind.expression().cloned()).collect()
    }

    /// The state that decides the property: a violation, or a witness of reachability.
    pub fn decided(&self, property: usize) -> Option<Record> {
        self.decided[property]
    }

    /// A state in which a predicate has no value.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined_at
    }

    #[cold]
    fn news(&mut self, record: Record, truth: Truth) -> ControlFlow<()> {
        let news = (truth.holds ^ self.expected) & self.open & !truth.undefined;
        for (bit, &owner) in self.owners.iter().enumerate() {
            if news & 1 << bit != 0 {
                self.decided[owner] = Some(record);
                self.undecided -= 1;
            }
        }
        self.open &= !news;
        if truth.undefined & self.open != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        self.go_on()
    }

    #[cold]
    fn deadlock(&mut self, record: Record) -> ControlFlow<()> {
        for property in std::mem::take(&mut self.deadlock) {
            self.decided[property] = Some(record);
            self.undecided -= 1;
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

impl<S: TransitionSystem> Observer<S> for PropertyWatch {
    #[inline]
    fn taken(
        &mut self,
        system: &S,
        record: Record,
        state: &[u64],
        successors: Successors,
    ) -> ControlFlow<()> {
        if self.open != 0 {
            let truth = system.predicates(state);
            if ((truth.holds ^ self.expected) | truth.undefined) & self.open != 0 {
                self.news(record, truth)?;
            }
        }
        if successors == Successors::Steps(0) && !self.deadlock.is_empty() {
            self.deadlock(record)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn stored(&mut self, _: Option<Record>, _: ActionId) {}
}
