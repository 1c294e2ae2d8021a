//! What a search meets: all states and all deadlocks, collected while it runs.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use engine::explore::observer::Successors;
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, Nesting, OnRegress, Order, Retention, SweepSearch};
use engine::explore::{Counters, Monitor, Observer, Record, Search, SearchEnd, Snapshot, StopReason};
use engine::progress::Comparison;
use model::guarded_commands::{ActionId, GuardedCommands};
use model::state_layout::StateLayout;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{TransitionSystem, Truth};
use oracles::{Beem, PropertyKind as Asked};

/// A sweep with these groups, which remembers so much.
pub fn sweep(nesting: Nesting, retention: Retention) -> Order {
    let comparison = Comparison::Total;
    Order::Progress { initial: Initial::Pinned, regress: OnRegress::Sweep, nesting, comparison, retention }
}

/// The initial state, packed.
pub fn initial(commands: &GuardedCommands, layout: &StateLayout) -> SuccessorBatch {
    let mut packed = vec![0; layout.words()];
    layout.encode(&commands.initial_state(), &mut packed).unwrap();
    let mut initial = SuccessorBatch::new(layout.words(), 1);
    initial.push(ActionId(0), &packed);
    initial
}

#[derive(Default)]
pub struct Collected {
    pub states: HashSet<Vec<u64>>,
    pub deadlocks: HashSet<Vec<u64>>,
}

impl Observer for Collected {
    fn taken(&mut self, _: Record, state: &[u64], _: Truth, successors: Successors) -> ControlFlow<()> {
        self.states.insert(state.to_vec());
        if successors == Successors::Steps(0) {
            self.deadlocks.insert(state.to_vec());
        }
        ControlFlow::Continue(())
    }
}

/// Stops a search that expands more states than this.
struct MostExplored(u64);

impl Monitor for MostExplored {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        (snapshot.counters.explored > self.0).then_some(StopReason::Interrupted)
    }
}

/// A search through a model whose states need no other layout; `None` if it was given up.
pub fn explore(
    system: &dyn TransitionSystem,
    initial: &SuccessorBatch,
    order: Order,
    limits: Limits,
    most: u64,
) -> Option<(Collected, Counters)> {
    run(system, initial, SweepSearch::new(system.state_words(), order, limits).unwrap(), most)
}

/// The same by this search.
pub fn run(
    system: &dyn TransitionSystem,
    initial: &SuccessorBatch,
    mut search: SweepSearch,
    most: u64,
) -> Option<(Collected, Counters)> {
    let mut found = Collected::default();
    search.start(system, initial, &mut found).unwrap();
    match search.run(system, &mut found, &mut MostExplored(most)) {
        SearchEnd::Complete(_) => Some((found, search.counters())),
        SearchEnd::Stopped(StopReason::Interrupted) => None,
        end => panic!("{end:?}"),
    }
}

/// The reachability rows of an instance; what full exploration finds counts where the oracle is known to be wrong.
pub fn reach_goals(beem: &Beem) -> HashMap<String, Vec<(String, bool)>> {
    let mut goals: HashMap<String, Vec<(String, bool)>> = HashMap::new();
    for row in beem.properties().unwrap().into_iter().filter(|row| row.kind == Asked::Reach) {
        let wrong = row.instance.starts_with("brp2.") && row.formula.contains("first_safe_frame");
        if let Some(verdict) = row.verdict.filter(|_| !wrong) {
            goals.entry(row.instance).or_default().push((row.formula, verdict));
        }
    }
    goals
}
