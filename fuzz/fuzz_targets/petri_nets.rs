//! Any bytes at all are read as nets, properties and tasks without a panic.

#![no_main]

use std::sync::LazyLock;

use languages::{Diagnostic, Language, Model, ReadOptions, read_model_with};
use libfuzzer_sys::fuzz_target;

/// Something for properties to be about.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let text = "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;";
    let options = ReadOptions { language: Language::Lola, ..ReadOptions::default() };
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
    let net = |language| {
        let options = ReadOptions { language, ..ReadOptions::default() };
        read_model_with(&text, &options).err()
    };
    let refused = [
        net(Language::Pnml),
        net(Language::Lola),
        MODEL.contest_properties(&text).err(),
        MODEL.lola_task(&text).err(),
    ];
    refused.into_iter().flatten().for_each(places);
});
