//! From a model to the views of its run: the record, its JSON and the text for the terminal agree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use engine::check::{Engine, Plan, SearchPlan, SweepPlan, TerminalList, check};
use engine::explore::search::Limits;
use engine::explore::sweep::OnRegress;
use engine::property::linear::LinearProperty;
use engine::property::{Property, PropertyKind};
use model::interpreted_model::Interpreted;
use report::{
    AnswerRecord, AttemptEndRecord, AttemptRecord, Coloring, Detail, EffortRecord, EngineRecord, Exit,
    ExpectedRecord, FinderRecord, FinishedSearch, MeasureOrigin, MeasureSearchRecord, PlanRecord,
    PropertyKindRecord, RunRecord, SampleRecord, Summary, TraceView, Usage, brief_measure, write_json,
};

const COUNTER: &str = "byte x; process P { byte a[2]; state s, t; init s; \
    trans s -> t { guard x < 9; effect x = x + 1; }, t -> s {}, t -> t { guard x == 7; effect a[x] = 1; }; } system async;";

fn run(questions: &[(&str, &str)], plan: &Plan) -> RunRecord {
    run_model(COUNTER, questions, None, plan)
}

fn linear(model: &languages::Model, formula: &str) -> LinearProperty {
    let languages::LtlFormula { formula, propositions, .. } = model.ltl(formula).unwrap();
    let propositions = propositions.into_iter().map(|one| one.expression).collect();
    LinearProperty::of_formula(formula, propositions, &Default::default()).unwrap()
}

fn run_model(text: &str, questions: &[(&str, &str)], measure: Option<&str>, plan: &Plan) -> RunRecord {
    let model = languages::read_model(text).unwrap();
    let packed = |text: &str| model.measure(text).unwrap().pack(&model.commands).unwrap();
    let mut plan = plan.clone();
    if let SearchPlan::Sweep(sweep) = &mut plan.search {
        sweep.measure = measure.map(packed);
    }
    let plan = &plan;
    let properties: Vec<Property> = questions
        .iter()
        .map(|(kind, text)| {
            let kind = match *kind {
                "invariant" => PropertyKind::Invariant(model.expression(text).unwrap()),
                "reach" => PropertyKind::Reachable(model.expression(text).unwrap()),
                "ltl" => PropertyKind::Linear(Box::new(linear(&model, text))),
                "home" => PropertyKind::AlwaysPossible(model.expression(text).unwrap()),
                _ => PropertyKind::DeadlockFree,
            };
            Property::new(*text, kind)
        })
        .collect();
    let outcome = check(&model.commands, &Interpreted, &properties, plan, &mut ()).unwrap();
    let mut planned = PlanRecord::new(plan.search.engine(), "interpreted");
    if let Some(measure) = measure {
        planned = planned.with_measure(measure, MeasureOrigin::User);
    }
    let mut record = RunRecord::new("counter.dve", planned);
    record.set_model(&model);
    let commands = &model.commands;
    record.set_outcome(FinishedSearch { plan, commands, properties: &properties, outcome: &outcome });
    record.exit_code = record.exit_of_answers().code();
    record
}

fn text(record: &RunRecord, detail: Detail) -> String {
    Summary { record, detail, view: TraceView::Diff, coloring: Coloring::Plain, files: &[] }.to_string()
}

#[test]
fn a_violation_is_shown_with_its_counterexample_and_its_verdict() {
    let record = run(&[("invariant", "x < 2"), ("reach", "x == 2")], &Plan::default());
    assert_eq!(record.exit_of_answers(), Exit::Violated);
    let text = text(&record, Detail::Normal);
    assert!(
        text.starts_with(
            "Counterexample: `x < 2` is false after 3 steps (shortest):\n\n    0  initial state\n"
        ),
        "{text}"
    );
    assert!(text.contains("\nviolated  x < 2 (invariant, after 3 steps)\n"), "{text}");
    assert!(text.contains("\nstate vector      8 bytes ("), "{text}");
    let quiet = self::text(&record, Detail::Quiet);
    let expected = "violated  x < 2 (invariant, after 3 steps)\nholds     x == 2 (reach, after 3 steps)\n";
    assert_eq!(quiet, expected);
}

#[test]
fn a_runtime_error_is_a_violated_property_of_its_own() {
    let record = run(&[("deadlock", "no deadlock")], &Plan::default());
    let error = &record.properties[1];
    assert_eq!((error.name.as_str(), error.kind), ("no run-time error", PropertyKindRecord::NoRuntimeError));
    assert_eq!(error.verdict, AnswerRecord::Violated);
    let reason = error.reason.as_deref().unwrap();
    assert!(reason.starts_with("in `P: t -> t`: index 7 is out of range"), "{reason}");
    assert_eq!(record.properties[0].verdict, AnswerRecord::Unknown);
    assert_eq!(record.exit_of_answers(), Exit::Violated);
    assert!(
        text(&record, Detail::Normal)
            .starts_with("Counterexample: the model has a run-time error after 13 steps (shortest):")
    );
}

#[test]
fn a_witness_is_a_success_even_though_the_search_ended_early() {
    let record = run(&[("reach", "x == 3")], &Plan::default());
    assert!(!record.search.complete);
    assert_eq!(record.exit_of_answers(), Exit::Holds);
    assert!(text(&record, Detail::Quiet).starts_with("holds     x == 3 (reach, after 5 steps)"));
}

#[test]
fn a_stopped_search_gives_unknown_with_a_reason() {
    let plan = Plan { limits: Limits { states: 3, ..Limits::default() }, ..Plan::default() };
    let record = run(&[("deadlock", "no deadlock"), ("ltl", "G F x == 1")], &plan);
    assert_eq!(record.exit_of_answers(), Exit::Unknown);
    let text = text(&record, Detail::Normal);
    assert!(text.contains("unknown   no deadlock: the limit of 3 states is reached"), "{text}");
    assert!(text.contains("search            breadth-first, interpreted: incomplete, the limit"), "{text}");
}

#[test]
fn a_stopped_search_is_no_success_even_without_properties() {
    let plan = Plan { limits: Limits { states: 3, ..Limits::default() }, ..Plan::default() };
    assert_eq!(run(&[], &plan).exit_of_answers(), Exit::Unknown);
}

#[test]
fn the_counts_of_a_complete_search_add_up() {
    for engine in [Engine::Breadth, Engine::Depth] {
        let plan = Plan {
            search: engine.into(),
            on_runtime_error: engine::check::OnRuntimeError::GoOn,
            ..Plan::default()
        };
        let search = run(&[], &plan).search;
        assert!(search.complete);
        let (stored, matched) = (search.states.distinct.unwrap(), search.states.matched.unwrap());
        assert_eq!(stored + matched, search.transitions.total.unwrap() + 1);
        assert_eq!(search.levels.is_some(), engine == Engine::Breadth);
        assert_eq!(search.stack_depth.is_some(), engine == Engine::Depth);
    }
}

#[test]
fn json_that_is_read_back_is_the_same_record() {
    let mut record = run(&[("invariant", "x < 2"), ("reach", "x == 200")], &Plan::default());
    record.set_usage(Usage { wall_seconds: Some(0.5), cpu_seconds: None, peak_rss_bytes: Some(1) });
    let mut json = Vec::new();
    write_json(&record, &mut json).unwrap();
    assert_eq!(serde_json::from_slice::<RunRecord>(&json).unwrap(), record);
    assert!(json.ends_with(b"}\n"));
}

/// Counts up, may restart once, and ends in one of two states.
const AGAIN: &str = "byte x, again; process P { state s, t; init s; \
    trans s -> s { guard x < 9; effect x = x + 1; }, s -> s { guard x == 9 and again == 0; effect x = 0, again = 1; }, \
    s -> t { guard x == 9; }; } system async;";

#[test]
fn a_sweep_reports_whether_its_measure_is_monotone_and_what_it_stored() {
    let plan =
        Plan { search: Engine::Sweep.into(), terminal_states: TerminalList::Listed, ..Plan::default() };
    let falling = run_model(AGAIN, &[], Some("x"), &plan);
    assert_eq!(falling.plan.measure.monotone, Some(false));
    assert_eq!((falling.search.sweeps, falling.search.transitions.regress), (Some(2), Some(1)));
    assert_eq!(falling.search.terminal_states.as_ref().map(|table| table.states.len()), Some(2));
    let text = text(&falling, Detail::Normal);
    assert!(
        text.starts_with("2 terminal states:\n\n    1    x = 9, P = t, everything else is 0\n"),
        "{text}"
    );
    assert!(text.contains("search            sweep by x, interpreted: complete\n"), "{text}");
    let rising = run_model(AGAIN, &[], Some("(again, x)"), &plan);
    assert_eq!(rising.plan.measure.monotone, Some(true));
    assert_eq!(rising.search.states.distinct, Some(22));
}

#[test]
fn an_unexpected_regress_edge_is_a_violated_property_of_its_own() {
    let plan = Plan {
        search: SweepPlan { on_regress: OnRegress::Stop, ..SweepPlan::default() }.into(),
        explore_all: true,
        ..Plan::default()
    };
    let record = run_model(AGAIN, &[("reach", "x == 3")], Some("x"), &plan);
    assert_eq!(record.properties[0].verdict, AnswerRecord::Holds);
    assert_eq!(record.properties[1].name, "progress never falls");
    assert_eq!(record.properties[1].verdict, AnswerRecord::Violated);
    assert_eq!(record.properties[1].reason.as_deref(), Some("`P: s -> s` leads from progress 9 to 0"));
    assert_eq!(record.traces[1].steps.len(), 10);
    let record = run_model(AGAIN, &[], Some("(again, x)"), &plan);
    assert_eq!(record.properties[0].verdict, AnswerRecord::Holds);
}

#[test]
fn a_terminal_component_is_shown_after_the_run_into_it() {
    let record = run_model(AGAIN, &[("home", "x < 9")], None, &Plan::default());
    let text = text(&record, Detail::Normal);
    assert!(text.starts_with("Counterexample: `x < 9` is violated after "), "{text}");
    assert!(text.contains("Terminal SCC, 1 state; no run leaves it:\n\n    1    x = 9, "), "{text}");
}

#[test]
fn an_abandoned_measure_is_reported_with_the_reason_and_its_successor() {
    let expected =
        |revisits| Some(ExpectedRecord { peak_share: 0.056, revisits, regress_share: 0.01, layers: 40 });
    let attempt = |measure: Option<&str>, end, explored| AttemptRecord {
        engine: EngineRecord::Breadth,
        measure: measure.map(Into::into),
        end,
        explored,
        different: 100_000,
        peak_stored: 5_000,
        seconds: 0.5,
        summary: measure.map(Into::into),
        expected: measure.and_then(|_| expected(1.2)),
        remembers_from: (explored > 500_000).then_some(150_000),
        window: None,
    };
    let sample = SampleRecord {
        expanded: 60_000,
        states: 90_000,
        steps: 200_000,
        complete: false,
        largest_component: None,
    };
    let found = FinderRecord { seconds: 0.12, effort: EffortRecord::Quick, sample, proposals: Vec::new() };
    let story = |attempts: Vec<AttemptRecord>, detail| {
        let mut record = run(&[], &Plan::default());
        let searches = vec![found.clone()];
        record.measure_search = Some(MeasureSearchRecord { seconds: 0.12, searches, attempts });
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&json).unwrap(), record);
        text(&record, detail)
    };
    let abandoned = vec![
        attempt(None, AttemptEndRecord::Memory, 100_000),
        attempt(Some("z"), AttemptEndRecord::Kept, 700_000),
    ];
    let told = story(abandoned, Detail::Verbose);
    for line in [
        "measure           z, found in 0.120 s from 60,000 states\n",
        "expected          5.6 % of states in memory, 1.20 expansions per state\n",
        "fallback          all states are kept from expansion 150,000 on: too many re-expansions (7.00 per state in the end)\n",
        "abandoned         full exploration after 100,000 states, at the memory limit; continued with the measure above\n",
        "attempt           full exploration: 100,000 expansions of about 100,000 states, 5,000 stored at most, 0.500 s\n",
    ] {
        assert!(told.contains(line), "no `{line}` in\n{told}");
    }
    let told = story(vec![attempt(None, AttemptEndRecord::Kept, 100_000)], Detail::Normal);
    assert!(
        told.contains("measure           none found in 0.120 s from 60,000 states: all states are stored\n"),
        "{told}"
    );
}

#[test]
fn a_long_measure_is_shortened_at_a_component() {
    let text = "byte first, second, third; process P { state s; init s; trans s -> s { effect first = first + 1; }; } system async;";
    let model = languages::read_model(text).unwrap();
    let brief = |measure: &str| brief_measure(&model, &model.measure(measure).unwrap().components);
    assert_eq!(brief("(first, order(second: 0 < 1))"), "(first, order(second: 0 < 1))");
    let long = "order(first: 0 < 1 < 2 < 3 < 4 < 5), order(second: 9 < 8 < 7 < 6 < 5), order(third: 0 < 1 < 2 < 3 < 4)";
    assert_eq!(brief(&format!("({long})")), "(order(first: …), order(second: …), order(third: …))");
    let longer = brief(&format!("({long}, {long}, {long})"));
    assert!(longer.ends_with(", …)") && longer.chars().count() <= 100, "{longer}");
}
