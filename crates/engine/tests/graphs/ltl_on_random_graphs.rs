//! Random formulas of linear temporal logic on random graphs, against a product that is written down in full.

use std::convert::Infallible;

use engine::check::{
    DiskUse, Engine, Executable, Expanded, Fingerprint, OutcomeOf, Plan, ProgressValues, Semantics,
    Structure, check_alone, check_each,
};
use engine::explore::search::Limits as SearchLimits;
use engine::property::fairness::Fairness;
use engine::property::linear::{DeadEnds, LinearProperty, Runs};
use engine::property::{Property, PropertyKind};
use engine::store::ahead::QueueKind;
use engine::verdict::replay::ReplayError;
use engine::verdict::trace_log::LoggedRun;
use engine::verdict::{Evidence, Verdict};
use logic::buchi::Buchi;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::{Limits, buchi_of};
use model::guarded_commands::{ActionId, Strength};
use model::random::Random;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, Expansion, TransitionSystem, Truth};

use crate::random_graph::{Graph, GraphSubject};

const PROPOSITIONS: usize = 2;

/// A graph in whose states propositions hold.
#[derive(Clone)]
struct Labelled {
    graph: Graph,
    labels: Vec<u64>,
    /// Of each action, which is the number of a successor: the processes that take part.
    processes: Vec<Vec<u32>>,
    fair: Vec<(ActionId, Strength)>,
}

/// The most successors of a state.
const ACTIONS: usize = 3;

/// The bit of the first action, above those of processes.
const FIRST_ACTION: u64 = 1 << 8;

impl Labelled {
    /// The processes that can move.
    fn can_move(&self, state: usize) -> u64 {
        (0..self.graph.successors[state].len()).fold(0, |all, action| all | self.moves(action))
    }

    /// A bit for each process, and one for the action itself.
    fn moves(&self, action: usize) -> u64 {
        self.processes[action].iter().fold(FIRST_ACTION << action, |all, process| all | 1 << process)
    }

    fn all_processes(&self) -> u64 {
        (0..ACTIONS).fold(0, |all, action| all | self.moves(action)) & (FIRST_ACTION - 1)
    }

    /// The actions that are fair by themselves.
    fn fair(&self, strength: Strength) -> u64 {
        let these = self.fair.iter().filter(|(_, how)| *how == strength);
        these.fold(0, |all, (action, _)| all | FIRST_ACTION << action.0)
    }
}

impl TransitionSystem for Labelled {
    fn shape(&self) -> RecordShape {
        self.graph.shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

impl Expander for &Labelled {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        (&self.graph).expand(states, batch)
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let truth = |state| Truth { holds: self.labels[self.graph.unpack(state)], undefined: 0 };
        truths.extend(self.graph.shape().states(states).map(truth));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        (&self.graph).progress(states, values);
    }
}

/// Predicates are numbers of propositions, in their order.
impl Semantics for Labelled {
    type Predicate = u8;
    type State = usize;
    type Run = Vec<usize>;
    type Fault = Infallible;

    fn steps(&self, state: &usize) -> Vec<(ActionId, Option<usize>)> {
        let numbered = (0..).zip(&self.graph.successors[*state]);
        numbered.map(|(number, next)| (ActionId(number), Some(*next))).collect()
    }

    fn holds(&self, proposition: &u8, state: &usize) -> Result<bool, Infallible> {
        Ok(self.labels[*state] >> proposition & 1 != 0)
    }

    fn replay(&self, run: &LoggedRun) -> Result<Vec<usize>, ReplayError> {
        GraphSubject(self.graph.clone()).replay(run)
    }

    fn states(run: &Vec<usize>) -> Vec<&usize> {
        run.iter().collect()
    }

    fn last_state(run: &Vec<usize>) -> &usize {
        run.last().unwrap()
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(&self.graph.successors, &self.labels, &self.fair));
    }

    fn identify_predicate(&self, proposition: &u8, fingerprint: &mut Fingerprint) {
        fingerprint.add(proposition);
    }
}

impl Executable for Labelled {
    type System = Self;

    fn shape(&self) -> RecordShape {
        self.graph.shape()
    }

    fn bits(&self) -> usize {
        64
    }

    /// The number of bits is known in every other case: then the automaton refines progress.
    fn progress(&self) -> Option<ProgressValues> {
        let bits = (self.labels[0] & 1 == 0).then_some(32);
        Some(ProgressValues { bits, ..ProgressValues::default() })
    }

    fn prepare(&self, _: &[u8]) -> Result<Self, ExecutionError> {
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

    fn structure(&self) -> Option<&dyn Structure> {
        Some(self)
    }
}

impl Structure for Labelled {
    fn actions(&self) -> usize {
        self.processes.len()
    }

    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        self.processes.clone()
    }

    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        self.fair.clone()
    }
}

/// A formula with about as many operators.
fn formula(random: &mut Random, operators: usize) -> Ltl {
    if operators == 0 {
        return Ltl::Proposition(random.below(PROPOSITIONS) as u8);
    }
    let left = random.below(operators);
    let right = operators - 1 - left;
    match random.below(10) {
        0 => Ltl::negation(formula(random, operators - 1)),
        1 => Ltl::next(formula(random, operators - 1)),
        2 | 3 => Ltl::finally(formula(random, operators - 1)),
        4 | 5 => Ltl::globally(formula(random, operators - 1)),
        6 => Ltl::and(formula(random, left), formula(random, right)),
        7 => Ltl::until(formula(random, left), formula(random, right)),
        8 => Ltl::release(formula(random, left), formula(random, right)),
        _ => Ltl::implies(formula(random, left), formula(random, right)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Constant,
    Monotone,
    Any,
    Injective,
}

fn labelled(random: &mut Random, measure: Measure) -> Labelled {
    let states = 1 + random.below(14);
    let degree = 1 + random.below(ACTIONS);
    let mut successors: Vec<Vec<usize>> =
        (0..states).map(|_| (0..random.below(degree + 1)).map(|_| random.below(states)).collect()).collect();
    let mut progress: Vec<u64> = match measure {
        Measure::Constant => vec![3; states],
        Measure::Monotone | Measure::Any => (0..states).map(|_| random.below(4) as u64).collect(),
        Measure::Injective => (0..states as u64).collect(),
    };
    if measure == Measure::Monotone {
        progress.sort_unstable();
        for (from, targets) in successors.iter_mut().enumerate() {
            targets.retain(|to| progress[*to] >= progress[from]);
        }
    }
    let labels = (0..states).map(|_| random.below(1 << PROPOSITIONS) as u64).collect();
    let width = random.below(3);
    let graph = Graph { successors, progress, marked: vec![false; states], width, ..Graph::default() };
    let mut processes = vec![Vec::new(); ACTIONS];
    processes.iter_mut().for_each(|of_action: &mut Vec<u32>| {
        of_action.extend((0..3).filter(|_| random.below(2) == 0));
    });
    processes[0].push(4);
    Labelled { graph, labels, processes, fair: Vec::new() }
}

/// A step of the product: from, to, the automaton's sets, what can move before it, and what it moves.
type ProductStep = (usize, usize, u32, u64, u64);

/// Whether some run is accepted: the product in full, and its components, without the states that a fair run leaves behind, again and again.
fn has_accepted_run(model: &Labelled, automaton: &Buchi, Runs { dead_ends, fairness }: Runs) -> bool {
    let (states, modes) = (model.labels.len(), automaton.states.len());
    let count = states * modes;
    let mut edges = Vec::new();
    for (state, targets) in model.graph.successors.iter().enumerate() {
        let repeated = [state];
        let is_repeated = targets.is_empty() && dead_ends == DeadEnds::Repeated;
        let targets: &[usize] = if is_repeated { &repeated } else { targets };
        for mode in 0..modes {
            for edge in
                automaton.states[mode].iter().filter(|edge| edge.label.is_true_of(model.labels[state]))
            {
                for (action, target) in targets.iter().enumerate() {
                    let to = target * modes + edge.target as usize;
                    let moves = if is_repeated { 0 } else { model.moves(action) };
                    edges.push((state * modes + mode, to, edge.accepting, model.can_move(state), moves));
                }
            }
        }
    }
    let starts: Vec<usize> = automaton.initial.iter().map(|mode| *mode as usize).collect();
    let reach = reachable(&edges, count);
    edges.retain(|edge| starts.iter().any(|start| *start == edge.0 || reach[*start][edge.0]));
    let all = 1u32.unbounded_shl(automaton.acceptance_sets).wrapping_sub(1);
    let weak = weakly_required(model, fairness);
    has_fair_component(
        &edges,
        count,
        &|inner| {
            let (sets, met) =
                inner.iter().fold((0, 0), |(sets, met), edge| (sets | edge.2, met | !edge.3 | edge.4));
            let is_weakly_met = !met & weak == 0;
            sets & all == all && is_weakly_met
        },
        model.fair(Strength::Strong),
    )
}

/// Which nodes are reached from which, by one step or more.
fn reachable(edges: &[ProductStep], count: usize) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; count]; count];
    edges.iter().for_each(|edge| reach[edge.0][edge.1] = true);
    for via in 0..count {
        let beyond = reach[via].clone();
        for row in reach.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&beyond).for_each(|(reached, more)| *reached |= more);
        }
    }
    reach
}

/// Whether the steps of some component are good, and take all `strong` ones that can be taken. Where they do not, states in which these can be taken are left out, and it is asked
/// again of what is left.
fn has_fair_component(
    edges: &[ProductStep],
    count: usize,
    is_good: &dyn Fn(&[ProductStep]) -> bool,
    strong: u64,
) -> bool {
    let reach = reachable(edges, count);
    (0..count).filter(|node| reach[*node][*node]).any(|node| {
        let together = |other: usize| other == node || (reach[node][other] && reach[other][node]);
        let inner: Vec<ProductStep> =
            edges.iter().filter(|edge| together(edge.0) && together(edge.1)).copied().collect();
        let (can, moved) = inner.iter().fold((0, 0), |(can, moved), edge| (can | edge.3, moved | edge.4));
        let missed = can & !moved & strong;
        if !is_good(&inner) {
            return false;
        }
        let fewer: Vec<ProductStep> = inner.iter().filter(|edge| edge.3 & missed == 0).copied().collect();
        missed == 0 || has_fair_component(&fewer, count, is_good, strong)
    })
}

/// The conditions of weak fairness.
fn weakly_required(model: &Labelled, fairness: Fairness) -> u64 {
    let processes = if fairness == Fairness::Weak { model.all_processes() } else { 0 };
    processes | model.fair(Strength::Weak)
}

/// Whether each process cannot move somewhere in the loop, or takes part in a step of it, as far as its states tell.
fn may_be_fair(model: &Labelled, states: &[usize], required: u64) -> bool {
    let met = states.windows(2).fold(0, |met, step| {
        let successors = model.graph.successors[step[0]].iter().enumerate();
        let moves = successors
            .filter(|(_, to)| **to == step[1])
            .fold(0, |moves, (action, _)| moves | model.moves(action));
        met | !model.can_move(step[0]) | moves
    });
    !met & required == 0
}

/// The verdict, after a look at what it rests on.
fn verdict(model: &Labelled, formula: &Ltl, runs: Runs, plan: &Plan) -> bool {
    let propositions = (0..PROPOSITIONS as u8).collect();
    let linear = LinearProperty::of_formula(formula.clone(), propositions, &Limits::default()).unwrap();
    let kind = PropertyKind::Linear(Box::new(linear.of_runs(runs)));
    let outcome = check_alone(model.clone(), &Property::new("asked", kind), plan, &mut ()).unwrap();
    match &outcome.verdicts[0] {
        Verdict::Holds(Evidence::Search(_)) => true,
        Verdict::Violated(Evidence::Lasso(run, start)) => {
            let successors = &model.graph.successors;
            assert!(run.windows(2).all(|step| successors[step[0]].contains(&step[1])), "a run");
            assert_eq!(run[0], 0);
            assert_eq!(run[*start], *run.last().unwrap(), "the loop closes");
            let is_end = *start == run.len() - 1;
            assert!(!is_end || (successors[run[*start]].is_empty() && runs.dead_ends == DeadEnds::Repeated));
            if !is_end {
                let weak = weakly_required(model, runs.fairness);
                assert!(may_be_fair(model, &run[*start..], weak), "{run:?} from {start}");
            }
            let word: Vec<u64> = run.iter().map(|state| model.labels[*state]).collect();
            let end = if is_end { run.len() } else { run.len() - 1 };
            assert!(!formula.is_true_of(&word[..*start], &word[*start..end]), "by the word of the formula");
            false
        }
        other => panic!("{other:?}"),
    }
}

/// Some actions, each weakly or strongly fair.
fn fair_ones(random: &mut Random) -> Vec<(ActionId, Strength)> {
    let strength = |random: &mut Random| match random.below(4) {
        0 => Some(Strength::Weak),
        1 | 2 => Some(Strength::Strong),
        _ => None,
    };
    let all = (0..ACTIONS as u32).filter_map(|action| Some((ActionId(action), strength(random)?)));
    all.collect()
}

fn plans() -> Vec<Plan> {
    let disk = |in_memory, queue| DiskUse { in_memory, queue, ..DiskUse::default() };
    vec![
        Plan::default(),
        Plan { search: Engine::Depth.into(), ..Plan::default() },
        Plan { search: Engine::Sweep.into(), ..Plan::default() },
        Plan { search: Engine::SweepDisk.into(), disk: disk(1, QueueKind::Radix), ..Plan::default() },
        // On the recorded graph of the product.
        Plan { search: Engine::BreadthDisk.into(), disk: disk(1, QueueKind::Radix), ..Plan::default() },
    ]
}

fn compare(
    cases: usize,
    seed: u64,
    measure: Measure,
    fairness: Fairness,
    fair_actions: bool,
) -> (usize, usize) {
    let mut random = Random::new(seed);
    let mut verdicts = (0, 0);
    for _ in 0..cases {
        let mut model = labelled(&mut random, measure);
        if fair_actions {
            model.fair = fair_ones(&mut random);
        }
        let operators = random.below(6);
        let formula = formula(&mut random, operators);
        let dead_ends = if random.below(2) == 0 { DeadEnds::Ignored } else { DeadEnds::Repeated };
        let automaton = buchi_of(&Ltl::negation(formula.clone()), &Limits::default()).unwrap();
        let runs = Runs { dead_ends, fairness };
        let expected = !has_accepted_run(&model, &automaton, runs);
        for plan in plans() {
            let found = verdict(&model, &formula, runs, &plan);
            let (successors, progress) = (&model.graph.successors, &model.graph.progress);
            assert_eq!(
                found,
                expected,
                "{formula:?} {runs:?} {} on {successors:?} {progress:?} {:?} {:?}",
                plan.search.engine().name(),
                model.labels,
                (&model.processes, &model.fair)
            );
        }
        if expected { verdicts.0 += 1 } else { verdicts.1 += 1 }
    }
    verdicts
}

#[test]
fn every_engine_decides_formulas_like_the_product_in_full() {
    let cases = if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() { 20_000 } else { 1_000 };
    for (seed, measure) in
        [Measure::Constant, Measure::Monotone, Measure::Any, Measure::Injective].into_iter().enumerate()
    {
        let (holds, violated) = compare(cases, seed as u64 + 1, measure, Fairness::Unfair, false);
        assert!(holds > cases / 10 && violated > cases / 10, "{measure:?}: {holds} hold, {violated} do not");
    }
}

#[test]
fn every_engine_decides_formulas_of_fair_runs_like_the_product_in_full() {
    let cases = if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() { 20_000 } else { 1_000 };
    for (seed, measure) in
        [Measure::Constant, Measure::Monotone, Measure::Any, Measure::Injective].into_iter().enumerate()
    {
        let (holds, violated) = compare(cases, seed as u64 + 11, measure, Fairness::Weak, false);
        assert!(holds > cases / 10 && violated > cases / 20, "{measure:?}: {holds} hold, {violated} do not");
    }
}

#[test]
fn every_engine_is_fair_to_actions_like_the_product_in_full() {
    let cases = if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() { 20_000 } else { 1_000 };
    for (seed, measure) in
        [Measure::Constant, Measure::Monotone, Measure::Any, Measure::Injective].into_iter().enumerate()
    {
        for (more, fairness) in [Fairness::Unfair, Fairness::Weak].into_iter().enumerate() {
            let seed = (seed + 10 * more) as u64 + 31;
            let (holds, violated) = compare(cases / 2, seed, measure, fairness, true);
            assert!(
                holds > cases / 20 && violated > cases / 40,
                "{measure:?}: {holds} hold, {violated} do not"
            );
        }
    }
}

/// A layer that does not fit into memory goes to disk, and its cycles are found in the graph.
#[test]
fn layers_that_do_not_fit_are_decided_as_in_memory() {
    let mut random = Random::new(5);
    let (mut on_disk, mut holds, mut violated) = (0, 0, 0);
    for case in 0..12 {
        let states = 60_000 + random.below(60_000);
        // Mostly forward, so that cycles are rare; progress falls now and then.
        let mut targets_of = |state: usize| -> Vec<usize> {
            let mut targets: Vec<usize> =
                (0..1 + random.below(2)).map(|_| state + 1 + random.below(states / 20)).collect();
            targets.retain(|target| *target < states);
            if random.below(states / 3) == 0 {
                targets.push(random.below(states));
            }
            targets
        };
        let successors: Vec<Vec<usize>> = (0..states).map(&mut targets_of).collect();
        let wide = states as u64 / (1 + random.below(3) as u64);
        let progress = (0..states as u64).map(|state| state / wide).collect();
        let labels = (0..states).map(|_| random.below(1 << PROPOSITIONS) as u64).collect();
        let graph = Graph { successors, progress, marked: vec![false; states], width: 1, ..Graph::default() };
        let model = Labelled { graph, labels, processes: vec![Vec::new(); ACTIONS], fair: Vec::new() };
        let formula = formula(&mut random, 1 + case % 4);
        let linear = LinearProperty::of_formula(formula.clone(), vec![0, 1], &Limits::default()).unwrap();
        let property = Property::new("asked", PropertyKind::Linear(Box::new(linear)));
        let check =
            |plan: &Plan| check_each(|| model.clone(), std::slice::from_ref(&property), plan, &mut ());
        let expected = check(&Plan { search: Engine::Depth.into(), ..Plan::default() }).unwrap();
        let small = SearchLimits { memory: 3 << 19, ..SearchLimits::default() };
        for engine in [Engine::Sweep, Engine::SweepDisk, Engine::BreadthDisk] {
            let found = check(&Plan { search: engine.into(), limits: small, ..Plan::default() }).unwrap();
            let answers = |outcome: &OutcomeOf<Labelled>| matches!(outcome.verdicts[0], Verdict::Holds(_));
            assert!(
                !matches!(found.verdicts[0], Verdict::Unknown(_)),
                "{engine:?} {formula:?} {:?}",
                found.verdicts
            );
            assert_eq!(answers(&found), answers(&expected), "{formula:?} {engine:?}");
            assert_eq!(found.stopped, None);
            on_disk += usize::from(found.graph.is_some() && engine != Engine::BreadthDisk);
            *if answers(&found) { &mut holds } else { &mut violated } += 1;
        }
    }
    assert!(on_disk > 3 && holds > 5 && violated > 5, "{on_disk} on disk, {holds} hold, {violated} do not");
}

/// With as many rounds as candidates, each through all of them, this would be billions of expansions.
#[test]
fn a_long_chain_of_persistent_states_takes_one_round() {
    let states = 2_000;
    let successors = (0..states).map(|state| if state + 1 < states { vec![state + 1] } else { Vec::new() });
    let graph = Graph {
        successors: successors.collect(),
        progress: (0..states as u64).map(|state| state % 2).collect(),
        marked: vec![false; states],
        width: 1,
        ..Graph::default()
    };
    let mut labels = vec![0; states];
    labels[states - 1] = 1;
    let model = Labelled { graph, labels, processes: Vec::new(), fair: Vec::new() };
    let formula = Ltl::finally(Ltl::Proposition(0));
    let linear = LinearProperty::of_formula(formula, vec![0, 1], &Limits::default()).unwrap();
    let property = Property::new("asked", PropertyKind::Linear(Box::new(linear)));
    let plan = Plan { search: Engine::Sweep.into(), ..Plan::default() };
    let outcome = check_alone(model, &property, &plan, &mut ()).unwrap();
    assert!(matches!(outcome.verdicts[0], Verdict::Holds(_)));
    assert!(outcome.figures.counters.explored < 20 * states as u64, "{}", outcome.figures.counters.explored);
}
