//! Any bytes are read as nets, properties and tasks without a panic.

#![no_main]

use std::sync::LazyLock;

use languages::petri::{contest, lola};
use languages::{Diagnostic, Format, Model, ReadOptions, format, read_model_with};
use libfuzzer_sys::fuzz_target;

/// A net for properties to be about.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let text = "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;";
    let options = ReadOptions { format: &format::LOLA, ..ReadOptions::default() };
    read_model_with(text, &options).expect("the text is a net")
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let places = |errors: Vec<Diagnostic>| {
        assert!(!errors.is_empty(), "a refusal says why");
        for error in errors {
            assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{error}");
        }
    };
    let net = |format: &'static Format| {
        let options = ReadOptions { format, ..ReadOptions::default() };
        read_model_with(&text, &options).err()
    };
    let refused = [
        net(&format::PNML),
        net(&format::LOLA),
        contest::properties(&MODEL, &text).err(),
        lola::task(&MODEL, &text).err(),
    ];
    refused.into_iter().flatten().for_each(places);
});
