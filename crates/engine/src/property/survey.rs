//! A survey of a state space: the values and the actions that occur, and where runs end.
//!
//! Values and actions are seen state by state and step by step, in any order, once or several
//! times. The terminal strongly connected components decide where runs end. A state is a home state
//! if it is in the only terminal component. An action is live, that is, it can always occur again,
//! if it occurs in each of them. A layer contains whole components as long as progress is monotone.
//! From the first regress edge on, the components are unknown. States of one component may then lie
//! in several layers, most of which are forgotten.

use serde::{Deserialize, Serialize};

use super::components::LayerComponents;
use crate::explore::Record;
use crate::explore::observer::Step;
use model::guarded_commands::ActionId;
use model::state_layout::{CellRange, Field};

/// Observations of a survey so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct Survey {
    fields: Vec<Field>,
    /// For each cell, the range of the values that occurred.
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
    /// The actions of the steps inside the layer, in their order.
    actions: Vec<u32>,
    /// Whether each state of the layer is intermediate.
    intermediate: Vec<bool>,
    count: u64,
    terminal: u64,
    /// Number of states of the terminal component that was found last.
    size: u64,
    /// Whether the first state of the search is in it.
    with_initial: bool,
    /// For each action, whether it occurs in all terminal components found.
    everywhere: Vec<bool>,
}

/// The result of a survey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// For each cell, the least and the greatest value that it takes.
    pub ranges: Vec<Option<CellRange>>,
    /// For each cell whose values have names, whether each value occurs.
    pub occurring: Vec<Option<Vec<bool>>>,
    /// Whether each action occurs.
    pub occurs: Vec<bool>,
    /// The ends of runs, unless there was a regress edge.
    pub ends: Option<Ends>,
}

/// The ends of runs: terminal strongly connected components and home states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of strongly connected components.
    pub components: u64,
    /// Number of terminal components.
    pub terminal: u64,
    /// Number of home states: those reachable from every state.
    pub home_states: u64,
    /// Whether the initial state is a home state.
    pub initial_is_home: bool,
    /// For each action, whether it is live: it can always occur again.
    pub live: Vec<bool>,
}

impl Survey {
    /// Creates a survey for a model with this many actions. `named` gives the number of named
    /// values of a cell, if its values have names.
    pub fn new(fields: &[Field], actions: usize, named: impl Fn(usize) -> Option<usize>) -> Self {
        Self {
            fields: fields.to_vec(),
            ranges: vec![None; fields.len()],
            occurred: (0..fields.len()).map(|cell| named(cell).map(|values| vec![false; values])).collect(),
            taken: vec![false; actions],
            components: Some(Components { everywhere: vec![true; actions], ..Components::default() }),
        }
    }

    /// Sets another layout of states.
    pub fn set_fields(&mut self, fields: &[Field]) {
        self.fields = fields.to_vec();
    }

    /// The observations so far. They are complete if the search was complete.
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
        let Self { layer, actions, intermediate, count, terminal, size, with_initial, everywhere } = self;
        let first = layer.first();
        let mut occurs = vec![false; everywhere.len()];
        layer.for_each_component(|members, steps| {
            let states = members.iter().filter(|member| !intermediate[**member as usize]).count() as u64;
            if states == 0 {
                return;
            }
            *count += 1;
            let Some(steps) = steps else { return };
            *terminal += 1;
            *size = states;
            *with_initial = members.iter().any(|member| first + u64::from(*member) == 0);
            occurs.fill(false);
            steps.flatten().for_each(|step| occurs[actions[step] as usize] = true);
            everywhere.iter_mut().zip(&occurs).for_each(|(everywhere, here)| *everywhere &= here);
        });
    }
}

/// The hooks that a search calls.
impl Survey {
    /// Called when a state was expanded. What holds in intermediate states does not count.
    pub fn taken(&mut self, state: &[u64], is_intermediate: bool) {
        if !is_intermediate {
            self.see(state);
        }
        if let Some(components) = &mut self.components {
            components.layer.add_state(0);
            components.intermediate.push(is_intermediate);
        }
    }

    /// Called when a step was taken.
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

    /// Called for a step that is a run-time error.
    pub fn erroneous_step(&mut self, from: Record) {
        if let Some(components) = &mut self.components {
            components.layer.add_leaving_step(from);
        }
    }

    /// Called for a step from a layer to another one.
    pub fn progress_step(&mut self, before: u64, after: u64) {
        if after < before {
            self.components = None;
        }
    }

    /// Called when a layer begins whose states have numbers from `first` on.
    pub fn layer_begins(&mut self, first: Record) {
        if let Some(components) = &mut self.components {
            components.layer.begin(first);
            components.actions.clear();
            components.intermediate.clear();
        }
    }

    /// Called when all states of the layer were expanded.
    pub fn layer_ends(&mut self) {
        if let Some(components) = &mut self.components {
            components.end_layer();
        }
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let components = self.components.as_ref();
        components.map_or(0, |components| {
            components.layer.bytes() + components.actions.capacity() * 4 + components.intermediate.capacity()
        })
    }
}
