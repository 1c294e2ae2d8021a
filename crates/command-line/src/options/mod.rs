//! Options that several commands share. The options of one command are in the folder or file of
//! that command.

pub mod amounts;
pub mod choice;
pub mod file_names;
mod model;
mod output;
mod properties;
mod search;

pub use choice::{Choice, choice, default_name};
pub use file_names::{free_stream, is_standard_stream, same_file};
pub use model::ModelOptions;
pub use output::{OutputOptions, detail};
pub use properties::PropertyOptions;
pub use search::{DiskQueue, SearchOptions};
