//! Rust models: what a check says of them is what a naive search says.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::check::CheckError;
use engine::explore::StopReason;
use engine::verdict::{Evidence, Length, UnknownReason, Verdict};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use sweepline::rust_model::{Checked, Checker, Engine, Model, Path, Properties, Steps, check};

/// All that is reachable, by the book.
struct Naive<M: Model> {
    states: HashSet<M::State>,
    edges: u64,
    deadlocks: u64,
}

fn naive<M: Model>(model: &M, steps_of: impl Fn(&M::State) -> Vec<M::State>) -> Naive<M> {
    let mut states: HashSet<M::State> = model.initial_states().into_iter().collect();
    let mut queue: VecDeque<M::State> = states.iter().cloned().collect();
    let (mut edges, mut deadlocks) = (0, 0);
    while let Some(state) = queue.pop_front() {
        let next = steps_of(&state);
        edges += next.len() as u64;
        deadlocks += u64::from(next.is_empty());
        for state in next {
            if states.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
    Naive { states, edges, deadlocks }
}

/// The message of a panic.
fn panic_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it should panic");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap()
}

/// Counts to a limit, by one or by two.
struct Counter {
    limit: u32,
    measured: bool,
}

impl Model for Counter {
    type State = u32;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn steps(&self, count: &u32, steps: &mut Steps<Self>) {
        for (name, by) in [("one", 1), ("two", 2)] {
            if count + by <= self.limit {
                steps.change(count, name, |count| *count += by);
            }
        }
    }

    fn progress(&self, count: &u32) -> Option<u64> {
        self.measured.then_some(u64::from(*count))
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("bounded", |model, count| *count <= model.limit);
        properties.always("below seven", |_, count| *count < 7);
        properties.sometimes("five", |_, count| *count == 5);
        properties.sometimes("ninety", |_, count| *count == 90);
        properties.always_possible("the end", |model, count| *count == model.limit);
        properties.deadlock_free("goes on");
    }
}

#[test]
fn a_counter_is_decided_by_both_searches_and_the_sweep_forgets() {
    for (engine, measured, used) in [
        (Engine::Sweep, true, Engine::Sweep),
        (Engine::Breadth, true, Engine::Breadth),
        (Engine::Sweep, false, Engine::Breadth),
    ] {
        let model = Counter { limit: 50, measured };
        let checked = Checker::new(&model).engine(engine).run();
        assert_eq!(checked.engine(), used);
        let holds = |name| matches!(checked.verdict(name), Verdict::Holds(_));
        assert!(holds("bounded") && holds("five") && holds("the end"));
        assert!(!holds("below seven") && !holds("ninety") && !holds("goes on"));
        assert!(checked.path("bounded").is_none() && checked.path("ninety").is_none());
        assert_eq!(checked.assert_violated("below seven").last_state(), &7);
        assert_eq!(checked.path("goes on").unwrap().last_state(), &50);
        assert!(checked.is_complete() && !checked.holds());
        assert_eq!((checked.distinct(), checked.explored(), checked.transitions()), (Some(51), 51, 99));
        assert_eq!(checked.peak(), if used == Engine::Sweep { 4 } else { 51 });
        let shortest =
            matches!(checked.verdict("goes on"), Verdict::Violated(Evidence::Trace(_, Length::Shortest)));
        assert_eq!(shortest, used == Engine::Breadth);
        if shortest {
            assert_eq!(checked.path("goes on").unwrap().len(), 25);
        }
    }
}

#[test]
fn depth_first_agrees_where_it_can_decide_and_refuses_where_it_cannot() {
    let model = Queue { sends: 4 };
    let (depth, sweep) = (Checker::new(&model).engine(Engine::Depth), Checker::new(&model));
    assert_eq!(depth.all_states().run().distinct(), sweep.all_states().run().distinct());
    let counter = Counter { limit: 5, measured: true };
    let refused = Checker::new(&counter).engine(Engine::Depth).run_watched(&mut ());
    assert!(matches!(refused, Err(CheckError::Unsound(_))));
}

#[test]
fn a_failing_check_shows_the_run_in_its_panic() {
    let text = panic_of(|| check(&Counter { limit: 50, measured: true }).assert_holds());
    assert!(text.starts_with("`below seven` (always) does not hold after\n  0. 0\n"), "{text}");
    assert!(text.contains(". \"two\"\n") && text.contains(" → 7\n"), "{text}");
    assert!(text.contains("VIOLATED  ninety (sometimes)\n"), "{text}");
    assert!(text.contains("51 states explored"), "{text}");
    check(&Counter { limit: 4, measured: false }).assert_violated("goes on");
    let text = panic_of(|| {
        check(&Counter { limit: 4, measured: false }).assert_violated("bounded");
    });
    assert!(text.contains("`bounded` is not violated"), "{text}");
    let text = panic_of(|| {
        check(&Counter { limit: 4, measured: false }).path("nonsense");
    });
    assert!(text.contains("no property `nonsense`"), "{text}");
}

#[test]
fn a_search_that_is_stopped_decides_nothing() {
    let model = Counter { limit: 500, measured: true };
    let checked = Checker::new(&model).max_states(100).run();
    assert!(!checked.is_complete() && !checked.holds());
    let stopped = UnknownReason::Stopped(StopReason::StateLimit(100));
    assert!(matches!(checked.verdict("bounded"), Verdict::Unknown(reason) if *reason == stopped));
    assert!(matches!(checked.verdict("five"), Verdict::Holds(_)));
}

/// A sender puts numbers in a network that reorders and loses them; the receiver keeps what it gets.
struct Queue {
    sends: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct QueueState {
    sent: u8,
    network: BTreeSet<u32>,
    received: Vec<u32>,
}

#[derive(Debug)]
enum QueueAction {
    Send,
    #[allow(dead_code, reason = "shown by Debug")]
    Lose(u32),
    #[allow(dead_code, reason = "shown by Debug")]
    Deliver(u32),
}

impl Queue {
    fn all_steps(&self, state: &QueueState) -> Vec<(QueueAction, QueueState)> {
        let mut steps = Vec::new();
        if state.sent < self.sends {
            let mut next = state.clone();
            next.sent += 1;
            next.network.insert(u32::from(state.sent) * 1_000_003);
            steps.push((QueueAction::Send, next));
        }
        for &packet in &state.network {
            let mut lost = state.clone();
            lost.network.remove(&packet);
            let mut delivered = lost.clone();
            delivered.received.push(packet);
            steps.push((QueueAction::Lose(packet), lost));
            steps.push((QueueAction::Deliver(packet), delivered));
        }
        steps
    }
}

impl Model for Queue {
    type State = QueueState;
    type Action = QueueAction;

    fn initial_states(&self) -> Vec<QueueState> {
        vec![QueueState { sent: 0, network: BTreeSet::new(), received: Vec::new() }]
    }

    fn steps(&self, state: &QueueState, steps: &mut Steps<Self>) {
        for (action, next) in self.all_steps(state) {
            steps.add(action, next);
        }
    }

    fn progress(&self, state: &QueueState) -> Option<u64> {
        Some(u64::from(state.sent))
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("in order", |_, state| state.received.is_sorted());
        properties.sometimes("all arrive", |model, state| state.received.len() == usize::from(model.sends));
    }
}

#[test]
fn states_that_grow_are_the_states_of_a_naive_search() {
    let model = Queue { sends: 5 };
    let expected = naive(&model, |state| model.all_steps(state).into_iter().map(|(_, next)| next).collect());
    for engine in [Engine::Sweep, Engine::Breadth, Engine::Depth] {
        let checked = Checker::new(&model).engine(engine).all_states().run();
        assert_eq!(
            checked.outcome().figures.widenings,
            0,
            "a state takes what it needs, whatever others take"
        );
        assert_eq!(checked.distinct(), Some(expected.states.len() as u64));
        assert_eq!(checked.transitions(), expected.edges);
        assert_eq!(checked.deadlocks(), Some(expected.deadlocks));
        let path = checked.assert_violated("in order");
        assert!(!path.last_state().received.is_sorted());
        if engine != Engine::Depth {
            assert_eq!(path.len(), 4, "two are sent and arrive in the wrong order");
        }
        assert_eq!(checked.path("all arrive").unwrap().last_state().received.len(), 5);
    }
}

/// Counts to a limit, with one state that is longer than all others.
struct OneLong {
    limit: u32,
    /// The count with the long state, and its bytes.
    long: (u32, usize),
    measured: bool,
}

impl Model for OneLong {
    type State = (u32, Vec<u8>);
    type Action = &'static str;

    fn initial_states(&self) -> Vec<Self::State> {
        vec![(0, Vec::new())]
    }

    fn steps(&self, (count, _): &Self::State, steps: &mut Steps<Self>) {
        for (name, by) in [("one", 1), ("two", 2)] {
            let next = count + by;
            let bytes = if next == self.long.0 { self.long.1 } else { 0 };
            if next <= self.limit {
                steps.add(name, (next, vec![7; bytes]));
            }
        }
    }

    fn progress(&self, (count, _): &Self::State) -> Option<u64> {
        self.measured.then_some(u64::from(count / 1_000))
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("bounded", |model, (count, _)| *count <= model.limit);
    }
}

/// With all states padded to the longest one, they took 600 MB.
#[test]
fn one_long_state_does_not_widen_the_others() {
    for (engine, measured) in [(Engine::Breadth, false), (Engine::Depth, false), (Engine::Sweep, true)] {
        let peak = |bytes: usize| {
            let model = OneLong { limit: 20_000, long: (10_000, bytes), measured };
            let checked = Checker::new(&model).engine(engine).run();
            checked.assert_holds();
            assert_eq!(checked.distinct(), Some(20_001));
            assert_eq!(checked.outcome().figures.widenings, 0);
            checked.outcome().figures.peak_state_bytes
        };
        let (short, long) = (peak(0), peak(30_000));
        assert!(short < 2 << 20, "{short} bytes for {engine:?}");
        // The long state is in several buffers at a time. Depth-first search takes 53 kB more with it,
        // breadth-first search 93 kB. A sweep takes 273 kB more, because two steps lead to the state
        // from the layer before: 60 kB in a batch, 65 kB ahead, 49 kB in the set that finds duplicates
        // there, 33 kB in the layer, and 65 kB in two buffers between these.
        assert!(
            long < short + 10 * 30_000,
            "{long} bytes for {engine:?}, and {short} without the long state"
        );
    }
}

#[test]
fn a_state_that_is_too_long_is_an_error_of_the_model() {
    let model = OneLong { limit: 50, long: (10, 600_000), measured: false };
    let checked = Checker::new(&model).run();
    let error = checked.outcome().error.as_ref().unwrap();
    assert_eq!(error.error.bytes, 600_004);
    assert!((8..10).contains(&error.trace.last_state().0));
    assert!(matches!(checked.verdict("bounded"), Verdict::Unknown(UnknownReason::RuntimeError)));
    let text = panic_of(|| checked.assert_holds());
    assert!(text.contains("a state takes 600004 bytes, and the longest that can be stored takes"), "{text}");
    // The longest states that can be stored are stored.
    let model = OneLong { limit: 50, long: (10, 520_000), measured: false };
    Checker::new(&model).run().assert_holds();
}

struct LongFromTheBeginning;

impl Model for LongFromTheBeginning {
    type State = Vec<u8>;
    type Action = ();

    fn initial_states(&self) -> Vec<Vec<u8>> {
        vec![vec![1; 1_000_000]]
    }

    fn steps(&self, _: &Vec<u8>, _: &mut Steps<Self>) {}
}

#[test]
fn an_initial_state_that_is_too_long_is_an_error() {
    let refused = Checker::new(&LongFromTheBeginning).run_watched(&mut ());
    let Err(CheckError::Execution(error)) = refused else { panic!("it is not refused") };
    assert!(error.to_string().contains("an initial state is too long"), "{error}");
}

#[test]
fn a_run_shows_what_each_step_changes() {
    let checked = Checker::new(&Queue { sends: 3 }).engine(Engine::Breadth).run();
    let shown = checked.path("in order").unwrap().display(&Queue { sends: 3 }).to_string();
    assert_eq!(
        shown,
        "  0. QueueState { sent: 0, network: {}, received: [] }
  1. Send
       sent: 0 → 1
       network: {} → {0}
  2. Send
       sent: 1 → 2
       network: + 1000003
  3. Deliver(1000003)
       network: − 1000003
       received: [] → [1000003]
  4. Deliver(0)
       network: {0} → {}
       received: + 0
"
    );
}

/// A graph with numbered states, as it comes.
#[derive(Clone, Debug)]
struct Graph {
    initial: Vec<u8>,
    next: Vec<Vec<u8>>,
    progress: Vec<u64>,
    marked: HashSet<u8>,
}

impl Graph {
    fn random() -> impl Strategy<Value = Graph> {
        let states = 1..24usize;
        states.prop_flat_map(|n| {
            let state = 0..n as u8;
            let next = prop::collection::vec(prop::collection::vec(state.clone(), 0..4), n);
            let values = prop_oneof![4 => 0..6u64, 1 => Just(u64::MAX)];
            let initial = prop::collection::vec(state.clone(), 1..4);
            (initial, next, prop::collection::vec(values, n), prop::collection::hash_set(state, 0..4))
                .prop_map(|(initial, next, progress, marked)| Graph { initial, next, progress, marked })
        })
    }

    /// The same graph without the steps that make progress fall.
    fn monotone(mut self) -> Self {
        for (from, next) in self.next.iter_mut().enumerate() {
            next.retain(|to| self.progress[usize::from(*to)] >= self.progress[from]);
        }
        self
    }

    fn reach(&self, from: impl IntoIterator<Item = u8>) -> BTreeSet<u8> {
        let mut seen: BTreeSet<u8> = from.into_iter().collect();
        let mut queue: Vec<u8> = seen.iter().copied().collect();
        while let Some(state) = queue.pop() {
            queue.extend(self.next[usize::from(state)].iter().copied().filter(|next| seen.insert(*next)));
        }
        seen
    }

    /// Fewest steps from an initial state to one of these.
    fn distance(&self, goal: impl Fn(u8) -> bool) -> Option<usize> {
        let mut seen: HashMap<u8, usize> = self.initial.iter().map(|state| (*state, 0)).collect();
        let mut queue: VecDeque<u8> = self.initial.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            if goal(state) {
                return Some(seen[&state]);
            }
            for &next in &self.next[usize::from(state)] {
                if !seen.contains_key(&next) {
                    seen.insert(next, seen[&state] + 1);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn check_path(&self, path: &Path<Graph>) {
        assert!(self.initial.contains(&path.initial_state().number));
        let mut before = path.initial_state();
        for (action, state) in path.steps() {
            assert_eq!(self.next[usize::from(before.number)][*action], state.number);
            before = state;
        }
    }
}

/// The state's number, and as many zeros: of any width, and full of what padding looks like.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Numbered {
    zeros: Vec<u8>,
    number: u8,
}

impl From<u8> for Numbered {
    fn from(number: u8) -> Self {
        Self { zeros: vec![0; usize::from(number)], number }
    }
}

impl Model for Graph {
    type State = Numbered;
    type Action = usize;

    fn initial_states(&self) -> Vec<Numbered> {
        self.initial.iter().map(|state| Numbered::from(*state)).collect()
    }

    fn steps(&self, state: &Numbered, steps: &mut Steps<Self>) {
        for (number, next) in self.next[usize::from(state.number)].iter().enumerate() {
            steps.add(number, Numbered::from(*next));
        }
    }

    fn progress(&self, state: &Numbered) -> Option<u64> {
        Some(self.progress[usize::from(state.number)])
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("never marked", |model, state| !model.marked.contains(&state.number));
        properties.sometimes("marked", |model, state| model.marked.contains(&state.number));
        properties.deadlock_free("goes on");
        for state in 0..self.next.len() as u8 {
            properties.sometimes(state.to_string(), move |_, one| one.number == state);
        }
    }
}

/// The same with a home property, which layers decide if progress never falls.
#[derive(Debug)]
struct WithHome(Graph);

impl Model for WithHome {
    type State = Numbered;
    type Action = usize;

    fn initial_states(&self) -> Vec<Numbered> {
        self.0.initial_states()
    }

    fn steps(&self, state: &Numbered, steps: &mut Steps<Self>) {
        for (number, next) in self.0.next[usize::from(state.number)].iter().enumerate() {
            steps.add(number, Numbered::from(*next));
        }
    }

    fn progress(&self, state: &Numbered) -> Option<u64> {
        self.0.progress(state)
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always_possible("home", |model, state| model.0.marked.contains(&state.number));
    }
}

fn check_verdicts(graph: &Graph, checked: &Checked<'_, Graph>) -> Result<(), TestCaseError> {
    let reachable = graph.reach(graph.initial.iter().copied());
    for state in 0..graph.next.len() as u8 {
        let met = matches!(checked.verdict(&state.to_string()), Verdict::Holds(_));
        prop_assert_eq!(met, reachable.contains(&state));
    }
    let marked = reachable.iter().any(|state| graph.marked.contains(state));
    prop_assert_eq!(matches!(checked.verdict("marked"), Verdict::Holds(_)), marked);
    prop_assert_eq!(matches!(checked.verdict("never marked"), Verdict::Holds(_)), !marked);
    let terminal = reachable.iter().filter(|state| graph.next[usize::from(**state)].is_empty()).count();
    prop_assert_eq!(matches!(checked.verdict("goes on"), Verdict::Holds(_)), terminal == 0);
    prop_assert_eq!(checked.deadlocks(), Some(terminal as u64));
    for name in ["marked", "never marked", "goes on"] {
        if let Some(path) = checked.path(name) {
            graph.check_path(path);
        }
    }
    if let Some(distinct) = checked.distinct() {
        let edges: usize = reachable.iter().map(|state| graph.next[usize::from(*state)].len()).sum();
        prop_assert_eq!(distinct, reachable.len() as u64);
        prop_assert_eq!((checked.explored(), checked.transitions()), (distinct, edges as u64));
        prop_assert!(checked.peak() <= distinct + checked.counters().peak.future);
    }
    prop_assert!(checked.is_complete());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn on_random_graphs_the_sweep_is_the_breadth_first_search_is_the_truth(graph in Graph::random(), reach in 0..4u64) {
        let sweep = Checker::new(&graph).all_states().run();
        let remembering = Checker::new(&graph).window(reach).all_states().run();
        let breadth = Checker::new(&graph).engine(Engine::Breadth).all_states().run();
        let depth = Checker::new(&graph).engine(Engine::Depth).all_states().run();
        for checked in [&sweep, &remembering, &breadth, &depth] {
            check_verdicts(&graph, checked)?;
        }
        let reachable = graph.reach(graph.initial.iter().copied()).len() as u64;
        prop_assert_eq!(breadth.distinct(), Some(reachable));
        prop_assert_eq!(breadth.peak(), reachable);
        prop_assert_eq!(breadth.counters().largest_layer, reachable);
        prop_assert!(sweep.explored() >= reachable);
        prop_assert_eq!(breadth.path("marked").map(Path::len), graph.distance(|state| graph.marked.contains(&state)));
    }

    #[test]
    fn on_monotone_graphs_every_state_is_explored_once_and_homes_are_found(graph in Graph::random()) {
        let graph = graph.monotone();
        let checked = Checker::new(&graph).all_states().expect_monotone().run();
        check_verdicts(&graph, &checked)?;
        let reachable = graph.reach(graph.initial.iter().copied());
        prop_assert_eq!(checked.distinct(), Some(reachable.len() as u64));
        let values: HashSet<u64> = reachable.iter().map(|state| graph.progress[usize::from(*state)]).collect();
        prop_assert_eq!(checked.counters().layers, values.len() as u64);
        let home = reachable.iter().all(|from| graph.reach([*from]).iter().any(|to| graph.marked.contains(to)));
        let model = WithHome(graph);
        for engine in [Engine::Sweep, Engine::Breadth] {
            let checked = Checker::new(&model).engine(engine).run();
            prop_assert_eq!(checked.holds(), home);
            if let Some(path) = checked.path("home") {
                let end = path.last_state().number;
                prop_assert!(model.0.reach([end]).iter().all(|to| !model.0.marked.contains(to)));
                prop_assert!(model.0.initial.contains(&path.initial_state().number));
            }
        }
    }
}

#[test]
fn a_run_knows_which_initial_state_it_begins_with() {
    let graph = Graph {
        initial: vec![3, 1, 3, 2],
        next: vec![vec![], vec![0], vec![2], vec![3, 1]],
        progress: vec![9, 5, 5, 5],
        marked: HashSet::from([2]),
    };
    let checked = Checker::new(&graph).all_states().run();
    assert_eq!(checked.path("marked").unwrap().initial_state().number, 2);
    assert!(checked.path("marked").unwrap().is_empty());
    assert_eq!(checked.path("goes on").unwrap().initial_state().number, 1);
    assert_eq!((checked.distinct(), checked.explored(), checked.transitions()), (Some(4), 4, 4));
    assert_eq!((checked.counters().layers, checked.counters().largest_layer), (2, 3));
    // All three initial states are pinned, like the one of other models.
    assert_eq!((checked.counters().forward, checked.counters().persistent), (1, 3));
    let limited = Checker::new(&graph).engine(Engine::Breadth).all_states().max_states(2).run();
    assert_eq!(limited.outcome().stopped, Some(StopReason::StateLimit(2)));
}

#[test]
fn progress_that_falls_is_shown_where_it_must_not() {
    let graph = Graph {
        initial: vec![0, 1],
        next: vec![vec![2], vec![], vec![1]],
        progress: vec![1, 2, 7],
        marked: HashSet::from([1]),
    };
    let checked = Checker::new(&graph).all_states().expect_monotone().run();
    let regress = checked.outcome().regress.as_ref().unwrap();
    assert_eq!((regress.before, regress.after, regress.trace.len()), (7, 2, 2));
}

/// Where progress falls, layers do not decide what stays possible; the graph of all states does.
#[test]
fn what_stays_possible_is_decided_where_progress_falls() {
    let graph = |marked| Graph {
        initial: vec![0],
        next: vec![vec![1], vec![2, 3], vec![0], vec![3]],
        progress: vec![1, 2, 7, 9],
        marked: HashSet::from([marked]),
    };
    let lost = WithHome(graph(0));
    let checked = check(&lost);
    let path = checked.assert_violated("home");
    assert_eq!(path.last_state().number, 3, "state 0 cannot be reached from there");
    let text = panic_of(|| checked.assert_holds());
    assert!(text.contains("out of reach"), "{text}");
    let kept = WithHome(graph(3));
    check(&kept).assert_holds();
}

/// A model of one state that is not what it seems.
struct Broken<S>(Vec<S>);

impl<S> Model for Broken<S>
where
    S: Clone + Eq + std::hash::Hash + std::fmt::Debug + Serialize + serde::de::DeserializeOwned + Send + Sync,
{
    type State = S;
    type Action = ();

    fn initial_states(&self) -> Vec<S> {
        self.0.clone()
    }

    fn steps(&self, _: &S, _: &mut Steps<Self>) {}
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Skipping {
    #[serde(skip)]
    lost: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Hashed(HashSet<u32>);

impl std::hash::Hash for Hashed {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
    }
}

#[test]
fn what_the_encoding_cannot_bear_is_said() {
    let text = panic_of(|| check(&Broken(vec![Skipping { lost: 1 }])).assert_holds());
    assert!(text.contains("is a field skipped?"), "{text}");
    let text = panic_of(|| check(&Broken(vec![Hashed((0..100).collect())])).assert_holds());
    assert!(text.contains("BTreeSet"), "{text}");
    let text = panic_of(|| check(&Broken(Vec::<u8>::new())).assert_holds());
    assert!(text.contains("no initial state"), "{text}");
    // A state of no bytes is a state.
    let model = Broken(vec![()]);
    let checked = check(&model);
    checked.assert_holds();
    assert_eq!(checked.distinct(), Some(1));
}

/// Goes on to one, in one of several wrong ways.
struct Misbehaving {
    how: Misbehaviour,
    calls: std::sync::atomic::AtomicU32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Misbehaviour {
    NotAFunction,
    ProgressEnds,
    Panics,
}

impl Model for Misbehaving {
    type State = u8;
    type Action = ();

    fn initial_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn steps(&self, state: &u8, steps: &mut Steps<Self>) {
        let calls = self.calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        assert!(*state == 0 || self.how != Misbehaviour::Panics, "the model is at a loss");
        if *state == 0 && (self.how != Misbehaviour::NotAFunction || calls == 1) {
            steps.add((), 1);
        }
    }

    fn progress(&self, state: &u8) -> Option<u64> {
        (*state == 0 || self.how != Misbehaviour::ProgressEnds).then_some(0)
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.sometimes("one", |_, state| *state == 1);
    }
}

#[test]
fn a_model_that_misbehaves_is_told_so() {
    let misbehave = |how| panic_of(|| check(&Misbehaving { how, calls: 0.into() }).assert_holds());
    let text = misbehave(Misbehaviour::NotAFunction);
    assert!(text.contains("functions of the state"), "{text}");
    let text = misbehave(Misbehaviour::ProgressEnds);
    assert!(text.contains("none in 1"), "{text}");
    assert_eq!(misbehave(Misbehaviour::Panics), "the model is at a loss");
}
