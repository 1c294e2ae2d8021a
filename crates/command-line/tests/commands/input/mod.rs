//! What a run reads: models, constants, and input that is wrong.

mod bad_input;
mod constants;
