//! The state-space report is true, by brute force on the whole graph.

use std::collections::HashMap;

use engine::check::{Engine, OnRuntimeError, Plan, SearchPlan, check};
use engine::property::survey::{Ends, Surveyed};
use model::guarded_commands::{CellId, Expression, GuardedCommands, Shape};
use model::interpreter::Interpreter;
use model::measure::ExpressionMeasure;
use model::state_layout::CellRange;
use native_code::Compiled;

use crate::random_model::random_model;

/// Larger state spaces are left out.
const MOST_STATES: usize = 250;

/// For each state, the actions that lead away and the states they lead to.
type Steps = Vec<Vec<(usize, usize)>>;

/// All states, and their steps; `None` if there are too many, or errors among them.
fn graph(model: &GuardedCommands) -> Option<(Vec<Vec<i64>>, Steps)> {
    let interpreter = Interpreter::new(model);
    let mut states = vec![model.initial_state()];
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let mut steps: Steps = Vec::new();
    while steps.len() < states.len() {
        let mut row = Vec::new();
        for (action, result) in interpreter.successors(&states[steps.len()].clone()) {
            let state = result.ok()?;
            let number = *numbers.entry(state.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(state);
            }
            row.push((action.0 as usize, number));
        }
        steps.push(row);
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some((states, steps))
}

fn by_brute_force(model: &GuardedCommands) -> Option<Surveyed> {
    let (states, steps) = graph(model)?;
    let count = states.len();
    let mut reach = vec![vec![false; count]; count];
    for (from, row) in steps.iter().enumerate() {
        reach[from][from] = true;
        row.iter().for_each(|&(_, to)| reach[from][to] = true);
    }
    for via in 0..count {
        let beyond = reach[via].clone();
        for row in reach.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&beyond).for_each(|(reached, more)| *reached |= more);
        }
    }
    // The first state of each component stands for it.
    let first = |state: usize| (0..count).find(|&other| reach[state][other] && reach[other][state]);
    let roots: Vec<usize> = (0..count).filter(|&state| first(state) == Some(state)).collect();
    let is_terminal = |root: &&usize| (0..count).all(|other| !reach[**root][other] || reach[other][**root]);
    let terminal: Vec<usize> = roots.iter().filter(is_terminal).copied().collect();
    let is_home = |state: usize| (0..count).all(|other| reach[other][state]);
    let can_again = |action: usize| {
        let takes = |state: usize| steps[state].iter().any(|step| step.0 == action);
        (0..count).all(|state| (0..count).any(|other| reach[state][other] && takes(other)))
    };
    let actions = model.actions.len();
    let values = |cell: usize| states.iter().map(move |state| state[cell]);
    let range = |cell| Some(CellRange { low: values(cell).min()?, high: values(cell).max()? });
    let occurring = |cell: usize| match model.variable(model.cells[cell].variable).shape {
        Shape::Location(process) => {
            let locations = 0..model.process(process).locations.len() as i64;
            Some(locations.map(|one| values(cell).any(|value| value == one)).collect())
        }
        _ => None,
    };
    Some(Surveyed {
        ranges: (0..model.cells.len()).map(range).collect(),
        occurring: (0..model.cells.len()).map(occurring).collect(),
        occurs: (0..actions).map(|action| steps.iter().flatten().any(|step| step.0 == action)).collect(),
        ends: Some(Ends {
            components: roots.len() as u64,
            terminal: terminal.len() as u64,
            home_states: (0..count).filter(|&state| is_home(state)).count() as u64,
            initial_is_home: is_home(0),
            live: (0..actions).map(can_again).collect(),
        }),
    })
}

#[test]
fn what_is_told_of_a_state_space_is_so() {
    let (mut models, mut swept, mut unknown) = (0, 0, 0);
    for seed in 0..1_500 {
        let model = random_model(seed);
        let Some(expected) = by_brute_force(&model) else { continue };
        let plan = Plan {
            survey: true,
            on_runtime_error: OnRuntimeError::GoOn,
            explore_all: true,
            ..Plan::default()
        };
        let outcome = check(&model, &Compiled, &[], &plan, &mut ()).unwrap();
        assert_eq!(outcome.survey.as_ref(), Some(&expected), "{seed}");
        models += 1;
        for cell in 0..model.cells.len().min(3) {
            let component = Expression::Cell(CellId(cell as u32));
            let Ok(measure) = ExpressionMeasure::new(&model, &[component]) else { continue };
            let plan =
                Plan { search: SearchPlan::with_measure(Engine::Sweep, Some(measure)), ..plan.clone() };
            let survey = check(&model, &Compiled, &[], &plan, &mut ()).unwrap().survey.unwrap();
            swept += 1;
            if survey.ends.is_none() {
                unknown += 1;
                assert_eq!(survey, Surveyed { ends: None, ..expected.clone() }, "{seed}");
            } else {
                assert_eq!(survey, expected, "{seed}");
            }
        }
    }
    assert!(models > 100 && unknown > 50 && swept > unknown + 50, "{models} {swept} {unknown}");
}
