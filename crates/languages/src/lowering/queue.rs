//! Sending to and receiving from a queue: a guard and an effect.
//!
//! Sending waits while the queue is full, receiving while it is empty. Each is an action by itself:
//! the queue is part of the state, so sender and receiver need not meet.

use model::guarded_commands::{BinaryOperator, Effect, Expression, Target};

use crate::names::Queue;

/// The use of a queue by one transition.
pub(crate) struct QueueUse {
    /// The guard that the queue adds.
    pub(crate) ready: Expression,
    /// The effect that comes before those of the transition.
    pub(crate) effect: Effect,
}

impl Queue {
    /// Appends a message with these values.
    pub(crate) fn send(&self, values: Vec<Expression>) -> QueueUse {
        let capacity = Expression::Constant(i64::from(self.capacity));
        let ready = Expression::binary(BinaryOperator::Less, Expression::Cell(self.length), capacity);
        QueueUse { ready, effect: Effect::Push { queue: self.variable, values } }
    }

    /// Removes the oldest message and stores its parts. A part without a target is dropped.
    pub(crate) fn receive(&self, targets: Vec<Option<Target>>) -> QueueUse {
        let (length, none) = (Expression::Cell(self.length), Expression::Constant(0));
        let ready = Expression::binary(BinaryOperator::Greater, length, none);
        QueueUse { ready, effect: Effect::Pop { queue: self.variable, targets } }
    }
}
