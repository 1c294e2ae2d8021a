//! Fairness: in a fair run, a process that stays enabled eventually takes a step.
//!
//! Weak fairness of a process, or of an action: a run passes infinitely often through a state in
//! which it is not enabled, or through a step in which it takes part. These are acceptance
//! conditions in addition to the automaton's own. A counter beside the automaton's state turns all
//! of them into one. It waits first for the automaton to accept, then for the first condition, the
//! second, and so on, and starts over. (Choueka 1974; SPIN implements it as copies of the state
//! space.) Consecutive conditions that a step meets are counted at once, so that loops are as short
//! as possible. The product has at most one more copy of each state than there are conditions. It
//! has copies only of states from which the automaton can still accept.
//!
//! Strong fairness of an action: if it is enabled infinitely often, it is taken infinitely often.
//! So from some point on it is never enabled again, or it is taken infinitely often. The automaton
//! guesses once, by a step, which actions are of the first kind. From there on, a state in which
//! one of them is enabled has no successors, and all others must be taken. No run is accepted
//! before the guess.
//!
//! The steps of the whole model define what is enabled. A process that waits for a partner, or
//! while another is in a committed location, is not enabled. Intermediate states do not count: a
//! process that waits while another runs through an atomic sequence stays enabled if it was before.

use serde::Serialize;

use model::guarded_commands::{ActionId, Strength};

/// The runs that a property considers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Fairness {
    /// All runs of the model.
    #[default]
    Unfair,
    /// Weakly fair runs: a process that stays enabled eventually takes a step.
    Weak,
}

/// Most fairness conditions.
pub const MOST_CONDITIONS: usize = 64;

/// Most strongly fair actions: each doubles the number of guesses.
pub const MOST_STRONG: usize = 6;

/// Conditions that fair runs meet infinitely often, one bit for each process or action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairnessConditions {
    of_action: Vec<u64>,
    count: u32,
    /// Number of strong conditions, which are the last.
    strong: u32,
}

/// The reason why there are no conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooManyConditions {
    /// More than [`MOST_CONDITIONS`].
    All,
    /// More than [`MOST_STRONG`].
    Strong,
}

impl FairnessConditions {
    /// Creates conditions from the processes that take part in each action, and from the actions
    /// that are fair by themselves. Processes that never move are not counted.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(of_action: &[Vec<u32>], fair: &[(ActionId, Strength)]) -> Result<Self, TooManyConditions> {
        let mut moving: Vec<u32> = of_action.concat();
        moving.sort_unstable();
        moving.dedup();
        let mut fair = fair.to_vec();
        fair.sort_by_key(|(action, strength)| (*strength, *action));
        let strong = fair.iter().filter(|(_, strength)| *strength == Strength::Strong).count();
        let count = moving.len() + fair.len();
        if strong > MOST_STRONG {
            return Err(TooManyConditions::Strong);
        }
        if count > MOST_CONDITIONS {
            return Err(TooManyConditions::All);
        }
        let actions = fair.iter().map(|(action, _)| action.0 as usize + 1).max().unwrap_or(0);
        let bit = |process: &u32| moving.binary_search(process).map_or(0, |number| 1 << number);
        let mask = |processes: &Vec<u32>| processes.iter().map(bit).fold(0, |mask, bit: u64| mask | bit);
        let mut of_action: Vec<u64> = of_action.iter().map(mask).collect();
        of_action.resize(of_action.len().max(actions), 0);
        for (number, (action, _)) in fair.iter().enumerate() {
            of_action[action.0 as usize] |= 1 << (moving.len() + number);
        }
        Ok(Self { of_action, count: count as u32, strong: strong as u32 })
    }

    /// The conditions that the action concerns. None, if the model does not have the action.
    #[inline]
    pub fn of(&self, action: ActionId) -> u64 {
        self.of_action.get(action.0 as usize).copied().unwrap_or(0)
    }

    /// Number of values of the counter.
    pub fn levels(&self) -> u32 {
        self.count + 1
    }

    /// Number of guesses: no guess yet, or one of the sets of strong conditions. Without strong
    /// conditions there is nothing to guess.
    pub fn guesses(&self) -> u32 {
        if self.strong == 0 { 1 } else { (1 << self.strong) + 1 }
    }

    /// Whether the guess was made.
    #[inline]
    pub fn is_guessed(&self, guess: u32) -> bool {
        self.strong == 0 || guess != 0
    }

    /// The conditions whose actions can never be enabled again, by a guess.
    #[inline]
    pub fn excluded(&self, guess: u32) -> u64 {
        u64::from(guess.saturating_sub(1)).unbounded_shl(self.count - self.strong)
    }

    #[inline]
    fn strong_ones(&self) -> u64 {
        ((1_u64 << self.strong) - 1).unbounded_shl(self.count - self.strong)
    }

    /// The conditions that a step meets: out of a state in which `can_move` are enabled, by an
    /// action that concerns `moves`.
    #[inline]
    pub fn met(&self, guess: u32, can_move: u64, moves: u64) -> u64 {
        (!can_move & !self.strong_ones()) | moves | self.excluded(guess)
    }

    /// The counter after a step that meets these conditions. `accepts` says whether the automaton
    /// accepts in the state before the step.
    #[inline]
    pub fn next_level(&self, level: u32, accepts: bool, met: u64) -> u32 {
        if level == 0 && !accepts {
            return 0;
        }
        // Level i waits for condition i - 1.
        let waits_for = level.saturating_sub(1);
        let reached = waits_for + (met >> waits_for).trailing_ones();
        if reached >= self.count { 0 } else { reached + 1 }
    }

    /// Whether a loop is fair. Each item has the conditions enabled in a state, and those that the
    /// step from there concerns. What is enabled in an intermediate state is not asked.
    pub fn is_fair(&self, loop_steps: impl Iterator<Item = (Option<u64>, u64)>) -> bool {
        let (rests, can, moved) = loop_steps.fold((0, 0, 0), |(rests, can, moved), (can_move, moves)| {
            let (rest, more) = can_move.map_or((0, 0), |can_move| (!can_move, can_move));
            (rests | rest, can | more, moved | moves)
        });
        let weak = (rests & !self.strong_ones()) | moved;
        let strong = !can & self.strong_ones();
        (weak | strong).trailing_ones() >= self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_processes() -> FairnessConditions {
        FairnessConditions::new(&[vec![3], vec![7], vec![3, 7], vec![]], &[]).unwrap()
    }

    #[test]
    fn processes_that_never_move_are_not_counted() {
        let conditions = two_processes();
        assert_eq!(conditions.levels(), 3);
        assert_eq!([0, 1, 2, 3].map(|action| conditions.of(ActionId(action))), [1, 2, 3, 0]);
    }

    #[test]
    fn the_counter_waits_for_the_automaton_then_for_each_process() {
        let conditions = two_processes();
        assert_eq!(
            conditions.next_level(0, false, conditions.met(0, 3, 3)),
            0,
            "the automaton does not accept"
        );
        assert_eq!(conditions.next_level(0, true, conditions.met(0, 3, 0)), 1);
        assert_eq!(conditions.next_level(1, true, conditions.met(0, 3, 2)), 1, "the other one moves");
        assert_eq!(conditions.next_level(1, false, conditions.met(0, 3, 1)), 2);
        assert_eq!(conditions.next_level(1, false, conditions.met(0, 3, 3)), 0, "both at once");
        assert_eq!(conditions.next_level(2, false, conditions.met(0, 1, 1)), 0, "it cannot move");
        assert_eq!(conditions.next_level(0, true, conditions.met(0, 0, 0)), 0, "all in one step");
    }

    #[test]
    fn more_processes_than_bits_are_refused() {
        let each_alone = |count| (0..count).map(|process| vec![process]).collect::<Vec<_>>();
        assert_eq!(FairnessConditions::new(&each_alone(64), &[]).map(|all| all.levels()), Ok(65));
        assert_eq!(FairnessConditions::new(&each_alone(65), &[]), Err(TooManyConditions::All));
        let all = FairnessConditions::new(&each_alone(64), &[]).unwrap();
        assert_eq!(all.next_level(64, false, all.met(0, u64::MAX, 1 << 63)), 0);
        assert!(!all.is_fair([(Some(u64::MAX), u64::MAX >> 1)].into_iter()));
        assert!(all.is_fair([(Some(u64::MAX), u64::MAX >> 1), (Some(u64::MAX >> 1), 0)].into_iter()));
    }

    #[test]
    fn strong_conditions_are_met_by_steps_or_excluded() {
        let action = ActionId;
        let fair =
            [(action(1), Strength::Strong), (action(3), Strength::Weak), (action(0), Strength::Strong)];
        let conditions = FairnessConditions::new(&[], &fair).unwrap();
        assert_eq!([0, 1, 2, 3].map(|number| conditions.of(action(number))), [2, 4, 0, 1]);
        assert_eq!((conditions.levels(), conditions.guesses()), (4, 5));
        assert!(!conditions.is_guessed(0) && conditions.is_guessed(1));
        assert_eq!([0, 1, 2, 3, 4].map(|guess| conditions.excluded(guess)), [0, 0, 2, 4, 6]);
        assert_eq!(conditions.met(1, 0, 0) & 7, 1, "it is not enough that they cannot move");
        assert_eq!(conditions.met(3, 1, 2) & 7, 6);
        assert!(conditions.is_fair([(Some(1), 1)].into_iter()), "the others can never move");
        assert!(!conditions.is_fair([(Some(1), 1), (Some(2), 0)].into_iter()), "one of them can");
        assert!(conditions.is_fair([(Some(1), 1), (Some(2), 2)].into_iter()));
        let seven: Vec<_> = (0..7).map(|number| (action(number), Strength::Strong)).collect();
        assert_eq!(FairnessConditions::new(&[], &seven), Err(TooManyConditions::Strong));
    }
}
