//! Where states are kept.

pub mod bit_vector;
pub mod compact_graph;
pub mod external;
pub mod far_layers;
pub mod far_persistent;
pub mod future_layers;
pub mod hash;
pub mod large_layer;
pub mod layer;
pub mod pages;
pub mod persistent_states;
pub mod recent_states;
pub mod records;
pub mod saved;
