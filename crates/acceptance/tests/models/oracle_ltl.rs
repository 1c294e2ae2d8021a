//! Every row of the BEEM benchmark about linear time gets the recorded verdict: by full exploration, by a sweep along a measure that is found, and
//! from the row's formula in place of its automaton, where its propositions can be told from the models.
//!
//! Runs into a deadlock count as if their last state were repeated. The page about the format says that they do not count, but six rows on instances up to 10,000
//! states alone (`phils.1`, where all philosophers starve in a deadlock, is the smallest) have the verdict that they do.

use std::collections::HashMap;

use engine::check::{AutomaticPlan, Engine, Plan, Start, check, check_automatically};
use engine::progress::finder::{FinderOptions, SmallModels};
use engine::property::linear::LinearProperty;
use engine::property::{Property, PropertyKind};
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::DeclaredPropertyKind;
use native_code::Compiled;
use oracles::{Beem, Instance, PropertyKind as Asked};

/// Rows with another verdict of ours. The tool that recorded them treats an overflow as a run-time
/// error, and so as a deadlock, in which no process is in its critical section. We truncate the
/// value to its type. (See `oracles::Instance::expected_states`: the counts differ for the same reason.)
const OTHER_READING: [(&str, &str); 1] = [("anderson.1", "GF someoneincs")];

/// What propositions of formulas mean, by family: from the guards of the benchmark's own automata.
const PROPOSITIONS: [(&str, &str, &str); 42] = [
    ("anderson", "wait0", "(P_0.p1 or P_0.p2 or P_0.p3)"),
    ("anderson", "cs0", "P_0.CS"),
    ("at", "wait0", "P_0.p3"),
    ("at", "cs0", "P_0.CS"),
    ("bakery", "wait0", "(P_0.choose or P_0.for_loop or P_0.wait)"),
    ("bakery", "cs0", "P_0.CS"),
    ("bopdp", "sleeping0", "(sleeping == 0)"),
    ("bopdp", "sleepop0", "(sleep_op == 0)"),
    ("bopdp", "active", "IOP.active"),
    ("bopdp", "standby", "IOP.stand_by"),
    ("bopdp", "noise", "IOP.noise"),
    ("brp", "wait", "Producer.wait_result"),
    ("brp", "check", "Producer.check"),
    ("brp", "ready", "Producer.ready"),
    ("elevator", "waiting0", "Person_0.waiting"),
    ("elevator", "in_elevator0", "Person_0.in_elevator"),
    ("elevator", "out0", "Person_0.out"),
    ("elevator2", "r0", "(req[0] == 1)"),
    ("elevator2", "p0", "(p == 0)"),
    ("elevator2", "p1", "(p == 1)"),
    ("elevator2", "co", "cabin.open"),
    ("extinction", "elected", "(leaders_num > 0)"),
    ("fischer", "wait0", "P_0.try"),
    ("fischer", "cs0", "P_0.CS"),
    ("iprotocol", "consume", "Consumer.consume"),
    ("iprotocol", "dataok", "Medium.dataOk"),
    ("iprotocol", "nakok", "Medium.nakOk"),
    ("lamport", "wait0", "P_0.q1"),
    ("lamport", "cs0", "P_0.CS"),
    ("lann", "cs0", "P_0.CS"),
    ("leader_election", "elected", "(nr_leaders > 0)"),
    ("lifts", "pressedup0", "Environment.pressed_up_0"),
    ("lifts", "moveup", "Wheels.moving_up"),
    ("mcs", "cs0", "P_0.CS"),
    ("peterson", "cs0", "P_0.CS"),
    ("phils", "one0", "phil_0.one"),
    ("phils", "eat0", "phil_0.eat"),
    ("rether", "res0", "Node_0.reserved"),
    ("rether", "want0", "Node_0.want_RT"),
    ("rether", "cend", "Token.cycle_end"),
    ("rether", "rt0", "Node_0.RT_action"),
    ("rether", "nact0", "Node_0.NRT_action"),
];

/// The formula with expressions of the model in place of names, if all of them are known.
fn expressed(instance: &str, formula: &str) -> Option<String> {
    let family = instance.split('.').next()?;
    let (formula, names) = languages::ltl_over_names(formula).ok()?;
    let meaning = |name: &String| {
        let known = PROPOSITIONS.iter().find(|(of, known, _)| *of == family && known == name)?;
        Some(known.2)
    };
    let meanings: Vec<&str> = names.iter().map(meaning).collect::<Option<_>>()?;
    Some(formula.named(|proposition| meanings[usize::from(proposition)]).to_string())
}

fn answer(verdict: &Verdict) -> Result<bool, String> {
    match verdict {
        Verdict::Holds(Evidence::Search(_)) => Ok(true),
        Verdict::Violated(Evidence::Lasso(..)) => Ok(false),
        other => Err(format!("{other:?}")),
    }
}

/// The verdicts by full exploration, by a sweep, and by the formula if it can be expressed.
fn answers(beem: &Beem, row: &oracles::Property) -> Result<(bool, bool, Option<bool>), String> {
    let text = std::fs::read_to_string(beem.dve(row.automaton.as_ref().unwrap())).unwrap();
    let model = languages::read_model(&text).unwrap();
    let automaton = model.commands.properties.iter().find_map(|property| match &property.kind {
        DeclaredPropertyKind::NoAcceptedRun(automaton) => Some(automaton),
        DeclaredPropertyKind::Invariant(_) => None,
    });
    let read = model.declared_automaton(automaton.unwrap()).map_err(|errors| format!("{errors:?}"))?;
    let propositions = read.propositions.into_iter().map(|one| one.expression).collect();
    let linear = LinearProperty::of_automaton(&read.automaton, propositions);
    let asked = |linear| [Property::new("asked", PropertyKind::Linear(Box::new(linear)))];
    let properties = asked(linear);
    let full = |properties: &[Property]| {
        let outcome = check(&model.commands, &Compiled, properties, &Plan::default(), &mut ());
        answer(&outcome.map_err(|error| error.to_string())?.verdicts[0])
    };
    let sweep = Plan { search: Engine::Sweep.into(), ..Plan::default() };
    let options = FinderOptions { small: SmallModels::Swept, ..FinderOptions::default() };
    let automatic = AutomaticPlan { finder: options, start: Start::Finder };
    let plans = (&sweep, &automatic);
    let swept = check_automatically(&model.commands, &Compiled, &properties, plans, &mut ());
    let swept = answer(&swept.map_err(|error| error.to_string())?.outcome.verdicts[0])?;
    let by_formula = expressed(&row.instance, &row.formula).map(|text| {
        let formula = model.ltl(&text).map_err(|errors| format!("{text}: {errors:?}"))?;
        let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
        let linear = LinearProperty::of_formula(formula.formula, propositions, &Default::default());
        full(&asked(linear.map_err(|error| error.to_string())?))
    });
    Ok((full(&properties)?, swept, by_formula.transpose()?))
}

fn compare_rows(states: std::ops::RangeInclusive<u64>) {
    let Some(beem) = Beem::find_or_say_skipped("verdicts of BEEM about linear time") else { return };
    let instances: HashMap<String, Instance> =
        beem.instances().unwrap().into_iter().map(|one| (one.name.clone(), one)).collect();
    let (mut compared, mut formulas) = (0, 0);
    let mut wrong = Vec::new();
    for row in beem.properties().unwrap().iter().filter(|row| row.kind == Asked::Ltl) {
        let instance = &instances[&row.instance];
        let Some(expected) = row.verdict.filter(|_| instance.complete && states.contains(&instance.states))
        else {
            continue;
        };
        let is_other = OTHER_READING.contains(&(row.instance.as_str(), row.formula.as_str()));
        let expected = expected != is_other;
        let found = answers(&beem, row);
        compared += 1;
        match found {
            Ok((full, swept, formula))
                if full == expected && swept == expected && formula != Some(!expected) =>
            {
                formulas += usize::from(formula.is_some());
            }
            found => wrong
                .push(format!("{} `{}`: expected {expected}, found {found:?}", row.instance, row.formula)),
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    eprintln!("{compared} rows of BEEM about linear time agree, {formulas} of them by their formulas, too");
}

#[test]
fn rows_on_instances_up_to_10_000_states_agree() {
    compare_rows(0..=10_000);
}

#[test]
fn all_other_rows_up_to_five_million_states_agree() {
    if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() {
        compare_rows(10_001..=5_000_000);
    } else {
        eprintln!("skipped: linear time on instances above 10,000 states (set SWEEPLINE_SLOW_TESTS=1)");
    }
}
