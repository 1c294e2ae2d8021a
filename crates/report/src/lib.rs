//! A finished run, for people and programs.
//!
//! The principal type in this crate is [`RunRecord`]: everything that is known about one run, in the form of the
//! JSON that `--json` writes. It is filled in as the run proceeds, so wherever the run ends, the record is true. All
//! other output is a view of it: [`Summary`] for the terminal, [`page`] for a browser, [`TraceText`] for one trace,
//! [`TraceFile`] for a trace that is kept,
//! [`ItfTrace`] for one that other tools read. [`Finding`] is what went wrong on the way, with the place in the model.
//!
//! Nothing in here prints. Views implement [`Display`](std::fmt::Display) or write to a writer.
//!
//! ```
//! use report::{PlanRecord, RunRecord};
//! use engine::check::Engine;
//!
//! let record = RunRecord::new("lamp.dve", PlanRecord::new(Engine::Breadth, "compiled"));
//! let json = serde_json::to_string(&record)?;
//! assert!(json.starts_with(r#"{"format":"sweepline-run/1","exit_code":3,"model":{"path":"lamp.dve","#));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod comparison;
mod comparison_table;
mod course;
mod diagnostics;
mod exit;
mod filling;
mod itf;
mod json;
mod junit;
mod markup;
mod measure_search;
mod measure_story;
mod measure_table;
mod measures_record;
mod quantities;
mod run_record;
mod space;
mod space_drawing;
mod statistics;
mod survey;
mod terminal;
mod trace_file;
mod trace_view;
mod web_page;

pub use comparison::{ComparedRun, ComparisonRecord, DisagreementRecord, RatiosRecord};
pub use comparison_table::ComparisonTable;
pub use course::{ActionRecord, ProfilePointRecord, ProfileRecord, RateRecord, SweepProfileRecord};
pub use diagnostics::{Coloring, Excerpt, Finding, RUNTIME_CODES, Within, runtime_error};
pub use exit::Exit;
pub use filling::{FinishedSearch, NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS, Usage};
pub use itf::ItfTrace;
pub use json::{read_run_record, run_record_schema, write_json};
pub use junit::write_junit;
pub use markup::Escaped;
pub use measure_search::{
    AttemptEndRecord, AttemptRecord, EffortRecord, ExpectedRecord, FinderRecord, MeasureSearchRecord,
    ProposalRecord, SampleRecord, WindowRecord, brief_measure,
};
pub use measure_table::MeasureTable;
pub use measures_record::{
    AimRecord, CandidateOrigin, CandidateRecord, DoubtRecord, MeasuresRecord, PlaceRecord, RaisedRecord,
};
pub use quantities::{About, Bytes, Count, Percent, Seconds, States, Steps};
pub use run_record::{
    AnswerRecord, ChangeRecord, ClassIoRecord, ComponentRecord, DiagnosticRecord, GraphRecord, HeldRecord,
    IoRecord, LengthRecord, MeasureOrigin, MeasureRecord, ModelRecord, PlanRecord, PropertyRecord,
    ResourcesRecord, RunRecord, SearchRecord, StatesRecord, StepRecord, TimesRecord, TraceKind, TraceRecord,
    TransitionsRecord, ValueRecord,
};
pub use space::{LayerEdgeRecord, SpaceEdgeRecord, SpaceLayerRecord, SpaceRecord, SpaceStateRecord};
pub use space_drawing::svg;
pub use statistics::graph_row;
pub use terminal::{ComponentText, Detail, Summary, WrittenFile};
pub use trace_file::{SavedAction, TraceFile, TraceFileError};
pub use trace_view::{Length, TraceText, TraceView, changes_text, state_text};
pub use web_page::page;
