//! Measures that the program finds itself, on every complete instance of the BEEM benchmark:
//! whatever sweep follows them, flat or nested, with a window or without, forgetting or not, it
//! meets the same states and deadlocks as full exploration, and gives the same answers. A measure
//! proved never to fall never does.
//!
//! The ordinary tests take the instances up to 60,000 states; `SWEEPLINE_SLOW_TESTS=1` takes those
//! up to a million.

use std::ops::Add;
use std::sync::Mutex;

use crate::coverage::{explore, initial, reach_goals, sweep};
use engine::check::{AutomaticPlan, Packing, Plan, Start, check_automatically, find_measures};
use engine::explore::search::Limits;
use engine::explore::sweep::{Nesting, Order, Retention};
use engine::progress::finder::{FinderOptions, Kind, Prefer, SmallModels};
use engine::progress::{ExpressionMeasure, prove_monotone};
use engine::property::{Property, PropertyKind};
use engine::verdict::{Evidence, Verdict};
use model::state_layout::StateLayout;
use model::transition_system::{Execution, StateFunctions};
use model::value_ranges::proved_ranges;
use native_code::Compiled;
use oracles::{Beem, Instance};

/// What was compared.
#[derive(Default)]
struct Tally {
    instances: usize,
    measures: usize,
    proved: usize,
    several_sweeps: usize,
    remembering: usize,
    windows: usize,
    simulated: usize,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            instances: self.instances + other.instances,
            measures: self.measures + other.measures,
            proved: self.proved + other.proved,
            several_sweeps: self.several_sweeps + other.several_sweeps,
            remembering: self.remembering + other.remembering,
            windows: self.windows + other.windows,
            simulated: self.simulated + other.simulated,
        }
    }
}

fn compare(
    beem: &Beem,
    instance: &Instance,
    goals: &[(String, bool)],
    tally: &mut Tally,
) -> Result<(), String> {
    let text = std::fs::read_to_string(beem.dve(&instance.name)).unwrap();
    let model = languages::read_model(&text).unwrap();
    let commands = &model.commands;
    let options = FinderOptions { small: SmallModels::Swept, ..FinderOptions::default() };
    let findings = find_measures(commands, &Compiled, Packing::Auto, &options).unwrap().findings;
    tally.instances += 1;
    let layout = StateLayout::proved(commands, &proved_ranges(commands));
    let initial = initial(commands, &layout);
    let wrong = |what: &str| Err(format!("{}: {what}", instance.name));
    let mut full = None;
    for proposal in findings.proposals.iter().take(2) {
        tally.measures += 1;
        let measure = ExpressionMeasure::new(commands, &proposal.components).unwrap();
        let functions = StateFunctions { predicates: &[], progress: Some(measure.packed()) };
        let system = Compiled.prepare(commands, &layout, functions).unwrap();
        let full = full.get_or_insert_with(|| {
            explore(&*system, &initial, Order::Constant, Limits::default(), u64::MAX).unwrap().0
        });
        if full.states.len() as u64 != instance.expected_states() {
            return wrong("full exploration meets other states than the oracle");
        }
        let monotone = measure.lowest_bit(proposal.monotone);
        let flat = Nesting::default();
        let nested = Nesting { parts: monotone.map_or(0, |bit| 1 << bit), monotone };
        let deep = Nesting { parts: measure.parts(), monotone };
        // A narrow window, and the one that goes with the measure.
        let bit = measure.lowest_bit(proposal.monotone + 1).unwrap_or(0);
        let window = Retention::Window { bit, reach: 2 };
        let proposed = proposal.retention(&measure);
        tally.windows += usize::from(proposed != Retention::Immediate);
        for (nesting, retention, revisits) in [
            (flat, Retention::Immediate, f64::INFINITY),
            (nested, Retention::Immediate, f64::INFINITY),
            (deep, Retention::Immediate, f64::INFINITY),
            (flat, Retention::Immediate, 1.0),
            (flat, window, f64::INFINITY),
            (flat, proposed, f64::INFINITY),
        ] {
            let limits = Limits { revisits, ..Limits::default() };
            let order = sweep(nesting, retention);
            let (swept, counters) = explore(&*system, &initial, order, limits, u64::MAX).unwrap();
            tally.several_sweeps += usize::from(counters.sweeps + counters.local_sweeps > 1);
            tally.remembering += usize::from(counters.remembers_from.is_some());
            if swept.states != full.states || swept.deadlocks != full.deadlocks {
                return wrong(&format!("{} states with {nesting:?} and {retention:?}", swept.states.len()));
            }
            // Simulated on all states, a sweep is no estimate.
            let is_simulated = match proposal.kind {
                Kind::Flat => nesting == flat && retention == Retention::Immediate,
                Kind::Nested => false,
                Kind::Window(_) => nesting == flat && retention == proposed,
            };
            if is_simulated && findings.sample.complete && revisits == f64::INFINITY {
                tally.simulated += 1;
                let expected = (proposal.cost.explored as u64, proposal.cost.peak as u64);
                if (counters.explored, counters.peak.total()) != expected {
                    let found = (counters.explored, counters.peak.total());
                    return wrong(&format!("{found:?} and not {expected:?} with {:?}", proposal.kind));
                }
            }
            if prove_monotone(commands, &proposal.components).is_ok() {
                tally.proved += 1;
                if counters.regress > 0 || counters.explored != instance.expected_states() {
                    return wrong("a measure that was proved never to fall falls");
                }
            }
        }
    }
    for (formula, expected) in goals {
        let goal = model.expression(formula).unwrap();
        let property = Property::new("goal", PropertyKind::Reachable(goal));
        let plan = Plan::default();
        let automatic = AutomaticPlan { finder: options, start: Start::Finder };
        let plans = (&plan, &automatic);
        let found = check_automatically(commands, &Compiled, &[property], plans, &mut ()).unwrap();
        let verdict = &found.outcome.verdicts[0];
        let holds = matches!(verdict, Verdict::Holds(Evidence::Trace(..)));
        let none = matches!(verdict, Verdict::Violated(Evidence::Search(_)));
        if (holds, none) != (*expected, !*expected) {
            return wrong(&format!("`{formula}` should be {expected}"));
        }
    }
    Ok(())
}

/// What was compared, if there is anything to compare with.
fn compare_all(states: std::ops::RangeInclusive<u64>) -> Option<Tally> {
    let beem = Beem::find_or_say_skipped("found measures on BEEM")?;
    let goals = reach_goals(&beem);
    let instances = beem.instances().unwrap();
    let instances = instances.iter().filter(|one| one.complete && states.contains(&one.states));
    let instances = Mutex::new(instances);
    // The longest of all tests: two threads share it, so that it does not run alone in the end.
    let share = || {
        let (mut tally, mut wrong) = (Tally::default(), Vec::new());
        while let Some(instance) = { instances.lock().unwrap().next() } {
            let asked = goals.get(&instance.name).map_or(&[][..], Vec::as_slice);
            wrong.extend(compare(&beem, instance, asked, &mut tally).err());
        }
        (tally, wrong)
    };
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(share);
        (share(), second.join().unwrap())
    });
    let (tally, wrong) = (first.0 + second.0, [first.1, second.1].concat());
    let Tally { instances, measures, several_sweeps, remembering, .. } = tally;
    assert!(wrong.is_empty(), "{} of {instances} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        measures > 0 && several_sweeps > 0 && remembering > 0 && tally.windows > 0 && tally.simulated > 0
    );
    let Tally { windows, simulated, .. } = tally;
    eprintln!(
        "found measures on BEEM: {instances} instances agree, with {measures} measures, {windows} windows, and {simulated} sweeps as they were simulated"
    );
    Some(tally)
}

#[test]
fn sweeps_by_found_measures_meet_what_full_exploration_meets() {
    if let Some(tally) = compare_all(0..=60_000) {
        assert!(tally.proved > 0, "some measures are proved; above this size, none of the best is");
    }
}

#[test]
fn the_same_up_to_a_million_states() {
    if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() {
        compare_all(60_001..=1_000_000);
    } else {
        eprintln!(
            "skipped: found measures on instances of 60,000 to a million states (set SWEEPLINE_SLOW_TESTS=1)"
        );
    }
}

/// The same model, preference and seed: the same measures at the same cost, however the work was
/// divided.
#[test]
fn measures_are_the_same_every_time() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/dve/two_phase_commit.dve"
    ));
    let model = languages::read_model(&text.unwrap()).unwrap();
    for (prefer, seed) in [(Prefer::Memory, 0), (Prefer::Balanced, 1), (Prefer::Time, 2)] {
        let options =
            FinderOptions { aim: prefer.aim(), seed, small: SmallModels::Swept, ..FinderOptions::default() };
        let find = || {
            let found = find_measures(&model.commands, &Compiled, Packing::Auto, &options).unwrap();
            let measures = found.findings.proposals.into_iter();
            measures.map(|one| (one.components, one.cost, one.monotone, one.kind)).collect::<Vec<_>>()
        };
        let first = find();
        assert!(!first.is_empty());
        assert_eq!(first, find());
    }
}
