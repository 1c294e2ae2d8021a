//! Searches: the order in which states are met.
//!
//! A search takes states from its store, expands them, stores what is new, and reports to its
//! [`Observer`] and its [`Monitor`]. It knows no properties, prints nothing and reads no clock.

pub mod course;
pub mod depth;
mod exchange;
#[cfg(test)]
mod exchange_schedules;
mod expand_ahead;
mod expansion;
pub mod inner_steps;
pub mod nested_depth;
pub mod observer;
mod origin;
pub mod partition;
pub mod phase;
pub mod propagation;
pub mod search;
pub mod sweep;
mod sync;

pub use course::Course;
pub use inner_steps::InnerActions;
pub use observer::{Observer, Record};
pub use phase::Phase;
pub use search::{
    AfterPause, Change, CompleteSearch, Counters, Held, Monitor, PausedSearch, RegressEdge, Search,
    SearchEnd, Snapshot, StopReason,
};
