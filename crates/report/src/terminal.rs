//! A finished run on the terminal: traces, then the verdicts, then the statistics.
//!
//! The verdicts come after the traces, because the end stays visible in a terminal. The statistics
//! are in `statistics.rs`.

use std::fmt;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::diagnostics::Coloring;
use crate::quantities::{Count, States, Steps};
use crate::run_record::{
    AnswerRecord, ComponentRecord, LengthRecord, PropertyKindRecord, PropertyRecord, RunRecord, TraceRecord,
    ValueRecord,
};
use crate::statistics::{one_line, rows};
use crate::survey::SurveyText;
use crate::trace_view::{Length, TraceText, TraceView, compact_state, state_text};

/// Number of states of a long list that are shown.
const SHOWN_STATES: usize = 20;

/// Level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Verdicts only.
    Quiet,
    /// Traces, verdicts and statistics.
    #[default]
    Normal,
    /// All steps of each trace, and more statistics.
    Verbose,
}

/// The report of a run for the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The run.
    pub record: &'a RunRecord,
    /// The level of detail.
    pub detail: Detail,
    /// The view of traces.
    pub view: TraceView,
    /// Whether the text is coloured.
    pub coloring: Coloring,
    /// Files that were written.
    pub files: &'a [WrittenFile],
}

/// A file with results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// Description of the content.
    pub content: &'static str,
    /// Path of the file.
    pub path: String,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail != Detail::Quiet && self.view != TraceView::None {
            self.traces(f)?;
        }
        // Lists that were requested are shown at every level of detail.
        self.terminal_states(f)?;
        self.survey(f)?;
        for property in &self.record.properties {
            self.answer(f, property)?;
        }
        // A search that never started has no statistics.
        if self.record.search.transitions.total.is_none() {
            return Ok(());
        }
        match (self.detail, self.record.properties.is_empty()) {
            (Detail::Quiet, false) => Ok(()),
            // Without properties, even `-q` prints one line.
            (Detail::Quiet, true) => match one_line(self.record) {
                Some(line) => writeln!(f, "{line}"),
                None => Ok(()),
            },
            (_, true) => self.statistics(f),
            (_, false) => writeln!(f).and_then(|()| self.statistics(f)),
        }
    }
}

impl Summary<'_> {
    fn traces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = if self.detail == Detail::Verbose { Length::All } else { Length::Ends };
        for property in &self.record.properties {
            if let Some(trace) = self.trace_of(property) {
                writeln!(f, "{}", self.bold(&heading(property, trace)))?;
                if trace.length == Some(LengthRecord::SubjectToProgress) && !trace.steps.is_empty() {
                    writeln!(f, "{SUBJECT_TO_PROGRESS}")?;
                }
                writeln!(f, "\n{}", TraceText { trace, view: self.view, length })?;
                if let Some(component) = &trace.component {
                    self.component(f, component)?;
                }
            }
        }
        Ok(())
    }

    fn component(&self, f: &mut fmt::Formatter<'_>, component: &ComponentRecord) -> fmt::Result {
        let total = component.size.unwrap_or(component.states.len() as u64);
        let listed = component.states.len();
        let states = &component.states[..self.shown_of(listed)];
        self.states(f, &component_heading(component), states, (listed, total))
    }

    fn terminal_states(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(table) = &self.record.search.terminal_states else { return Ok(()) };
        let found = if self.record.search.complete { "" } else { " found so far" };
        let total = table.states.len();
        let heading = match total {
            0 => return writeln!(f, "{}\n", self.bold(&format!("No terminal state{found}."))),
            1 => format!("1 terminal state{found}:"),
            many => format!("{} terminal states{found}:", Count(many as u64)),
        };
        self.states(f, &heading, &table.first(self.shown_of(total)), (total, total as u64))
    }

    fn survey(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(survey) = &self.record.search.survey else { return Ok(()) };
        let is_complete = self.record.search.complete;
        let text = SurveyText { survey, is_complete, is_long: self.detail == Detail::Verbose };
        writeln!(f, "{}\n\n{text}", self.bold("State space"))
    }

    /// Number of states that are shown of a list of this length.
    fn shown_of(&self, listed: usize) -> usize {
        if self.detail == Detail::Verbose { listed } else { SHOWN_STATES.min(listed) }
    }

    /// Writes states under a heading, numbered from one. They are the first ones of all that are
    /// listed in the record, which may be fewer than there are.
    fn states(
        &self,
        f: &mut fmt::Formatter<'_>,
        heading: &str,
        shown: &[Vec<ValueRecord>],
        (listed, total): (usize, u64),
    ) -> fmt::Result {
        writeln!(f, "{}\n", self.bold(heading))?;
        f.write_str(&numbered_states(shown, self.view))?;
        match total - shown.len() as u64 {
            0 => {}
            more if shown.len() < listed => writeln!(f, "  ...    {} more; -v lists them", Count(more))?,
            more => writeln!(f, "  ...    {} more", Count(more))?,
        }
        writeln!(f)
    }

    fn answer(&self, f: &mut fmt::Formatter<'_>, property: &PropertyRecord) -> fmt::Result {
        let (word, color) = match property.verdict {
            AnswerRecord::Holds => ("holds", AnsiColor::Green),
            AnswerRecord::Violated => ("violated", AnsiColor::Red),
            AnswerRecord::Unknown => ("unknown", AnsiColor::Yellow),
        };
        let style = color.on_default().bold();
        write!(f, "{}  {}", self.paint(style, &format!("{word:8}")), property.name)?;
        // The name of an expression does not tell its kind.
        let is_expression =
            matches!(property.kind, PropertyKindRecord::Invariant | PropertyKindRecord::Reach);
        let kind = is_expression.then(|| property.kind.name());
        let place = self.trace_of(property).map(place);
        let remarks: Vec<&str> = kind.into_iter().chain(place.as_deref()).collect();
        if !remarks.is_empty() {
            write!(f, " ({})", remarks.join(", "))?;
        }
        match &property.reason {
            Some(reason) => writeln!(f, ": {reason}"),
            None => writeln!(f),
        }
    }

    /// Writes the statistics, with the list of files at the end.
    fn statistics(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter().map(|WrittenFile { content, path }| format!("{path} ({content})"));
        let files = files.collect::<Vec<_>>().join(", ");
        let files = (!files.is_empty()).then_some(("written", files));
        rows(self.record, self.detail)
            .chain(files)
            .try_for_each(|(name, value)| writeln!(f, "{name:16}  {value}"))
    }

    fn trace_of(&self, property: &PropertyRecord) -> Option<&TraceRecord> {
        property.trace.and_then(|number| self.record.traces.get(number))
    }

    fn bold(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    fn paint(&self, style: Style, text: &str) -> String {
        match self.coloring {
            Coloring::Colored => format!("{style}{text}{style:#}"),
            Coloring::Plain => text.into(),
        }
    }
}

/// The terminal component of a saved trace.
#[derive(Clone, Copy, Debug)]
pub struct ComponentText<'a> {
    /// The component.
    pub component: &'a ComponentRecord,
    /// The view of its states.
    pub view: TraceView,
}

impl fmt::Display for ComponentText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = &self.component.states;
        writeln!(
            f,
            "{}\n\n{}",
            component_heading(self.component),
            numbered_states(states, self.view).trim_end()
        )?;
        match self.component.size.map_or(0, |size| size.saturating_sub(states.len() as u64)) {
            0 => Ok(()),
            more => writeln!(f, "  ...    {} more", Count(more)),
        }
    }
}

pub(crate) fn component_heading(component: &ComponentRecord) -> String {
    let size = component.size.map_or("more states than listed".into(), |size| States(size).to_string());
    format!("Terminal SCC, {size}; no run leaves it:")
}

/// States, numbered from one.
fn numbered_states(states: &[Vec<ValueRecord>], view: TraceView) -> String {
    let line = |(number, state): (usize, &Vec<ValueRecord>)| {
        let text = match view {
            TraceView::Full => state_text(state),
            _ => compact_state(state),
        };
        // The number replaces the indentation of the first line.
        format!("{:>5}    {}\n", number + 1, text.trim_matches([' ', '\n']))
    };
    states.iter().enumerate().map(line).collect()
}

/// Explanation below the heading of a trace that a sweep found.
const SUBJECT_TO_PROGRESS: &str = "\
(fewest regress edges, then least progress, then fewest steps in its layer; --shortest searches for a shorter one)";

/// The heading of a trace: what it proves, where it ends, and how its length compares with others.
pub(crate) fn heading(property: &PropertyRecord, trace: &TraceRecord) -> String {
    let role = match property.verdict {
        AnswerRecord::Holds => "Witness",
        AnswerRecord::Violated | AnswerRecord::Unknown => "Counterexample",
    };
    let mut place = place(trace);
    place.push_str(match trace.length {
        // Every trace without steps is shortest.
        _ if trace.steps.is_empty() => "",
        Some(LengthRecord::Shortest) => " (shortest)",
        Some(LengthRecord::SubjectToProgress) => " (shortest subject to progress)",
        Some(LengthRecord::AsFound) => " (as found)",
        None => "",
    });
    let name = &property.name;
    let shown = match property.kind {
        PropertyKindRecord::Deadlock => format!("no action is enabled {place}"),
        PropertyKindRecord::Reach => format!("`{name}` is true {place}"),
        PropertyKindRecord::Invariant => format!("`{name}` is false {place}"),
        PropertyKindRecord::NoRuntimeError => format!("the model has a run-time error {place}"),
        PropertyKindRecord::Monotone => {
            let step = property.reason.as_deref().unwrap_or("a regress edge");
            format!("progress decreases {place}: {step}")
        }
        PropertyKindRecord::Safety | PropertyKindRecord::Ltl | PropertyKindRecord::Ctl => {
            match property.verdict {
                AnswerRecord::Holds => format!("`{name}` is shown {place}"),
                AnswerRecord::Violated | AnswerRecord::Unknown => format!("`{name}` is violated {place}"),
            }
        }
    };
    format!("{role}: {shown}:")
}

/// Where a trace ends.
fn place(trace: &TraceRecord) -> String {
    match trace.steps.len() {
        0 => "in the initial state".into(),
        steps => format!("after {}", Steps(steps)),
    }
}
