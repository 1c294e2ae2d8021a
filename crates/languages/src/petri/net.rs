//! A place/transition net, to which every format is reduced.
//!
//! Coloured nets are unfolded to it. Their properties refer to coloured places and transitions, so
//! a net knows which of its own nodes each name means: one for a node of a place/transition net,
//! any number for a coloured one.

use std::collections::BTreeMap;

use model::guarded_commands::Span;

/// A net with its initial marking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// The name of the net.
    pub name: String,
    /// The places.
    pub places: Vec<NetPlace>,
    /// The transitions.
    pub transitions: Vec<NetTransition>,
    /// Sequential components that the file declares, by numbers of places.
    pub units: Vec<Unit>,
    /// Whether the file claims that no place ever holds more than one token.
    pub claimed_safe: bool,
    /// Offset of a task of LoLA that follows the net in the text.
    pub task: Option<usize>,
    /// The places of each name.
    pub(super) place_groups: BTreeMap<String, Vec<u32>>,
    /// The transitions of each name.
    pub(super) transition_groups: BTreeMap<String, Vec<u32>>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetPlace {
    /// The name, which is unique among places.
    pub name: String,
    /// Tokens in the initial marking.
    pub tokens: u32,
    /// The place of its declaration.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetTransition {
    /// The name, which is unique among transitions.
    pub name: String,
    /// Input arcs, at most one for each place, in the order of places, as with all lists of arcs.
    pub inputs: Vec<NetArc>,
    /// Output arcs.
    pub outputs: Vec<NetArc>,
    /// Inhibitor arcs: the transition is disabled while a place holds at least as many tokens as
    /// the weight.
    pub inhibitors: Vec<NetArc>,
    /// The fairness that the file assumes.
    pub fairness: Fairness,
    /// The place of its declaration.
    pub span: Span,
}

/// An arc between a transition and this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetArc {
    /// Number of the place.
    pub place: u32,
    /// Number of tokens.
    pub weight: u32,
}

/// The fairness that a file assumes about a transition. Properties of runs (LTL, automata) consider
/// only runs that are fair in this sense; it becomes
/// [`fair_actions`](model::guarded_commands::GuardedCommands::fair_actions) of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// No assumption.
    #[default]
    None,
    /// Weakly fair: the transition fires if it stays enabled.
    Weak,
    /// Strongly fair: the transition fires if it is enabled infinitely often.
    Strong,
}

/// A sequential unit of a nested-unit net: at most one of its places is marked at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its own places, without those of nested units.
    pub places: Vec<u32>,
}

impl Net {
    /// Whether the file assumes fairness of some transition.
    pub fn has_fair_transitions(&self) -> bool {
        self.transitions.iter().any(|transition| transition.fairness != Fairness::None)
    }

    /// The numbers of the places of a name.
    pub fn places_named(&self, name: &str) -> Option<&[u32]> {
        self.place_groups.get(name).map(Vec::as_slice)
    }

    /// The numbers of the transitions of a name.
    pub fn transitions_named(&self, name: &str) -> Option<&[u32]> {
        self.transition_groups.get(name).map(Vec::as_slice)
    }

    /// All names of places, as properties use them.
    pub fn place_names(&self) -> impl Iterator<Item = &str> {
        self.place_groups.keys().map(String::as_str)
    }

    /// All names of transitions, as properties use them.
    pub fn transition_names(&self) -> impl Iterator<Item = &str> {
        self.transition_groups.keys().map(String::as_str)
    }

    /// Adds a place to the group of a name.
    pub(super) fn add_place(&mut self, place: NetPlace, group: &str) -> u32 {
        let number = self.places.len() as u32;
        self.places.push(place);
        self.place_groups.entry(group.to_owned()).or_default().push(number);
        number
    }

    /// Adds a transition to the group of a name. Several arcs with one place become one.
    pub(super) fn add_transition(&mut self, mut transition: NetTransition, group: &str) -> u32 {
        let number = self.transitions.len() as u32;
        let sum = |a: u32, b: u32| a.saturating_add(b);
        merge(&mut transition.inputs, sum);
        merge(&mut transition.outputs, sum);
        // The smallest threshold decides.
        merge(&mut transition.inhibitors, u32::min);
        self.transitions.push(transition);
        self.transition_groups.entry(group.to_owned()).or_default().push(number);
        number
    }
}

impl NetTransition {
    /// The change of tokens by firing, for each place that changes, in the order of places.
    pub fn changes(&self) -> Vec<(u32, i64)> {
        let mut changes: BTreeMap<u32, i64> = BTreeMap::new();
        for arc in &self.outputs {
            *changes.entry(arc.place).or_default() += i64::from(arc.weight);
        }
        for arc in &self.inputs {
            *changes.entry(arc.place).or_default() -= i64::from(arc.weight);
        }
        changes.into_iter().filter(|(_, change)| *change != 0).collect()
    }
}

/// Sorts arcs by place and merges those of one place.
fn merge(arcs: &mut Vec<NetArc>, weight: impl Fn(u32, u32) -> u32) {
    arcs.sort_by_key(|arc| arc.place);
    arcs.dedup_by(|later, first| {
        let same = later.place == first.place;
        if same {
            first.weight = weight(first.weight, later.weight);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_with_one_place_are_one() {
        let arc = |place, weight| NetArc { place, weight };
        let mut net = Net::default();
        let transition = NetTransition {
            name: "t".into(),
            inputs: vec![arc(1, 2), arc(0, 1), arc(1, 3)],
            outputs: vec![arc(1, 5), arc(2, 1)],
            inhibitors: vec![arc(3, 4), arc(3, 2)],
            fairness: Fairness::None,
            span: Span::default(),
        };
        net.add_transition(transition, "t");
        let transition = &net.transitions[0];
        assert_eq!(transition.inputs, [arc(0, 1), arc(1, 5)]);
        assert_eq!(transition.inhibitors, [arc(3, 2)]);
        assert_eq!(transition.changes(), [(0, -1), (2, 1)]);
        assert_eq!(net.transitions_named("t"), Some(&[0][..]));
    }
}
