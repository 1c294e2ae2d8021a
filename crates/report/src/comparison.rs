//! A comparison of engines on the same models as JSON: the cost of each run, and whether they
//! agree.
//!
//! The figures come from the run records of the engines. As there, an unknown figure is `null`, and
//! fields are only added. Ratios are between complete runs; the cost of a stopped search only
//! reflects its limits.

use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::run_record::{
    EngineRecord, IoRecord, MeasureRecord, ResourcesRecord, RunRecord, SeverityRecord, StatesRecord,
    TransitionsRecord,
};

/// All runs of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// Name and version of the format, [`ComparisonRecord::FORMAT`].
    pub format: String,
    /// Exit code of the process.
    pub exit_code: u8,
    /// The runs, model by model, in the order of the command line.
    pub runs: Vec<ComparedRun>,
    /// Figures on which complete runs disagree.
    pub disagreements: Vec<DisagreementRecord>,
}

/// One engine on one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    /// The model file, as named on the command line.
    pub model: String,
    /// The requested engine.
    pub engine: String,
    /// Exit code of its process; `null` if it was not started or was killed.
    pub exit_code: Option<u8>,
    /// Whether every reachable state was visited.
    pub complete: bool,
    /// Why the run is incomplete.
    pub stopped: Option<String>,
    /// The search that was used; a sweep without a measure uses another one.
    pub searched_by: Option<EngineRecord>,
    /// The progress measure.
    pub measure: Option<MeasureRecord>,
    /// Counts of states.
    pub states: StatesRecord,
    /// Counts of transitions.
    pub transitions: TransitionsRecord,
    /// States without successors.
    pub deadlocks: Option<u64>,
    /// States written to and read from disk.
    pub io: IoRecord,
    /// The same divided by the number of distinct states, which may be an estimate.
    pub ios_per_state: Option<f64>,
    /// Cost of the run.
    pub resources: ResourcesRecord,
    /// Cost relative to that of the first engine.
    pub ratios: RatiosRecord,
}

/// Costs of a complete run relative to those of the first engine, if that run is complete, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RatiosRecord {
    /// Ratio of wall times.
    pub time: Option<f64>,
    /// Ratio of the peak numbers of states in memory.
    pub peak_stored: Option<f64>,
    /// Ratio of the peak resident memory of the processes.
    pub peak_rss: Option<f64>,
}

/// A figure on which two complete runs disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisagreementRecord {
    /// The model.
    pub model: String,
    /// Name of the figure.
    pub figure: String,
    /// The two engines.
    pub engines: [String; 2],
    /// The counts of the two engines.
    pub counts: [u64; 2],
}

impl ComparedRun {
    /// Creates the entry of a run without a record, with the reason.
    pub fn without_record(model: &str, engine: &str, exit_code: Option<u8>, why: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            engine: engine.into(),
            exit_code,
            complete: false,
            stopped: Some(why.into()),
            searched_by: None,
            measure: None,
            states: StatesRecord::default(),
            transitions: TransitionsRecord::default(),
            deadlocks: None,
            io: IoRecord::default(),
            ios_per_state: None,
            resources: ResourcesRecord::default(),
            ratios: RatiosRecord::default(),
        }
    }

    /// Creates the entry of a run from its record.
    pub fn new(model: &str, engine: &str, record: RunRecord) -> Self {
        let RunRecord { exit_code, plan, search, diagnostics, resources, .. } = record;
        let moved = search.io.states_written.zip(search.io.states_read).map(|(out, back)| out + back);
        let states = search.states.distinct.or(search.states.distinct_estimate).filter(|&states| states > 0);
        let error =
            diagnostics.into_iter().find(|one| one.severity == SeverityRecord::Error).map(|one| one.message);
        let why = search.stopped.or(error).unwrap_or_else(|| "not all states were visited".into());
        let measure = Some(plan.measure).filter(|measure| measure.expression.is_some());
        Self {
            model: model.into(),
            engine: engine.into(),
            exit_code: Some(exit_code),
            complete: search.complete,
            stopped: (!search.complete).then_some(why),
            searched_by: plan.engine,
            measure,
            ios_per_state: moved
                .zip(states)
                .filter(|_| search.complete)
                .map(|(moved, states)| moved as f64 / states as f64),
            states: search.states,
            transitions: search.transitions,
            deadlocks: search.deadlocks,
            io: search.io.clone(),
            resources,
            ratios: RatiosRecord::default(),
        }
    }

    /// The figures on which complete runs must agree, if this one knows them. If states were
    /// expanded twice, their transitions were counted twice, so this count is left out.
    fn settled(&self) -> [(&'static str, Option<u64>); 3] {
        let once = self.states.distinct.is_some() && self.states.distinct == self.states.explored;
        let figures = [
            ("distinct states", self.states.distinct),
            ("deadlocks", self.deadlocks),
            ("transitions", self.transitions.total.filter(|_| once)),
        ];
        figures.map(|(figure, count)| (figure, count.filter(|_| self.complete)))
    }
}

impl RatiosRecord {
    fn new(run: &ComparedRun, first: &ComparedRun) -> Self {
        if !(run.complete && first.complete) {
            return Self::default();
        }
        let ratio = |one: Option<f64>, other: Option<f64>| {
            one.zip(other).filter(|&(_, other)| other > 0.0).map(|(one, other)| one / other)
        };
        let number = |count: Option<u64>| count.map(|count| count as f64);
        Self {
            time: ratio(run.resources.wall_seconds, first.resources.wall_seconds),
            peak_stored: ratio(number(run.states.peak_stored), number(first.states.peak_stored)),
            peak_rss: ratio(number(run.resources.peak_rss_bytes), number(first.resources.peak_rss_bytes)),
        }
    }
}

impl DisagreementRecord {
    /// The disagreement in one sentence without a full stop.
    pub fn sentence(&self) -> String {
        let Self { model, figure, engines: [one, other], counts: [few, many] } = self;
        format!("on `{model}`, {one} counts {few} {figure} and {other} {many}")
    }
}

impl Default for ComparisonRecord {
    fn default() -> Self {
        let exit_code = Exit::Unknown.code();
        Self { format: Self::FORMAT.into(), exit_code, runs: Vec::new(), disagreements: Vec::new() }
    }
}

impl ComparisonRecord {
    /// Name and version of the format.
    pub const FORMAT: &str = "sweepline-compare/1";

    /// Adds a run, and compares it with the other runs of the same model.
    pub fn add(&mut self, mut run: ComparedRun) {
        let others: Vec<&ComparedRun> = self.runs.iter().filter(|other| other.model == run.model).collect();
        run.ratios = RatiosRecord::new(&run, others.first().copied().unwrap_or(&run));
        for (place, (figure, count)) in run.settled().into_iter().enumerate() {
            // One of them suffices: the others agree with it, or the disagreement is recorded.
            let known = others.iter().find_map(|other| Some((other, other.settled()[place].1?)));
            if let (Some((other, theirs)), Some(ours)) = (known, count)
                && theirs != ours
            {
                self.disagreements.push(DisagreementRecord {
                    model: run.model.clone(),
                    figure: figure.into(),
                    engines: [other.engine.clone(), run.engine.clone()],
                    counts: [theirs, ours],
                });
            }
        }
        self.runs.push(run);
    }

    /// The exit that follows from the runs. A defect takes precedence.
    pub fn exit_of_runs(&self) -> Exit {
        let some = |exit: Exit| self.runs.iter().any(|run| run.exit_code == Some(exit.code()));
        if !self.disagreements.is_empty() || some(Exit::Defect) {
            Exit::Defect
        } else if some(Exit::BadInput) {
            Exit::BadInput
        } else if self.runs.is_empty() || self.runs.iter().any(|run| !run.complete) {
            Exit::Unknown
        } else {
            Exit::Holds
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::check::Engine;

    use super::*;
    use crate::run_record::PlanRecord;

    fn complete(engine: &str, distinct: Option<u64>, explored: u64) -> ComparedRun {
        let mut record = RunRecord::new("m.dve", PlanRecord::new(Engine::Breadth, "compiled"));
        record.exit_code = 0;
        record.search.complete = true;
        record.search.states.distinct = distinct;
        record.search.states.distinct_estimate = distinct.or(Some(100));
        record.search.states.explored = Some(explored);
        record.search.states.peak_stored = Some(explored);
        record.search.transitions.total = Some(3 * explored);
        record.search.deadlocks = Some(2);
        record.search.io =
            IoRecord { states_written: Some(50), states_read: Some(100), ..IoRecord::default() };
        record.resources.wall_seconds = Some(explored as f64);
        ComparedRun::new("m.dve", engine, record)
    }

    fn compared(runs: impl IntoIterator<Item = ComparedRun>) -> ComparisonRecord {
        let mut comparison = ComparisonRecord::default();
        runs.into_iter().for_each(|run| comparison.add(run));
        comparison
    }

    #[test]
    fn costs_are_measured_by_those_of_the_first_engine() {
        let comparison = compared([complete("breadth", Some(100), 100), complete("sweep", None, 250)]);
        let [first, second] = &comparison.runs[..] else { panic!("two runs") };
        assert_eq!(
            first.ratios,
            RatiosRecord { time: Some(1.0), peak_stored: Some(1.0), ..RatiosRecord::default() }
        );
        assert_eq!(second.ratios.time, Some(2.5));
        assert_eq!(second.ios_per_state, Some(1.5));
        assert_eq!(comparison.exit_of_runs(), Exit::Holds);
    }

    #[test]
    fn transitions_of_states_that_are_expanded_twice_may_differ() {
        let comparison = compared([complete("breadth", Some(100), 100), complete("sweep", Some(100), 130)]);
        assert_eq!(comparison.disagreements, []);
    }

    #[test]
    fn complete_runs_that_count_differently_are_a_defect() {
        let comparison = compared([complete("breadth", Some(100), 100), complete("depth", Some(99), 99)]);
        let figures: Vec<&str> = comparison.disagreements.iter().map(|one| &one.figure[..]).collect();
        assert_eq!(figures, ["distinct states", "transitions"]);
        assert_eq!(comparison.exit_of_runs(), Exit::Defect);
        let sentence = "on `m.dve`, breadth counts 100 distinct states and depth 99";
        assert_eq!(comparison.disagreements[0].sentence(), sentence);
        let mut other = complete("sweep", None, 100);
        other.deadlocks = Some(3);
        let comparison = compared([complete("breadth", Some(100), 100), other]);
        assert_eq!(comparison.disagreements[0].counts, [2, 3]);
    }

    #[test]
    fn runs_that_are_not_complete_agree_with_everything_and_are_compared_with_nothing() {
        let mut cut = complete("breadth", Some(7), 7);
        (cut.complete, cut.exit_code) = (false, Some(3));
        let comparison = compared([cut, complete("sweep", Some(100), 100)]);
        assert_eq!(comparison.disagreements, []);
        assert!(comparison.runs.iter().all(|run| run.ratios == RatiosRecord::default()));
        assert_eq!(comparison.exit_of_runs(), Exit::Unknown);
    }

    #[test]
    fn models_are_not_compared_with_each_other() {
        let mut other = complete("breadth", Some(7), 7);
        other.model = "n.dve".into();
        let comparison = compared([complete("breadth", Some(100), 100), other]);
        assert_eq!(comparison.disagreements, []);
        assert_eq!(comparison.runs[1].ratios.time, Some(1.0));
    }
}
