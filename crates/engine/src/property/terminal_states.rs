//! The set of states without successors.
//!
//! A state that is expanded in two sweeps is one state, so counting expansions is not enough. The
//! set has a limit of its own. Beyond it the number of terminal states is unknown, and the
//! collected ones are kept.

use std::io;

use crate::explore::observer::Successors;
use crate::store::layer::{Inserted, Layer};
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, with_records};
use crate::store::saved::{Loader, Saver};

/// Collects states without successors.
#[derive(Debug)]
pub struct TerminalStates {
    /// The states. `None` once there was no memory for them.
    states: Option<Layer>,
    limit: usize,
    overflow: bool,
}

impl TerminalStates {
    /// Creates a set of at most `limit` states of this shape.
    pub fn new(shape: RecordShape, limit: usize) -> Result<Self, OutOfMemory> {
        let bytes = match shape {
            // A state, and its share of an index at its lowest load.
            RecordShape::Fixed(width) => limit.saturating_mul(width * 8 + 16).saturating_add(1 << 20),
            // The limit counts states. Their bytes count as bytes of an observer.
            RecordShape::Prefixed => usize::MAX,
        };
        Ok(Self { states: Some(Layer::new(shape, bytes)?), limit, overflow: false })
    }

    /// Saves all states.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.states.is_some(), self.overflow))?;
        self.states.as_ref().map_or(Ok(()), |states| states.save(to))
    }

    /// Loads saved states. This set must be empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let has_states;
        (has_states, self.overflow) = from.get()?;
        match &mut self.states {
            Some(states) if has_states => states.load(from),
            states => {
                *states = None;
                Ok(())
            }
        }
    }

    /// Number of states, if the set contains all of them.
    pub fn count(&self) -> Option<u64> {
        self.states.as_ref().filter(|_| !self.overflow).map(|states| states.len() as u64)
    }

    /// The states, in the order in which they were first visited.
    pub fn states(&self) -> impl Iterator<Item = &[u64]> {
        self.states.iter().flat_map(|states| (0..states.len()).map(|number| states.state(number)))
    }

    #[cold]
    fn add(&mut self, state: &[u64]) {
        let Some(states) = &mut self.states else { return };
        let full = states.len() >= self.limit;
        self.overflow |= with_records!(states.shape(), records => match states.contains(records, state) {
            true => false,
            false => full || !matches!(states.insert(records, state), Ok(Inserted::New(_))),
        });
    }
}

/// The hooks that a search calls.
impl TerminalStates {
    /// Called when a state was expanded and has these successors.
    #[inline(always)]
    pub fn taken(&mut self, state: &[u64], successors: Successors) {
        if successors == Successors::Steps(0) {
            self.add(state);
        }
    }

    /// Called when states get another layout, of `width` words.
    pub fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        if self.states.as_mut().is_some_and(|states| states.repack(width, translate).is_err()) {
            self.states = None;
        }
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.states.as_ref().map_or(0, Layer::bytes)
    }
}
