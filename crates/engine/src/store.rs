//! Where states are kept: three tiers, and the tables they are made of.
//!
//! A sweep holds the [current] layer, the layers [ahead] and the states
//! [behind] the front. Each tier has a half in memory and a half on disk, and one
//! [table](memory) says which of them gives room to which.

pub mod ahead;
pub mod behind;
pub mod bit_vector;
pub mod compact_graph;
pub mod current;
pub mod external;
pub mod fingerprint;
pub mod hash;
pub mod layer;
pub mod memory;
pub mod pages;
pub mod recent_states;
pub mod records;
pub mod saved;
pub mod settled;
pub mod spilling;
