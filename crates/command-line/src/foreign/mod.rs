//! Command lines and output formats of others: the tool of the thesis, the Model Checking Contest.

pub mod contest;
pub mod thesis;
