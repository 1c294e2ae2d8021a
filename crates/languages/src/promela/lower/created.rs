//! Which processes a model creates: for each `run`, the pids of its processes.
//!
//! The numbers are not computed from the text, which would have to bound loops and the deaths of
//! processes. They are observed, in a sample of runs: breadth-first from the initial state, which
//! finds everything near it, and random walks, which find processes that create processes. A step
//! that creates a process without a place is a run-time error of the guarded commands, and the model
//! is lowered again with a place for it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::guarded_commands::{ActionId, CellId, GuardedCommands};
use model::interpreter::Interpreter;
use model::random::Random;

use super::super::program::{Basic, Program};
use super::walk::for_each_basic;

/// States of the breadth-first sample.
const SAMPLED: usize = 400;
/// States that are still sampled after a process without a place was found.
const MORE: usize = 50;
/// Number of random walks, and steps of each.
const WALKS: (usize, usize) = (4, 250);

/// Number of a `run`, in the order of the text.
type RunNumber = usize;

/// The processes that a model creates: it has a place for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreatedProcesses {
    /// For each `run`, its proctype, and the pids that its processes may have.
    runs: BTreeMap<RunNumber, (usize, BTreeSet<u32>)>,
}

/// The steps of a model that create a process without a place.
#[derive(Clone, Debug)]
pub struct MissingProcesses {
    known: CreatedProcesses,
    actions: BTreeMap<ActionId, Missing>,
    /// The cell that counts processes.
    count: CellId,
}

/// A `run` without a place for its process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) run: RunNumber,
    pub(super) proctype: usize,
    /// The pid of the process, where the action knows it.
    pub(super) pid: Option<u32>,
}

/// The numbers of all `run` statements, by their address.
#[derive(Debug)]
pub(super) struct Runs {
    numbers: BTreeMap<*const Basic, RunNumber>,
}

impl Runs {
    pub(super) fn of(program: &Program) -> Self {
        let mut numbers = BTreeMap::new();
        for proctype in &program.proctypes {
            for_each_basic(&proctype.body, &mut |basic| {
                if let Basic::Run { .. } = basic {
                    numbers.insert(std::ptr::from_ref(basic), numbers.len());
                }
            });
        }
        Self { numbers }
    }

    pub(super) fn number(&self, run: &Basic) -> RunNumber {
        self.numbers[&std::ptr::from_ref(run)]
    }
}

impl CreatedProcesses {
    /// Adds a pid; `true` if it is new.
    fn add(&mut self, missing: &Missing, pid: u32) -> bool {
        self.runs.entry(missing.run).or_insert((missing.proctype, BTreeSet::new())).1.insert(pid)
    }

    /// The pids of the processes that a `run` creates.
    pub(super) fn pids(&self, run: RunNumber) -> impl Iterator<Item = u32> + '_ {
        self.runs.get(&run).into_iter().flat_map(|(_, pids)| pids.iter().copied())
    }

    /// All processes that can exist, as pid and proctype, in order.
    pub(super) fn slots(&self, program: &Program) -> BTreeSet<(u32, usize)> {
        let active = program.active.iter().enumerate().map(|(pid, proctype)| (pid as u32, proctype.0));
        let born = self.runs.values().flat_map(|(proctype, pids)| pids.iter().map(|pid| (*pid, *proctype)));
        active.chain(born).collect()
    }
}

impl MissingProcesses {
    pub(super) fn new(known: &CreatedProcesses, actions: BTreeMap<ActionId, Missing>, count: CellId) -> Self {
        Self { known: known.clone(), actions, count }
    }

    /// If a step by this action from this state needs a place for a process: all places with that one
    /// added.
    pub fn needed(&self, action: ActionId, state: &[i64]) -> Option<CreatedProcesses> {
        let missing = self.actions.get(&action)?;
        let pid = missing.pid.or_else(|| u32::try_from(state[self.count.index()]).ok())?;
        let mut known = self.known.clone();
        known.add(missing, pid).then_some(known)
    }

    /// The places of all processes that a sample of runs creates. Those that are known already, if
    /// none is missing.
    pub(super) fn sampled(&self, commands: &GuardedCommands) -> CreatedProcesses {
        let mut found = self.known.clone();
        if self.actions.is_empty() {
            return found;
        }
        let interpreter = Interpreter::new(commands);
        let mut states = vec![commands.initial_state()];
        let mut known: HashSet<Vec<i64>> = states.iter().cloned().collect();
        let mut limit = SAMPLED;
        let mut next = 0;
        while next < states.len().min(limit) {
            let state = states[next].clone();
            next += 1;
            interpreter.for_each_successor(&state, |action, successor| match successor {
                Ok(successor) => {
                    if states.len() < limit && !known.contains(successor) {
                        known.insert(successor.to_vec());
                        states.push(successor.to_vec());
                    }
                }
                Err(_) => {
                    if self.note(action, &state, &mut found) {
                        limit = limit.min(next + MORE);
                    }
                }
            });
        }
        // What is near the initial state comes first: more may follow from it.
        if found == self.known && states.len() >= SAMPLED {
            self.walk(&interpreter, &mut found);
        }
        found
    }

    fn walk(&self, interpreter: &Interpreter<'_>, found: &mut CreatedProcesses) {
        let mut random = Random::new(0);
        let (walks, steps) = WALKS;
        for _ in 0..walks {
            let mut state = interpreter.model().initial_state();
            for _ in 0..steps {
                let mut successors = Vec::new();
                for (action, successor) in interpreter.successors(&state) {
                    match successor {
                        Ok(successor) => successors.push(successor),
                        Err(_) => _ = self.note(action, &state, found),
                    }
                }
                if successors.is_empty() {
                    break;
                }
                state = successors.swap_remove(random.below(successors.len()));
            }
        }
    }

    fn note(&self, action: ActionId, state: &[i64], found: &mut CreatedProcesses) -> bool {
        let Some(missing) = self.actions.get(&action) else { return false };
        let pid = missing.pid.unwrap_or(state[self.count.index()] as u32);
        found.add(missing, pid)
    }
}
