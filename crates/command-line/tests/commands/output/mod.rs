//! What a run writes: the run record, JUnit XML.

mod junit;
mod run_record;
