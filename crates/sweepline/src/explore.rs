//! In which order states are met.
//!
//! A search takes states from its store, has them expanded, stores what is new, and tells its [`Observer`] and its
//! [`Monitor`]. It knows no properties, prints nothing and reads no clock.

pub mod breadth;
pub mod depth;
pub mod observer;
pub mod search;

pub use observer::{Observer, Record};
pub use search::{CompleteSearch, Counters, Monitor, Search, SearchEnd, Snapshot, StopReason};
