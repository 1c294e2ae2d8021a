//! What actions have to do with each other, whatever the state: which of them get in each other's way, and which can make a guard true.
//!
//! Two actions *conflict* if both can be enabled in one state and do not accord at some cell. A *condition* is a part of an action's guards: that a cell lies in an interval, that it is not a
//! constant, or anything that depends on some cells. Its *enablers* are the actions that can make it true where it is false.
//!
//! All is found cell by cell, and kept in lists: nets have thousands of transitions, each of which touches a few places. Where all actions touch one cell there are as many pairs as there can be; if these become too
//! many, the actions that are left conflict with everything, which is true enough.

use std::collections::HashMap;

use super::cell_access::{Access, Condition, Footprint, Footprints, committing_processes};
use model::guarded_commands::{ActionId, CellId, GuardedCommands, ProcessId};
use model::state_layout::CellRange;
use model::value_ranges::proved_ranges_and_doubts;

/// Pairs of actions that are looked at.
const PAIRS: usize = 100_000_000;

/// Numbers that belong to numbers, one list behind the other.
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

/// A part of guards that is tested on a state by looking at one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellTest {
    /// The cell lies in the range.
    Within(CellId, CellRange),
    /// The cell is not this.
    Differs(CellId, i64),
    /// The process does not stand in a committed location.
    NotCommitted(ProcessId),
    /// The process stands in one.
    Committed(ProcessId),
}

/// The relations between the actions of a model.
#[derive(Debug)]
pub struct Independence {
    footprints: Vec<Footprint>,
    proved: Vec<CellRange>,
    /// For each action, those that get in its way. Behind the last list, actions conflict with all.
    conflicts: Lists,
    /// All different tests of single cells, and who can make each of them true.
    tests: Vec<CellTest>,
    cells_of_tests: Vec<u32>,
    /// Behind the last list, all who change the cell count.
    enablers: Lists,
    /// For each action, the tests that its guards are made of.
    tests_of: Lists,
    /// For each action, the cells that its other conditions depend on.
    depends_on: Lists,
    /// For each cell, those beside the model's last, who may change it.
    writers: Lists,
}

impl Independence {
    /// The relations between the actions of this model.
    pub fn new(model: &GuardedCommands) -> Self {
        let (proved, doubts) = proved_ranges_and_doubts(model);
        let footprints = Footprints::new(model, &proved);
        let footprints: Vec<Footprint> =
            model.actions.iter().zip(&doubts).map(|(action, doubts)| footprints.of(action, doubts)).collect();
        let committing = committing_processes(model);
        let cells = model.cells.len() + committing.len();
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
        made.collect_conditions(model, &committing);
        made
    }

    fn collect_conditions(&mut self, model: &GuardedCommands, committing: &[ProcessId]) {
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
                    Some(number) if access.wanted.low == 0 => add(CellTest::NotCommitted(committing[number])),
                    Some(number) => add(CellTest::Committed(committing[number])),
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
        let beside = |process: &ProcessId| {
            let number = committing.iter().position(|one| one == process).unwrap_or(0);
            CellId((model.cells.len() + number) as u32)
        };
        for test in &self.tests {
            // The cell, and the range that it must enter, or leave.
            let (cell, range, is_entered) = match test {
                CellTest::Within(cell, range) => (*cell, *range, true),
                CellTest::Differs(cell, value) => (*cell, CellRange::exactly(*value), false),
                CellTest::NotCommitted(process) => (beside(process), CellRange::exactly(0), true),
                CellTest::Committed(process) => (beside(process), CellRange::exactly(1), true),
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

    /// What is proved of the model's cells.
    pub fn proved(&self) -> &[CellRange] {
        &self.proved
    }

    /// What the action does.
    pub fn footprint(&self, action: ActionId) -> &Footprint {
        &self.footprints[action.0 as usize]
    }

    /// The actions that get in this one's way, if not all of them do.
    #[inline]
    pub fn conflicts(&self, action: usize) -> Option<&[u32]> {
        (action < self.conflicts.ends.len()).then(|| self.conflicts.of(action))
    }

    /// All different tests.
    pub fn tests(&self) -> &[CellTest] {
        &self.tests
    }

    /// The tests that the action's guards are made of.
    #[inline]
    pub fn tests_of(&self, action: usize) -> &[u32] {
        self.tests_of.of(action)
    }

    /// Who can make the test true.
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

    /// Who may change the cell.
    #[inline]
    pub fn writers(&self, cell: u32) -> &[u32] {
        self.writers.of(cell as usize)
    }

    /// Whether two actions get in each other's way.
    #[cfg(test)]
    pub fn is_conflict(&self, one: usize, other: usize) -> bool {
        self.conflicts(one).is_none_or(|list| list.contains(&(other as u32)))
    }
}

/// For each action, those that it conflicts with, as long as there are not too many pairs.
fn conflicts(footprints: &[Footprint], users: &[Vec<u32>]) -> Lists {
    let mut lists = Lists::default();
    let mut left = PAIRS;
    // Each action is looked at once.
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

/// Whether both can be enabled in one state.
fn can_meet(one: &Footprint, other: &Footprint) -> bool {
    let (few, many) = if one.cells.len() <= other.cells.len() { (one, other) } else { (other, one) };
    !one.never_fires
        && !other.never_fires
        && few
            .cells
            .iter()
            .all(|(cell, access)| many.cells.get(cell).is_none_or(|other| access.is_compatible(other)))
}
