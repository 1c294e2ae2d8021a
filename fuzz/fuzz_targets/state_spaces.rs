//! Any bytes are read as a state space, as an automaton over one and as a service automaton about one,
//! without a panic. A space that is read is also lowered, and written text reads back as the same space.

#![no_main]

use std::sync::LazyLock;

use languages::{Automaton, Diagnostic, Model, StateSpace};
use libfuzzer_sys::fuzz_target;

/// A space for automata to be about.
static SPACE: LazyLock<(StateSpace, Model)> = LazyLock::new(|| {
    let space = StateSpace::read("1 0 2 p !q go 2\n2 1 2 !p q * 1\n").expect("the text is a space");
    let model = space.model();
    (space, model)
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let places = |errors: Vec<Diagnostic>| {
        assert!(!errors.is_empty(), "a refusal says why");
        for error in errors {
            assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{error}");
        }
    };
    match StateSpace::read(&text) {
        Ok(space) => {
            let mut written = Vec::new();
            space.write(&mut written).expect("a vector takes everything");
            let written = String::from_utf8(written).expect("the names were text");
            assert_eq!(StateSpace::read(&written), Ok(space.clone()));
            assert_eq!(space.model().commands.processes.len(), 1);
        }
        Err(errors) => places(errors),
    }
    let (space, model) = &*SPACE;
    match Automaton::read(&text, &space.propositions) {
        Ok(automaton) => drop(space.product(&automaton)),
        Err(errors) => places(errors),
    }
    if let Err(errors) = model.service(&text) {
        places(errors);
    }
});
