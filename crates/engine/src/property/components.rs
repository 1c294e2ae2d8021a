//! Strongly connected components of a layer, by Tarjan's algorithm: the terminal ones, and those
//! with an accepting cycle.
//!
//! A component is terminal when no step leads out of it. A run that has entered it visits all of
//! the component and nothing else. So the component decides what holds forever, or never again. `AG
//! EF p` is violated exactly by a terminal component without a `p`-state. `EF AG p` is shown
//! exactly by one with `p`-states only. A state without successors is such a component. When
//! progress is monotone, every component lies in one layer.
//!
//! The steps inside the current layer are collected as the search takes them, and searched when the
//! layer is complete. They come row by row, since states are expanded in their order. (Algorithm 6
//! of Lilleskare's thesis runs the search itself depth-first, and loses states on the way. This
//! implementation does not change the order of the search.) A layer of n states and m inner steps
//! takes 21 n + 4 m bytes while it is the current one.

use serde::{Deserialize, Serialize};

use crate::explore::Record;

/// States and inner steps of the current layer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LayerComponents {
    first: Record,
    /// The predicates that are true in each state taken.
    truths: Vec<u64>,
    /// Index of the first step of each state.
    rows: Vec<usize>,
    targets: Vec<u32>,
    leaves: Vec<bool>,
}

/// A component that no step leads out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalComponent {
    /// The state of the component that was taken first.
    pub first: Record,
    /// Predicates that are true in all states of the component.
    pub all: u64,
    /// Predicates that are true in some states of the component.
    pub some: u64,
}

impl LayerComponents {
    /// Begins a layer whose states have numbers from `first` on.
    pub fn begin(&mut self, first: Record) {
        self.first = first;
        self.truths.clear();
        self.rows.clear();
        self.targets.clear();
        self.leaves.clear();
    }

    /// Adds the next state, with the predicates that are true in it.
    pub fn add_state(&mut self, truth: u64) {
        self.truths.push(truth);
    }

    /// Adds a step to a state of the layer.
    pub fn add_inner_step(&mut self, from: Record, to: Record) {
        self.begin_rows(from);
        self.targets.push((to - self.first) as u32);
    }

    /// Adds a step to another layer.
    pub fn add_leaving_step(&mut self, from: Record) {
        let from = (from - self.first) as usize;
        if self.leaves.len() <= from {
            self.leaves.resize(from + 1, false);
        }
        self.leaves[from] = true;
    }

    fn begin_rows(&mut self, from: Record) {
        let rows = (from - self.first) as usize + 1;
        while self.rows.len() < rows {
            self.rows.push(self.targets.len());
        }
    }

    /// Number of states so far.
    pub fn states(&self) -> usize {
        self.truths.len()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.truths.capacity() * 8
            + self.rows.capacity() * 8
            + self.targets.capacity() * 4
            + self.leaves.capacity()
    }

    /// The terminal components of the layer, which must be complete.
    pub fn terminal(&mut self) -> Vec<TerminalComponent> {
        let mut found = Vec::new();
        self.components(|layer, members, escapes| {
            if !escapes {
                let truths = members.iter().map(|member| layer.truths[*member as usize]);
                found.push(TerminalComponent {
                    first: layer.first + members.iter().copied().min().map_or(0, u64::from),
                    all: truths.clone().fold(u64::MAX, |all, truth| all & truth),
                    some: truths.fold(0, |some, truth| some | truth),
                });
            }
        });
        found.sort_by_key(|component| component.first);
        found
    }

    /// The number of the first state of the layer.
    pub fn first(&self) -> Record {
        self.first
    }

    /// Enumerates all components of a complete layer: the positions of their states in the layer.
    /// For terminal ones, also the positions of their steps among the steps inside the layer.
    pub fn for_each_component(
        &mut self,
        mut give: impl FnMut(&[u32], Option<&mut dyn Iterator<Item = std::ops::Range<usize>>>),
    ) {
        self.components(|layer, members, escapes| {
            let row = |member: &u32| layer.rows[*member as usize]..layer.rows[*member as usize + 1];
            let mut steps = members.iter().map(row);
            give(members, (!escapes).then_some(&mut steps));
        });
    }

    /// The first state in which the first predicate is true, of a component with a step inside, and
    /// the predicates that are true in it. The layer need not be complete.
    pub fn accepting(&mut self) -> Option<(Record, u64)> {
        let mut found: Option<u32> = None;
        let begun = self.rows.len();
        self.components(|layer, members, _| {
            let accepting = members.iter().filter(|member| layer.truths[**member as usize] & 1 != 0);
            let Some(first) = accepting.min() else { return };
            let steps = &layer.targets[layer.rows[*first as usize]..layer.rows[*first as usize + 1]];
            if members.len() > 1 || steps.contains(first) {
                found = Some(found.map_or(*first, |before| before.min(*first)));
            }
        });
        self.rows.truncate(begun);
        found.map(|state| (self.first + u64::from(state), self.truths[state as usize]))
    }

    /// Enumerates all components: their states, and whether a step leads out of them.
    fn components(&mut self, give: impl FnMut(&Self, &[u32], bool)) {
        let states = self.truths.len();
        self.rows.resize(states + 1, self.targets.len());
        Tarjan::new(self, give).run();
    }
}

/// The state has no number yet.
const UNSEEN: u32 = u32::MAX;
/// The state is in a complete component.
const CLOSED: u32 = u32::MAX - 1;

struct Tarjan<'a, F> {
    layer: &'a LayerComponents,
    give: F,
    /// The number of each state in the order of the walk, or one of the constants above.
    numbers: Vec<u32>,
    /// The least number reachable from each state.
    low: Vec<u32>,
    /// States whose component is not complete.
    open: Vec<u32>,
    /// The path of the walk: states, and their next step.
    path: Vec<(u32, usize)>,
    next_number: u32,
    /// Whether a step leads out of the state, or out of a state below it on the path.
    escapes: Vec<bool>,
}

impl<'a, F: FnMut(&LayerComponents, &[u32], bool)> Tarjan<'a, F> {
    fn new(layer: &'a LayerComponents, give: F) -> Self {
        let states = layer.truths.len();
        let mut escapes = layer.leaves.clone();
        escapes.resize(states, false);
        Self {
            layer,
            give,
            numbers: vec![UNSEEN; states],
            low: vec![0; states],
            open: Vec::new(),
            path: Vec::new(),
            next_number: 0,
            escapes,
        }
    }

    fn run(mut self) {
        for root in 0..self.layer.truths.len() as u32 {
            if self.numbers[root as usize] == UNSEEN {
                self.visit(root);
                self.walk();
            }
        }
    }

    fn visit(&mut self, state: u32) {
        self.numbers[state as usize] = self.next_number;
        self.low[state as usize] = self.next_number;
        self.next_number += 1;
        self.open.push(state);
        self.path.push((state, self.layer.rows[state as usize]));
    }

    fn walk(&mut self) {
        while let Some((state, next)) = self.path.last_mut() {
            let at = *state as usize;
            if *next < self.layer.rows[at + 1] {
                let target = self.layer.targets[*next] as usize;
                *next += 1;
                match self.numbers.get(target) {
                    Some(&UNSEEN) => self.visit(target as u32),
                    Some(&CLOSED) => self.escapes[at] = true,
                    Some(&number) => self.low[at] = self.low[at].min(number),
                    // The target is stored, but not taken yet: the layer is not complete.
                    None => {}
                }
                continue;
            }
            self.path.pop();
            let closes = self.low[at] == self.numbers[at];
            if closes {
                self.close(at as u32);
            }
            if let Some((parent, _)) = self.path.last() {
                let parent = *parent as usize;
                self.low[parent] = self.low[parent].min(if closes { u32::MAX } else { self.low[at] });
                self.escapes[parent] |= closes;
            }
        }
    }

    /// Closes a component: all states that were opened from this one on.
    fn close(&mut self, root: u32) {
        let start = self.open.iter().rposition(|state| *state == root).unwrap_or(0);
        let members = &self.open[start..];
        let mut escapes = false;
        for state in members {
            self.numbers[*state as usize] = CLOSED;
            escapes |= self.escapes[*state as usize];
        }
        (self.give)(self.layer, members, escapes);
        self.open.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Terminal components by reachability: those from which every reachable state leads back.
    fn by_reachability(states: usize, steps: &[(usize, usize)], leaving: &[usize]) -> Vec<Vec<usize>> {
        let mut reach = vec![vec![false; states]; states];
        (0..states).for_each(|state| reach[state][state] = true);
        steps.iter().for_each(|&(from, to)| reach[from][to] = true);
        for via in 0..states {
            let beyond = reach[via].clone();
            for row in reach.iter_mut().filter(|row| row[via]) {
                row.iter_mut().zip(&beyond).for_each(|(reached, more)| *reached |= more);
            }
        }
        let mut found = Vec::new();
        for (state, row) in reach.iter().enumerate() {
            let members: Vec<usize> = (0..states).filter(|&other| row[other]).collect();
            let closed = members.iter().all(|&other| reach[other][state] && !leaving.contains(&other));
            if closed && members[0] == state {
                found.push(members);
            }
        }
        found
    }

    #[test]
    fn an_accepting_cycle_is_found_before_its_layer_is_complete_and_the_layer_goes_on() {
        let mut layer = LayerComponents::default();
        layer.begin(10);
        layer.add_state(0);
        layer.add_inner_step(10, 11);
        layer.add_inner_step(10, 12);
        assert_eq!(layer.accepting(), None, "where the steps lead to is not known yet");
        layer.add_state(1);
        assert_eq!(layer.accepting(), None, "a state without a step inside");
        layer.add_inner_step(11, 12);
        layer.add_state(0);
        layer.add_inner_step(12, 11);
        assert_eq!(layer.accepting(), Some((11, 1)));
        let members = |component: &TerminalComponent| (component.first, component.some);
        assert_eq!(layer.terminal().iter().map(members).collect::<Vec<_>>(), [(11, 1)]);
    }

    proptest! {
        #[test]
        fn terminal_components_are_found(
            states in 1..12usize,
            picks in prop::collection::vec((any::<usize>(), any::<usize>()), 0..30),
            leave in prop::collection::vec(any::<usize>(), 0..4),
        ) {
            let mut steps: Vec<_> = picks.iter().map(|&(a, b)| (a % states, b % states)).collect();
            steps.sort_by_key(|step| step.0);
            let leaving: Vec<usize> = leave.iter().map(|state| state % states).collect();
            let mut layer = LayerComponents::default();
            layer.begin(100);
            (0..states).for_each(|state| layer.add_state(1 << state | 1 << 40));
            leaving.iter().for_each(|&state| layer.add_leaving_step(100 + state as u64));
            steps.iter().for_each(|&(a, b)| layer.add_inner_step(100 + a as u64, 100 + b as u64));
            let expected: Vec<TerminalComponent> = by_reachability(states, &steps, &leaving)
                .into_iter()
                .map(|members| {
                    let some = members.iter().fold(1 << 40, |some, state| some | 1 << state);
                    let all = if members.len() == 1 { some } else { 1 << 40 };
                    TerminalComponent { first: 100 + members[0] as u64, all, some }
                })
                .collect();
            prop_assert_eq!(layer.terminal(), expected);
        }
    }
}
