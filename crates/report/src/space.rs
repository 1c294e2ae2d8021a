//! A small state space in the run record, to be drawn and animated.
//!
//! There are two forms. Up to [`SpaceRecord::MOST_STATES`] states, the record has each state with
//! its values and transitions. For a larger state space, it has each layer with the number of its
//! states and of its transitions to other layers. As in the rest of the record, fields are only
//! added.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run_record::ValueRecord;

/// A state space. One of `states` and `layers` is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpaceRecord {
    /// All states, in the order in which a search visited them. Edges refer to them by index.
    pub states: Vec<SpaceStateRecord>,
    /// The transitions.
    pub edges: Vec<SpaceEdgeRecord>,
    /// Whether these are all states and transitions.
    pub complete: bool,
    /// For a larger state space, its layers in the order of progress.
    #[serde(default)]
    pub layers: Vec<SpaceLayerRecord>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpaceStateRecord {
    /// The packed progress value.
    pub progress: u64,
    /// The variables; if there are many, those that are 0 may be left out.
    pub values: Vec<ValueRecord>,
    /// Whether this contains an initial state.
    pub initial: bool,
    /// Progress value in the notation of the measure; `null` if it is the number.
    #[serde(default)]
    pub value: Option<String>,
}

/// A transition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpaceEdgeRecord {
    /// Index of the source state.
    pub from: u32,
    /// Index of the target state.
    pub to: u32,
    /// Name of the action.
    pub action: String,
}

/// All states with one progress value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpaceLayerRecord {
    /// The packed progress value.
    pub progress: u64,
    /// Number of states.
    pub states: u64,
    /// Transitions from this layer, by target layer, including this one.
    pub edges: Vec<LayerEdgeRecord>,
    /// Whether this contains an initial state.
    pub initial: bool,
    /// Progress value in the notation of the measure; `null` if it is the number.
    #[serde(default)]
    pub value: Option<String>,
}

/// Transitions from one layer to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayerEdgeRecord {
    /// Index of the target layer.
    pub to: u32,
    /// Number of transitions.
    pub count: u64,
}

impl SpaceRecord {
    /// Maximum number of states; a larger state space is recorded by layers.
    pub const MOST_STATES: usize = 2_000;

    /// The same state space by layers. Edges from or to missing states are left out.
    pub fn by_layers(&self) -> Vec<SpaceLayerRecord> {
        if self.states.is_empty() {
            return self.layers.clone();
        }
        let mut places: BTreeMap<u64, u32> = self.states.iter().map(|state| (state.progress, 0)).collect();
        for (place, number) in places.values_mut().zip(0..) {
            *place = number;
        }
        let mut layers = vec![SpaceLayerRecord::default(); places.len()];
        let layer_of = |state: &SpaceStateRecord| places[&state.progress];
        for state in &self.states {
            let layer = &mut layers[layer_of(state) as usize];
            layer.progress = state.progress;
            layer.states += 1;
            layer.initial |= state.initial;
            layer.value.clone_from(&state.value);
        }
        let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for edge in &self.edges {
            let ends = (self.states.get(edge.from as usize), self.states.get(edge.to as usize));
            if let (Some(from), Some(to)) = ends {
                *counts.entry((layer_of(from), layer_of(to))).or_default() += 1;
            }
        }
        for ((from, to), count) in counts {
            layers[from as usize].edges.push(LayerEdgeRecord { to, count });
        }
        layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_gather_in_layers_in_order_of_progress() {
        let state = |progress, initial| SpaceStateRecord { progress, initial, ..SpaceStateRecord::default() };
        let edge = |from, to| SpaceEdgeRecord { from, to, action: "a".into() };
        let space = SpaceRecord {
            states: vec![state(7, true), state(2, false), state(7, false)],
            edges: vec![edge(0, 1), edge(2, 1), edge(1, 2), edge(0, 2), edge(0, 9)],
            complete: true,
            layers: Vec::new(),
        };
        let layers = space.by_layers();
        let shape: Vec<(u64, u64, bool)> =
            layers.iter().map(|layer| (layer.progress, layer.states, layer.initial)).collect();
        assert_eq!(shape, [(2, 1, false), (7, 2, true)]);
        assert_eq!(layers[0].edges, [LayerEdgeRecord { to: 1, count: 1 }]);
        assert_eq!(
            layers[1].edges,
            [LayerEdgeRecord { to: 0, count: 2 }, LayerEdgeRecord { to: 1, count: 1 }]
        );
    }
}
