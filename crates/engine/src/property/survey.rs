//! A survey of a state space: the values and the actions that occur, and where runs end up.
//!
//! Values and actions are seen state by state and step by step, in any order, once or several times. The terminal
//! strongly connected components decide where runs end up: a state can always be returned to if it is in the only one
//! of them, and an action can always occur again if it occurs in each of them. A layer shows its components as long as
//! progress never falls. From the first regress edge on they are unknown, because states of one component may lie in
//! several layers, of which most are forgotten.

use serde::{Deserialize, Serialize};

use super::components::LayerComponents;
use crate::explore::Record;
use crate::explore::observer::Step;
use model::guarded_commands::ActionId;
use model::state_layout::{CellRange, Field};

/// What was seen so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct Survey {
    fields: Vec<Field>,
    /// For each cell, the values from the least to the greatest that occurred.
    ranges: Vec<Option<CellRange>>,
    /// For each cell whose values have names, whether each value occurred.
    occurred: Vec<Option<Vec<bool>>>,
    /// For each action, whether it was taken.
    taken: Vec<bool>,
    components: Option<Components>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Components {
    layer: LayerComponents,
    /// The actions of the steps inside of the layer, in their order.
    actions: Vec<u32>,
    count: u64,
    terminal: u64,
    /// States of the terminal component that was found last.
    size: u64,
    /// Whether the first state of the search is in it.
    with_initial: bool,
    /// For each action, whether it occurs in all terminal components that were found.
    everywhere: Vec<bool>,
}

/// What is known of a state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// For each cell, the least and the greatest value that it takes.
    pub ranges: Vec<Option<CellRange>>,
    /// For each cell whose values have names, whether each value occurs.
    pub occurring: Vec<Option<Vec<bool>>>,
    /// Whether each action occurs.
    pub occurs: Vec<bool>,
    /// Where runs end up, unless progress fell.
    pub ends: Option<Ends>,
}

/// Where runs end up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of strongly connected components.
    pub components: u64,
    /// Number of those that no step leads out of.
    pub terminal: u64,
    /// Number of states that can be reached from every state.
    pub home_states: u64,
    /// Whether the initial state is one of them.
    pub initial_is_home: bool,
    /// For each action, whether it can always occur again.
    pub live: Vec<bool>,
}

impl Survey {
    /// Of a model with so many actions. `named` tells how many values of a cell have names, if they have.
    pub fn new(fields: &[Field], actions: usize, named: impl Fn(usize) -> Option<usize>) -> Self {
        Self {
            fields: fields.to_vec(),
            ranges: vec![None; fields.len()],
            occurred: (0..fields.len()).map(|cell| named(cell).map(|values| vec![false; values])).collect(),
            taken: vec![false; actions],
            components: Some(Components { everywhere: vec![true; actions], ..Components::default() }),
        }
    }

    /// States have another layout from now on.
    pub fn set_fields(&mut self, fields: &[Field]) {
        self.fields = fields.to_vec();
    }

    /// What was seen; nothing else is there if the search was complete.
    pub fn surveyed(&self) -> Surveyed {
        let ends = self.components.as_ref().map(|components| {
            let is_one = components.terminal == 1;
            Ends {
                components: components.count,
                terminal: components.terminal,
                home_states: if is_one { components.size } else { 0 },
                initial_is_home: is_one && components.with_initial,
                live: components.everywhere.clone(),
            }
        });
        Surveyed {
            ranges: self.ranges.clone(),
            occurring: self.occurred.clone(),
            occurs: self.taken.clone(),
            ends,
        }
    }

    fn see(&mut self, state: &[u64]) {
        let cells = self.fields.iter().zip(&mut self.ranges).zip(&mut self.occurred);
        for ((field, range), occurred) in cells {
            let content = state.get(field.word as usize).map_or(0, |word| word >> field.shift & field.mask());
            let value = CellRange::exactly(field.base.wrapping_add_unsigned(content));
            *range = Some(range.map_or(value, |range| range.join(value)));
            if let Some(occurred) = occurred
                && let Some(one) = usize::try_from(value.low).ok().and_then(|value| occurred.get_mut(value))
            {
                *one = true;
            }
        }
    }
}

impl Components {
    fn end_layer(&mut self) {
        let Self { layer, actions, count, terminal, size, with_initial, everywhere } = self;
        let first = layer.first();
        let mut occurs = vec![false; everywhere.len()];
        layer.for_each_component(|members, steps| {
            *count += 1;
            let Some(steps) = steps else { return };
            *terminal += 1;
            *size = members.len() as u64;
            *with_initial = members.iter().any(|member| first + u64::from(*member) == 0);
            occurs.fill(false);
            steps.flatten().for_each(|step| occurs[actions[step] as usize] = true);
            everywhere.iter_mut().zip(&occurs).for_each(|(everywhere, here)| *everywhere &= here);
        });
    }
}

/// What a search tells.
impl Survey {
    /// A state was expanded.
    pub fn taken(&mut self, state: &[u64]) {
        self.see(state);
        if let Some(components) = &mut self.components {
            components.layer.add_state(0);
        }
    }

    /// A step was taken.
    pub fn step(&mut self, step: Step<'_>) {
        let ActionId(action) = step.action;
        self.taken[action as usize] = true;
        let Some(components) = &mut self.components else { return };
        match step.number {
            Some(to) => {
                components.layer.add_inner_step(step.from, to);
                components.actions.push(action);
            }
            None => components.layer.add_leaving_step(step.from),
        }
    }

    /// A step is a run-time error.
    pub fn erroneous_step(&mut self, from: Record) {
        if let Some(components) = &mut self.components {
            components.layer.add_leaving_step(from);
        }
    }

    /// A step leads from a layer to another one.
    pub fn progress_step(&mut self, before: u64, after: u64) {
        if after < before {
            self.components = None;
        }
    }

    /// A layer begins whose states have numbers from this one on.
    pub fn layer_begins(&mut self, first: Record) {
        if let Some(components) = &mut self.components {
            components.layer.begin(first);
            components.actions.clear();
        }
    }

    /// All states of the layer were expanded.
    pub fn layer_ends(&mut self) {
        if let Some(components) = &mut self.components {
            components.end_layer();
        }
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let components = self.components.as_ref();
        components.map_or(0, |components| components.layer.bytes() + components.actions.capacity() * 4)
    }
}
