//! The schema of run records, as it stands in the guide.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use report::{run_record_schema, write_json};

/// `SWEEPLINE_UPDATE=1` writes it anew.
#[test]
fn the_schema_in_the_guide_is_that_of_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run-record.schema.json");
    let mut schema = Vec::new();
    write_json(&run_record_schema(), &mut schema).unwrap();
    if std::env::var_os("SWEEPLINE_UPDATE").is_some() {
        std::fs::write(&file, &schema).unwrap();
    }
    let written = std::fs::read(&file).unwrap_or_default();
    assert!(
        written == schema,
        "write it anew: SWEEPLINE_UPDATE=1 cargo test -p sweepline-report --test schema"
    );
}

#[test]
fn fields_that_are_always_there_are_required_and_explained() {
    let schema = run_record_schema();
    assert_eq!(schema["properties"]["exit_code"]["description"], "What the process returned.");
    let required = schema["$defs"]["StatesRecord"]["required"].as_array().unwrap();
    assert!(required.contains(&"distinct".into()), "null where it is not known, and never left out");
}
