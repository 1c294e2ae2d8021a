//! What the model's text proves about a measure: that it never falls, and where it is raised; or a step that may lower it.

use report::CandidateRecord;
use sweepline::model::guarded_commands::Expression;

use crate::model_file::ModelFile;

/// Whether the model's text proves that the measure never falls; none if nobody tries.
///
/// The place for `sweepline::progress::prove_monotone`, once it is there.
pub fn is_proved(_file: &ModelFile, _components: &[Expression]) -> Option<bool> {
    None
}

/// Adds to a candidate what can be proved about it.
pub fn add_proof(candidate: &mut CandidateRecord, file: &ModelFile, components: &[Expression]) {
    candidate.proved = is_proved(file, components);
}
