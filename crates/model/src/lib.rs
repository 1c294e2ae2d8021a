//! What a state is, and how the next ones come about.

pub mod guarded_commands;
pub mod interpreted_model;
pub mod interpreter;
pub mod interval;
pub mod meaning;
pub mod measure;
pub mod observed_ranges;
pub mod random;
pub mod records;
pub mod state_layout;
pub mod successor_batch;
pub mod transition_system;
pub mod value_order;
pub mod value_ranges;
