//! Weak fairness: a process that can always move from some point on does so again and again.
//!
//! A run is fair if, for each process, it passes infinitely often through a state in which the process cannot move, or through a step in which it takes part. These are acceptance
//! conditions beside the automaton's own, one for each process. A counter beside the automaton's state turns them into one: it waits first for the automaton to accept, then
//! for the first process, the second, and so on, and begins anew. (Choueka 1974; SPIN has it in copies of the state space.) Conditions that a step meets
//! one after the other are counted at once, so that loops are no longer than they must be. The product has at most one more copy of each state than there are
//! processes, and only of those from which the automaton can still accept.
//!
//! What a process can do is read off the steps of the whole model: one that waits for a partner, or while another is in a committed location, cannot move.

use crate::model::guarded_commands::ActionId;

/// Which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    #[default]
    Unfair,
    /// Those in which no process that can always move rests for ever.
    Weak,
}

/// The most processes that are told apart.
pub const MOST_PROCESSES: usize = 64;

/// The processes that take part in each action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participants {
    of_action: Vec<u64>,
    processes: u32,
}

impl Participants {
    /// From the numbers of the processes that take part in each action; `None` if there are more than [`MOST_PROCESSES`]. Processes that never move are
    /// not counted.
    pub fn new(of_action: &[Vec<u32>]) -> Option<Self> {
        let mut moving: Vec<u32> = of_action.concat();
        moving.sort_unstable();
        moving.dedup();
        if moving.len() > MOST_PROCESSES {
            return None;
        }
        let bit = |process: &u32| moving.binary_search(process).map_or(0, |number| 1 << number);
        let mask = |processes: &Vec<u32>| processes.iter().map(bit).fold(0, |mask, bit: u64| mask | bit);
        Some(Self { of_action: of_action.iter().map(mask).collect(), processes: moving.len() as u32 })
    }

    /// Those of this action. Nobody takes part in one that the model does not have.
    #[inline]
    pub fn of(&self, action: ActionId) -> u64 {
        self.of_action.get(action.0 as usize).copied().unwrap_or(0)
    }

    /// Values of the counter.
    pub fn levels(&self) -> u32 {
        self.processes + 1
    }

    /// The counter after a step out of a state in which the automaton accepts or not, and in which these processes could move, by one in which those took part.
    #[inline]
    pub fn next_level(&self, level: u32, accepts: bool, can_move: u64, moves: u64) -> u32 {
        if level == 0 && !accepts {
            return 0;
        }
        let met = !can_move | moves;
        // Level i waits for process i - 1.
        let waits_for = level.saturating_sub(1);
        let reached = waits_for + (met >> waits_for).trailing_ones();
        if reached >= self.processes { 0 } else { reached + 1 }
    }

    /// Whether a loop is fair, given for each of its states the processes that can move there, and for each of its steps those that take part.
    pub fn is_fair(&self, loop_steps: impl Iterator<Item = (u64, u64)>) -> bool {
        let met = loop_steps.fold(0, |met, (can_move, moves)| met | !can_move | moves);
        met.trailing_ones() >= self.processes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_processes() -> Participants {
        Participants::new(&[vec![3], vec![7], vec![3, 7], vec![]]).unwrap()
    }

    #[test]
    fn processes_that_never_move_are_not_counted() {
        let participants = two_processes();
        assert_eq!(participants.levels(), 3);
        assert_eq!([0, 1, 2, 3].map(|action| participants.of(ActionId(action))), [1, 2, 3, 0]);
    }

    #[test]
    fn the_counter_waits_for_the_automaton_then_for_each_process() {
        let participants = two_processes();
        assert_eq!(participants.next_level(0, false, 3, 3), 0, "the automaton does not accept");
        assert_eq!(participants.next_level(0, true, 3, 0), 1);
        assert_eq!(participants.next_level(1, true, 3, 2), 1, "the other one moves");
        assert_eq!(participants.next_level(1, false, 3, 1), 2);
        assert_eq!(participants.next_level(1, false, 3, 3), 0, "both at once");
        assert_eq!(participants.next_level(2, false, 1, 1), 0, "it cannot move");
        assert_eq!(participants.next_level(0, true, 0, 0), 0, "all in one step");
    }

    #[test]
    fn more_processes_than_bits_are_refused() {
        let each_alone = |count| (0..count).map(|process| vec![process]).collect::<Vec<_>>();
        assert_eq!(Participants::new(&each_alone(64)).map(|all| all.levels()), Some(65));
        assert_eq!(Participants::new(&each_alone(65)), None);
        let all = Participants::new(&each_alone(64)).unwrap();
        assert_eq!(all.next_level(64, false, u64::MAX, 1 << 63), 0);
        assert!(!all.is_fair([(u64::MAX, u64::MAX >> 1)].into_iter()));
        assert!(all.is_fair([(u64::MAX, u64::MAX >> 1), (u64::MAX >> 1, 0)].into_iter()));
    }
}
