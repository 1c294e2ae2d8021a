//! Petri nets, executed: what the languages promise about tokens holds in both executions.

use std::path::Path;

use engine::check::{
    AutomaticPlan, OnRuntimeError, Outcome, Packing, Plan, Start, check, check_automatically,
};
use engine::progress::finder::{FinderOptions, Kind, Proposal};
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use languages::{Model, ReadOptions, format, read_model_with};
use model::interpreted_model::Interpreted;
use native_code::Compiled;

fn net(text: &str) -> Model {
    let options = ReadOptions { format: &format::LOLA, ..ReadOptions::default() };
    read_model_with(text, &options).unwrap()
}

/// The same exploration in both executions, by both ways to pack states.
fn explored(model: &Model) -> Outcome {
    let plan = |packing| Plan { packing, on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
    let counts = |outcome: &Outcome| {
        (
            outcome.figures.distinct,
            outcome.figures.counters.transitions,
            outcome.figures.counters.erroneous,
            outcome.complete,
        )
    };
    let outcome = check(&model.commands, &Compiled, &[], &plan(Packing::Auto), &mut ()).unwrap();
    for packing in [Packing::Auto, Packing::Proved, Packing::Observed] {
        let compiled = check(&model.commands, &Compiled, &[], &plan(packing), &mut ()).unwrap();
        let interpreted = check(&model.commands, &Interpreted, &[], &plan(packing), &mut ()).unwrap();
        assert_eq!(counts(&compiled), counts(&outcome), "{packing:?}");
        assert_eq!(counts(&interpreted), counts(&outcome), "{packing:?}");
    }
    outcome
}

#[test]
fn a_token_too_many_is_an_error_and_never_wraps() {
    let text = "PLACE p; MARKING; TRANSITION t CONSUME; PRODUCE p: 2147483648;";
    let outcome = explored(&net(text));
    // 0 and 2147483648; the next would be 4294967296.
    assert_eq!((outcome.figures.distinct, outcome.figures.counters.erroneous), (Some(2), 1));
    let stopped = check(&net(text).commands, &Compiled, &[], &Plan::default(), &mut ()).unwrap();
    let error = stopped.error.unwrap();
    assert_eq!(error.error.to_string(), "4294967296 is out of range for `p`, which holds 0 to 4294967295");
}

#[test]
fn a_net_that_promises_too_much_is_found_out() {
    let text = "<pnml><net id='n' type='ptnet'><page id='a'><place id='p'/><transition id='t'/>\
        <arc id='1' source='t' target='p'/><toolspecific tool='nupn' version='1.1'>\
        <structure units='1' root='u' safe='true'><unit id='u'><places>p</places><subunits/></unit></structure>\
        </toolspecific></page></net></pnml>";
    let options = ReadOptions { format: &format::PNML, ..ReadOptions::default() };
    let outcome = explored(&read_model_with(text, &options).unwrap());
    assert_eq!((outcome.figures.distinct, outcome.figures.counters.erroneous), (Some(2), 1));
}

#[test]
fn unproved_places_widen_while_a_search_runs() {
    // The count doubles with every step, far above what a sample of the beginning shows, until the fuel is used up.
    let text = "PLACE fuel, p, q; MARKING fuel: 14, p: 1; \
        TRANSITION flip CONSUME p: 1; PRODUCE q: 2; TRANSITION flop CONSUME fuel, q: 1; PRODUCE p: 1;";
    let outcome = explored(&net(text));
    assert!(outcome.complete && outcome.figures.counters.erroneous == 0);
}

#[test]
fn inhibitors_forbid() {
    let text = "<pnml><net id='n' type='ptnet'><place id='p'/><transition id='t'/>\
        <arc source='t' target='p'/><arc source='p' target='t' type='inhibitor'><inscription><text>3</text></inscription></arc>\
        </net></pnml>";
    let options = ReadOptions { format: &format::PNML, ..ReadOptions::default() };
    let outcome = explored(&read_model_with(text, &options).unwrap());
    assert_eq!((outcome.figures.distinct, outcome.figures.counters.transitions), (Some(4), 3));
}

/// A net that goes round in circles is swept with a window, by a sum that is the distance from the initial marking.
#[test]
fn a_net_without_progress_is_swept_once_and_mostly_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/petri");
    let model = net(&std::fs::read_to_string(folder.join("pallets.lola")).unwrap());
    let plan = Plan::default();
    let automatic = AutomaticPlan { finder: FinderOptions::default(), start: Start::Finder };
    let ask = |properties: &[Property]| {
        check_automatically(&model.commands, &Compiled, properties, (&plan, &automatic), &mut ()).unwrap()
    };
    let swept = ask(&[]);
    let proposal = swept.attempts.last().unwrap().proposal.as_ref().unwrap();
    assert_eq!(proposal.kind, Kind::Window(4));
    assert_eq!(
        (swept.outcome.figures.distinct, swept.outcome.figures.counters.explored),
        (Some(195_125), 195_125)
    );
    assert!(
        swept.outcome.figures.counters.peak.total() < 195_125 * 2 / 5,
        "{:?}",
        swept.outcome.figures.counters.peak
    );
    // What all steps are looked at for is asked without.
    let home = model.expression("free_A == 4").unwrap();
    let asked = ask(&[Property::new("home", PropertyKind::AlwaysPossible(home))]);
    let is_windowed = |one: &Proposal| matches!(one.kind, Kind::Window(_));
    assert!(!asked.searches.iter().flat_map(|search| &search.findings.proposals).any(is_windowed));
    assert!(matches!(asked.outcome.verdicts[0], Verdict::Holds(_)));
}

#[test]
fn the_nets_of_this_repository_have_the_expected_markings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/petri");
    for (file, format, expected) in [
        ("store.lola", &format::LOLA, (24, 49, 0)),
        ("turns.lola", &format::LOLA, (3, 4, 0)),
        ("forks.pnml", &format::PNML, (82, 265, 1)),
        ("pallets.lola", &format::LOLA, (195_125, 1_339_350, 0)),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let model = read_model_with(&text, &ReadOptions { format, ..ReadOptions::default() }).unwrap();
        let outcome = explored(&model);
        let found = (
            outcome.figures.distinct.unwrap(),
            outcome.figures.counters.transitions,
            outcome.figures.deadlocks.unwrap(),
        );
        assert_eq!(found, expected, "{file}");
    }
}
