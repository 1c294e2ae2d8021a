//! The greatest value of an expression over all reachable states.
//!
//! Searches answer yes or no, so a range is narrowed: between a value that is known to be reached and one that is proved not to be passed, several are asked about in one
//! search. A net whose bounds are proved tightly needs one search; any other one needs few, since each divides the range by the number of questions.

use model::guarded_commands::{BinaryOperator, Expression, GuardedCommands};
use model::interpreter::Interpreter;
use model::value_ranges::{expression_range, proved_ranges};

/// Questions that one search answers.
pub const TOGETHER: usize = 60;

/// A greatest value that is looked for, of several numbers at once.
#[derive(Clone, Debug)]
pub struct GreatestValue {
    numbers: Vec<Expression>,
    /// Reached.
    pub low: i64,
    /// Not passed.
    pub high: i64,
}

impl GreatestValue {
    /// What is known before any search.
    pub fn new(commands: &GuardedCommands, numbers: Vec<Expression>) -> Self {
        let (interpreter, initial) = (Interpreter::new(commands), commands.initial_state());
        let ranges = proved_ranges(commands);
        let now = numbers.iter().filter_map(|number| interpreter.evaluate(number, &initial).ok());
        let most = numbers.iter().map(|number| expression_range(commands, &ranges, number).high);
        let (low, high) = (now.max().unwrap_or(0), most.max().unwrap_or(0));
        Self { numbers, low, high: high.max(low) }
    }

    /// Whether the value is known.
    pub fn is_known(&self) -> bool {
        self.low >= self.high
    }

    /// Values to ask about, in rising order, at most so many.
    pub fn candidates(&self, most: usize) -> Vec<i64> {
        let (span, most) = (i128::from(self.high) - i128::from(self.low), most.max(1) as i128);
        let count = span.min(most);
        (1..=count)
            .map(|number| (i128::from(self.low) + (span * number + count - 1) / count) as i64)
            .collect()
    }

    /// That one of the numbers is at least this.
    pub fn reaches(&self, value: i64) -> Expression {
        let tests: Vec<Expression> = self
            .numbers
            .iter()
            .map(|number| {
                let value = Expression::Constant(value);
                Expression::binary(BinaryOperator::GreaterOrEqual, number.clone(), value)
            })
            .collect();
        any(&tests)
    }

    /// Takes the answer to a question.
    pub fn learn(&mut self, value: i64, reached: bool) {
        if reached {
            self.low = self.low.max(value);
        } else {
            self.high = self.high.min(value - 1);
        }
    }
}

/// That one of these is true, as a tree that is not deep.
fn any(tests: &[Expression]) -> Expression {
    match tests {
        [] => Expression::Constant(0),
        [one] => one.clone(),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            Expression::binary(BinaryOperator::Or, any(left), any(right))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(low: i64, high: i64) -> GreatestValue {
        GreatestValue { numbers: Vec::new(), low, high }
    }

    #[test]
    fn candidates_lie_between_what_is_known() {
        assert_eq!(unknown(2, 5).candidates(60), [3, 4, 5]);
        assert_eq!(unknown(0, 100).candidates(4), [25, 50, 75, 100]);
        assert_eq!(unknown(0, i64::MAX).candidates(1), [i64::MAX]);
        assert!(unknown(3, 3).is_known());
    }

    #[test]
    fn answers_narrow_the_range() {
        let mut value = unknown(0, 1_000_000);
        let mut rounds = 0;
        while !value.is_known() {
            rounds += 1;
            for candidate in value.candidates(10) {
                value.learn(candidate, candidate <= 123_456);
            }
        }
        assert_eq!((value.low, rounds), (123_456, 6));
    }
}
