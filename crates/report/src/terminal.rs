//! A finished run on the terminal: traces, then the answers, then the statistics.
//!
//! The answers come after the traces, because what stays visible in a terminal is the end. The statistics are in
//! `statistics.rs`.

use std::fmt;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::diagnostics::Coloring;
use crate::filling::{NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS};
use crate::quantities::{Count, Steps};
use crate::run_record::{
    AnswerRecord, ComponentRecord, LengthRecord, PropertyRecord, RunRecord, TraceRecord, ValueRecord,
};
use crate::statistics::{one_line, rows};
use crate::survey::SurveyText;
use crate::trace_view::{Length, TraceText, TraceView, compact_state, state_text};

/// Of a long list of states, this many are shown.
const SHOWN_STATES: usize = 20;

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The answers.
    Quiet,
    /// Traces, answers, statistics.
    #[default]
    Normal,
    /// All of each trace, more statistics.
    Verbose,
}

/// The text for the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// What is shown.
    pub record: &'a RunRecord,
    /// How much of it.
    pub detail: Detail,
    /// What of the traces.
    pub view: TraceView,
    /// Whether it is coloured.
    pub coloring: Coloring,
    /// Files that were written.
    pub files: &'a [WrittenFile],
}

/// A file with results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// What is in it, in words.
    pub content: &'static str,
    /// Where it is.
    pub path: String,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail != Detail::Quiet && self.view != TraceView::None {
            self.traces(f)?;
        }
        // Who asks for a list wants it, however little else.
        self.terminal_states(f)?;
        self.survey(f)?;
        for property in &self.record.properties {
            self.answer(f, property)?;
        }
        // Statistics of a search that never began are nothing but gaps.
        if self.record.search.transitions.total.is_none() {
            return Ok(());
        }
        match (self.detail, self.record.properties.is_empty()) {
            (Detail::Quiet, false) => Ok(()),
            // Who asks nothing and wants to hear little still wants to hear something.
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
        self.states(f, &component_heading(component), &component.states, total)
    }

    fn terminal_states(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(states) = &self.record.search.terminal_states else { return Ok(()) };
        let found = if self.record.search.complete { "" } else { " found so far" };
        let heading = match states.len() {
            0 => return writeln!(f, "{}\n", self.bold(&format!("No terminal state{found}."))),
            1 => format!("1 terminal state{found}:"),
            many => format!("{} terminal states{found}:", Count(many as u64)),
        };
        self.states(f, &heading, states, states.len() as u64)
    }

    fn survey(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(survey) = &self.record.search.survey else { return Ok(()) };
        let is_complete = self.record.search.complete;
        let text = SurveyText { survey, is_complete, is_long: self.detail == Detail::Verbose };
        writeln!(f, "{}\n\n{text}", self.bold("State space"))
    }

    /// States under a heading, numbered from one, the first few of a long list.
    fn states(
        &self,
        f: &mut fmt::Formatter<'_>,
        heading: &str,
        states: &[Vec<ValueRecord>],
        total: u64,
    ) -> fmt::Result {
        writeln!(f, "{}\n", self.bold(heading))?;
        let shown =
            if self.detail == Detail::Verbose { states.len() } else { SHOWN_STATES.min(states.len()) };
        f.write_str(&numbered_states(&states[..shown], self.view))?;
        match total - shown as u64 {
            0 => {}
            more if shown < states.len() => writeln!(f, "  ...    {} more; -v shows them", Count(more))?,
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
        // `no deadlock` says what it is; of an expression, one has to know what was asked about it.
        let kind = matches!(property.kind.as_str(), "invariant" | "reach").then_some(property.kind.as_str());
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

    /// The block at the end, which tells last which files there are.
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

/// States that cannot be left any more, as a trace that was kept has them.
#[derive(Clone, Copy, Debug)]
pub struct ComponentText<'a> {
    /// The states.
    pub component: &'a ComponentRecord,
    /// What of each.
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
    match component.size {
        Some(1) => "This is the only state from there on:".into(),
        Some(size) => format!("From there on, these {} states can be reached and no others:", Count(size)),
        None => "From there on, these states and more can be reached:".into(),
    }
}

/// States, numbered from one.
fn numbered_states(states: &[Vec<ValueRecord>], view: TraceView) -> String {
    let line = |(number, state): (usize, &Vec<ValueRecord>)| {
        let text = match view {
            TraceView::Full => state_text(state),
            _ => compact_state(state),
        };
        // The number takes the place of the first line's indentation.
        format!("{:>5}    {}\n", number + 1, text.trim_matches([' ', '\n']))
    };
    states.iter().enumerate().map(line).collect()
}

/// Said below the heading of a run that a sweep found.
const SUBJECT_TO_PROGRESS: &str = "\
(fewest steps back, then least progress, then fewest steps in its layer; --shortest looks for a shorter one)";

/// What the trace below shows, and how it compares with others.
pub(crate) fn heading(property: &PropertyRecord, trace: &TraceRecord) -> String {
    let mut place = place(trace);
    place.push_str(match trace.length {
        // Nothing is shorter than no step.
        _ if trace.steps.is_empty() => "",
        Some(LengthRecord::Shortest) => " (a shortest run)",
        Some(LengthRecord::SubjectToProgress) => " (shortest subject to progress)",
        Some(LengthRecord::AsFound) => " (as found)",
        None => "",
    });
    match (property.kind.as_str(), property.name.as_str()) {
        ("deadlock", _) => format!("No action is enabled {place}:"),
        ("reach", name) => format!("`{name}` is true {place}:"),
        ("invariant", name) => format!("`{name}` is false {place}:"),
        (_, NO_RUNTIME_ERROR) => format!("The model has a run-time error {place}:"),
        (_, PROGRESS_NEVER_FALLS) => {
            let step = property.reason.as_deref().unwrap_or("a step");
            format!("Progress falls {place}: {step}:")
        }
        (_, name) if property.verdict == AnswerRecord::Holds => format!("`{name}` is shown {place}:"),
        (_, name) => format!("`{name}` is violated {place}:"),
    }
}

/// Where a finite trace ends.
fn place(trace: &TraceRecord) -> String {
    match trace.steps.len() {
        0 => "in the initial state".into(),
        steps => format!("after {}", Steps(steps)),
    }
}
