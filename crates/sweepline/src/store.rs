//! Where states are kept.

pub mod hash;
pub mod layer;
pub mod pages;
