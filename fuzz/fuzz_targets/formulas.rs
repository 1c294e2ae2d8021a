//! Any bytes are read as formulas and automata about a model without a panic.

#![no_main]

use std::sync::LazyLock;

use languages::{Diagnostic, Model, ServiceText, ctl_over_names, ltl_over_names, read_model};
use libfuzzer_sys::fuzz_target;

/// A model for formulas to be about.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    read_model("byte x, p, a[3]; const byte N = 2; process P { byte v; state s, t; init s; } system async;")
        .expect("the text is a model")
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let places = |errors: Vec<Diagnostic>| {
        assert!(!errors.is_empty(), "a refusal says why");
        for error in errors {
            assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{error}");
        }
    };
    let refused = [
        MODEL.ltl(&text).err(),
        MODEL.ctl(&text).err(),
        ltl_over_names(&text).err(),
        ctl_over_names(&text).err(),
        MODEL.automaton(&text).err(),
        ServiceText::read(&text).err(),
    ];
    refused.into_iter().flatten().for_each(places);
});
