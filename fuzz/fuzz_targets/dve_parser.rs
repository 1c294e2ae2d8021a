//! Any bytes are read as a DVE model, and as an expression and a measure about one, without a panic.

#![no_main]

use std::sync::LazyLock;

use languages::{Model, read_model};
use libfuzzer_sys::fuzz_target;

/// A model for questions to be about.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    read_model("byte x, a[3]; const byte N = 2; process P { byte v; state s, t; init s; } system async;")
        .expect("the text is a model")
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let places = |errors: &[languages::Diagnostic]| {
        assert!(!errors.is_empty(), "a refusal says why");
        for error in errors {
            assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{error}");
        }
    };
    match read_model(&text) {
        Ok(model) => assert!(model.commands.processes.len() <= model.commands.cells.len()),
        Err(errors) => places(&errors),
    }
    if let Err(errors) = MODEL.expression(&text) {
        places(&errors);
    }
    match MODEL.measure(&text) {
        Ok(measure) => assert!(!MODEL.measure_text(&measure.components).is_empty()),
        Err(errors) => places(&errors),
    }
});
