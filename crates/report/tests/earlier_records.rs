//! Run records that an earlier version of the program wrote are still read.
//!
//! The records in `tests/records` were written before property kinds, engines and severities became
//! enums, and `terminal_states.json` before a list of states became a table. They cover every
//! engine, every kind of property and every kind of trace. Their long lists are cut to a few
//! entries.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::path::PathBuf;

use report::{
    Coloring, Detail, EngineRecord, PropertyKindRecord, RunRecord, Summary, TraceView, page, read_run_record,
    write_junit,
};
use serde_json::{Value, json};

/// The records by file name.
fn records() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    let mut records: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect();
    records.sort();
    assert!(records.len() >= 14, "{} records", records.len());
    records
}

fn record(name: &str) -> RunRecord {
    let (_, text) = records().into_iter().find(|(one, _)| one == name).unwrap();
    read_run_record(&text).unwrap()
}

/// The list of states that a table stands for, in the form of earlier versions.
fn named_states(table: &Value) -> Value {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let variables = list(&table["variables"]);
    let named = |(variable, value): (&Value, &Value)| json!({"variable": variable, "value": text(value)});
    let state = |state: &Value| variables.iter().zip(&list(state)).map(named).collect::<Value>();
    list(&table["states"]).iter().map(state).collect()
}

fn kinds(record: &RunRecord) -> Vec<PropertyKindRecord> {
    record.properties.iter().map(|property| property.kind).collect()
}

/// Where the record that is written now lacks something of the earlier one, or has another value.
/// New fields of objects are no difference.
fn difference(place: &str, before: &Value, now: &Value) -> Option<String> {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => before.iter().find_map(|(name, value)| {
            let place = format!("{place}/{name}");
            now.get(name).map_or(Some(place.clone()), |now| difference(&place, value, now))
        }),
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            before.iter().zip(now).find_map(|(before, now)| difference(place, before, now))
        }
        (before, now) => (before != now).then(|| format!("{place}: {before} is now {now}")),
    }
}

#[test]
fn a_record_that_is_read_and_written_again_has_all_it_had() {
    for (name, text) in records() {
        let read = read_run_record(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let before: Value = serde_json::from_slice(&text).unwrap();
        let mut now = serde_json::to_value(&read).unwrap();
        let listed = &mut now["search"]["terminal_states"];
        if !listed.is_null() {
            *listed = named_states(listed);
        }
        assert_eq!(difference("", &before, &now), None, "{name}");
    }
}

#[test]
fn every_view_shows_an_earlier_record() {
    for (name, text) in records() {
        let record = &read_run_record(&text).unwrap();
        let (view, coloring, files) = (TraceView::Diff, Coloring::Plain, &[][..]);
        let shown = Summary { record, detail: Detail::Verbose, view, coloring, files }.to_string();
        assert_eq!(shown.is_empty(), name == "bad_input", "{name}: {shown}");
        assert!(page(record).starts_with("<!doctype html>"), "{name}");
        write_junit(record, &mut Vec::new()).unwrap();
    }
}

#[test]
fn terminal_states_of_an_earlier_record_are_shown_as_they_were() {
    let record = record("terminal_states");
    assert_eq!(record.search.terminal_states.as_ref().map(|table| table.states.len()), Some(3));
    let (detail, view, coloring) = (Detail::Normal, TraceView::None, Coloring::Plain);
    let shown = Summary { record: &record, detail, view, coloring, files: &[] }.to_string();
    let expected = "3 terminal states:

    1    low = -3, x = 1, P = right
    2    low = -6, x = 2, P = left
    3    low = -6, x = 2, P = right
";
    assert!(shown.contains(expected), "{shown}");
    let value = "<span class=\"value\">low = -3</span> <span class=\"value\">x = 1</span>";
    assert!(page(&record).contains(value));
}

#[test]
fn engines_are_read_by_their_names() {
    let engines = [
        ("reduction", EngineRecord::Breadth),
        ("depth", EngineRecord::Depth),
        ("found_measure", EngineRecord::Sweep),
        ("sweep_disk", EngineRecord::SweepDisk),
        ("breadth_disk", EngineRecord::BreadthDisk),
        ("partition", EngineRecord::Partition),
    ];
    for (name, engine) in engines {
        assert_eq!(record(name).plan.engine, Some(engine), "{name}");
    }
    assert_eq!(record("bad_input").plan.engine, None);
}

#[test]
fn built_in_properties_are_told_from_services_of_the_same_kind() {
    let runtime_error = record("runtime_error");
    assert_eq!(kinds(&runtime_error).last(), Some(&PropertyKindRecord::NoRuntimeError));
    assert_eq!(kinds(&record("regress")), [PropertyKindRecord::Monotone]);
    assert_eq!(kinds(&record("service")), [PropertyKindRecord::Safety]);
    let formulas = [
        PropertyKindRecord::Deadlock,
        PropertyKindRecord::Invariant,
        PropertyKindRecord::Reach,
        PropertyKindRecord::Ctl,
        PropertyKindRecord::Ltl,
    ];
    assert_eq!(kinds(&record("formulas")), formulas);
}
