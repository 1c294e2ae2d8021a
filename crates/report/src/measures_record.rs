//! The results of `sweepline progress` as JSON: the candidates, the best one, and the reason.
//!
//! As in the run record, an unknown figure is `null`, and fields are only added.

use serde::{Deserialize, Serialize};

use crate::diagnostics::Finding;
use crate::exit::Exit;
use crate::measure_search::{EffortRecord, ProposalRecord, SampleRecord};
use crate::quantities::{Percent, States};
use crate::run_record::{DiagnosticRecord, ModelRecord, ResourcesRecord};

/// Progress measures of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuresRecord {
    /// Name and version of the format, [`MeasuresRecord::FORMAT`].
    pub format: String,
    /// Exit code of the process.
    pub exit_code: u8,
    /// The model.
    pub model: ModelRecord,
    /// How the model was executed; `null` if this was not decided.
    pub execution: Option<String>,
    /// Objective of the search.
    pub aim: AimRecord,
    /// Effort of the search.
    pub effort: EffortRecord,
    /// Random seed of the sample.
    pub seed: u64,
    /// Time of the search, in seconds.
    pub seconds: Option<f64>,
    /// The sample on which measures were judged.
    pub sample: Option<SampleRecord>,
    /// The measures: first those that were found, best first, then those of the user.
    pub candidates: Vec<CandidateRecord>,
    /// Number of the best one that was found; `null` if full exploration is better.
    pub chosen: Option<usize>,
    /// Reason for the choice.
    pub reason: Option<String>,
    /// Errors and warnings.
    pub diagnostics: Vec<DiagnosticRecord>,
    /// Time and memory of the process.
    pub resources: ResourcesRecord,
}

/// Objective of the measure search; one of the two fields is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AimRecord {
    /// `memory`, `balanced` or `time`.
    pub prefer: Option<String>,
    /// Maximum share of regress edges.
    pub regress_bound: Option<f64>,
}

/// A measure with its cost and proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateRecord {
    /// Number in the list, from one.
    pub number: usize,
    /// Origin of the measure.
    pub origin: CandidateOrigin,
    /// The measure and its estimated cost.
    #[serde(flatten)]
    pub proposal: ProposalRecord,
    /// Estimated time of a sweep relative to full exploration, by [`relative_time`].
    pub relative_time: f64,
    /// Whether the text of the model proves that it is monotone; `null` if no proof was attempted.
    pub proved: Option<bool>,
    /// If so, where the model increases its components.
    pub raised: Vec<RaisedRecord>,
    /// If not, an action that may decrease it.
    pub doubt: Option<DoubtRecord>,
}

/// Origin of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateOrigin {
    /// The automatic measure search.
    Found,
    /// The user, by `--judge`.
    Judged,
    /// A declaration in the model.
    Declared,
}

/// Where the model increases a component of a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaisedRecord {
    /// The component.
    pub component: String,
    /// Places in the model, in the order of the text.
    pub places: Vec<PlaceRecord>,
}

/// A place in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRecord {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

/// An action that may decrease a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtRecord {
    /// The component that may decrease.
    pub component: String,
    /// Name of the action.
    pub action: String,
    /// Transitions of the action in the model, one for each participating process.
    pub places: Vec<PlaceRecord>,
}

/// Estimated time of a sweep relative to full exploration.
///
/// The time depends on expansions and on layers: a small layer stays in the processor's cache, but
/// a layer of very few states costs more to start and end than to expand. This is a rough estimate:
/// in the median over the instances above a million states in `benchmarks/results/measures.md`, an
/// expansion takes about as long as one of full exploration.
pub fn relative_time(revisits: f64, layers: u64, states: u64) -> f64 {
    revisits * (1.0 + 0.7 * layers as f64 / states.max(1) as f64)
}

impl CandidateRecord {
    /// Creates a candidate that was judged on a sample and not yet proved.
    pub fn new(
        number: usize,
        origin: CandidateOrigin,
        proposal: ProposalRecord,
        sample: &SampleRecord,
    ) -> Self {
        let expected = proposal.expected;
        let relative_time = relative_time(expected.revisits, expected.layers, sample.expanded);
        Self { number, origin, proposal, relative_time, proved: None, raised: Vec::new(), doubt: None }
    }
}

impl MeasuresRecord {
    /// Name and version of the format.
    pub const FORMAT: &str = "sweepline-measures/1";

    /// Creates the record of a search that has just started.
    pub fn new(path: impl Into<String>, aim: AimRecord, effort: EffortRecord, seed: u64) -> Self {
        Self {
            format: Self::FORMAT.into(),
            exit_code: Exit::Unknown.code(),
            model: ModelRecord { path: path.into(), ..ModelRecord::default() },
            execution: None,
            aim,
            effort,
            seed,
            seconds: None,
            sample: None,
            candidates: Vec::new(),
            chosen: None,
            reason: None,
            diagnostics: Vec::new(),
            resources: ResourcesRecord::default(),
        }
    }

    /// Adds errors and warnings.
    pub fn report(&mut self, findings: &[Finding]) {
        self.diagnostics.extend(findings.iter().map(Finding::record));
    }

    /// Chooses the best of the found candidates, when all candidates are recorded.
    pub fn choose(&mut self) {
        let found = self.candidates.iter().find(|candidate| candidate.origin == CandidateOrigin::Found);
        self.chosen = found.map(|candidate| candidate.number);
        self.reason = self.sample.as_ref().map(|sample| match found {
            Some(best) => self.reason_for(best, sample),
            None => self.reason_for_none(sample),
        });
    }

    fn reason_for(&self, best: &CandidateRecord, sample: &SampleRecord) -> String {
        let found = self.candidates.iter().filter(|one| one.origin == CandidateOrigin::Found).count();
        let among = if found == 1 {
            "the only one found that is better than full exploration".into()
        } else {
            self.criterion()
        };
        let expected = best.proposal.expected;
        format!(
            "Measure {} is {among}: at most {} of {} in memory, {:.2} expansions per state.",
            best.number,
            Percent(expected.peak_share),
            sample_text(sample),
            expected.revisits,
        )
    }

    /// The criterion by which the best measure was chosen.
    fn criterion(&self) -> String {
        match (&self.aim.prefer, self.aim.regress_bound) {
            (Some(prefer), _) => format!("the best for --prefer {prefer}"),
            (None, Some(0.0)) => "the monotone one with the least memory".into(),
            (None, Some(bound)) => {
                format!(
                    "the one with the least memory among those with at most {} regress edges",
                    Percent(bound)
                )
            }
            (None, None) => "the best one".into(),
        }
    }

    fn reason_for_none(&self, sample: &SampleRecord) -> String {
        let bound = match self.aim.regress_bound {
            Some(0.0) => "monotone measure",
            Some(_) => "measure with so few regress edges",
            None => "measure",
        };
        format!(
            "No {bound} is better than full exploration: on {}, every candidate stores nearly all states or expands them too often.",
            sample_text(sample),
        )
    }
}

/// The sample in words.
fn sample_text(sample: &SampleRecord) -> String {
    match sample.complete {
        true => format!("all {} of the model", States(sample.expanded)),
        false => format!("a sample of {}", States(sample.expanded)),
    }
}
