//! Random services on random graphs whose steps are events, against a search through sets of states.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use engine::check::checkpoint::Checkpointing;
use engine::check::{
    CheckError, DiskUse, Engine, Executable, Expanded, Fingerprint, Plan, ProgressValues, Semantics,
    check_alone, check_each, check_subject,
};
use engine::property::service::{Halt, ServiceProperty};
use engine::property::{Property, PropertyKind};
use engine::verdict::replay::ReplayError;
use engine::verdict::trace_log::LoggedRun;
use engine::verdict::{Evidence, Length, Verdict};
use logic::safety_automaton::{EventAutomaton, EventStep};
use model::guarded_commands::ActionId;
use model::random::Random;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, Expansion, TransitionSystem, Truth};

use crate::random_graph::{Graph, GraphSubject};

const EVENTS: usize = 2;

/// A graph each of whose steps is an action of its own. States in which a run may halt are marked.
#[derive(Clone, Debug)]
struct Acting {
    graph: Graph,
    /// For each state, the action of its first step.
    first: Vec<u32>,
    /// For each action, its event.
    events: Vec<Option<u32>>,
}

impl Acting {
    /// Actions and targets of the steps from a state.
    fn numbered_steps(&self, state: usize) -> impl Iterator<Item = (u32, usize)> {
        (self.first[state]..).zip(self.graph.successors[state].iter().copied())
    }
}

impl TransitionSystem for Acting {
    fn shape(&self) -> RecordShape {
        self.graph.shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

impl Expander for &Acting {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let shape = self.graph.shape();
        let mut steps = SuccessorBatch::new(shape, usize::MAX);
        let mut done = 0;
        for state in shape.states(states) {
            if batch.is_full() {
                break;
            }
            steps.clear();
            (&self.graph).expand(state, &mut steps);
            for i in 0..steps.len() {
                let action = self.first[self.graph.unpack(state)] + steps.action(i).0;
                batch.push(ActionId(action), steps.state(i));
            }
            batch.end_state();
            done += 1;
        }
        Expansion { states: done, trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        (&self.graph).predicates(states, truths);
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        (&self.graph).progress(states, values);
    }
}

/// A run is the states that it meets, and the actions between them.
impl Semantics for Acting {
    type Predicate = ();
    type State = usize;
    type Run = (Vec<usize>, Vec<u32>);
    type Fault = Infallible;

    fn steps(&self, state: &usize) -> Vec<(ActionId, Option<usize>)> {
        self.numbered_steps(*state).map(|(action, next)| (ActionId(action), Some(next))).collect()
    }

    fn holds(&self, (): &(), state: &usize) -> Result<bool, Infallible> {
        Ok(self.graph.marked[*state])
    }

    fn replay(&self, run: &LoggedRun) -> Result<Self::Run, ReplayError> {
        let (mut states, mut actions) = (vec![0], Vec::new());
        for action in &run.actions {
            let last = *states.last().unwrap();
            let (_, next) = self.numbered_steps(last).find(|(number, _)| *number == action.0).unwrap();
            states.push(next);
            actions.push(action.0);
        }
        Ok((states, actions))
    }

    fn states((states, _): &Self::Run) -> Vec<&usize> {
        states.iter().collect()
    }

    fn last_state((states, _): &Self::Run) -> &usize {
        states.last().unwrap()
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(&self.graph.successors, &self.graph.marked, &self.events));
    }

    fn identify_predicate(&self, _: &(), _: &mut Fingerprint) {}
}

impl Executable for Acting {
    type System = Self;

    fn shape(&self) -> RecordShape {
        self.graph.shape()
    }

    fn bits(&self) -> usize {
        64
    }

    fn progress(&self) -> Option<ProgressValues> {
        Some(ProgressValues::default())
    }

    fn prepare(&self, _: &[()]) -> Result<Self, ExecutionError> {
        Ok(self.clone())
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        GraphSubject(self.graph.clone()).initial(batch);
    }

    fn expand(&mut self, _: &[u64], _: &mut SuccessorBatch) -> Expanded<Infallible> {
        panic!("every state can be expanded")
    }

    fn decode(&self, state: &[u64]) -> usize {
        self.graph.unpack(state)
    }

    /// States are small numbers, and all words are multiples of them.
    fn spare_bits(&self, bits: u32) -> Option<(usize, u32)> {
        (self.graph.width == 1 && bits < 32).then_some((0, 20))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Constant,
    Monotone,
    Any,
}

fn acting(random: &mut Random, measure: Measure) -> Acting {
    let states = 1 + random.below(12);
    let degree = 1 + random.below(3);
    let mut successors: Vec<Vec<usize>> =
        (0..states).map(|_| (0..random.below(degree + 1)).map(|_| random.below(states)).collect()).collect();
    let mut progress: Vec<u64> = (0..states).map(|_| random.below(4) as u64).collect();
    match measure {
        Measure::Constant => progress.fill(3),
        Measure::Monotone => {
            progress.sort_unstable();
            for (from, targets) in successors.iter_mut().enumerate() {
                targets.retain(|to| progress[*to] >= progress[from]);
            }
        }
        Measure::Any => {}
    }
    let first = successors.iter().scan(0, |next, targets| {
        let first = *next;
        *next += targets.len() as u32;
        Some(first)
    });
    let first = first.collect();
    // Most steps are internal, or else every run soon is illegal.
    let actions: usize = successors.iter().map(Vec::len).sum();
    let event = |random: &mut Random| Some(random.below(EVENTS * 3)).filter(|one| *one < EVENTS);
    let events = (0..actions).map(|_| event(random).map(|one| one as u32)).collect();
    let marked = (0..states).map(|_| random.below(4) == 0).collect();
    let width = random.below(3);
    Acting { graph: Graph { successors, progress, marked, width, ..Graph::default() }, first, events }
}

fn service(random: &mut Random) -> EventAutomaton {
    let states = 1 + random.below(4);
    let pick = |random: &mut Random| random.below(states) as u32;
    let steps = (0..random.below(14)).map(|_| EventStep {
        from: pick(random),
        event: Some(random.below(EVENTS + 1) as u32).filter(|event| *event < EVENTS as u32),
        to: pick(random),
    });
    let transitions = steps.collect();
    EventAutomaton {
        events: (0..EVENTS).map(|event| format!("event {event}")).collect(),
        states: states as u32,
        initial: (0..1 + random.below(2)).map(|_| pick(random)).collect(),
        transitions,
        final_states: (0..random.below(4)).map(|_| pick(random)).collect(),
    }
}

/// Sets of states of an automaton as bits.
struct Sets<'a>(&'a EventAutomaton);

impl Sets<'_> {
    fn closed(&self, mut set: u32) -> u32 {
        for _ in 0..self.0.states {
            for step in self.0.transitions.iter().filter(|step| step.event.is_none()) {
                set |= (set >> step.from & 1) << step.to;
            }
        }
        set
    }

    fn initial(&self) -> u32 {
        self.closed(self.0.initial.iter().fold(0, |set, state| set | 1 << state))
    }

    fn after(&self, set: u32, event: Option<u32>) -> u32 {
        let Some(event) = event else { return set };
        let steps = self.0.transitions.iter().filter(|step| step.event == Some(event));
        self.closed(steps.fold(0, |next, step| next | (set >> step.from & 1) << step.to))
    }

    fn is_final(&self, set: u32) -> bool {
        self.0.final_states.iter().any(|state| set >> state & 1 != 0)
    }
}

fn halts(model: &Acting, halt: &Halt<()>, state: usize) -> bool {
    match halt {
        Halt::Prefix => false,
        Halt::Deadlock => model.graph.successors[state].is_empty(),
        Halt::When(()) => model.graph.marked[state],
    }
}

/// The number of steps of a shortest violation.
fn shortest_violation(model: &Acting, service: &EventAutomaton, halt: &Halt<()>) -> Option<usize> {
    let sets = Sets(service);
    let mut distances = BTreeMap::from([((0, sets.initial()), 0)]);
    let mut open = VecDeque::from([(0, sets.initial())]);
    let mut shortest = None;
    while let Some((state, set)) = open.pop_front() {
        let distance = distances[&(state, set)];
        let mut violated = |steps: usize| shortest = Some(shortest.map_or(steps, |known| steps.min(known)));
        if halts(model, halt, state) && !sets.is_final(set) {
            violated(distance);
        }
        for (action, next) in model.numbered_steps(state) {
            let event = model.events[action as usize];
            let after = (next, sets.after(set, event));
            if event.is_some() && after.1 == 0 {
                violated(distance + 1);
            } else if let Entry::Vacant(new) = distances.entry(after) {
                new.insert(distance + 1);
                open.push_back(after);
            }
        }
    }
    shortest
}

/// Whether the last step of the run is its first illegal event, or the run ends too early.
fn shows_violation(model: &Acting, service: &EventAutomaton, halt: &Halt<()>, run: &(Vec<usize>, Vec<u32>)) {
    let (sets, (states, actions)) = (Sets(service), run);
    assert_eq!((states[0], states.len()), (0, actions.len() + 1));
    let mut set = sets.initial();
    for (number, action) in actions.iter().enumerate() {
        assert!(
            model.numbered_steps(states[number]).any(|step| step == (*action, states[number + 1])),
            "a run"
        );
        let event = model.events[*action as usize];
        set = sets.after(set, event);
        if event.is_some() && set == 0 {
            assert_eq!(number + 1, actions.len(), "the illegal event is the last step");
            return;
        }
    }
    assert!(halts(model, halt, states[actions.len()]) && !sets.is_final(set), "the run ends too early");
}

fn plans() -> Vec<Plan> {
    let few = DiskUse { in_memory: 2, ..DiskUse::default() };
    let plan = |engine: Engine| Plan { search: engine.into(), ..Plan::default() };
    vec![
        plan(Engine::Breadth),
        plan(Engine::Depth),
        plan(Engine::Sweep),
        Plan { disk: few.clone(), ..plan(Engine::SweepDisk) },
        Plan { disk: few.clone(), ..plan(Engine::BreadthDisk) },
        Plan { disk: few, ..plan(Engine::Partition) },
        // Nothing that lies behind an illegal event may count as explored.
        Plan { explore_all: true, ..plan(Engine::Sweep) },
    ]
}

fn compare(model: &Acting, automaton: &EventAutomaton, halt: &Halt<()>, expected: Option<usize>) {
    for plan in plans() {
        let engine = plan.search.engine();
        let service = ServiceProperty::new(automaton.clone(), model.events.clone(), halt.clone()).unwrap();
        let asked = Property::new("asked", PropertyKind::Service(Box::new(service)));
        let outcome = check_alone(model.clone(), &asked, &plan, &mut ()).unwrap();
        let context = || format!("{engine:?} {halt:?} {automaton:?} {model:?}");
        match (&outcome.verdicts[0], expected) {
            (Verdict::Holds(Evidence::Search(_)), None) => assert!(outcome.complete, "{}", context()),
            (Verdict::Violated(Evidence::Trace(run, length)), Some(shortest)) => {
                shows_violation(model, automaton, halt, run);
                assert!(!outcome.complete, "{}", context());
                let steps = run.1.len();
                assert!(steps >= shortest, "{}", context());
                let is_breadth = matches!(engine, Engine::Breadth | Engine::BreadthDisk);
                assert!(*length != Length::Shortest || steps == shortest, "{}", context());
                assert!(engine != Engine::Breadth || *length == Length::Shortest);
                assert!(!is_breadth || steps == shortest, "{}", context());
            }
            (verdict, expected) => panic!("{verdict:?}, not {expected:?}: {}", context()),
        }
    }
}

#[test]
fn every_engine_decides_services_like_a_search_through_sets_of_states() {
    let cases = if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() { 10_000 } else { 200 };
    for (seed, measure) in [Measure::Constant, Measure::Monotone, Measure::Any].into_iter().enumerate() {
        let mut random = Random::new(seed as u64 + 41);
        for halt in [Halt::Prefix, Halt::Deadlock, Halt::When(())] {
            let mut violated = 0;
            for _ in 0..cases {
                let model = acting(&mut random, measure);
                let automaton = service(&mut random);
                let expected = shortest_violation(&model, &automaton, &halt);
                violated += usize::from(expected.is_some());
                compare(&model, &automaton, &halt, expected);
            }
            let shares = (cases / 20, cases - cases / 20);
            assert!(
                shares.0 < violated && violated < shares.1,
                "{measure:?} {halt:?}: {violated} of {cases}"
            );
        }
    }
}

#[test]
fn a_service_must_be_alone_in_its_search_and_is_not_saved() {
    let mut random = Random::new(7);
    let model = acting(&mut random, Measure::Constant);
    let automaton = service(&mut random);
    let service = ServiceProperty::new(automaton, model.events.clone(), Halt::Prefix).unwrap();
    let service = Property::new("service", PropertyKind::Service(Box::new(service)));
    let both = [service.clone(), Property::new("deadlock", PropertyKind::DeadlockFree)];
    let refused = check_subject(model.clone(), &both, &Plan::default(), &mut ());
    assert!(matches!(refused, Err(CheckError::NeedsOwnSearch(name)) if name == "service"));
    let outcome = check_each(|| model.clone(), &both, &Plan::default(), &mut ()).unwrap();
    assert_eq!(outcome.verdicts.len(), 2);
    let directory = std::env::temp_dir();
    let checkpoint = Checkpointing { directory, every: Duration::MAX, about: String::new(), resumes: false };
    let plan = Plan { checkpoint: Some(checkpoint), ..Plan::default() };
    let refused = check_alone(model, &service, &plan, &mut ());
    assert!(matches!(refused, Err(CheckError::TemporalNotSaved)));
}
