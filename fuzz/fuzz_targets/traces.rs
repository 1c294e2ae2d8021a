//! Any bytes are read as a trace and replayed on a model without a panic. A trace that is read is
//! the same when it is written and read again.

#![no_main]

use std::sync::LazyLock;

use languages::{Model, read_model};
use libfuzzer_sys::fuzz_target;
use report::TraceFile;

/// A model for traces to be replayed on.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    read_model(
        "byte x; process P { state s, t; init s; trans s -> t { effect x = x + 1; }, \
         t -> s { guard x < 3; }; } system async;",
    )
    .expect("the text is a model")
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(file) = TraceFile::read(&text) {
        let written = serde_json::to_string(&file).expect("a trace can be written");
        assert_eq!(TraceFile::read(&written).expect("a trace that was read can be read again"), file);
        if let Ok(replayed) = file.replay(&MODEL.commands) {
            assert_eq!(replayed.trace().steps.len(), file.steps.len());
        }
    }
});
