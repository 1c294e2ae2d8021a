//! What `sweepline progress` found out, as JSON: candidates, which one is best, and why.
//!
//! The same promise as for the run record: a figure that is not known is `null`, and fields are only added.

use serde::{Deserialize, Serialize};

use crate::diagnostics::Finding;
use crate::exit::Exit;
use crate::measure_search::{EffortRecord, ProposalRecord, SampleRecord};
use crate::quantities::{Percent, States};
use crate::run_record::{DiagnosticRecord, ModelRecord, ResourcesRecord};

/// Everything that is known about the measures of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuresRecord {
    /// [`MeasuresRecord::FORMAT`].
    pub format: String,
    /// What the process returned.
    pub exit_code: u8,
    /// The model.
    pub model: ModelRecord,
    /// How it was executed; none if it was not decided.
    pub execution: Option<String>,
    /// What a measure is to be good at.
    pub aim: AimRecord,
    /// How much was tried.
    pub effort: EffortRecord,
    /// Where the random choices of the sample begin.
    pub seed: u64,
    /// How long the search for measures took.
    pub seconds: Option<f64>,
    /// What measures were judged on.
    pub sample: Option<SampleRecord>,
    /// The measures: those that were found, the best one first, then those that were to be judged.
    pub candidates: Vec<CandidateRecord>,
    /// The number of the best one that was found; none if full exploration is better.
    pub chosen: Option<usize>,
    /// Why.
    pub reason: Option<String>,
    /// What was wrong or odd.
    pub diagnostics: Vec<DiagnosticRecord>,
    /// What it cost.
    pub resources: ResourcesRecord,
}

/// What a measure is to be good at: one of the two is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AimRecord {
    /// `memory`, `balanced` or `time`.
    pub prefer: Option<String>,
    /// The greatest share of steps that may go back.
    pub regress_bound: Option<f64>,
}

/// A measure and what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateRecord {
    /// Its place in the list, from one.
    pub number: usize,
    /// Where it comes from.
    pub origin: CandidateOrigin,
    /// The measure and what it costs.
    #[serde(flatten)]
    pub proposal: ProposalRecord,
    /// The time of a sweep by it, as a multiple of full exploration's, by [`relative_time`].
    pub relative_time: f64,
    /// Whether the model's text proves that it never falls; none if nobody tried.
    pub proved: Option<bool>,
    /// If so, where the model raises its components.
    pub raised: Vec<RaisedRecord>,
    /// If not, a step that may lower it.
    pub doubt: Option<DoubtRecord>,
}

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateOrigin {
    /// It was found.
    Found,
    /// The user wants to know.
    Judged,
    /// The model declares it.
    Declared,
}

/// Where the model raises a component of a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaisedRecord {
    /// The component.
    pub component: String,
    /// Places in the model, in the order of its text.
    pub places: Vec<PlaceRecord>,
}

/// A place in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRecord {
    /// From one.
    pub line: usize,
    /// In characters, from one.
    pub column: usize,
}

/// A step after which a measure may be less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtRecord {
    /// The component that may fall.
    pub component: String,
    /// What people call the action.
    pub action: String,
    /// Its transitions in the model, one for each process that takes part.
    pub places: Vec<PlaceRecord>,
}

/// The time of a sweep, as a multiple of full exploration's.
///
/// Expansions count, and so do layers: a small one stays in the processor's cache, and one of very few states costs more to begin and
/// to end than to expand. A rough estimate: in the median over the instances above a million states in `benchmarks/results/measures.md` an
/// expansion takes about as long as one of full exploration.
pub fn relative_time(revisits: f64, layers: u64, states: u64) -> f64 {
    revisits * (1.0 + 0.7 * layers as f64 / states.max(1) as f64)
}

impl CandidateRecord {
    /// A measure that was judged on a sample, of which nobody tried to prove anything.
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

    /// The record of a search that has just begun.
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

    /// Something was wrong or odd.
    pub fn report(&mut self, findings: &[Finding]) {
        self.diagnostics.extend(findings.iter().map(Finding::record));
    }

    /// All candidates are there: chooses the best one that was found.
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
        let among =
            if found == 1 { "the only one found that is better than none".into() } else { self.criterion() };
        let expected = best.proposal.expected;
        format!(
            "Measure {} is {among}: of {}, {} in memory at the most, each expanded {:.2} times.",
            best.number,
            sample_text(sample),
            Percent(expected.peak_share),
            expected.revisits,
        )
    }

    /// What makes a measure the best of several.
    fn criterion(&self) -> String {
        match (&self.aim.prefer, self.aim.regress_bound) {
            (Some(prefer), _) => format!("the best balance of memory and work for --prefer {prefer}"),
            (None, Some(0.0)) => "the one with the least memory of those that never fall".into(),
            (None, Some(bound)) => {
                format!(
                    "the one with the least memory of those that fall on at most {} of the steps",
                    Percent(bound)
                )
            }
            (None, None) => "the best one".into(),
        }
    }

    fn reason_for_none(&self, sample: &SampleRecord) -> String {
        let bound = match self.aim.regress_bound {
            Some(0.0) => " that never falls",
            Some(_) => " that falls so seldom",
            None => "",
        };
        format!(
            "Nothing is better than full exploration: of {}, every measure{bound} that was tried holds nearly all at a time, or expands them too often.",
            sample_text(sample),
        )
    }
}

/// What was looked at.
fn sample_text(sample: &SampleRecord) -> String {
    match sample.complete {
        true => format!("all {} of the model", States(sample.expanded)),
        false => format!("a sample of {}", States(sample.expanded)),
    }
}
