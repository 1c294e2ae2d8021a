//! The origin of a state, in one word: the record number of its parent, and the action.
//!
//! If traces are wanted, states in layers ahead, persistent states and candidates of a partition
//! carry this word. They carry it until they enter the current layer and get a record number of
//! their own.

use crate::explore::observer::{Observer, Record};
use model::guarded_commands::ActionId;
use model::transition_system::MAX_ACTIONS;

/// Packs the origin of a state into one word.
#[inline(always)]
pub(super) fn origin(parent: Record, action: ActionId) -> u64 {
    debug_assert!((action.0 as usize) < MAX_ACTIONS && parent < NO_PARENT);
    parent << ACTION_BITS | u64::from(action.0)
}

/// Number of bits of an action number.
pub(super) const ACTION_BITS: u32 = MAX_ACTIONS.trailing_zeros();
/// A number larger than all record numbers.
pub(super) const NO_PARENT: u64 = u64::MAX >> ACTION_BITS;
/// The origin of a state whose origin is not tracked.
pub(super) const UNKNOWN: u64 = NO_PARENT << ACTION_BITS;

/// The origin of an initial state: no parent, and the state's number.
pub(super) fn initial_origin(number: ActionId) -> u64 {
    debug_assert!((number.0 as usize) < MAX_ACTIONS);
    UNKNOWN | u64::from(number.0)
}

/// Reports a stored state of this origin to the observer.
pub(super) fn tell_origin<O: Observer>(observer: &mut O, origin: u64) {
    let (parent, action) = origin_of(origin);
    observer.stored(parent, action);
}

/// The parent of a state, unless it is an initial state, and the action.
pub(super) fn origin_of(origin: u64) -> (Option<Record>, ActionId) {
    let parent = Some(origin >> ACTION_BITS).filter(|parent| *parent != NO_PARENT);
    (parent, ActionId(origin as u32 & (MAX_ACTIONS as u32 - 1)))
}
