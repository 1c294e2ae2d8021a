//! Reports of finished runs, for people and programs.
//!
//! The principal type in this crate is [`RunRecord`]: everything that is known about one run, in
//! the structure of the JSON that `--json` writes. It is filled in during the run, so it is valid
//! wherever the run ends. All other output is a view of it: [`Summary`] for the terminal, [`page`]
//! for a browser, [`write_junit`] for CI servers, [`TraceText`] for one trace, [`TraceFile`] for a
//! saved trace, [`ItfTrace`] for other tools. A [`Finding`] is an error or a warning with its place
//! in the model.
//!
//! Nothing in this crate prints. Views implement [`Display`](std::fmt::Display) or write to a
//! writer.
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
mod diagnostics;
mod exit;
mod itf;
mod json;
mod junit;
mod markup;
mod measure_rows;
mod measure_search;
mod measure_table;
mod measures_record;
mod profile_record;
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
pub use diagnostics::{Coloring, Excerpt, Finding, RUNTIME_CODES, Within, runtime_error};
pub use exit::Exit;
pub use itf::ItfTrace;
#[cfg(feature = "schema")]
pub use json::run_record_schema;
pub use json::{read_run_record, write_json};
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
pub use profile_record::{ActionRecord, ProfilePointRecord, ProfileRecord, RateRecord, SweepProfileRecord};
pub use quantities::{About, Bytes, Count, Percent, Seconds, States, Steps};
pub use run_record::{
    AnswerRecord, CellRecord, ChangeRecord, ClassIoRecord, ComponentRecord, DiagnosticRecord, EngineRecord,
    FinishedSearch, GivenUpRecord, GraphRecord, HeldRecord, IoRecord, LengthRecord, MeasureChangeRecord,
    MeasureOrigin, MeasureRecord, ModelRecord, NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS, PlanRecord,
    PropertyKindRecord, PropertyRecord, ReductionRecord, ResourcesRecord, RunRecord, SearchRecord,
    SeverityRecord, StateTableRecord, StatesRecord, StepRecord, TimesRecord, TraceKind, TraceRecord,
    TransitionsRecord, Usage, ValueRecord, WorkerRecord,
};
pub use space::{LayerEdgeRecord, SpaceEdgeRecord, SpaceLayerRecord, SpaceRecord, SpaceStateRecord};
pub use space_drawing::svg;
pub use statistics::graph_row;
pub use terminal::{ComponentText, Detail, Summary, WrittenFile};
pub use trace_file::{SavedAction, TraceFile, TraceFileError};
pub use trace_view::{Length, TraceText, TraceView, changes_text, state_text};
pub use web_page::page;
