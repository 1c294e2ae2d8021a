//! Where a run writes: the console and files, and how it fails.

pub mod console;
pub mod failure;
pub mod output_file;
mod replacement;
