//! `progress`: finds, judges, compares and saves progress measures.
//!
//! The table lists found measures, the best one first; then the one that the model declares, and
//! the user's own. "No measure" is a valid answer to the question which one to use, so the exit
//! code is that of success in any case.

mod arguments;
pub mod proof;

use std::time::Instant;

use engine::progress::finder::{Aim, Effort, FinderOptions, SmallModels};
use model::guarded_commands::Expression;
use model::measure::MeasureKind;
use report::{
    AimRecord, CandidateOrigin, CandidateRecord, Count, Detail, Exit, FinderRecord, Finding, MeasureTable,
    MeasuresRecord, Percent, ProposalRecord, States,
};
use sweepline::execution::Execution;

pub use arguments::ProgressArguments;

use crate::explain::codes;
use crate::input::chosen_measure::{self, Measure};
use crate::input::model_file::ModelFile;
use crate::monitor::usage_since;
use crate::options::{Choice, detail, free_stream};
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};
use proof::add_proof;

/// Greatest fraction of regress edges for the levels 1 to 6 (Evangelista and Kristensen, SPIN
/// 2012).
const REGRESS_LEVELS: [f64; 6] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2];

/// One run of `progress`.
pub struct ProgressRun<'a> {
    arguments: &'a ProgressArguments,
    console: Console,
    start: Instant,
}

/// A model, how it is executed, and how it is sampled.
struct Subject {
    file: ModelFile,
    execution: Execution,
    options: FinderOptions,
}

impl<'a> ProgressRun<'a> {
    /// A run of a process that started at `start`.
    pub fn new(arguments: &'a ProgressArguments, console: Console, start: Instant) -> Self {
        let console = console.with_results_on(free_stream(&[&arguments.json, &arguments.save]));
        Self { arguments, console, start }
    }

    /// Finds and judges measures, and reports them.
    pub fn run(&self) -> Exit {
        let json = match self.arguments.json.as_deref().map(OutputFile::probe).transpose() {
            Ok(json) => json,
            Err(finding) => {
                self.console.report(&[finding]);
                return Exit::BadInput;
            }
        };
        let path = self.arguments.model.display().to_string();
        let mut record =
            MeasuresRecord::new(path, self.aim_record(), self.effort().into(), self.arguments.seed);
        record.model.constants = self.arguments.definitions.constants.iter().cloned().collect();
        let mut exit = self.answer(&mut record).unwrap_or_else(|Failure { exit, findings }| {
            self.tell(&findings, &mut record);
            exit
        });
        record.resources.set_usage(usage_since(self.start));
        record.exit_code = exit.code();
        if let Some(json) = json
            && let Err(error) = json.write_record(&record)
        {
            exit = self.lose("the record", &error);
        }
        let table = MeasureTable { record: &record, detail: self.detail() };
        if let Err(error) = self.console.print(&table.to_string()) {
            exit = self.lose("the table", &error);
        }
        exit
    }

    /// Everything up to the saved measure.
    fn answer(&self, record: &mut MeasuresRecord) -> Result<Exit, Failure> {
        let arguments = self.arguments;
        let save = arguments.save.as_deref().map(OutputFile::probe).transpose()?;
        let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
        record.model.set(&file.model);
        self.tell(&file.warnings(), record);
        let judged = arguments
            .judge
            .as_deref()
            .map(|text| chosen_measure::given("--judge", text, &file))
            .transpose()?;
        if judged.as_ref().is_some_and(|measure| measure.packed.kind() == MeasureKind::Product) {
            return Err(vec![vector_not_judged()].into());
        }
        self.tell(judged.as_ref().map_or(&[], |measure| &measure.warnings), record);
        let options = self.finder_options();
        let execution = arguments.execution.unwrap_or_else(|| Execution::suited_to(&file.model));
        record.execution = Some(execution.name().into());
        let subject = Subject { file, execution, options };
        subject.find(record)?;
        let declared = subject.file.model.progress.as_ref();
        let declared = declared.and_then(|declared| chosen_measure::declared(declared, &subject.file).ok());
        let declared = declared.filter(|measure| measure.packed.kind() == MeasureKind::Lexicographic);
        for (measure, origin) in [(declared, CandidateOrigin::Declared), (judged, CandidateOrigin::Judged)] {
            if let Some(measure) = measure {
                subject.judge(record, &measure, origin)?;
            }
        }
        record.choose();
        Ok(match save {
            Some(out) => self.save(&out, record),
            None => Exit::Holds,
        })
    }

    fn detail(&self) -> Detail {
        detail(self.arguments.quiet, self.arguments.verbose)
    }

    fn effort(&self) -> Effort {
        match (self.arguments.exact, self.arguments.thorough) {
            (true, _) => Effort::Exact,
            (_, true) => Effort::Thorough,
            _ => Effort::Quick,
        }
    }

    /// Greatest allowed fraction of regress edges, if there is a limit.
    fn regress_bound(&self) -> Option<f64> {
        REGRESS_LEVELS.get(usize::from(self.arguments.regress_level?) - 1).copied()
    }

    fn aim_record(&self) -> AimRecord {
        let regress_bound = self.regress_bound();
        let prefer = self.arguments.prefer.unwrap_or_default().option_name();
        AimRecord { prefer: regress_bound.is_none().then(|| prefer.into()), regress_bound }
    }

    fn finder_options(&self) -> FinderOptions {
        let effort = self.effort();
        let aim = match self.regress_bound() {
            Some(regress) => Aim::Bounded { regress },
            None => self.arguments.prefer.unwrap_or_default().aim(),
        };
        FinderOptions {
            aim,
            effort,
            seed: self.arguments.seed,
            small: SmallModels::Swept,
            ..FinderOptions::default()
        }
    }

    /// Saves the measure of `--judge`, or else the best one.
    fn save(&self, out: &OutputFile, record: &mut MeasuresRecord) -> Exit {
        let own = record.candidates.iter().find(|one| one.origin == CandidateOrigin::Judged);
        let chosen = || record.candidates.iter().find(|one| Some(one.number) == record.chosen);
        let Some(candidate) = own.or_else(chosen) else {
            let help = "--thorough searches harder; --judge EXPR --save FILE saves your own; --measure none explores in full";
            let finding = Finding::warning(codes::NO_MEASURE_TO_SAVE, "there is no measure to save", help);
            self.tell(&[finding], record);
            return Exit::Holds;
        };
        match out.write(saved_text(candidate, record).as_bytes()) {
            Ok(()) => Exit::Holds,
            Err(error) => self.lose("the measure", &error),
        }
    }

    /// Prints findings and adds them to the record.
    fn tell(&self, findings: &[Finding], record: &mut MeasuresRecord) {
        self.console.report(findings);
        record.report(findings);
    }

    fn lose(&self, what: &str, error: &std::io::Error) -> Exit {
        self.console.report(&[result_lost(what, error)]);
        Exit::Unknown
    }
}

impl Subject {
    fn find(&self, record: &mut MeasuresRecord) -> Result<(), Failure> {
        let model = &self.file.model;
        let search = self
            .execution
            .find_measures(&model.commands, &self.options)
            .map_err(|error| Failure::of_check(&error, None))?;
        let FinderRecord { seconds, sample, proposals, .. } = FinderRecord::new(model, &search);
        (record.seconds, record.sample) = (Some(seconds), Some(sample));
        if search.effort == Effort::Exact && !sample.complete {
            let findings = vec![not_from_all_states(&self.file.path, sample.expanded)];
            return Err(Failure { exit: Exit::Unknown, findings });
        }
        for (proposal, found) in proposals.into_iter().zip(&search.findings.proposals) {
            let number = record.candidates.len() + 1;
            let candidate = CandidateRecord::new(number, CandidateOrigin::Found, proposal, &sample);
            self.add(record, candidate, &found.components);
        }
        Ok(())
    }

    fn judge(
        &self,
        record: &mut MeasuresRecord,
        measure: &Measure,
        origin: CandidateOrigin,
    ) -> Result<(), Failure> {
        let model = &self.file.model;
        let (cost, facts) = self
            .execution
            .judge_measure(&model.commands, &measure.packed, &self.options)
            .map_err(|error| Failure::of_check(&error, None))?;
        let proposal = ProposalRecord::new(model, &measure.components, &cost);
        let number = record.candidates.len() + 1;
        let candidate = CandidateRecord::new(number, origin, proposal, &(&facts).into());
        self.add(record, candidate, &measure.components);
        Ok(())
    }

    fn add(&self, record: &mut MeasuresRecord, mut candidate: CandidateRecord, components: &[Expression]) {
        add_proof(&mut candidate, &self.file, components);
        record.candidates.push(candidate);
    }
}

fn vector_not_judged() -> Finding {
    let message = "a vector measure cannot be judged on a sample";
    let help = "judge the tuple `(a, b)` instead of the vector `[a, b]`, or try it: `sweepline explore MODEL --measure '[a, b]'`";
    Finding::error(codes::BAD_MEASURE, message, help)
}

/// The content of a saved measure: a comment about its origin, and the measure.
fn saved_text(candidate: &CandidateRecord, record: &MeasuresRecord) -> String {
    let origin = match candidate.origin {
        CandidateOrigin::Found => "found",
        CandidateOrigin::Judged => "judged",
        CandidateOrigin::Declared => "declared",
    };
    let basis = if candidate.proved == Some(true) { "proved monotone, " } else { "" };
    let states = record.sample.map_or(0, |sample| sample.expanded);
    let expected = candidate.proposal.expected;
    // A line break in the name would end the comment.
    let path = record.model.path.replace(char::is_control, " ");
    format!(
        "// progress of {path}, {origin} by `sweepline progress`: {basis}{} in memory, {:.2} expansions per state, on {} (seed {})\n{}\n",
        Percent(expected.peak_share),
        expected.revisits,
        States(states),
        record.seed,
        candidate.proposal.expression,
    )
}

fn not_from_all_states(path: &str, states: u64) -> Finding {
    let message = format!("--exact needs all states, and there are more than {}", Count(states));
    let help = format!(
        "`sweepline progress {path} --thorough` uses a large sample; or use a smaller instance of the model"
    );
    Finding::error(codes::NOT_FROM_ALL_STATES, message, help)
}
