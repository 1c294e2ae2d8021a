//! What languages share on the way to guarded commands.
//!
//! [`rendezvous`] makes actions of transitions that synchronise without a queue, [`queue`] makes
//! guards and effects of sending to and receiving from a queue, and [`fold`] builds expressions and
//! computes their constant parts.

pub(crate) mod fold;
pub(crate) mod queue;
pub(crate) mod rendezvous;

use model::guarded_commands::{IntegerType, Target};

/// A place for an assignment together with its type.
pub(crate) struct TypedPlace {
    pub(crate) place: Target,
    pub(crate) integer: IntegerType,
}
