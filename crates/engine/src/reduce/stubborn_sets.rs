//! A stubborn set for each state, by the closure algorithm.
//!
//! The set starts with an enabled action. For an enabled member it grows by all actions that
//! conflict with it, and for a disabled member by all enablers of one of its false conditions. Any
//! false condition is sound; the one that adds the fewest actions is chosen. A condition that reads
//! several cells may be false, so if all tests of single cells are true, all actions that write
//! what the other conditions depend on are added.
//!
//! The closure is computed from each enabled action until a limit on the work, and the usable set
//! with the fewest enabled actions wins: see [`Kept`]. Steps to greater keys are tried first. The
//! choice depends only on the state itself, so it is the same whenever the state is expanded, in
//! whatever layout.

use std::sync::Arc;

use super::Kept;
use super::cell_access::Condition;
use super::independence::{CellTest, Independence};
use super::visibility::{may_err, visible_actions};
use model::guarded_commands::{ActionId, Expression, GuardedCommands, ProcessId, Shape};
use model::state_layout::{Field, StateLayout};
use model::value_ranges;

/// Limit on the entries of lists that are read for one state.
const WORK: usize = 20_000;

/// A bit field of a packed state.
#[derive(Clone, Copy, Debug)]
struct Bits {
    word: u32,
    shift: u8,
    mask: u64,
}

impl Bits {
    fn new(field: &Field) -> Self {
        Self { word: field.word, shift: field.shift, mask: field.mask() }
    }

    #[inline]
    fn of(self, state: &[u64]) -> u64 {
        state[self.word as usize] >> self.shift & self.mask
    }
}

/// A test of a packed state.
#[derive(Clone, Debug)]
enum PackedTest {
    Within(Bits, u64, u64),
    Differs(Bits, u64),
    /// The process is in one of the locations for which the list has `true`.
    OneOf(Bits, Vec<bool>),
}

impl PackedTest {
    fn new(test: &CellTest, model: &GuardedCommands, layout: &StateLayout) -> Self {
        let one_of = |process: ProcessId, committed: bool| {
            let process = model.process(process);
            let field = layout.field(process.location);
            let contents = (0..=field.mask().min(process.locations.len() as u64)).map(|content| {
                let location = field.base.saturating_add_unsigned(content);
                let location =
                    usize::try_from(location).ok().and_then(|number| process.locations.get(number));
                location.is_some_and(|location| location.committed == committed)
            });
            Self::OneOf(Bits::new(&field), contents.collect())
        };
        match test {
            CellTest::Within(cell, range) => {
                let field = layout.field(*cell);
                let capacity = field.capacity();
                let (low, high) = (range.low.max(capacity.low), range.high.min(capacity.high));
                if low > high {
                    return Self::Within(Bits::new(&field), 1, 0);
                }
                let content = |value: i64| value.wrapping_sub(field.base) as u64;
                Self::Within(Bits::new(&field), content(low), content(high))
            }
            CellTest::Differs(cell, value) => {
                let field = layout.field(*cell);
                Self::Differs(Bits::new(&field), value.wrapping_sub(field.base) as u64)
            }
            CellTest::NotCommitted(process) => one_of(*process, false),
            CellTest::Committed(process) => one_of(*process, true),
        }
    }

    #[inline]
    fn is_true(&self, state: &[u64]) -> bool {
        match self {
            Self::Within(bits, low, high) => (*low..=*high).contains(&bits.of(state)),
            Self::Differs(bits, value) => bits.of(state) != *value,
            Self::OneOf(bits, locations) => locations.get(bits.of(state) as usize).copied().unwrap_or(false),
        }
    }
}

/// Chooses stubborn sets of packed states.
#[derive(Clone, Debug)]
pub struct StubbornSets {
    facts: Arc<Independence>,
    kept: Kept,
    visible: Vec<bool>,
    tests: Vec<PackedTest>,
    /// For each action, the fields of the cells that it may change, in the order of keys.
    changed: Vec<Vec<Bits>>,
    scratch: Scratch,
}

/// Scratch space for one choice. Marks are never used twice, so that nothing needs to be cleared.
#[derive(Clone, Debug, Default)]
struct Scratch {
    mark: u64,
    /// For each action, the mark of the last set that contained it.
    members: Vec<u64>,
    /// For each action, the mark of the last state that enabled it, and the number of its step
    /// there.
    enabled: Vec<(u64, u32)>,
    /// Members whose consequences were not added yet.
    open: Vec<u32>,
    /// Steps of the current set, and of the best one.
    steps: Vec<u32>,
    best: Vec<u32>,
    work: usize,
}

/// All steps of a state.
pub struct Steps<'s> {
    /// The state.
    pub state: &'s [u64],
    /// The enabled actions.
    pub actions: &'s [u32],
    /// The successors, stored contiguously.
    pub successors: &'s [u64],
    /// The progress values of the state and of its successors, if there is a measure.
    pub progress: Option<(u64, &'s [u64])>,
}

impl StubbornSets {
    /// Stubborn sets for states of this layout that preserve the truth of these predicates.
    pub fn new(
        model: &GuardedCommands,
        facts: Arc<Independence>,
        layout: &StateLayout,
        kept: Kept,
        predicates: &[Expression],
    ) -> Self {
        // An error must not be postponed indefinitely.
        let kept = if kept == Kept::Deadlocks && may_err(&facts) { Kept::States } else { kept };
        let has_value = |one: &Expression| !value_ranges::may_err(model, facts.proved(), one);
        let visible = match kept {
            Kept::Deadlocks => vec![false; facts.actions()],
            // Whether an automaton evaluates a predicate without a value depends on stuttering.
            Kept::Runs if !predicates.iter().all(has_value) => vec![true; facts.actions()],
            Kept::States | Kept::Runs => visible_actions(model, &facts, predicates),
        };
        let tests = facts.tests().iter().map(|test| PackedTest::new(test, model, layout)).collect();
        let changed = (0..facts.actions()).map(|action| changed(model, &facts, layout, action)).collect();
        let actions = facts.actions();
        let scratch =
            Scratch { members: vec![0; actions], enabled: vec![(0, 0); actions], ..Scratch::default() };
        Self { facts, kept, visible, tests, changed, scratch }
    }

    /// Whether the choice compares keys.
    pub fn compares_keys(&self) -> bool {
        self.kept != Kept::Deadlocks
    }

    /// Appends the numbers of the steps to follow, ascending, where `first` is the number of the
    /// first step.
    pub fn choose(&mut self, steps: &Steps<'_>, first: usize, chosen: &mut Vec<u32>) {
        let count = steps.actions.len();
        let first = first as u32;
        let all = first..first + count as u32;
        if count < 2 {
            return chosen.extend(all);
        }
        self.scratch.mark += 1;
        let state_mark = self.scratch.mark;
        for (number, &action) in (0..).zip(steps.actions) {
            self.scratch.enabled[action as usize] = (state_mark, number);
        }
        self.scratch.work = WORK;
        self.scratch.best.clear();
        let mut fewest = count;
        // Two rounds: steps to greater keys, then the others, if keys are compared.
        let passes: &[bool] = match self.kept {
            Kept::Deadlocks => &[true],
            Kept::States => &[true, false],
            Kept::Runs => &[true],
        };
        'search: for wants_greater in passes {
            for seed in 0..count {
                if self.compares_keys() && self.is_greater(steps, seed) != *wants_greater {
                    continue;
                }
                if self.close(steps, seed, state_mark, fewest) {
                    std::mem::swap(&mut self.scratch.steps, &mut self.scratch.best);
                    fewest = self.scratch.best.len();
                }
                if fewest == 1 || self.scratch.work == 0 {
                    break 'search;
                }
            }
        }
        if fewest == count {
            return chosen.extend(all);
        }
        self.scratch.best.sort_unstable();
        chosen.extend(self.scratch.best.iter().map(|step| first + step));
    }

    /// Whether the step leads to a state with a greater key.
    fn is_greater(&self, steps: &Steps<'_>, step: usize) -> bool {
        if let Some((before, after)) = steps.progress
            && after[step] != before
        {
            return after[step] > before;
        }
        let successor = &steps.successors[step * steps.state.len()..];
        for bits in &self.changed[steps.actions[step] as usize] {
            let (before, after) = (bits.of(steps.state), bits.of(successor));
            if before != after {
                return after > before;
            }
        }
        false
    }

    /// Computes the set that starts with a step; `false` if it is not usable, or not smaller.
    fn close(&mut self, steps: &Steps<'_>, seed: usize, state_mark: u64, fewest: usize) -> bool {
        self.scratch.mark += 1;
        let mark = self.scratch.mark;
        self.scratch.steps.clear();
        self.scratch.open.clear();
        self.scratch.open.push(steps.actions[seed]);
        self.scratch.members[steps.actions[seed] as usize] = mark;
        let mut some_greater = self.kept == Kept::Deadlocks;
        while let Some(action) = self.scratch.open.pop() {
            let number = action as usize;
            let (enabled_mark, step) = self.scratch.enabled[number];
            if enabled_mark != state_mark {
                if !self.add_enabling(steps.state, number, mark) {
                    return false;
                }
                continue;
            }
            self.scratch.steps.push(step);
            if self.scratch.steps.len() >= fewest || self.visible[number] {
                return false;
            }
            if self.compares_keys() {
                let is_greater = self.is_greater(steps, step as usize);
                if self.kept == Kept::Runs && !is_greater {
                    return false;
                }
                some_greater |= is_greater;
            }
            let Some(conflicts) = self.facts.conflicts(number) else { return false };
            if !self.scratch.add(conflicts, mark) {
                return false;
            }
        }
        some_greater
    }

    /// Adds the enablers of a false condition of the action; `false` if the limit on the work is
    /// reached.
    fn add_enabling(&mut self, state: &[u64], action: usize, mark: u64) -> bool {
        let Self { facts, tests, scratch, .. } = self;
        if facts.footprint(ActionId(action as u32)).never_fires {
            return true;
        }
        let mut best: Option<&[u32]> = None;
        let mut fewest = usize::MAX;
        for &test in facts.tests_of(action) {
            if tests[test as usize].is_true(state) {
                continue;
            }
            let enablers = facts.enablers(test);
            let new =
                enablers.iter().filter(|one| scratch.members[**one as usize] != mark).take(fewest).count();
            if best.is_none() || new < fewest {
                (best, fewest) = (Some(enablers), new);
            }
            if new == 0 || !scratch.spend(enablers.len()) {
                break;
            }
        }
        if let Some(enablers) = best {
            return scratch.add(enablers, mark);
        }
        // Some condition is false, since the action is disabled. It may be a constant, which has no
        // enablers.
        let others = &facts.footprint(ActionId(action as u32)).conditions;
        let is_explained = others.iter().any(|one| matches!(one, Condition::DependsOn(_)));
        debug_assert!(is_explained, "action {action} is not enabled, and all its tests are true");
        is_explained && facts.depends_on(action).iter().all(|cell| scratch.add(facts.writers(*cell), mark))
    }
}

impl Scratch {
    /// Counts work; `false` if the limit is reached.
    fn spend(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_sub(work);
        self.work > 0
    }

    /// Adds actions that are not members yet.
    fn add(&mut self, actions: &[u32], mark: u64) -> bool {
        for &action in actions {
            if std::mem::replace(&mut self.members[action as usize], mark) != mark {
                self.open.push(action);
            }
        }
        self.spend(actions.len() + 1)
    }
}

/// The fields of the cells that the action may change: locations first, which tend to increase,
/// then the others by number.
fn changed(model: &GuardedCommands, facts: &Independence, layout: &StateLayout, action: usize) -> Vec<Bits> {
    let written = facts.footprint(ActionId(action as u32)).cells.iter();
    let written = written.filter(|(cell, access)| access.writes() && cell.index() < model.cells.len());
    let mut cells: Vec<_> = written.map(|(cell, _)| *cell).collect();
    let is_location =
        |cell: usize| matches!(model.variable(model.cells[cell].variable).shape, Shape::Location(_));
    cells.sort_by_key(|cell| (!is_location(cell.index()), *cell));
    let fields = cells.into_iter().map(|cell| layout.field(cell));
    fields.filter(|field| field.bits > 0).map(|field| Bits::new(&field)).collect()
}
