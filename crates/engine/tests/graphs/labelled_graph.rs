//! Graphs with propositions, and the truth of CTL formulas in them by definition.

#![allow(missing_docs, reason = "for the tests beside it")]

use std::collections::BTreeSet;

use engine::check::{Executable, Expanded, Fingerprint, ProgressValues, Semantics};
use engine::progress::Comparison;
use engine::verdict::replay::ReplayError;
use engine::verdict::trace_log::LoggedRun;
use logic::ctl::Ctl;
use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, Expansion, TransitionSystem, Truth};

/// A graph whose states are numbers, with propositions.
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    pub successors: Vec<Vec<usize>>,
    pub progress: Vec<u64>,
    pub comparison: Comparison,
    pub labels: Vec<u64>,
    pub initial: Vec<usize>,
    /// Words of a state at present. Zero for states of varying length.
    pub width: usize,
    /// States from this number on do not fit into one word.
    pub wide_from: usize,
    /// A state in which the first proposition has no value.
    pub undefined: Option<usize>,
    /// A state of which a step is a run-time error.
    pub erroneous: Option<usize>,
}

impl Labelled {
    pub fn pack(&self, state: usize) -> Vec<u64> {
        let word = |word| state as u64 * (6 * word + 1);
        match self.width {
            0 => {
                let len = 1 + state as u64 % 4;
                [(state as u64) << 16 | len].into_iter().chain((1..len).map(word)).collect()
            }
            width => (0..width as u64).map(word).collect(),
        }
    }

    pub fn unpack(&self, words: &[u64]) -> usize {
        if self.width == 0 { (words[0] >> 16) as usize } else { words[0] as usize }
    }

    pub fn fits(&self, state: usize) -> bool {
        let widest = self.successors[state].iter().max().copied().unwrap_or(0);
        (widest < self.wide_from || self.width != 1) && self.erroneous != Some(state)
    }

    pub fn reachable(&self) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = self.initial.iter().copied().collect();
        let mut open = self.initial.clone();
        while let Some(state) = open.pop() {
            open.extend(self.successors[state].iter().filter(|next| seen.insert(**next)));
        }
        seen
    }

    pub fn is_monotone(&self) -> bool {
        let falls = |state: usize| {
            let regress =
                |next: usize| !self.comparison.is_at_most(self.progress[state], self.progress[next]);
            self.successors[state].iter().any(|next| regress(*next))
        };
        !self.reachable().into_iter().any(falls)
    }

    /// The states in which a formula is true, by its definition.
    pub fn states_of(&self, formula: &Ctl) -> Vec<bool> {
        let all = 0..self.successors.len();
        let some = |set: &[bool], state: usize| self.successors[state].iter().any(|next| set[*next]);
        match formula {
            Ctl::True => all.map(|_| true).collect(),
            Ctl::False => all.map(|_| false).collect(),
            Ctl::Proposition(number) => all.map(|state| self.labels[state] >> number & 1 != 0).collect(),
            Ctl::Not(f) => self.states_of(f).into_iter().map(|truth| !truth).collect(),
            Ctl::And(f, g) => {
                let (f, g) = (self.states_of(f), self.states_of(g));
                all.map(|state| f[state] && g[state]).collect()
            }
            Ctl::Or(f, g) => {
                let (f, g) = (self.states_of(f), self.states_of(g));
                all.map(|state| f[state] || g[state]).collect()
            }
            Ctl::ExistsNext(f) => {
                let f = self.states_of(f);
                all.map(|state| some(&f, state)).collect()
            }
            Ctl::ExistsUntil(f, g) => {
                let (f, g) = (self.states_of(f), self.states_of(g));
                fixpoint(vec![false; f.len()], |set, state| g[state] || (f[state] && some(set, state)))
            }
            Ctl::ExistsGlobally(f) => {
                let f = self.states_of(f);
                let ends = |state: usize| self.successors[state].is_empty();
                fixpoint(vec![true; f.len()], |set, state| f[state] && (ends(state) || some(set, state)))
            }
        }
    }
}

fn fixpoint(mut set: Vec<bool>, next: impl Fn(&[bool], usize) -> bool) -> Vec<bool> {
    loop {
        let new: Vec<bool> = (0..set.len()).map(|state| next(&set, state)).collect();
        if new == set {
            return set;
        }
        set = new;
    }
}

impl TransitionSystem for Labelled {
    fn shape(&self) -> RecordShape {
        if self.width == 0 { RecordShape::Prefixed } else { RecordShape::Fixed(self.width) }
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

impl Expander for &Labelled {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let mut expanded = 0;
        for state in TransitionSystem::shape(*self).states(states) {
            let state = self.unpack(state);
            if !self.fits(state) {
                return Expansion { states: expanded, trouble: true };
            }
            for (number, &next) in self.successors[state].iter().enumerate() {
                batch.push(ActionId(number as u32), &self.pack(next));
            }
            batch.end_state();
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let states = TransitionSystem::shape(*self).states(states).map(|state| self.unpack(state));
        truths.extend(states.map(|state| Truth {
            holds: self.labels[state],
            undefined: u64::from(self.undefined == Some(state)),
        }));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let states = TransitionSystem::shape(*self).states(states);
        values.extend(states.map(|state| self.progress[self.unpack(state)]));
    }
}

impl Semantics for Labelled {
    type Predicate = usize;
    type State = usize;
    type Run = Vec<usize>;
    type Fault = &'static str;

    fn steps(&self, state: &usize) -> Vec<(ActionId, Option<usize>)> {
        let numbered = (0..).zip(&self.successors[*state]);
        numbered.map(|(number, next)| (ActionId(number), Some(*next))).collect()
    }

    fn holds(&self, proposition: &usize, state: &usize) -> Result<bool, &'static str> {
        if (Some(*state), *proposition) == (self.undefined, 0) {
            return Err("it has no value");
        }
        Ok(self.labels[*state] >> proposition & 1 != 0)
    }

    fn replay(&self, run: &LoggedRun) -> Result<Vec<usize>, ReplayError> {
        let mut states = vec![self.initial[run.initial.0 as usize]];
        for action in &run.actions {
            states.push(self.successors[*states.last().unwrap()][action.0 as usize]);
        }
        Ok(states)
    }

    fn states(run: &Self::Run) -> Vec<&Self::State> {
        run.iter().collect()
    }

    fn last_state(run: &Vec<usize>) -> &usize {
        run.last().unwrap()
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(&self.successors, &self.progress, &self.labels));
    }

    fn identify_predicate(&self, proposition: &usize, fingerprint: &mut Fingerprint) {
        fingerprint.add(proposition);
    }
}

impl Executable for Labelled {
    type System = Labelled;

    fn shape(&self) -> RecordShape {
        TransitionSystem::shape(self)
    }

    fn bits(&self) -> usize {
        64 * self.width
    }

    fn progress(&self) -> Option<ProgressValues> {
        Some(ProgressValues { bits: None, comparison: self.comparison })
    }

    fn prepare(&self, _: &[usize]) -> Result<Labelled, ExecutionError> {
        Ok(self.clone())
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        for (number, &state) in self.initial.iter().enumerate() {
            batch.push(ActionId(number as u32), &self.pack(state));
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<&'static str> {
        let state = self.unpack(state);
        if self.erroneous != Some(state) {
            self.width += 1;
            let width = self.width as u64;
            return Expanded::Widened(Box::new(move |state, wider| {
                wider.clear();
                wider.extend((0..width).map(|word| state[0] * (6 * word + 1)));
            }));
        }
        for (number, &next) in self.successors[state].iter().enumerate() {
            batch.push(ActionId(number as u32), &self.pack(next));
        }
        Expanded::Successors(Some((ActionId(0), "the step is an error")))
    }

    fn decode(&self, state: &[u64]) -> usize {
        self.unpack(state)
    }
}
