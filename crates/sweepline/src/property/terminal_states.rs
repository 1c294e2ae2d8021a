//! The states without successors, as a set.
//!
//! A state that is expanded in two sweeps is one state, so counting expansions is not enough. The set has a limit of its own; beyond it nobody knows
//! how many there are, and what was collected stays.

use std::ops::ControlFlow;

use crate::explore::observer::Successors;
use crate::explore::{Observer, Record};
use crate::model::transition_system::TransitionSystem;
use crate::store::layer::{Inserted, Layer, with_width};
use crate::store::pages::OutOfMemory;

/// Collects states without successors.
#[derive(Debug)]
pub struct TerminalStates {
    states: Layer,
    limit: usize,
    overflow: bool,
}

impl TerminalStates {
    /// At most `limit` states of `width` words.
    pub fn new(width: usize, limit: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { states: Layer::new(width, usize::MAX)?, limit, overflow: false })
    }

    /// How many there are, if all of them are here.
    pub fn count(&self) -> Option<u64> {
        (!self.overflow).then_some(self.states.len() as u64)
    }

    /// The states, in the order in which they were first met.
    pub fn states(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.states.len()).map(|number| self.states.state(number))
    }
}

impl<S: TransitionSystem> Observer<S> for TerminalStates {
    #[inline(always)]
    fn taken(&mut self, _: &S, _: Record, state: &[u64], successors: Successors) -> ControlFlow<()> {
        if successors == Successors::Steps(0) {
            let full = self.states.len() >= self.limit;
            self.overflow |= with_width!(self.states.width(), width => match self.states.contains(width, state) {
                true => false,
                false => full || !matches!(self.states.insert(width, state), Ok(Inserted::New(_))),
            });
        }
        ControlFlow::Continue(())
    }

    fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        self.overflow |= self.states.repack(width, translate).is_err();
    }

    fn bytes(&self) -> usize {
        self.states.bytes()
    }
}
