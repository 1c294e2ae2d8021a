//! Random graphs as something to be checked, for tests of the sweep.

#![allow(clippy::unwrap_used, reason = "tests may fail")]
#![allow(missing_docs, reason = "for the tests beside it")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use engine::check::{
    Engine, Executable, Expanded, Fingerprint, Outcome, Plan, ProgressValues, Semantics, check_subject,
};
use engine::progress::{Comparison, ExpressionMeasure};
use engine::property::{Property, PropertyKind};
use engine::verdict::replay::ReplayError;
use engine::verdict::trace_log::LoggedRun;
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::{ActionId, Expression};
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, Expansion, TransitionSystem, Truth};

/// A graph whose states are numbers; state 0 is initial.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The states that steps lead to.
    pub successors: Vec<Vec<usize>>,
    /// The progress value of each state.
    pub progress: Vec<u64>,
    /// How those are compared.
    pub comparison: Comparison,
    /// Other measures, which the graph may be told to follow.
    pub others: Vec<Vec<u64>>,
    /// States where the predicate is true.
    pub marked: Vec<bool>,
    /// Words of a packed state, all of which depend on it. Zero for states of varying length.
    pub width: usize,
    /// All states that were expanded, in that order, as often as they were.
    pub expanded: Arc<Mutex<Vec<usize>>>,
}

/// Words of a state of varying length: mostly few, some many, and now and then more than a buffer of a future layer has.
fn varying_len(state: usize) -> u64 {
    match state {
        // Not so often that large graphs take much time.
        17 | 4_321 => 5_000,
        _ if state % 16 == 5 => 40,
        _ => 1 + state as u64 % 5,
    }
}

impl Graph {
    /// A graph of so many states with layers of `layer` states, of which each `back`-th is elsewhere.
    pub fn large(states: usize, layer: usize, back: usize, width: usize) -> Self {
        Self {
            successors: (0..states)
                .map(|i| match i % 1_000 {
                    999 => Vec::new(),
                    _ => vec![(i * 2 + 1) % states, (i + 17) % states, i - i % 5, (i + layer) % states],
                })
                .collect(),
            progress: (0..states).map(|i| (i / layer) as u64 ^ u64::from(i % back == 0)).collect(),
            marked: (0..states).map(|i| i == states - 7).collect(),
            width,
            ..Self::default()
        }
    }

    pub fn pack(&self, state: usize) -> Vec<u64> {
        match self.shape() {
            RecordShape::Fixed(width) => (0..width as u64).map(|word| state as u64 * (word + 1)).collect(),
            RecordShape::Prefixed => {
                let len = varying_len(state);
                let words = (1..len).map(|word| state as u64 * (word + 1));
                [(state as u64) << 16 | len].into_iter().chain(words).collect()
            }
        }
    }

    /// The state that lies at the beginning of these words.
    pub fn unpack(&self, words: &[u64]) -> usize {
        if self.width == 0 { (words[0] >> 16) as usize } else { words[0] as usize }
    }

    pub fn is_regress(&self, from: usize, to: usize) -> bool {
        !self.comparison.is_at_most(self.progress[from], self.progress[to])
    }

    pub fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            open.extend(self.successors[state].iter().filter(|next| seen.insert(**next)));
        }
        seen
    }

    pub fn regress_targets(&self) -> BTreeSet<usize> {
        let mut targets = BTreeSet::new();
        for from in self.reachable(0) {
            targets.extend(self.successors[from].iter().filter(|to| self.is_regress(from, **to)));
        }
        targets
    }

    pub fn is_monotone(&self) -> bool {
        self.regress_targets().is_empty()
    }

    /// For each state, the least number of regress edges on a path to it.
    pub fn least_regress(&self) -> BTreeMap<usize, usize> {
        let mut least = BTreeMap::new();
        let mut open = VecDeque::from([(0, 0)]);
        while let Some((state, regress)) = open.pop_front() {
            if least.contains_key(&state) {
                continue;
            }
            least.insert(state, regress);
            for &next in &self.successors[state] {
                if self.is_regress(state, next) {
                    open.push_back((next, regress + 1));
                } else {
                    open.push_front((next, regress));
                }
            }
        }
        least
    }
}

impl TransitionSystem for Graph {
    fn shape(&self) -> RecordShape {
        if self.width == 0 { RecordShape::Prefixed } else { RecordShape::Fixed(self.width) }
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

impl Expander for &Graph {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let mut expanded = 0;
        for state in self.shape().states(states) {
            let state = self.unpack(state);
            self.expanded.lock().unwrap().push(state);
            for (number, &next) in self.successors[state].iter().enumerate() {
                batch.push(ActionId(number as u32), &self.pack(next));
            }
            batch.end_state();
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let holds = |state| u64::from(self.marked[self.unpack(state)]) * u64::MAX;
        truths.extend(self.shape().states(states).map(|state| Truth { holds: holds(state), undefined: 0 }));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        values.extend(self.shape().states(states).map(|state| self.progress[self.unpack(state)]));
    }
}

/// The graph as something to be checked. A run is the states that it meets.
pub struct GraphSubject(pub Graph);

impl Semantics for GraphSubject {
    type Predicate = ();
    type State = usize;
    type Run = Vec<usize>;
    type Fault = Infallible;

    fn steps(&self, state: &usize) -> Vec<(ActionId, Option<usize>)> {
        let numbered = (0..).zip(&self.0.successors[*state]);
        numbered.map(|(number, next)| (ActionId(number), Some(*next))).collect()
    }

    fn holds(&self, (): &(), state: &usize) -> Result<bool, Infallible> {
        Ok(self.0.marked[*state])
    }

    fn replay(&self, run: &LoggedRun) -> Result<Vec<usize>, ReplayError> {
        let mut states = vec![run.initial.0 as usize];
        for action in &run.actions {
            states.push(self.0.successors[*states.last().unwrap()][action.0 as usize]);
        }
        Ok(states)
    }

    fn states(run: &Vec<usize>) -> Vec<&usize> {
        run.iter().collect()
    }

    fn last_state(run: &Vec<usize>) -> &usize {
        run.last().unwrap()
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(&self.0.successors, &self.0.progress, &self.0.marked));
    }

    fn identify_predicate(&self, _: &(), _: &mut Fingerprint) {}
}

impl Executable for GraphSubject {
    type System = Graph;

    fn shape(&self) -> RecordShape {
        self.0.shape()
    }

    fn bits(&self) -> usize {
        64
    }

    fn progress(&self) -> Option<ProgressValues> {
        Some(ProgressValues { bits: None, comparison: self.0.comparison })
    }

    fn prepare(&self, _: &[()]) -> Result<Graph, ExecutionError> {
        Ok(self.0.clone())
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        batch.push(ActionId(0), &self.0.pack(0));
    }

    fn expand(&mut self, _: &[u64], _: &mut SuccessorBatch) -> Expanded<Infallible> {
        panic!("every state can be expanded")
    }

    fn decode(&self, state: &[u64]) -> usize {
        self.0.unpack(state)
    }

    /// A constant is the number of one of the graph's other measures, if it has any.
    fn follow(&mut self, measure: &ExpressionMeasure) -> bool {
        if let [Expression::Constant(number)] = measure.components()
            && let Some(other) = self.0.others.get(*number as usize)
        {
            self.0.progress.clone_from(other);
            self.0.comparison = Comparison::Total;
        }
        true
    }
}

pub type GraphOutcome = Outcome<Vec<usize>, usize, Infallible>;

pub fn run(graph: &Graph, kinds: Vec<PropertyKind<()>>, plan: &Plan) -> GraphOutcome {
    let properties: Vec<Property<()>> = kinds.into_iter().map(|kind| Property::new("asked", kind)).collect();
    check_subject(GraphSubject(graph.clone()), &properties, plan, &mut ()).unwrap()
}

pub fn sweep() -> Plan {
    Plan { search: Engine::Sweep.into(), ..Plan::default() }
}

/// What a verdict says, and the state in which its run ends.
pub fn answer(verdict: &Verdict<Vec<usize>, usize>) -> (bool, Option<usize>) {
    let (holds, evidence) = match verdict {
        Verdict::Holds(evidence) => (true, evidence),
        Verdict::Violated(evidence) => (false, evidence),
        Verdict::Unknown(reason) => panic!("{reason}"),
    };
    match evidence {
        Evidence::Search(_) => (holds, None),
        Evidence::Trace(run, _) | Evidence::Component(run, _) | Evidence::Lasso(run, _) => {
            (holds, run.last().copied())
        }
    }
}
