//! A finished run on the terminal: traces, then the answers, then the statistics.
//!
//! The answers come after the traces, because what stays visible in a terminal is the end. The statistics have the
//! words of SPIN's block (states stored and matched, transitions, state vector), which everybody in the field
//! knows how to read.

use std::fmt;

use anstyle::{AnsiColor, Style};

use crate::diagnostics::Coloring;
use crate::filling::NO_RUNTIME_ERROR;
use crate::quantities::{Bytes, Count, Seconds, Steps};
use crate::run_record::{AnswerRecord, PropertyRecord, RunRecord, TraceRecord};
use crate::trace_view::{Length, TraceText, TraceView};

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
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail != Detail::Quiet && self.view != TraceView::None {
            self.traces(f)?;
        }
        for property in &self.record.properties {
            self.answer(f, property)?;
        }
        let search = &self.record.search;
        // Statistics of a search that never began are nothing but gaps.
        let (Some(states), Some(transitions)) = (search.states.distinct, search.transitions.total) else {
            return Ok(());
        };
        match (self.detail, self.record.properties.is_empty()) {
            (Detail::Quiet, false) => Ok(()),
            // Who asks nothing and wants to hear little still wants to hear something.
            (Detail::Quiet, true) => {
                writeln!(f, "{} states, {} transitions", Count(states), Count(transitions))
            }
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
                writeln!(f, "{}\n", self.bold(&heading(property, trace)))?;
                writeln!(f, "{}", TraceText { trace, view: self.view, length })?;
            }
        }
        Ok(())
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

    fn statistics(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunRecord { model, search, resources, .. } = self.record;
        let mut rows: Vec<(&str, Option<String>)> = vec![
            ("search", Some(self.search_row())),
            ("state vector", state_vector_row(self.record)),
            ("states stored", count(search.states.distinct)),
            ("states matched", count(search.states.matched)),
            ("transitions", count(search.transitions.total)),
            ("levels", count(search.levels)),
            ("stack depth", count(search.stack_depth)),
            ("deadlocks", count(search.deadlocks.filter(|_| search.complete))),
            ("run-time errors", count(search.erroneous.filter(|&number| number > 0))),
            ("memory", memory_row(self.record)),
            ("time", time_row(self.record)),
        ];
        if self.detail == Detail::Verbose {
            rows.push(("processor time", resources.cpu_seconds.map(|seconds| Seconds(seconds).to_string())));
            rows.push(("disk", resources.disk_bytes.map(|bytes| Bytes(bytes).to_string())));
            rows.push(("words of a state", count(model.state_words)));
            rows.push(("states explored", count(search.states.explored)));
        }
        for (name, value) in rows {
            if let Some(value) = value {
                writeln!(f, "{name:16}  {value}")?;
            }
        }
        Ok(())
    }

    fn search_row(&self) -> String {
        let RunRecord { plan, search, properties, .. } = self.record;
        let erroneous = properties.iter().any(|property| property.name == NO_RUNTIME_ERROR);
        let end = match &search.stopped {
            Some(reason) => format!("incomplete, {reason}"),
            None if search.complete => "complete".into(),
            None if erroneous => "ended with the run-time error".into(),
            None => "ended when the answers were known".into(),
        };
        format!("{}-first, {}: {end}", plan.engine, plan.execution)
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

/// What the trace below shows.
fn heading(property: &PropertyRecord, trace: &TraceRecord) -> String {
    let place = place(trace);
    match (property.kind.as_str(), property.name.as_str()) {
        ("deadlock", _) => format!("No action is enabled {place}:"),
        ("reach", name) => format!("`{name}` is true {place}:"),
        ("invariant", name) => format!("`{name}` is false {place}:"),
        (_, NO_RUNTIME_ERROR) => format!("The model has a run-time error {place}:"),
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

fn count(number: Option<u64>) -> Option<String> {
    number.map(|number| Count(number).to_string())
}

fn state_vector_row(record: &RunRecord) -> Option<String> {
    let (bits, words) = (record.model.state_bits?, record.model.state_words?);
    let variables = record.model.variables.map_or(String::new(), |number| format!(", {number} variables"));
    Some(format!("{} bytes ({bits} bits{variables})", words * 8))
}

fn memory_row(record: &RunRecord) -> Option<String> {
    let bytes = record.resources.peak_state_bytes?;
    let stored = record.search.states.peak_stored.filter(|&stored| stored > 0)?;
    let per_state = bytes as f64 / stored as f64;
    let process = record.resources.peak_rss_bytes;
    let process = process.map_or(String::new(), |bytes| format!("; {} peak for the process", Bytes(bytes)));
    Some(format!("{} for states, {per_state:.1} bytes per state{process}", Bytes(bytes)))
}

fn time_row(record: &RunRecord) -> Option<String> {
    let seconds = record.resources.wall_seconds?;
    let explored = record.search.states.explored?;
    let rate = if seconds > 0.0 { (explored as f64 / seconds) as u64 } else { explored };
    Some(format!("{}, {} states/s", Seconds(seconds), Count(rate)))
}
