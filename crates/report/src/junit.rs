//! A run as JUnit XML, which CI servers show as tests.
//!
//! The model is a suite and each property is a test. A violation is a failure with its
//! counterexample. Everything else that is not a verdict is an error, so that a stopped run is not
//! taken for a success: an unknown verdict, a run-time error of the model, bad input.
//!
//! The format has no standard. This file writes what Jenkins, GitLab and others agree on: counts
//! and the time of the suite, and `failure` or `error` with a type, a message and a text. One
//! search decides all properties, so the tests have no times of their own.
//!
//! Names come from untrusted files. XML 1.0 cannot represent control characters, not even as
//! references, so they are shown as numbers.

use std::fmt;
use std::io::{self, Write};

use crate::exit::Exit;
use crate::markup::Escaped;
use crate::run_record::{
    AnswerRecord, DiagnosticRecord, PropertyKindRecord, PropertyRecord, RunRecord, SeverityRecord,
};
use crate::terminal::{ComponentText, heading};
use crate::trace_view::{Length, TraceText, TraceView};

/// Name of the test for the run as a whole.
const THE_RUN: &str = "the run";

/// Writes a run as JUnit XML.
///
/// # Errors
/// Errors of the writer.
pub fn write_junit(record: &RunRecord, out: &mut impl Write) -> io::Result<()> {
    let tests = tests(record);
    let count = |result: fn(&Result) -> bool| tests.iter().filter(|test| result(&test.result)).count();
    let failures = count(|result| matches!(result, Result::Failure(_)));
    let errors = count(|result| matches!(result, Result::Error(_)));
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", tests.len());
    let seconds = record.resources.wall_seconds.unwrap_or(0.0);
    let model = Attribute(&record.model.path);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"sweepline\" {counts} time=\"{seconds:.3}\">")?;
    writeln!(out, "  <testsuite name=\"{model}\" {counts} skipped=\"0\" time=\"{seconds:.3}\">")?;
    for test in &tests {
        write!(out, "    <testcase classname=\"{model}\" name=\"{}\"", Attribute(&test.name))?;
        match &test.result {
            Result::Passed => writeln!(out, "/>")?,
            Result::Failure(why) => writeln!(out, ">\n{}    </testcase>", Element { name: "failure", why })?,
            Result::Error(why) => writeln!(out, ">\n{}    </testcase>", Element { name: "error", why })?,
        }
    }
    if !record.diagnostics.is_empty() {
        let said: Vec<String> = record.diagnostics.iter().map(said).collect();
        writeln!(out, "    <system-err>{}</system-err>", Escaped(&said.join("\n")))?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")?;
    out.flush()
}

/// A test and its result.
struct Test {
    name: String,
    result: Result,
}

enum Result {
    Passed,
    Failure(Why),
    Error(Why),
}

/// Why a test did not pass.
struct Why {
    kind: String,
    message: String,
    text: String,
}

fn tests(record: &RunRecord) -> Vec<Test> {
    let of_property =
        |property: &PropertyRecord| Test { name: property.name.clone(), result: result_of(property, record) };
    let mut tests: Vec<Test> = record.properties.iter().map(of_property).collect();
    let told = tests.iter().any(|test| !matches!(test.result, Result::Passed));
    let failed = record.exit_code != Exit::Holds.code();
    // A suite without tests would look as if nothing had run.
    if tests.is_empty() || (failed && !told) || record.exit_code == Exit::Defect.code() {
        let result = if failed { Result::Error(why_no_answer(record)) } else { Result::Passed };
        tests.push(Test { name: THE_RUN.into(), result });
    }
    tests
}

fn result_of(property: &PropertyRecord, record: &RunRecord) -> Result {
    let reason = property.reason.clone();
    match property.verdict {
        AnswerRecord::Holds => Result::Passed,
        AnswerRecord::Unknown => {
            let message = reason.unwrap_or_else(|| "not decided".into());
            let text = record.diagnostics.iter().map(said).collect::<Vec<_>>().join("\n");
            Result::Error(Why { kind: "unknown".into(), message, text })
        }
        AnswerRecord::Violated => {
            let trace = property.trace.and_then(|place| record.traces.get(place));
            let shown = trace.map(|trace| heading(property, trace));
            let message = reason.or_else(|| shown.clone()).unwrap_or_else(|| "violated".into());
            let mut text = shown.map_or(String::new(), |shown| format!("{shown}\n\n"));
            if let Some(trace) = trace {
                text.push_str(&TraceText { trace, view: TraceView::Diff, length: Length::Ends }.to_string());
                if let Some(component) = &trace.component {
                    text.push('\n');
                    text.push_str(&ComponentText { component, view: TraceView::Diff }.to_string());
                }
            }
            match property.kind {
                PropertyKindRecord::NoRuntimeError => {
                    Result::Error(Why { kind: "run-time error".into(), message, text })
                }
                kind => Result::Failure(Why { kind: kind.name().into(), message, text }),
            }
        }
    }
}

/// Why a run gave no verdicts: its first error or, without an error, its first warning.
fn why_no_answer(record: &RunRecord) -> Why {
    let errors = record.diagnostics.iter().filter(|one| one.severity == SeverityRecord::Error);
    let first = errors.chain(&record.diagnostics).next();
    Why {
        kind: first.map_or("unknown".into(), |one| one.code.clone()),
        message: first.map_or("no verdict".into(), |one| one.message.clone()),
        text: record.diagnostics.iter().map(said).collect::<Vec<_>>().join("\n"),
    }
}

/// A diagnostic in one line, with its help in a second one.
fn said(one: &DiagnosticRecord) -> String {
    let place = match (&one.source, one.line, one.column) {
        (Some(source), Some(line), Some(column)) => format!("{source}:{line}:{column}: "),
        _ => String::new(),
    };
    let help = one.help.as_ref().map_or(String::new(), |help| format!("\n  help: {help}"));
    format!("{place}{}[{}]: {}{help}", one.severity.name(), one.code, one.message)
}

/// The element for a test that did not pass.
struct Element<'a> {
    name: &'a str,
    why: &'a Why,
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Why { kind, message, text } = self.why;
        let (name, kind, message) = (self.name, Attribute(kind), Attribute(message));
        let text = Escaped(text.trim_end());
        writeln!(f, "      <{name} type=\"{kind}\" message=\"{message}\">{text}</{name}>")
    }
}

/// Text of an attribute, with line breaks escaped, which readers would turn into spaces.
struct Attribute<'a>(&'a str);

impl fmt::Display for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Escaped(self.0).to_string().replace('\n', "&#10;").replace('\t', "&#9;"))
    }
}

#[cfg(test)]
mod tests {
    use engine::check::Engine;
    use proptest::prelude::*;
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::*;
    use crate::run_record::{
        ChangeRecord, NO_RUNTIME_ERROR, PlanRecord, StepRecord, TraceKind, TraceRecord, ValueRecord,
    };

    fn record() -> RunRecord {
        let plan = PlanRecord::new(Engine::Breadth, "compiled");
        RunRecord { exit_code: 0, ..RunRecord::new("lamp.dve", plan) }
    }

    fn property(name: &str, verdict: AnswerRecord) -> PropertyRecord {
        let (name, kind) = (name.into(), PropertyKindRecord::Invariant);
        PropertyRecord { name, kind, verdict, reason: None, trace: None }
    }

    fn diagnostic(code: &str, severity: SeverityRecord, message: &str) -> DiagnosticRecord {
        DiagnosticRecord {
            code: code.into(),
            severity,
            message: message.into(),
            line: Some(3),
            column: Some(7),
            help: Some("look".into()),
            source: Some("lamp.dve".into()),
        }
    }

    /// An element as another program reads it: its name, its attributes, and the text in it.
    type Read = (String, Vec<(String, String)>, String);

    fn read(record: &RunRecord) -> Vec<Read> {
        let mut text = Vec::new();
        write_junit(record, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut reader = Reader::from_str(&text);
        let mut elements: Vec<Read> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        loop {
            let event = reader.read_event().unwrap_or_else(|error| panic!("{error}:\n{text}"));
            match event {
                Event::Start(ref element) | Event::Empty(ref element) => {
                    let attributes = element.attributes().map(|attribute| {
                        let attribute = attribute.unwrap();
                        let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                        (key, attribute.unescape_value().unwrap().into_owned())
                    });
                    let name = String::from_utf8(element.name().as_ref().to_vec()).unwrap();
                    elements.push((name, attributes.collect(), String::new()));
                    if matches!(event, Event::Start(_)) {
                        open.push(elements.len() - 1);
                    }
                }
                Event::Text(part) => {
                    if let Some(&last) = open.last() {
                        elements[last].2.push_str(&part.decode().unwrap());
                    }
                }
                Event::GeneralRef(part) => {
                    let shown = format!("&{};", part.decode().unwrap());
                    elements[*open.last().unwrap()].2.push_str(&quick_xml::escape::unescape(&shown).unwrap());
                }
                Event::End(_) => drop(open.pop().unwrap()),
                Event::Eof => break,
                Event::Decl(_) => {}
                other => panic!("{other:?} in\n{text}"),
            }
        }
        assert!(open.is_empty(), "{text}");
        let allowed = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
        assert!(text.chars().all(allowed), "{text:?}");
        elements
    }

    fn attribute<'a>(element: &'a Read, key: &str) -> &'a str {
        let found = element.1.iter().find(|(name, _)| name == key);
        found.map_or_else(|| panic!("no {key} in {element:?}"), |(_, value)| value)
    }

    fn named<'a>(elements: &'a [Read], name: &str) -> Vec<&'a Read> {
        elements.iter().filter(|element| element.0 == name).collect()
    }

    #[test]
    fn each_property_is_a_test_and_a_violation_a_failure_with_its_trace() {
        let step = StepRecord {
            action: "P: a -> b".into(),
            changes: vec![ChangeRecord { variable: "x".into(), from: "0".into(), to: "1".into() }],
            number: 0,
            participants: vec![],
            channel: None,
        };
        let trace = TraceRecord {
            kind: TraceKind::Finite,
            loop_start: None,
            replayed: true,
            steps: vec![step],
            initial: vec![ValueRecord { variable: "x".into(), value: "0".into() }],
            length: None,
            component: None,
        };
        let mut record = RunRecord { exit_code: 1, traces: vec![trace], ..record() };
        record.properties = vec![
            property("x < 9", AnswerRecord::Holds),
            PropertyRecord { trace: Some(0), ..property("x < 1", AnswerRecord::Violated) },
            PropertyRecord { reason: Some("the limit".into()), ..property("x > 9", AnswerRecord::Unknown) },
            PropertyRecord {
                kind: PropertyKindRecord::NoRuntimeError,
                reason: Some("division by zero".into()),
                ..property(NO_RUNTIME_ERROR, AnswerRecord::Violated)
            },
        ];
        let elements = read(&record);
        let suite = named(&elements, "testsuite")[0];
        let counts = ["tests", "failures", "errors", "skipped"].map(|key| attribute(suite, key));
        assert_eq!((attribute(suite, "name"), counts), ("lamp.dve", ["4", "1", "2", "0"]));
        let names: Vec<&str> =
            named(&elements, "testcase").iter().map(|test| attribute(test, "name")).collect();
        assert_eq!(names, ["x < 9", "x < 1", "x > 9", NO_RUNTIME_ERROR]);
        let failure = named(&elements, "failure")[0];
        assert_eq!(attribute(failure, "message"), "Counterexample: `x < 1` is false after 1 step:");
        assert!(failure.2.contains("    1  P: a -> b\n         x: 0 -> 1"), "{}", failure.2);
        let errors = named(&elements, "error");
        let told: Vec<_> =
            errors.iter().map(|error| (attribute(error, "type"), attribute(error, "message"))).collect();
        assert_eq!(told, [("unknown", "the limit"), ("run-time error", "division by zero")]);
    }

    #[test]
    fn bad_input_is_an_error_of_the_run() {
        let mut record = RunRecord { exit_code: 2, ..record() };
        record.diagnostics = vec![
            diagnostic("W0404", SeverityRecord::Warning, "nearly a measure"),
            diagnostic("E0203", SeverityRecord::Error, "no state `t`"),
        ];
        let elements = read(&record);
        assert_eq!(attribute(named(&elements, "testcase")[0], "name"), THE_RUN);
        let error = named(&elements, "error")[0];
        assert_eq!((attribute(error, "type"), attribute(error, "message")), ("E0203", "no state `t`"));
        assert!(error.2.contains("lamp.dve:3:7: error[E0203]: no state `t`\n  help: look"), "{}", error.2);
        assert!(named(&elements, "system-err")[0].2.contains("warning[W0404]"));
    }

    #[test]
    fn a_run_is_one_test_if_nothing_was_asked() {
        assert_eq!(named(&read(&record()), "testcase").len(), 1);
        assert!(named(&read(&record()), "error").is_empty());
        let stopped = RunRecord { exit_code: 3, ..record() };
        assert_eq!(named(&read(&stopped), "error").len(), 1);
    }

    #[test]
    fn names_stay_text_whatever_they_are() {
        let hostile = "]]></failure><error/>\u{0}\u{1b}[31m\u{ffff}\r\n\t\"'&amp;\u{202e}";
        let mut record = RunRecord { exit_code: 1, ..record() };
        record.model.path = hostile.into();
        record.properties = vec![PropertyRecord {
            reason: Some(hostile.into()),
            ..property(hostile, AnswerRecord::Violated)
        }];
        record.diagnostics = vec![diagnostic(hostile, SeverityRecord::Error, hostile)];
        let elements = read(&record);
        let shown = "]]></failure><error/>\\u{0}\\u{1b}[31m\\u{ffff}\\u{d}\n\t\"'&amp;\\u{202e}";
        assert_eq!(attribute(named(&elements, "testcase")[0], "name"), shown);
        assert_eq!(attribute(named(&elements, "failure")[0], "message"), shown);
        assert!(named(&elements, "error").is_empty());
        assert!(named(&elements, "system-err")[0].2.contains(shown));
    }

    proptest! {
        #[test]
        fn any_names_give_a_document_that_reads_back(name in "(?s).{0,20}", reason in "(?s).{0,20}") {
            let mut record = RunRecord { exit_code: 1, ..record() };
            let one = property(&name, AnswerRecord::Violated);
            record.properties = vec![PropertyRecord { reason: Some(reason), ..one }];
            prop_assert_eq!(named(&read(&record), "testcase").len(), 1);
        }
    }
}
