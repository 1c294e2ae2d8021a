//! Relations between actions that hold in every state: which actions interfere, and which can make
//! a guard true.
//!
//! Two actions *conflict* if both can be enabled in one state and are not independent at some cell.
//! A *condition* is a conjunct of an action's guards: a cell lies in an interval, a cell differs
//! from a constant, or anything that depends on some cells. Its *enablers* are the actions that can
//! make it true where it is false.
//!
//! All relations are computed cell by cell and kept in lists, because nets have thousands of
//! transitions that touch a few places each. If all actions touch one cell, the number of pairs is
//! quadratic. Beyond a limit, the remaining actions are taken to conflict with everything, which is
//! sound.

use std::collections::HashMap;

use super::cell_access::{Access, Condition, Footprint, Footprints, Urgency, urgencies};
use model::guarded_commands::{ActionId, CellId, GuardedCommands, LocationKind, ProcessId};
use model::state_layout::CellRange;
use model::value_ranges::proved_ranges_and_doubts;

/// Limit on the number of pairs of actions that are compared.
const PAIRS: usize = 100_000_000;

/// Lists of numbers, indexed by number and stored contiguously.
#[derive(Clone, Debug, Default)]
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.ends.push(self.items.len() as u32);
    }

    #[inline]
    fn of(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[start as usize..self.ends[number] as usize]
    }
}

/// A condition that reads one cell of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellTest {
    /// The cell lies in the range.
    Within(CellId, CellRange),
    /// The cell does not hold this value.
    Differs(CellId, i64),
    /// The process is not in a location of this kind.
    Outside(ProcessId, LocationKind),
    /// The process is in a location of this kind.
    Inside(ProcessId, LocationKind),
}

/// The relations between the actions of a model.
#[derive(Debug)]
pub struct Independence {
    footprints: Vec<Footprint>,
    proved: Vec<CellRange>,
    /// For each action, the actions that conflict with it. Actions after the last list conflict
    /// with all.
    conflicts: Lists,
    /// All distinct tests of single cells, with the cell of each and its enablers.
    tests: Vec<CellTest>,
    cells_of_tests: Vec<u32>,
    /// For tests after the last list, every writer of the cell counts.
    enablers: Lists,
    /// For each action, the tests among its guards.
    tests_of: Lists,
    /// For each action, the cells that its other conditions depend on.
    depends_on: Lists,
    /// For each cell, extra ones last, the actions that may change it.
    writers: Lists,
}

impl Independence {
    /// The relations between the actions of this model.
    pub fn new(model: &GuardedCommands) -> Self {
        let (proved, doubts) = proved_ranges_and_doubts(model);
        let footprints = Footprints::new(model, &proved);
        let footprints: Vec<Footprint> =
            model.actions.iter().zip(&doubts).map(|(action, doubts)| footprints.of(action, doubts)).collect();
        let urgencies = urgencies(model);
        let cells = model.cells.len() + urgencies.len();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); cells];
        for (number, footprint) in (0..).zip(&footprints) {
            footprint.cells.keys().for_each(|cell| users[cell.index()].push(number));
        }
        let mut made = Self {
            conflicts: conflicts(&footprints, &users),
            footprints,
            proved,
            tests: Vec::new(),
            cells_of_tests: Vec::new(),
            enablers: Lists::default(),
            tests_of: Lists::default(),
            depends_on: Lists::default(),
            writers: Lists::default(),
        };
        for (number, users) in (0..).zip(&users) {
            let writes = |action: &u32| made.footprints[*action as usize].cells[&CellId(number)].writes();
            made.writers.push(users.iter().copied().filter(writes));
        }
        made.collect_conditions(model, &urgencies);
        made
    }

    fn collect_conditions(&mut self, model: &GuardedCommands, urgencies: &[Urgency]) {
        let mut numbers: HashMap<CellTest, u32> = HashMap::new();
        for footprint in &self.footprints {
            let mut tests = Vec::new();
            let mut add = |test: CellTest| {
                let number = *numbers.entry(test).or_insert_with(|| {
                    self.tests.push(test);
                    self.tests.len() as u32 - 1
                });
                tests.push(number);
            };
            for (cell, access) in footprint.cells.iter().filter(|(_, access)| access.is_test) {
                match cell.index().checked_sub(model.cells.len()) {
                    None => add(CellTest::Within(*cell, access.wanted)),
                    Some(number) => {
                        let (process, kind) = urgencies[number];
                        let is_outside = access.wanted.low == 0;
                        let test = if is_outside { CellTest::Outside } else { CellTest::Inside };
                        add(test(process, kind));
                    }
                }
            }
            let mut depends_on = Vec::new();
            for condition in &footprint.conditions {
                match condition {
                    Condition::Differs(cell, value) => add(CellTest::Differs(*cell, *value)),
                    Condition::DependsOn(cells) => depends_on.extend(cells.iter().map(|cell| cell.0)),
                }
            }
            depends_on.sort_unstable();
            depends_on.dedup();
            self.tests_of.push(tests);
            self.depends_on.push(depends_on);
        }
        let beside = |process: ProcessId, kind: LocationKind| {
            let number = urgencies.iter().position(|one| *one == (process, kind)).unwrap_or(0);
            CellId((model.cells.len() + number) as u32)
        };
        for test in &self.tests {
            // The cell, and the range that it must enter or leave.
            let (cell, range, is_entered) = match test {
                CellTest::Within(cell, range) => (*cell, *range, true),
                CellTest::Differs(cell, value) => (*cell, CellRange::exactly(*value), false),
                CellTest::Outside(process, kind) => (beside(*process, *kind), CellRange::exactly(0), true),
                CellTest::Inside(process, kind) => (beside(*process, *kind), CellRange::exactly(1), true),
            };
            let enters = |access: &Access| match is_entered {
                true => access.can_enter(range),
                false => access.can_leave(range),
            };
            self.cells_of_tests.push(cell.0);
            if self.enablers.items.len() > PAIRS || self.enablers.ends.len() + 1 < self.cells_of_tests.len() {
                continue;
            }
            let enables = |action: &u32| enters(&self.footprints[*action as usize].cells[&cell]);
            self.enablers.push(self.writers.of(cell.index()).iter().copied().filter(enables));
        }
    }

    /// Number of actions.
    pub fn actions(&self) -> usize {
        self.footprints.len()
    }

    /// The proved ranges of the model's cells.
    pub fn proved(&self) -> &[CellRange] {
        &self.proved
    }

    /// The footprint of an action.
    pub fn footprint(&self, action: ActionId) -> &Footprint {
        &self.footprints[action.0 as usize]
    }

    /// The actions that conflict with this one; `None` if all do.
    #[inline]
    pub fn conflicts(&self, action: usize) -> Option<&[u32]> {
        (action < self.conflicts.ends.len()).then(|| self.conflicts.of(action))
    }

    /// All distinct tests.
    pub fn tests(&self) -> &[CellTest] {
        &self.tests
    }

    /// The tests among the action's guards.
    #[inline]
    pub fn tests_of(&self, action: usize) -> &[u32] {
        self.tests_of.of(action)
    }

    /// The actions that can make the test true.
    #[inline]
    pub fn enablers(&self, test: u32) -> &[u32] {
        let test = test as usize;
        if test < self.enablers.ends.len() {
            self.enablers.of(test)
        } else {
            self.writers(self.cells_of_tests[test])
        }
    }

    /// The cells that the action's other conditions depend on.
    #[inline]
    pub fn depends_on(&self, action: usize) -> &[u32] {
        self.depends_on.of(action)
    }

    /// The actions that may change the cell.
    #[inline]
    pub fn writers(&self, cell: u32) -> &[u32] {
        self.writers.of(cell as usize)
    }

    /// Whether two actions conflict.
    #[cfg(test)]
    pub fn is_conflict(&self, one: usize, other: usize) -> bool {
        self.conflicts(one).is_none_or(|list| list.contains(&(other as u32)))
    }
}

/// For each action, the actions that it conflicts with, up to the limit on pairs.
fn conflicts(footprints: &[Footprint], users: &[Vec<u32>]) -> Lists {
    let mut lists = Lists::default();
    let mut left = PAIRS;
    // Each pair is compared once.
    let mut seen = vec![u32::MAX; footprints.len()];
    for (number, footprint) in (0..).zip(footprints) {
        let pairs: usize = footprint.cells.keys().map(|cell| users[cell.index()].len()).sum();
        let Some(rest) = left.checked_sub(pairs) else { break };
        left = rest;
        let mut list = Vec::new();
        for (cell, access) in &footprint.cells {
            for &other in &users[cell.index()] {
                if other == number || seen[other as usize] == number {
                    continue;
                }
                let another = &footprints[other as usize];
                if !access.accords(&another.cells[cell]) {
                    seen[other as usize] = number;
                    if can_meet(footprint, another) {
                        list.push(other);
                    }
                }
            }
        }
        list.sort_unstable();
        lists.push(list);
    }
    lists
}

/// Whether both actions can be enabled in one state.
fn can_meet(one: &Footprint, other: &Footprint) -> bool {
    let (few, many) = if one.cells.len() <= other.cells.len() { (one, other) } else { (other, one) };
    !one.never_fires
        && !other.never_fires
        && few
            .cells
            .iter()
            .all(|(cell, access)| many.cells.get(cell).is_none_or(|other| access.is_compatible(other)))
}
