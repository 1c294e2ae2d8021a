//! The JSON schema of run records in `docs`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::Path;

use report::{run_record_schema, write_json};

/// `SWEEPLINE_UPDATE=1` writes the file again.
#[test]
fn the_schema_in_docs_is_that_of_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run-record.schema.json");
    let mut schema = Vec::new();
    write_json(&run_record_schema(), &mut schema).unwrap();
    if std::env::var_os("SWEEPLINE_UPDATE").is_some() {
        std::fs::write(&file, &schema).unwrap();
    }
    let written = std::fs::read(&file).unwrap_or_default();
    assert!(
        written == schema,
        "write it again: SWEEPLINE_UPDATE=1 cargo test -p sweepline-report --test schema"
    );
}

#[test]
fn fields_that_are_always_present_are_required_and_described() {
    let schema = run_record_schema();
    assert_eq!(schema["properties"]["exit_code"]["description"], "Exit code of the process.");
    let required = schema["$defs"]["StatesRecord"]["required"].as_array().unwrap();
    assert!(required.contains(&"distinct".into()), "null if it is unknown, and never left out");
}
