//! Control locations, and which of them let other processes wait.
//!
//! A state has the priority of the greatest [kind](LocationKind) of location that some process is in,
//! and only actions of the same [priority](GuardedCommands::priority) fire. Committed locations are
//! those of DVE. Intermediate locations are the inside of an atomic sequence: its steps are steps of
//! the search, but the states between them are no states of the model.

use std::sync::Arc;

use serde::Serialize;

use super::{Action, BinaryOperator, CellId, Expression, GuardedCommands, LocationId, ProcessId, Span};
use crate::value_order::ValueOrder;

/// Most contiguous pieces of a set of locations that are compared one by one.
const FEW_PIECES: usize = 3;

/// A control location.
#[derive(Clone, Debug, Serialize)]
pub struct Location {
    /// The name in the model.
    pub name: String,
    /// Which steps are possible while a process is in it.
    pub kind: LocationKind,
    /// Where it is declared.
    pub span: Span,
}

/// Which steps are possible while a process is in a location. Greater kinds go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum LocationKind {
    /// Every step of any process.
    #[default]
    Ordinary,
    /// Only actions whose participants are all in committed locations.
    Committed,
    /// Only actions in which the process takes part: it has control. The state is no state of the
    /// model: it is not counted, and properties do not refer to it.
    ///
    /// One process has control at a time: at most one participant of an action moves into an
    /// intermediate location, and no process starts in one. The process must be able to go on: an
    /// atomic sequence that blocks leaves for an ordinary location.
    Intermediate,
}

impl LocationKind {
    /// All kinds, those that go first at the end.
    pub const ALL: [Self; 3] = [Self::Ordinary, Self::Committed, Self::Intermediate];
}

impl GuardedCommands {
    /// The kind of a location.
    pub fn location_kind(&self, process: ProcessId, location: LocationId) -> LocationKind {
        self.process(process).locations[location.0 as usize].kind
    }

    /// Whether some process has locations of this kind.
    pub fn has_locations(&self, kind: LocationKind) -> bool {
        self.processes.iter().flat_map(|process| &process.locations).any(|location| location.kind == kind)
    }

    /// The priority of a state: the greatest kind of location that some process is in.
    pub fn state_priority(&self, state: &[i64]) -> LocationKind {
        let kind =
            |process: &super::Process| process.locations[state[process.location.index()] as usize].kind;
        self.processes.iter().map(kind).max().unwrap_or_default()
    }

    /// The priority of an action, which fires only in states of the same one. `None` if it never
    /// fires, because only some of its participants leave committed locations.
    pub fn priority(&self, action: &Action) -> Option<LocationKind> {
        let kinds = || action.participants.iter().map(|one| self.location_kind(one.process, one.from));
        let greatest = kinds().max().unwrap_or_default();
        let fires = greatest != LocationKind::Committed || kinds().all(|kind| kind == greatest);
        fires.then_some(greatest)
    }

    /// Whether the action leads to an intermediate state.
    pub fn enters_intermediate(&self, action: &Action) -> bool {
        let kinds = action.participants.iter().map(|one| self.location_kind(one.process, one.to));
        kinds.max() == Some(LocationKind::Intermediate)
    }

    /// An expression that is true in the intermediate states; `None` if the model has none.
    pub fn intermediate(&self) -> Option<Expression> {
        let mut tests = Vec::new();
        for process in &self.processes {
            let numbered = (0..).zip(&process.locations);
            let inside = numbered.filter(|(_, location)| location.kind == LocationKind::Intermediate);
            let inside: Vec<i64> = inside.map(|(number, _)| number).collect();
            if !inside.is_empty() {
                tests.push(is_one_of(process.location, &inside));
            }
        }
        (!tests.is_empty()).then(|| Expression::any(tests))
    }
}

/// An expression that is true if the cell holds one of these values, which ascend.
fn is_one_of(cell: CellId, values: &[i64]) -> Expression {
    let pieces: Vec<(i64, i64)> = values
        .chunk_by(|one, next| one + 1 == *next)
        .map(|piece| (piece[0], piece[piece.len() - 1]))
        .collect();
    let cell = || Expression::Cell(cell);
    if pieces.len() > FEW_PIECES
        && let Some(order) = ValueOrder::new(&[values])
    {
        let rank = Expression::Rank(Box::new(cell()), Arc::new(order));
        return Expression::binary(BinaryOperator::Equal, rank, Expression::Constant(0));
    }
    let compared = |operator, value| Expression::binary(operator, cell(), Expression::Constant(value));
    Expression::any(pieces.into_iter().map(|(low, high)| match low == high {
        true => compared(BinaryOperator::Equal, low),
        false => Expression::binary(
            BinaryOperator::And,
            compared(BinaryOperator::GreaterOrEqual, low),
            compared(BinaryOperator::LessOrEqual, high),
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::Participant;
    use crate::interpreter::Interpreter;

    use LocationKind::{Committed, Intermediate, Ordinary};

    /// A model with processes whose locations are of these kinds.
    fn model(processes: &[&[LocationKind]]) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        for kinds in processes {
            let location =
                |kind: &LocationKind| Location { name: "l".into(), kind: *kind, span: Span::default() };
            let locations = kinds.iter().map(location).collect();
            model.add_process("P", locations, LocationId(0), Span::default());
        }
        model
    }

    fn action(moves: &[(u32, u32, u32)]) -> Action {
        let participant = |&(process, from, to): &(u32, u32, u32)| Participant {
            process: ProcessId(process),
            from: LocationId(from),
            to: LocationId(to),
            guards: vec![],
            span: Span::default(),
        };
        Action {
            participants: moves.iter().map(participant).collect(),
            effects: vec![],
            channel: None,
            name: None,
        }
    }

    #[test]
    fn the_process_with_control_may_meet_any_other() {
        let model = model(&[&[Ordinary, Intermediate, Committed], &[Ordinary, Committed]]);
        let priority = |moves: &[(u32, u32, u32)]| model.priority(&action(moves));
        assert_eq!(priority(&[(0, 0, 0), (1, 0, 0)]), Some(Ordinary));
        assert_eq!(priority(&[(0, 1, 0), (1, 0, 0)]), Some(Intermediate));
        assert_eq!(priority(&[(1, 1, 0), (0, 1, 0)]), Some(Intermediate));
        assert_eq!(priority(&[(0, 2, 0), (1, 1, 0)]), Some(Committed));
        assert_eq!(priority(&[(0, 2, 0), (1, 0, 0)]), None);
        assert!(model.enters_intermediate(&action(&[(1, 0, 1), (0, 0, 1)])));
        assert!(!model.enters_intermediate(&action(&[(0, 1, 0), (1, 0, 1)])));
        assert_eq!([[0, 0], [0, 1], [1, 1]].map(|state| model.state_priority(&state)), LocationKind::ALL);
    }

    #[test]
    fn intermediate_states_are_told_by_any_number_of_pieces() {
        assert_eq!(model(&[&[Ordinary, Committed]]).intermediate(), None);
        let kinds = |inside: &[usize]| -> Vec<LocationKind> {
            (0..20).map(|number| if inside.contains(&number) { Intermediate } else { Ordinary }).collect()
        };
        for inside in [&[3, 4, 5][..], &[1], &[1, 2, 9, 11, 12], &[1, 3, 5, 7, 9, 10, 19]] {
            let model = model(&[&[Ordinary], &kinds(inside)]);
            let test = model.intermediate().unwrap();
            for location in 0..20 {
                let state = [0, location];
                let expected = i64::from(inside.contains(&(location as usize)));
                assert_eq!(Interpreter::new(&model).evaluate(&test, &state), Ok(expected));
            }
        }
    }

    #[test]
    fn nobody_else_moves_while_a_process_has_control() {
        let mut model = model(&[&[Ordinary, Intermediate], &[Ordinary, Committed], &[Ordinary]]);
        let both = [(1, 1, 0), (0, 1, 0)];
        model.actions =
            [&[(0, 0, 1)][..], &[(1, 0, 1)], &[(1, 1, 0)], &both, &[(0, 1, 0), (2, 0, 0)]].map(action).into();
        let interpreter = Interpreter::new(&model);
        let enabled = |state: &[i64]| -> Vec<u32> {
            interpreter.successors(state).iter().map(|(action, _)| action.0).collect()
        };
        assert_eq!(enabled(&[0, 0, 0]), [0, 1]);
        assert_eq!(enabled(&[0, 1, 0]), [2]);
        // A partner may be in any location.
        assert_eq!(enabled(&[1, 0, 0]), [4]);
        assert_eq!(enabled(&[1, 1, 0]), [4, 3]);
    }
}
