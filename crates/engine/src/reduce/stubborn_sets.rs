//! A stubborn set for each state, by the closure algorithm.
//!
//! The set starts with an enabled action. For an enabled member it grows by all actions that
//! conflict with it, and for a disabled member by all enablers of one of its false conditions. Any
//! false condition is sound; the one that adds the fewest enabled actions is chosen, then the one
//! that adds the fewest actions. A condition that reads several cells may be false, so if all tests
//! of single cells are true, all actions that write what the other conditions depend on are added.
//! Conflicts are inevitable, so they are added first, and the choice sees them.
//!
//! The closure is computed from each enabled action until a limit on the work, and the usable set
//! with the fewest enabled actions wins: see [`Kept`]. Steps to greater keys are tried first. The
//! choice depends only on the state itself, so it is the same whenever the state is expanded, in
//! whatever layout.
//!
//! A search without a reduction takes less than a microsecond for a state, so this must be fast.
//! Sets are bits, and a closure ends as soon as it is not better: when it contains as many enabled
//! actions as the best set, one that must not be postponed, or the start of an earlier closure. A
//! condition that is fixed for each disabled action was tried: its closures are reachability in a
//! graph, which took a third less time on lamport.5, but the sets are much larger (needham.3 keeps
//! 94 % of its states instead of 62 %).

use std::sync::Arc;

use super::Kept;
use super::action_sets::{ActionSet, SparseSets, place};
use super::cell_access::Condition;
use super::independence::{CellTest, Independence};
use super::visibility::{may_err, visible_actions};
use model::guarded_commands::{ActionId, Expression, GuardedCommands, LocationKind, ProcessId, Shape};
use model::state_layout::{Field, StateLayout};
use model::value_ranges;

/// Limit on the entries of lists that are read for one state.
const WORK: usize = 20_000;

/// Weight of an enabled action among the actions that a condition adds.
const STEP: u32 = 1_000;

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
        let one_of = |process: ProcessId, kind: LocationKind, is_inside: bool| {
            let process = model.process(process);
            let field = layout.field(process.location);
            let contents = (0..=field.mask().min(process.locations.len() as u64)).map(|content| {
                let location = field.base.saturating_add_unsigned(content);
                let location =
                    usize::try_from(location).ok().and_then(|number| process.locations.get(number));
                location.is_some_and(|location| (location.kind == kind) == is_inside)
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
            CellTest::Outside(process, kind) => one_of(*process, *kind, false),
            CellTest::Inside(process, kind) => one_of(*process, *kind, true),
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

/// For each action and each test, the actions that a set must contain if it contains the action.
/// They depend on the model alone.
#[derive(Debug, Default)]
struct Consequences {
    /// For an enabled action, the actions that conflict with it; then for each test, its enablers;
    /// then for each action, all that write what its other conditions depend on; then one empty set.
    sets: SparseSets,
    /// For each action, its tests: those with the fewest enablers first.
    tests_of: Vec<Vec<u32>>,
    actions: usize,
    tests: usize,
}

impl Consequences {
    fn new(facts: &Independence) -> Self {
        let (actions, tests) = (facts.actions(), facts.tests().len());
        let mut sets = SparseSets::default();
        for action in 0..actions {
            // Actions that conflict with all are refused before their conflicts are read.
            sets.push(facts.conflicts(action).unwrap_or_default().iter().copied());
        }
        for test in 0..tests {
            sets.push(facts.enablers(test as u32).iter().copied());
        }
        for action in 0..actions {
            let written = facts.depends_on(action).iter().flat_map(|cell| facts.writers(*cell));
            let mut writers: Vec<u32> = written.copied().collect();
            writers.sort_unstable();
            writers.dedup();
            sets.push(writers);
        }
        sets.push([]);
        let by_enablers = |action: usize| {
            let mut tests = facts.tests_of(action).to_vec();
            tests.sort_by_key(|test| facts.enablers(*test).len());
            tests
        };
        Self { sets, tests_of: (0..actions).map(by_enablers).collect(), actions, tests }
    }
}

/// Chooses stubborn sets of packed states.
#[derive(Clone, Debug)]
pub struct StubbornSets {
    facts: Arc<Independence>,
    consequences: Arc<Consequences>,
    kept: Kept,
    /// Actions that no reduced expansion may contain: visible ones, and those that conflict with
    /// all.
    refused: ActionSet,
    tests: Vec<PackedTest>,
    /// For each action, the fields of the cells that it may change, in the order of keys.
    changed: Vec<Vec<Bits>>,
    scratch: Scratch,
}

/// Scratch space for one choice.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// The enabled actions, those that lead to greater keys, and those that a better set does not
    /// contain.
    enabled: ActionSet,
    greater: ActionSet,
    barriers: ActionSet,
    /// The current set, and the best one.
    members: ActionSet,
    best: ActionSet,
    /// Members whose consequences were not added yet: a word, and bits of it. Disabled and enabled
    /// ones.
    open: Vec<(u32, u64)>,
    open_enabled: Vec<(u32, u64)>,
    work: usize,
}

/// The result of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closure {
    /// A usable set with this many enabled actions, fewer than the best so far.
    Better(usize),
    /// Not usable, or not smaller.
    Worse,
    /// A stubborn set without a step to a greater key.
    NotGreater,
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
        let actions = facts.actions();
        let mut refused = match kept {
            Kept::Deadlocks => vec![false; actions],
            // Whether an automaton evaluates a predicate without a value depends on stuttering.
            Kept::Runs if !predicates.iter().all(has_value) => vec![true; actions],
            Kept::States | Kept::Runs => visible_actions(model, &facts, predicates),
        };
        for (action, refused) in refused.iter_mut().enumerate() {
            *refused |= facts.conflicts(action).is_none();
        }
        let tests = facts.tests().iter().map(|test| PackedTest::new(test, model, layout)).collect();
        let changed = (0..actions).map(|action| changed(model, &facts, layout, action)).collect();
        let none = ActionSet::new(actions);
        let scratch = Scratch {
            enabled: none.clone(),
            greater: none.clone(),
            barriers: none.clone(),
            members: none.clone(),
            best: none,
            ..Scratch::default()
        };
        let consequences = Arc::new(Consequences::new(&facts));
        Self { facts, consequences, kept, refused: ActionSet::of(&refused), tests, changed, scratch }
    }

    /// Whether the choice compares keys.
    pub fn compares_keys(&self) -> bool {
        self.kept != Kept::Deadlocks
    }

    /// Appends the numbers of the steps to follow, ascending, where `first` is the number of the
    /// first step.
    pub fn choose(&mut self, steps: &Steps<'_>, first: usize, chosen: &mut Vec<u32>) {
        let count = steps.actions.len();
        let numbers = first as u32..(first + count) as u32;
        if count < 2 || !self.find(steps) {
            return chosen.extend(numbers);
        }
        let best = &self.scratch.best;
        chosen
            .extend(numbers.zip(steps.actions).filter(|(_, action)| best.contains(**action)).map(|(i, _)| i));
    }

    /// Finds the best set of a state; `false` if all steps must be followed.
    fn find(&mut self, steps: &Steps<'_>) -> bool {
        self.look_at(steps);
        let mut fewest = steps.actions.len();
        // Two rounds: steps to greater keys, then the others, if keys are compared.
        let passes: &[bool] = match self.kept {
            Kept::Deadlocks | Kept::Runs => &[true],
            Kept::States => &[true, false],
        };
        for wants_greater in passes {
            for &seed in steps.actions {
                if self.compares_keys() && self.scratch.greater.contains(seed) != *wants_greater {
                    continue;
                }
                if let Closure::Better(members) = self.close(steps.state, seed, fewest) {
                    self.scratch.best.copy_from(&self.scratch.members);
                    fewest = members;
                }
                if fewest == 1 || self.scratch.work == 0 {
                    return fewest < steps.actions.len();
                }
            }
        }
        fewest < steps.actions.len()
    }

    /// Enters the enabled actions of a state into the scratch space.
    fn look_at(&mut self, steps: &Steps<'_>) {
        let compares = self.compares_keys();
        self.scratch.work = WORK;
        self.scratch.enabled.clear();
        self.scratch.greater.clear();
        self.scratch.barriers.copy_from(&self.refused);
        for (step, &action) in steps.actions.iter().enumerate() {
            self.scratch.enabled.insert(action);
            if !compares {
                continue;
            }
            if self.is_greater(steps, step) {
                self.scratch.greater.insert(action);
            } else if self.kept == Kept::Runs {
                self.scratch.barriers.insert(action);
            }
        }
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

    /// Computes the set that starts with an enabled action. A set that contains the first action of
    /// an earlier one contains about all of it, and is rarely better. So the first action of each
    /// set becomes a barrier: sets that reach it are given up.
    fn close(&mut self, state: &[u64], seed: u32, fewest: usize) -> Closure {
        let (word, bit) = place(seed);
        if self.scratch.barriers.contains(seed) {
            return Closure::Worse;
        }
        self.scratch.members.clear();
        self.scratch.members.insert(seed);
        self.scratch.open.clear();
        self.scratch.open_enabled.clear();
        self.scratch.open_enabled.push((word as u32, bit));
        let found = self.grow(state, fewest);
        let is_greater = |scratch: &Scratch| {
            let words = scratch.members.words().iter().zip(scratch.enabled.words());
            words.zip(scratch.greater.words()).any(|((one, other), greater)| one & other & greater != 0)
        };
        if self.compares_keys() && found != Closure::Worse && !is_greater(&self.scratch) {
            return Closure::NotGreater;
        }
        self.scratch.barriers.insert(seed);
        found
    }

    /// Adds the consequences of all members that are open. Those of enabled ones are inevitable, so
    /// they come first, and the choice among false conditions sees them.
    fn grow(&mut self, state: &[u64], fewest: usize) -> Closure {
        let mut count = 1;
        loop {
            let set = if let Some((word, bits)) = self.scratch.open_enabled.pop() {
                if bits & (bits - 1) != 0 {
                    self.scratch.open_enabled.push((word, bits & (bits - 1)));
                }
                Some((word * 64 + bits.trailing_zeros()) as usize)
            } else if let Some((word, bits)) = self.scratch.open.pop() {
                if bits & (bits - 1) != 0 {
                    self.scratch.open.push((word, bits & (bits - 1)));
                }
                self.explain(state, word * 64 + bits.trailing_zeros())
            } else {
                return Closure::Better(count);
            };
            let Some(set) = set else { return Closure::Worse };
            let Scratch { enabled, barriers, members, open, open_enabled, work, .. } = &mut self.scratch;
            let added = self.consequences.sets.of(set);
            *work = work.saturating_sub(added.len() + 1);
            if *work == 0 {
                return Closure::Worse;
            }
            let (enabled, barriers, members) = (enabled.words(), barriers.words(), members.words_mut());
            for &(word, bits) in added {
                let place = word as usize;
                let new = bits & !members[place];
                if new == 0 {
                    continue;
                }
                members[place] |= new;
                let steps = new & enabled[place];
                if steps != 0 {
                    count += steps.count_ones() as usize;
                    if count >= fewest || steps & barriers[place] != 0 {
                        return Closure::Worse;
                    }
                    open_enabled.push((word, steps));
                }
                if new != steps {
                    open.push((word, new ^ steps));
                }
            }
        }
    }

    /// The set of enablers of a false condition of an action that is not enabled: the one that adds
    /// the fewest steps and actions.
    fn explain(&mut self, state: &[u64], action: u32) -> Option<usize> {
        let Consequences { sets, tests_of, actions, tests } = &*self.consequences;
        let Scratch { enabled, members, work, .. } = &mut self.scratch;
        let (enabled, members) = (enabled.words(), members.words());
        let number = action as usize;
        let mut best = None;
        let mut fewest = u32::MAX;
        for &test in &tests_of[number] {
            if self.tests[test as usize].is_true(state) {
                continue;
            }
            let set = actions + test as usize;
            let added = sets.of(set);
            *work = work.saturating_sub(added.len());
            let mut cost = 0;
            for &(word, bits) in added {
                let new = bits & !members[word as usize];
                let steps = new & enabled[word as usize];
                cost += new.count_ones() + STEP * steps.count_ones();
            }
            if cost < fewest {
                (best, fewest) = (Some(set), cost);
            }
            if cost == 0 || *work == 0 {
                break;
            }
        }
        if best.is_some() {
            return best;
        }
        let footprint = self.facts.footprint(ActionId(action));
        if footprint.never_fires {
            return Some(2 * actions + tests);
        }
        // Some condition is false, since the action is disabled. It may be a constant, which has no
        // enablers.
        let is_explained = footprint.conditions.iter().any(|one| matches!(one, Condition::DependsOn(_)));
        debug_assert!(is_explained, "action {action} is not enabled, and all its tests are true");
        is_explained.then_some(actions + tests + number)
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
