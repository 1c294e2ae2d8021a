//! Properties of the Model Checking Contest, and queries of TAPAAL, have the recorded answers: by full exploration and by sweeps, with and without stubborn sets.
//!
//! The ordinary tests take small nets and every fourteenth row of their files; `SWEEPLINE_SLOW_TESTS=1` takes every row of nets up to 50,000 markings. Rows about deadlock are all
//! taken, up to 50,000 markings in the ordinary tests and up to three million in the slow ones.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use engine::check::{
    CheckError, Engine, Outcome, Packing, Plan, Reduction, SearchPlan, check, find_measures,
};
use engine::explore::StopReason;
use engine::progress::finder::{FinderOptions, SmallModels};
use engine::property::linear::LinearProperty;
use engine::property::{BranchingProperty, Property, PropertyKind};
use engine::verdict::{UnknownReason, Verdict};
use languages::Model;
use languages::petri::contest::{self, ContestProperty, ContestQuestion};
use logic::ltl_to_buchi::Limits as AutomatonLimits;
use model::guarded_commands::{BinaryOperator, Expression};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;
use model::transition_system::Execution;
use native_code::Compiled;
use oracles::{NetAnswer, Petri};

use super::oracle_petri::read;

/// A net with more transitions is interpreted: compiling it again for each of many questions takes
/// longer than answering them.
const COMPILED: usize = 200;

/// Searches that find more states are given up: some of TAPAAL's nets have very many markings, or no end of them.
const MOST_STATES: u64 = 1_000_000;

/// What becomes of them.
const GIVEN_UP: &str = "given up";

/// A net, and a measure for it.
pub(crate) struct Subject {
    model: Model,
    measure: Option<ExpressionMeasure>,
    /// Searches that find more states are given up.
    most_states: u64,
}

impl Subject {
    /// With the measure that is found for it.
    pub(crate) fn new(model: Model) -> Self {
        let options = FinderOptions { small: SmallModels::Swept, ..FinderOptions::default() };
        let found = find_measures(&model.commands, &Interpreted, Packing::Auto, &options).unwrap();
        let measure = found
            .findings
            .proposals
            .first()
            .map(|proposal| ExpressionMeasure::new(&model.commands, &proposal.components).unwrap());
        Self { model, measure, most_states: MOST_STATES }
    }

    /// The same, searched until `most_states` states are found.
    pub(crate) fn up_to(self, most_states: u64) -> Self {
        Self { most_states, ..self }
    }

    /// What full exploration tells, after a look at what sweeps tell, and both with a reduction where that is sound. Nets are executed as suits their size.
    fn checked(&self, properties: &[Property]) -> Result<Outcome, String> {
        if self.model.commands.actions.len() > COMPILED {
            return self.checked_by(&Interpreted, properties);
        }
        self.checked_by(&Compiled, properties)
    }

    fn checked_by<E: Execution>(&self, execution: &E, properties: &[Property]) -> Result<Outcome, String> {
        let mut plan = Plan::default();
        plan.limits.states = self.most_states;
        let sweep =
            Plan { search: SearchPlan::with_measure(Engine::Sweep, self.measure.clone()), ..plan.clone() };
        let reduced = |plan: &Plan| Plan { reduction: Reduction::StubbornAlways, ..plan.clone() };
        let check = |plan: &Plan| check(&self.model.commands, execution, properties, plan, &mut ());
        let outcome = check(&plan).map_err(|error| error.to_string())?;
        for other in [reduced(&plan), sweep.clone(), reduced(&sweep)] {
            if other.search.sweep().is_some() && self.measure.is_none() {
                continue;
            }
            match check(&other) {
                Ok(found) => agree(&outcome, &found).map_err(|difference| {
                    format!(
                        "{difference} with {} and {}",
                        other.search.engine().name(),
                        other.reduction.name()
                    )
                })?,
                Err(CheckError::Unsound(_)) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(outcome)
    }
}

/// That no verdict becomes its opposite.
fn agree(one: &Outcome, other: &Outcome) -> Result<(), String> {
    let answer = |verdict: &Verdict| match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Unknown(_) => None,
    };
    for (one, other) in one.verdicts.iter().zip(&other.verdicts) {
        if let (Some(before), Some(after)) = (answer(one), answer(other))
            && before != after
        {
            return Err(format!("{one:?} becomes {other:?}"));
        }
    }
    Ok(())
}

/// What a row is about.
struct Asked {
    subject: Subject,
    properties: HashMap<String, ContestProperty>,
    /// The properties in order, as TAPAAL's rows number them.
    order: Vec<String>,
}

/// The answer to a question, as the oracle writes it.
pub(crate) fn answer(
    subject: &Subject,
    question: &ContestQuestion,
    expected: &str,
) -> Result<String, String> {
    let is = |operator, expression: &Expression, value: i64| {
        PropertyKind::Reachable(Expression::binary(operator, expression.clone(), Expression::Constant(value)))
    };
    let (kinds, opposite) = match question {
        ContestQuestion::Deadlock => (vec![PropertyKind::DeadlockFree], true),
        ContestQuestion::Reachable(goal) => (vec![PropertyKind::Reachable(goal.clone())], false),
        ContestQuestion::Invariant(always) => (vec![PropertyKind::Invariant(always.clone())], false),
        ContestQuestion::Branching(formula) => {
            let propositions = formula.propositions.iter().map(|one| one.expression.clone()).collect();
            let branching = BranchingProperty { formula: formula.formula.clone(), propositions };
            (vec![PropertyKind::Branching(Box::new(branching))], false)
        }
        ContestQuestion::EveryRun(formula) | ContestQuestion::NotEveryRun(formula) => {
            let propositions = formula.propositions.iter().map(|one| one.expression.clone()).collect();
            let limits = AutomatonLimits::default();
            let linear = LinearProperty::of_formula(formula.formula.clone(), propositions, &limits);
            let linear = linear.map_err(|error| error.to_string())?;
            let opposite = matches!(question, ContestQuestion::NotEveryRun(_));
            (vec![PropertyKind::Linear(Box::new(linear))], opposite)
        }
        ContestQuestion::Bound(sum) => {
            let most: i64 = expected.parse().map_err(|_| format!("{expected} is no bound"))?;
            let kinds = vec![is(BinaryOperator::Equal, sum, most), is(BinaryOperator::Greater, sum, most)];
            (kinds, false)
        }
    };
    let properties: Vec<Property> = kinds.into_iter().map(|kind| Property::new("asked", kind)).collect();
    let outcome = subject.checked(&properties)?;
    match outcome.verdicts.as_slice() {
        [Verdict::Holds(_)] => Ok(if opposite { "FALSE" } else { "TRUE" }.to_owned()),
        [Verdict::Violated(_)] => Ok(if opposite { "TRUE" } else { "FALSE" }.to_owned()),
        [Verdict::Holds(_), Verdict::Violated(_)] => Ok(expected.to_owned()),
        [Verdict::Unknown(UnknownReason::Stopped(StopReason::StateLimit(_)))] => Err(GIVEN_UP.to_owned()),
        other => Err(format!("{other:?}")),
    }
}

fn asked(petri: &Petri, row: &NetAnswer) -> Result<Asked, String> {
    let net = petri.net(row, Path::new(env!("CARGO_TARGET_TMPDIR"))).map_err(|error| error.to_string())?;
    let folder = net.parent().unwrap();
    let model = read(petri, row);
    let (mut properties, mut order) = (HashMap::new(), Vec::new());
    let file = row.formula.split(' ').next().unwrap_or_default();
    let text = std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    for property in contest::properties(&model, &text).map_err(|errors| format!("{file}: {errors:?}"))? {
        order.push(property.name.clone());
        properties.insert(property.name.clone(), property);
    }
    Ok(Asked { subject: Subject::new(model), properties, order })
}

/// The property that a row is about: by its name, or in TAPAAL's files by its number.
fn property_of<'a>(asked: &'a Asked, row: &NetAnswer) -> Option<&'a ContestProperty> {
    let number = row.formula.rsplit_once(" property ").and_then(|(_, number)| number.parse::<usize>().ok());
    match number {
        Some(number) => asked.properties.get(asked.order.get(number.checked_sub(1)?)?),
        None => asked.properties.get(&row.property),
    }
}

/// Compares rows. At most `allowed` of them may be given up.
fn compare_rows(what: &str, rows: &[&NetAnswer], petri: &Petri, allowed: usize) {
    let mut files: BTreeMap<(&str, &str), Vec<&NetAnswer>> = BTreeMap::new();
    for row in rows {
        let file = row.formula.split(' ').next().unwrap_or_default();
        files.entry((&row.file, file)).or_default().push(row);
    }
    let (mut wrong, mut given_up) = (Vec::new(), Vec::new());
    for rows in files.values() {
        let begun = Instant::now();
        let asked = match asked(petri, rows[0]) {
            Ok(asked) => asked,
            Err(error) => {
                wrong.push(format!("{}: {error}", rows[0].file));
                continue;
            }
        };
        for row in rows {
            let found = match property_of(&asked, row) {
                Some(property) => answer(&asked.subject, &property.question, &row.verdict),
                None => Err("no such property".to_owned()),
            };
            if found == Err(GIVEN_UP.to_owned()) && given_up.len() < allowed {
                given_up.push(row.property.as_str());
            } else if found.as_ref() != Ok(&row.verdict) {
                wrong.push(format!("{} expected {}, found {found:?}", row.property, row.verdict));
            }
        }
        if begun.elapsed() > Duration::from_secs(2) {
            eprintln!("{}: {} rows in {:?}", rows[0].file, rows.len(), begun.elapsed());
        }
    }
    assert!(wrong.is_empty(), "{what}: {} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    eprintln!(
        "{what}: {} rows agree, {} given up: {given_up:?}",
        rows.len() - given_up.len(),
        given_up.len()
    );
}

/// Numbers of markings, by file.
fn sizes(rows: &[NetAnswer]) -> HashMap<&str, u64> {
    rows.iter().filter_map(|row| Some((row.file.as_str(), row.states?))).collect()
}

fn compare_contest(kind: &str, most: u64, every: usize) {
    let Some(petri) = Petri::find_or_say_skipped("properties of the Model Checking Contest") else { return };
    let rows = petri.answers().unwrap();
    let sizes = sizes(&rows);
    let rows: Vec<&NetAnswer> = rows
        .iter()
        .filter(|row| row.kind == kind && row.file.starts_with("mcc/"))
        .filter(|row| sizes.get(row.file.as_str()).is_some_and(|size| *size <= most))
        .step_by(every)
        .collect();
    compare_rows(kind, &rows, &petri, 0);
}

pub(crate) fn slow(what: &str) -> bool {
    let wanted = std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some();
    if !wanted {
        eprintln!("skipped: {what} (set SWEEPLINE_SLOW_TESTS=1)");
    }
    wanted
}

#[test]
fn reachability_has_the_answers_of_the_contest() {
    compare_contest("reach", 2_000, 14);
}

#[test]
fn bounds_have_the_answers_of_the_contest() {
    compare_contest("bound", 2_000, 14);
}

#[test]
fn branching_time_has_the_answers_of_the_contest() {
    compare_contest("ctl", 2_000, 14);
}

#[test]
fn linear_time_has_the_answers_of_the_contest() {
    compare_contest("ltl", 2_000, 14);
}

#[test]
fn all_properties_of_nets_up_to_50_000_markings_agree() {
    if slow("all properties of the Model Checking Contest on nets up to 50,000 markings") {
        for kind in ["reach", "bound", "ctl", "ltl"] {
            compare_contest(kind, 50_000, 1);
        }
    }
}

#[test]
fn queries_of_tapaal_have_the_recorded_answers() {
    let Some(petri) = Petri::find_or_say_skipped("queries of TAPAAL") else { return };
    let rows = petri.answers().unwrap();
    let every = if slow("seven of eight queries of TAPAAL") { 1 } else { 8 };
    let rows = rows.iter().filter(|row| row.file.starts_with("tapaal/"));
    let rows: Vec<&NetAnswer> = rows.step_by(every).collect();
    compare_rows("tapaal", &rows, &petri, 25);
}

/// Whether every one of these questions is answered as wanted.
fn all(subject: &Subject, kinds: Vec<PropertyKind>, wanted: bool) -> Result<bool, String> {
    for batch in kinds.chunks(60) {
        let properties: Vec<Property> =
            batch.iter().map(|kind| Property::new("asked", kind.clone())).collect();
        for verdict in subject.checked(&properties)?.verdicts {
            let holds = match verdict {
                Verdict::Holds(_) => true,
                Verdict::Violated(_) => false,
                Verdict::Unknown(reason) => return Err(format!("{reason:?}")),
            };
            if holds != wanted {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The answer to a question about a whole net.
fn examined(subject: &Subject, kind: &str) -> Result<bool, String> {
    let net = subject.model.net().unwrap();
    let each = |expressions: Vec<Expression>, kind: fn(Expression) -> PropertyKind| {
        expressions.into_iter().map(kind).collect::<Vec<_>>()
    };
    match kind {
        "onesafe" => all(subject, vec![PropertyKind::Invariant(net.is_safe_now())], true),
        "stablemarking" => {
            all(subject, each(net.unchanged_places(), PropertyKind::Invariant), false).map(|change| !change)
        }
        "quasiliveness" => all(subject, each(net.fireable_transitions(), PropertyKind::Reachable), true),
        "liveness" => all(subject, each(net.fireable_transitions(), PropertyKind::AlwaysPossible), true),
        _ => Err(format!("what is {kind}?")),
    }
}

fn compare_examinations(states: std::ops::RangeInclusive<u64>) {
    let Some(petri) = Petri::find_or_say_skipped("examinations of whole nets") else { return };
    let rows = petri.answers().unwrap();
    let sizes = sizes(&rows);
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in &rows {
        let is_global =
            ["onesafe", "stablemarking", "quasiliveness", "liveness"].contains(&row.kind.as_str());
        if !is_global || !sizes.get(row.file.as_str()).is_some_and(|size| states.contains(size)) {
            continue;
        }
        compared += 1;
        let found = examined(&Subject::new(read(&petri, row)), &row.kind);
        if found != Ok(row.verdict == "TRUE") {
            wrong.push(format!("{} expected {}, found {found:?}", row.property, row.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    eprintln!("{compared} rows about whole nets agree");
}

#[test]
fn examinations_have_the_answers_of_the_contest() {
    compare_examinations(0..=1_000);
}

#[test]
fn examinations_of_nets_up_to_200_000_markings_have_the_answers_of_the_contest() {
    if slow("examinations of nets above 1,000 markings") {
        compare_examinations(1_001..=200_000);
    }
}

fn compare_deadlocks(states: std::ops::RangeInclusive<u64>) {
    let Some(petri) = Petri::find_or_say_skipped("deadlocks of Petri nets") else { return };
    let rows = petri.answers().unwrap();
    let sizes = sizes(&rows);
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in rows.iter().filter(|row| row.kind == "deadlock" && !row.file.starts_with("tapaal/")) {
        if row.format == "lola-highlevel"
            || !sizes.get(row.file.as_str()).is_some_and(|size| states.contains(size))
        {
            continue;
        }
        compared += 1;
        let found = answer(
            &Subject::new(read(&petri, row)).up_to(4_000_000),
            &ContestQuestion::Deadlock,
            &row.verdict,
        );
        if found.as_ref() != Ok(&row.verdict) {
            wrong.push(format!("{} expected {}, found {found:?}", row.property, row.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    eprintln!("{compared} rows about deadlocks agree");
}

#[test]
fn deadlocks_of_nets_up_to_10_000_markings_agree() {
    compare_deadlocks(0..=10_000);
}

#[test]
fn deadlocks_of_nets_up_to_three_million_markings_agree() {
    if slow("deadlocks of nets above 10,000 markings") {
        compare_deadlocks(10_001..=3_000_000);
    }
}
