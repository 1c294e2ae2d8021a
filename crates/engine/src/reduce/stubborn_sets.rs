//! A stubborn set for each state, by closure.
//!
//! Beginning with an enabled action, the set grows: by all that conflicts with an enabled member, and, for a member that is not enabled, by all that can make one of its false conditions true. Any
//! false condition will do; the one that adds least is taken. A condition that cannot be tested by a look at one cell may be false, so if all tests are true, those who change what any of the
//! other conditions depends on are added.
//!
//! This is done for each enabled action, as long as there is work left, and the set with the fewest enabled actions wins among those that may be used: see [`Kept`]. Steps to greater keys are tried first.
//! All that is looked at is the state itself, so that the choice is the same whenever the state is expanded, in whatever layout.

use std::sync::Arc;

use super::Kept;
use super::cell_access::Condition;
use super::independence::{CellTest, Independence};
use super::visibility::{may_err, visible_actions};
use model::guarded_commands::{ActionId, Expression, GuardedCommands, ProcessId, Shape};
use model::state_layout::{Field, StateLayout};
use model::value_ranges;

/// Entries of lists that are read for one state.
const WORK: usize = 20_000;

/// Bits of a packed state.
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
    /// The process stands in one of the locations for which this is true.
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
    /// For each action, where the cells are that it may change, in the order of keys.
    changed: Vec<Vec<Bits>>,
    room: Room,
}

/// Room for one choice. Marks are numbers that are never used twice, so that nothing needs to be wiped.
#[derive(Clone, Debug, Default)]
struct Room {
    mark: u64,
    /// For each action, the mark of the last set it was in.
    members: Vec<u64>,
    /// For each action, the mark of the last state it was enabled in, and which step of it that was.
    enabled: Vec<(u64, u32)>,
    /// Members that are still to be looked at.
    open: Vec<u32>,
    /// Steps of the present set, and of the best one.
    steps: Vec<u32>,
    best: Vec<u32>,
    work: usize,
}

/// The steps of a state, all of them.
pub struct Steps<'s> {
    /// The state.
    pub state: &'s [u64],
    /// The actions that lead away.
    pub actions: &'s [u32],
    /// The states they lead to, one behind the other.
    pub successors: &'s [u64],
    /// How progress is in the state, and in those. Without a measure, nothing.
    pub progress: Option<(u64, &'s [u64])>,
}

impl StubbornSets {
    /// For states of this layout, of which this is asked.
    pub fn new(
        model: &GuardedCommands,
        facts: Arc<Independence>,
        layout: &StateLayout,
        kept: Kept,
        predicates: &[Expression],
    ) -> Self {
        // An error must not be put off for ever.
        let kept = if kept == Kept::Deadlocks && may_err(&facts) { Kept::States } else { kept };
        let has_value = |one: &Expression| !value_ranges::may_err(model, facts.proved(), one);
        let visible = match kept {
            Kept::Deadlocks => vec![false; facts.actions()],
            // Whether an automaton asks for a value that is not there depends on how often states are repeated.
            Kept::Runs if !predicates.iter().all(has_value) => vec![true; facts.actions()],
            Kept::States | Kept::Runs => visible_actions(model, &facts, predicates),
        };
        let tests = facts.tests().iter().map(|test| PackedTest::new(test, model, layout)).collect();
        let changed = (0..facts.actions()).map(|action| changed(model, &facts, layout, action)).collect();
        let actions = facts.actions();
        let room = Room { members: vec![0; actions], enabled: vec![(0, 0); actions], ..Room::default() };
        Self { facts, kept, visible, tests, changed, room }
    }

    /// Whether keys are compared.
    pub fn compares_keys(&self) -> bool {
        self.kept != Kept::Deadlocks
    }

    /// Appends the numbers of the steps that are enough, ascending, beginning with `first` for the first one.
    pub fn choose(&mut self, steps: &Steps<'_>, first: usize, chosen: &mut Vec<u32>) {
        let count = steps.actions.len();
        let first = first as u32;
        let all = first..first + count as u32;
        if count < 2 {
            return chosen.extend(all);
        }
        self.room.mark += 1;
        let state_mark = self.room.mark;
        for (number, &action) in (0..).zip(steps.actions) {
            self.room.enabled[action as usize] = (state_mark, number);
        }
        self.room.work = WORK;
        self.room.best.clear();
        let mut fewest = count;
        // Twice: those that lead to greater keys, then the others, if keys count.
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
                    std::mem::swap(&mut self.room.steps, &mut self.room.best);
                    fewest = self.room.best.len();
                }
                if fewest == 1 || self.room.work == 0 {
                    break 'search;
                }
            }
        }
        if fewest == count {
            return chosen.extend(all);
        }
        self.room.best.sort_unstable();
        chosen.extend(self.room.best.iter().map(|step| first + step));
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

    /// Collects the set that begins with a step; `false` if it may not be used, or has not fewer enabled actions.
    fn close(&mut self, steps: &Steps<'_>, seed: usize, state_mark: u64, fewest: usize) -> bool {
        self.room.mark += 1;
        let mark = self.room.mark;
        self.room.steps.clear();
        self.room.open.clear();
        self.room.open.push(steps.actions[seed]);
        self.room.members[steps.actions[seed] as usize] = mark;
        let mut some_greater = self.kept == Kept::Deadlocks;
        while let Some(action) = self.room.open.pop() {
            let number = action as usize;
            let (enabled_mark, step) = self.room.enabled[number];
            if enabled_mark != state_mark {
                if !self.add_enabling(steps.state, number, mark) {
                    return false;
                }
                continue;
            }
            self.room.steps.push(step);
            if self.room.steps.len() >= fewest || self.visible[number] {
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
            if !self.room.add(conflicts, mark) {
                return false;
            }
        }
        some_greater
    }

    /// Adds all that can make a false condition of the action true; `false` if there is no work left.
    fn add_enabling(&mut self, state: &[u64], action: usize, mark: u64) -> bool {
        let Self { facts, tests, room, .. } = self;
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
            let new = enablers.iter().filter(|one| room.members[**one as usize] != mark).take(fewest).count();
            if best.is_none() || new < fewest {
                (best, fewest) = (Some(enablers), new);
            }
            if new == 0 || !room.spend(enablers.len()) {
                break;
            }
        }
        if let Some(enablers) = best {
            return room.add(enablers, mark);
        }
        // Something is false, or the action would be enabled. It may be a constant, which nobody makes true.
        let others = &facts.footprint(ActionId(action as u32)).conditions;
        let is_explained = others.iter().any(|one| matches!(one, Condition::DependsOn(_)));
        debug_assert!(is_explained, "action {action} is not enabled, and all its tests are true");
        is_explained && facts.depends_on(action).iter().all(|cell| room.add(facts.writers(*cell), mark))
    }
}

impl Room {
    /// Counts work; `false` if there is none left.
    fn spend(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_sub(work);
        self.work > 0
    }

    /// Adds those that are not members yet.
    fn add(&mut self, actions: &[u32], mark: u64) -> bool {
        for &action in actions {
            if std::mem::replace(&mut self.members[action as usize], mark) != mark {
                self.open.push(action);
            }
        }
        self.spend(actions.len() + 1)
    }
}

/// Where the cells are that the action may change: locations first, which tend to rise, then the others by number.
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
