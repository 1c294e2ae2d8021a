//! Model files through the front door: reading, asking, searching, and what goes wrong.

#![allow(clippy::unwrap_used, reason = "tests may fail")]
#![cfg(feature = "model-files")]

use sweepline::{DeadEnds, Engine, Error, Fairness, ModelFile, Plan, Questions, Verdict};

const LOCK: &str = "../../models/dve/broken_lock.dve";
const WINDOW: &str = "../../models/dve/sliding_window.dve";

#[test]
fn a_violated_invariant_has_a_replayed_counterexample() {
    let questions = Questions::new().invariant("inside <= 1").reachable("inside == 1");
    let outcome = ModelFile::read(LOCK).unwrap().check(&questions, &Plan::new().shortest()).unwrap();
    assert!(!outcome.holds() && outcome.verdict("inside <= 1").unwrap().is_violated());
    assert!(outcome.verdict("inside == 1").unwrap().is_holding());
    let trace = outcome.trace("inside <= 1").unwrap();
    assert_eq!(trace.steps().len(), 6);
    let last = trace.steps().last().unwrap();
    assert!(last.changes.contains(&("inside".into(), "1".into(), "2".into())), "{last:?}");
    assert!(trace.to_string().contains("inside: 1 -> 2"));
    assert!(outcome.verdict("never asked").is_none());
}

#[test]
fn every_engine_counts_the_same_states() {
    let model = ModelFile::read_with(WINDOW, &[("PACKETS", 5)]).unwrap();
    let plans = [
        Plan::new(),
        Plan::new().no_measure(),
        Plan::new().measure("base"),
        Plan::new().engine(Engine::Breadth),
        Plan::new().engine(Engine::Depth),
        Plan::new().engine(Engine::SweepDisk),
        Plan::new().engine(Engine::BreadthDisk),
        Plan::new().engine(Engine::Partition),
    ];
    let counts = plans.map(|plan| {
        let outcome = model.explore(&plan).unwrap();
        assert!(outcome.is_complete() && outcome.holds());
        outcome.states().unwrap()
    });
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn temporal_formulas_are_decided() {
    let model = ModelFile::read(LOCK).unwrap();
    let questions =
        Questions::new().ltl("F (inside >= 5)").ctl("EF (inside >= 2)").ctl("AG EF (inside == 0)");
    let outcome = model.check(&questions, &Plan::new()).unwrap();
    let answers: Vec<bool> = outcome.verdicts().map(|(_, verdict)| verdict.is_holding()).collect();
    assert_eq!(answers, [false, true, true]);
    assert!(outcome.trace("F (inside >= 5)").is_some());
}

#[test]
fn a_limit_makes_verdicts_unknown() {
    let model = ModelFile::read(WINDOW).unwrap();
    let questions = Questions::new().invariant("not Receiver.failed");
    let outcome = model.check(&questions, &Plan::new().max_states(10).no_measure()).unwrap();
    assert!(matches!(outcome.verdict("not Receiver.failed"), Some(Verdict::Unknown(_))));
    assert!(!outcome.is_complete() && outcome.stopped().is_some());
}

#[test]
fn errors_name_the_text_the_place_and_the_code() {
    let unreadable = ModelFile::read("no/such/model.dve").unwrap_err();
    assert!(matches!(unreadable, Error::Unreadable { .. }), "{unreadable}");

    let model = ModelFile::read(LOCK).unwrap();
    let asked = model.check(&Questions::new().invariant("inside <= missing"), &Plan::new());
    let Err(Error::Text(problems)) = asked else { panic!("{asked:?}") };
    assert_eq!((problems[0].origin.as_str(), problems[0].line, problems[0].column), ("invariant", 1, 11));
    assert!(problems[0].to_string().contains(problems[0].code));

    let measured = model.check(&Questions::default(), &Plan::new().measure("inside +"));
    let Err(Error::Text(problems)) = measured else { panic!("{measured:?}") };
    assert_eq!(problems[0].origin, "measure");

    let planned = model.check(&Questions::default(), &Plan::new().engine(Engine::Sweep).no_measure());
    assert!(matches!(planned, Err(Error::Plan(_))), "{planned:?}");
}

/// Writes a model file and reads it.
fn model_of(name: &str, text: &str) -> ModelFile {
    let path = std::env::temp_dir().join(format!("sweepline-{}-{name}.dve", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let model = ModelFile::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    model
}

#[test]
fn fairness_is_about_formulas_and_property_processes() {
    // `Idle` may take all the steps, and then `P` never moves.
    let model = model_of(
        "fairness",
        "process P { state s, t; init s; trans s -> t {}, t -> s {}; }
         process Idle { state s; init s; trans s -> s {}; }
         process Never_at_t { state q; accept q; init q; trans q -> q { guard not P.t; }; }
         system async property Never_at_t;",
    );
    let answers = |questions: &Questions| -> Vec<bool> {
        let outcome = model.check(questions, &Plan::new()).unwrap();
        outcome.verdicts().map(|(_, verdict)| verdict.is_holding()).collect()
    };
    let questions = Questions::new().ltl("G F P.t").declared().reachable("P.t");
    assert_eq!(answers(&questions), [false, false, true]);
    let fair = questions.fairness(Fairness::Weak);
    assert_eq!(answers(&fair), [true, true, true]);
    let outcome = model.check(&fair, &Plan::new()).unwrap();
    assert!(outcome.verdict("G F P.t").is_some(), "an answer has the text of its question");

    let without_runs = Questions::new().invariant("P.s or P.t").fairness(Fairness::Weak);
    let refused = model.check(&without_runs, &Plan::new());
    assert!(matches!(refused, Err(Error::FairnessWithoutRuns)), "{refused:?}");
}

#[test]
fn runs_that_end_are_ignored_on_request() {
    let text = "process P { state s, t; init s; trans s -> s {}, s -> t {}; } system async;";
    let model = model_of("dead-ends", text);
    let question = Questions::new().ltl("G P.s");
    assert!(!model.check(&question, &Plan::new()).unwrap().holds());
    let ignored = question.clone().dead_ends(DeadEnds::Ignored);
    assert!(model.check(&ignored, &Plan::new()).unwrap().holds());
    let repeated = ignored.dead_ends(DeadEnds::Repeated);
    assert!(!model.check(&repeated, &Plan::new()).unwrap().holds());
}

#[test]
fn a_formula_with_too_large_an_automaton_is_an_error_of_its_text() {
    let parts: Vec<String> = (0..40).map(|value| format!("(G F inside == {value})")).collect();
    let formula = format!("!({})", parts.join(" && "));
    let model = ModelFile::read(LOCK).unwrap();
    let refused = model.check(&Questions::new().ltl(formula), &Plan::new());
    let Err(Error::Text(problems)) = refused else { panic!("{refused:?}") };
    assert_eq!((problems[0].code, problems[0].origin.as_str()), ("E0045", "LTL formula"));
}
