//! Petri nets have exactly the markings, steps and token counts that others found, and deadlocks where others found them.
//!
//! The ordinary tests take the nets, coloured ones unfolded, up to 50,000 markings; `SWEEPLINE_SLOW_TESTS=1` takes those up to three million.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use engine::check::{Plan, check};
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use languages::{Model, ReadOptions, format, read_model_with};
use model::guarded_commands::{BinaryOperator, CellId, Expression};
use native_code::Compiled;
use oracles::{NetAnswer, Petri};

/// The net of a row.
pub(crate) fn read(petri: &Petri, row: &NetAnswer) -> Model {
    let path = petri.net(row, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let format = if row.format.starts_with("lola") { &format::LOLA } else { &format::PNML };
    let options = ReadOptions { format, ..ReadOptions::default() };
    read_model_with(&text, &options).unwrap_or_else(|errors| panic!("{}: {errors:?}", row.file))
}

/// Many operands of one operator, not deep.
fn joined(operator: BinaryOperator, operands: &[Expression]) -> Expression {
    match operands {
        [] => Expression::Constant(0),
        [one] => one.clone(),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            Expression::binary(operator, joined(operator, left), joined(operator, right))
        }
    }
}

/// Answers that show that `most` is the greatest of these numbers: one is that, and none is more.
fn greatest(name: &str, numbers: &[Expression], most: u64) -> [Property; 2] {
    let most = Expression::Constant(most as i64);
    [("one is", BinaryOperator::Equal), ("one is above", BinaryOperator::Greater)].map(|(what, operator)| {
        let compared: Vec<Expression> =
            numbers.iter().map(|number| Expression::binary(operator, number.clone(), most.clone())).collect();
        let goal = joined(BinaryOperator::Or, &compared);
        Property::new(format!("{name}: {what}"), PropertyKind::Reachable(goal))
    })
}

fn compare(petri: &Petri, row: &NetAnswer) -> Result<(), String> {
    let model = read(petri, row);
    let places = model.net().unwrap().places.len();
    let cells: Vec<Expression> = (0..places as u32).map(|place| Expression::Cell(CellId(place))).collect();
    let mut properties = Vec::new();
    if let Some(most) = row.number("MAX_TOKEN_IN_PLACE") {
        properties.extend(greatest("in a place", &cells, most));
    }
    if let Some(most) = row.number("MAX_TOKEN_PER_MARKING") {
        properties.extend(greatest("in a marking", &[joined(BinaryOperator::Add, &cells)], most));
    }
    let plan = Plan { explore_all: true, ..Plan::default() };
    let outcome = check(&model.commands, &Compiled, &properties, &plan, &mut ()).unwrap();
    let found = (outcome.figures.distinct.unwrap(), outcome.figures.counters.transitions);
    let expected = (row.states.unwrap(), row.edges.unwrap_or(found.1));
    let bounds = outcome.verdicts.chunks(2);
    let bounds = bounds.into_iter().all(|pair| matches!(pair, [Verdict::Holds(_), Verdict::Violated(_)]));
    if found != expected || !outcome.complete || !bounds {
        return Err(format!("{row:?}: found {found:?}, verdicts {:?}", outcome.verdicts));
    }
    Ok(())
}

fn compare_all(states: std::ops::RangeInclusive<u64>) {
    let Some(petri) = Petri::find_or_say_skipped("state spaces of Petri nets") else { return };
    let rows = petri.answers().unwrap();
    let rows: Vec<&NetAnswer> = rows
        .iter()
        .filter(|row| row.kind == "statespace")
        .filter(|row| row.states.is_some_and(|count| states.contains(&count)))
        .collect();
    let mut times: BTreeMap<u128, &str> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in &rows {
        let begun = Instant::now();
        wrong.extend(compare(&petri, row).err());
        times.insert(begun.elapsed().as_millis(), &row.file);
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    let slowest: Vec<_> = times.iter().rev().take(5).collect();
    eprintln!("{} state spaces of Petri nets agree; slowest, in ms: {slowest:?}", rows.len());
}

#[test]
fn nets_up_to_10_000_markings_agree() {
    compare_all(0..=10_000);
}

#[test]
fn nets_up_to_three_million_markings_agree() {
    if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() {
        compare_all(10_001..=3_000_000);
    } else {
        eprintln!("skipped: Petri nets above 10,000 markings (set SWEEPLINE_SLOW_TESTS=1)");
    }
}
