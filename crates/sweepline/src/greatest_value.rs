//! The greatest value of an expression over all reachable states.
//!
//! A search answers yes or no, so the value is found by narrowing a range. The lower end is a value
//! that is known to be reached, the upper end one that is proved never to be exceeded. One search
//! asks about several values in between. A net with tight proved bounds needs one search. Any other
//! net needs few, because each search divides the range by the number of questions.
//!
//! [`GreatestValues`] narrows several values at once and leaves the searches to its caller, which
//! may report each value as soon as it is known. [`greatest_value`] is the whole loop for one.

use engine::check::{CheckError, Plan};
use engine::explore::Monitor;
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use model::guarded_commands::{BinaryOperator, Expression, GuardedCommands};
use model::interpreter::Interpreter;
use model::value_ranges::{expression_range, proved_ranges};

use crate::execution::Execution;

/// Greatest number of questions in one search.
pub const QUESTIONS: usize = 60;

/// The greatest value that any of several expressions takes, known within a range.
#[derive(Clone, Debug)]
pub struct GreatestValue {
    expressions: Vec<Expression>,
    /// A value that is reached.
    low: i64,
    /// A value that is never exceeded.
    high: i64,
}

impl GreatestValue {
    /// The range that is known before any search.
    pub fn new(commands: &GuardedCommands, expressions: Vec<Expression>) -> Self {
        let (interpreter, initial) = (Interpreter::new(commands), commands.initial_state());
        let ranges = proved_ranges(commands);
        let initially = expressions.iter().filter_map(|one| interpreter.evaluate(one, &initial).ok());
        let bounds = expressions.iter().map(|one| expression_range(commands, &ranges, one).high);
        let (low, high) = (initially.max().unwrap_or(0), bounds.max().unwrap_or(0));
        Self { expressions, low, high: high.max(low) }
    }

    /// The value, if the range has only one.
    pub fn known(&self) -> Option<i64> {
        (self.low >= self.high).then_some(self.low)
    }

    /// Values to ask about, ascending, at most `most` of them.
    fn candidates(&self, most: usize) -> Vec<i64> {
        let (span, most) = (i128::from(self.high) - i128::from(self.low), most.max(1) as i128);
        let count = span.min(most);
        (1..=count)
            .map(|number| (i128::from(self.low) + (span * number + count - 1) / count) as i64)
            .collect()
    }

    /// The expression "one of the expressions is at least `value`".
    fn reaches(&self, value: i64) -> Expression {
        let test = |expression: &Expression| {
            let value = Expression::Constant(value);
            Expression::binary(BinaryOperator::GreaterOrEqual, expression.clone(), value)
        };
        let tests: Vec<Expression> = self.expressions.iter().map(test).collect();
        Expression::any(tests)
    }

    /// Narrows the range by the answer to a question.
    fn learn(&mut self, value: i64, reached: bool) {
        if reached {
            self.low = self.low.max(value);
        } else {
            self.high = self.high.min(value - 1);
        }
    }
}

/// Several greatest values that are narrowed by the same searches.
///
/// The caller repeats: [`take_known`](Self::take_known), until [`is_empty`](Self::is_empty);
/// [`questions`](Self::questions), decided by one search; [`learn`](Self::learn).
#[derive(Clone, Debug)]
pub struct GreatestValues {
    /// The values that are not known yet, with their positions in the caller's list.
    open: Vec<(usize, GreatestValue)>,
    /// The questions of the current round: an index into `open`, and the value asked about.
    asked: Vec<(usize, i64)>,
}

impl GreatestValues {
    /// Begins to narrow these values.
    pub fn new(values: Vec<GreatestValue>) -> Self {
        Self { open: values.into_iter().enumerate().collect(), asked: Vec::new() }
    }

    /// Removes the values that are known, each with its position in the caller's list.
    pub fn take_known(&mut self) -> Vec<(usize, i64)> {
        let known = self.open.iter().filter_map(|(position, value)| Some((*position, value.known()?)));
        let known = known.collect();
        self.open.retain(|(_, value)| value.known().is_none());
        known
    }

    /// Whether no value is left to narrow.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Positions of the values that are not known.
    pub fn unknown(&self) -> Vec<usize> {
        self.open.iter().map(|(position, _)| *position).collect()
    }

    /// The questions of the next search.
    pub fn questions(&mut self) -> Vec<Property> {
        let each = (QUESTIONS / self.open.len().max(1)).max(1);
        self.asked.clear();
        for (index, (_, value)) in self.open.iter().enumerate() {
            self.asked.extend(value.candidates(each).into_iter().map(|candidate| (index, candidate)));
        }
        self.asked.truncate(QUESTIONS);
        let question = |&(index, candidate): &(usize, i64)| {
            Property::new("bound", PropertyKind::Reachable(self.open[index].1.reaches(candidate)))
        };
        self.asked.iter().map(question).collect()
    }

    /// Narrows the ranges by the answers to the questions, in their order. Returns whether there
    /// was any answer; without one, another round would ask the same.
    pub fn learn(&mut self, answers: &[Option<bool>]) -> bool {
        for ((index, candidate), answer) in self.asked.drain(..).zip(answers) {
            if let Some(reached) = answer {
                self.open[index].1.learn(candidate, *reached);
            }
        }
        answers.iter().any(Option::is_some)
    }
}

/// Finds the greatest value of an expression over all reachable states; `None` if a limit of the
/// plan, or the monitor, stopped a search first.
///
/// # Errors
/// A search could not be made or finished.
pub fn greatest_value(
    commands: &GuardedCommands,
    expression: Expression,
    (execution, plan): (Execution, &Plan),
    monitor: &mut dyn Monitor,
) -> Result<Option<i64>, CheckError> {
    let mut values = GreatestValues::new(vec![GreatestValue::new(commands, vec![expression])]);
    loop {
        if let Some((_, value)) = values.take_known().pop() {
            return Ok(Some(value));
        }
        let questions = values.questions();
        let outcome = execution.check(commands, &questions, plan, monitor)?;
        let answer = |verdict: &Verdict| match verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        };
        if !values.learn(&outcome.verdicts.iter().map(answer).collect::<Vec<_>>()) {
            return Ok(None);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn within(low: i64, high: i64) -> GreatestValue {
        GreatestValue { expressions: Vec::new(), low, high }
    }

    #[test]
    fn candidates_divide_the_range_evenly() {
        assert_eq!(within(2, 5).candidates(60), [3, 4, 5]);
        assert_eq!(within(0, 100).candidates(4), [25, 50, 75, 100]);
        assert_eq!(within(0, i64::MAX).candidates(1), [i64::MAX]);
        assert_eq!(within(3, 3).known(), Some(3));
    }

    #[test]
    fn answers_narrow_the_range() {
        let mut value = within(0, 1_000_000);
        let mut rounds = 0;
        while value.known().is_none() {
            rounds += 1;
            for candidate in value.candidates(10) {
                value.learn(candidate, candidate <= 123_456);
            }
        }
        assert_eq!((value.low, rounds), (123_456, 6));
    }

    #[test]
    fn the_greatest_value_is_found_with_either_execution() {
        let text = "int x; process P { state s; init s; \
            trans s -> s { guard x < 1234; effect x = x + 1; }; } system async;";
        let model = languages::read_model(text).unwrap();
        for execution in [Execution::default(), Execution::Interpreted] {
            let find = |text: &str, plan: &Plan| {
                let expression = model.expression(text).unwrap();
                let plan = (execution, plan);
                greatest_value(&model.commands, expression, plan, &mut ()).unwrap()
            };
            assert_eq!(find("x", &Plan::default()), Some(1234));
            assert_eq!(find("5 - x", &Plan::default()), Some(5));
            let mut plan = Plan::default();
            plan.limits.states = 10;
            assert_eq!(find("x", &plan), None);
        }
    }
}
