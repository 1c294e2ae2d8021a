//! Static analysis of a measure: a proof that it is monotone, with the places that raise it; or an
//! action that may decrease it.

use engine::progress::{Doubt, MeasureKind, MonotoneProof, prove_monotone, prove_monotone_vector};
use languages::Source;
use model::guarded_commands::{Expression, Span};
use report::{CandidateOrigin, CandidateRecord, DoubtRecord, PlaceRecord, RaisedRecord};

use crate::input::model_file::ModelFile;

/// Whether the measure is proved to be monotone.
pub fn is_proved(file: &ModelFile, components: &[Expression], kind: MeasureKind) -> bool {
    let proof = match kind {
        MeasureKind::Lexicographic => prove_monotone(&file.model.commands, components),
        MeasureKind::Product => prove_monotone_vector(&file.model.commands, components),
    };
    proof.is_ok()
}

/// Adds the result of the proof to a candidate.
pub fn add_proof(candidate: &mut CandidateRecord, file: &ModelFile, components: &[Expression]) {
    // The proof takes time. A found measure with a regress edge on the sample needs none.
    if candidate.origin == CandidateOrigin::Found && !candidate.proposal.monotone {
        candidate.proved = Some(false);
        return;
    }
    match prove_monotone(&file.model.commands, components) {
        Ok(proof) => {
            candidate.proved = Some(true);
            candidate.raised = raised(&proof, file, components);
        }
        Err(doubt) => {
            candidate.proved = Some(false);
            candidate.doubt = Some(doubted(&doubt, file, components));
        }
    }
}

fn raised(proof: &MonotoneProof, file: &ModelFile, components: &[Expression]) -> Vec<RaisedRecord> {
    let raised = components.iter().enumerate().map(|(number, component)| RaisedRecord {
        component: summary(file, component),
        places: places(&proof.spans(number), file),
    });
    raised.collect()
}

fn doubted(doubt: &Doubt, file: &ModelFile, components: &[Expression]) -> DoubtRecord {
    DoubtRecord {
        component: summary(file, &components[doubt.component]),
        action: file.model.commands.action_name(doubt.action),
        places: places(&doubt.spans, file),
    }
}

fn summary(file: &ModelFile, component: &Expression) -> String {
    file.model.measure_summary(std::slice::from_ref(component))
}

fn places(spans: &[Span], file: &ModelFile) -> Vec<PlaceRecord> {
    let source = Source::new(&file.text);
    let place = |span: &Span| {
        let start = source.start_of(*span);
        PlaceRecord { line: start.line, column: start.column }
    };
    spans.iter().map(place).collect()
}
