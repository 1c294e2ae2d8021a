//! The questions of the contest about a whole net, which have no formula in a file.
//!
//! They are about the nodes that properties name: in a coloured net the coloured ones, not their
//! unfolded instances. The contest's pages leave open which of the two is meant; the recorded
//! verdicts decide.

use model::guarded_commands::{BinaryOperator, CellId, Expression};

use crate::lowering::fold;
use crate::petri::lower::enabled;
use crate::petri::net::Net;

/// A question about a whole net, or the task to count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Examination {
    /// Count markings, steps and tokens.
    StateSpace,
    /// Is a dead marking reachable?
    ReachabilityDeadlock,
    /// Does no place ever hold two tokens?
    OneSafe,
    /// Is there a place whose marking never changes?
    StableMarking,
    /// Can every transition fire at some time?
    QuasiLiveness,
    /// Can every transition always fire at some later time?
    Liveness,
}

impl Examination {
    /// All examinations.
    pub const ALL: [Self; 6] = [
        Self::StateSpace,
        Self::ReachabilityDeadlock,
        Self::OneSafe,
        Self::StableMarking,
        Self::QuasiLiveness,
        Self::Liveness,
    ];

    /// The name in the contest.
    pub fn name(self) -> &'static str {
        match self {
            Self::StateSpace => "StateSpace",
            Self::ReachabilityDeadlock => "ReachabilityDeadlock",
            Self::OneSafe => "OneSafe",
            Self::StableMarking => "StableMarking",
            Self::QuasiLiveness => "QuasiLiveness",
            Self::Liveness => "Liveness",
        }
    }
}

impl Net {
    /// The tokens of each place of the unfolded net.
    pub fn tokens(&self) -> Vec<Expression> {
        (0..self.places.len() as u32).map(|place| Expression::Cell(CellId(place))).collect()
    }

    /// The tokens on all places.
    pub fn all_tokens(&self) -> Expression {
        fold::sum(self.tokens())
    }

    /// The condition that no place holds two tokens, counted over all colours.
    pub fn is_safe_now(&self) -> Expression {
        let one = || Expression::Constant(1);
        let safe = self.place_groups.values();
        let safe =
            safe.map(|places| Expression::binary(BinaryOperator::LessOrEqual, tokens_on(places), one()));
        fold::all(safe.collect())
    }

    /// For each place, the condition that it holds as many tokens as initially, counted over all
    /// colours.
    pub fn unchanged_places(&self) -> Vec<Expression> {
        let unchanged = |places: &Vec<u32>| {
            let initial = places.iter().map(|place| i64::from(self.places[*place as usize].tokens)).sum();
            let tokens = tokens_on(places);
            Expression::binary(BinaryOperator::Equal, tokens, Expression::Constant(initial))
        };
        self.place_groups.values().map(unchanged).collect()
    }

    /// For each transition, the condition that it can fire.
    pub fn fireable_transitions(&self) -> Vec<Expression> {
        let fireable = |transitions: &Vec<u32>| {
            let instances = transitions.iter().map(|number| enabled(&self.transitions[*number as usize]));
            fold::any(instances.collect())
        };
        self.transition_groups.values().map(fireable).collect()
    }
}

/// The tokens on several places.
fn tokens_on(places: &[u32]) -> Expression {
    let tokens = places.iter().map(|place| Expression::Cell(CellId(*place))).collect();
    fold::sum(tokens)
}
