//! What we find in a program, by the interpreter.

use std::collections::HashSet;

use languages::format::PROMELA;
use languages::{Model, ReadOptions, read_model_with};
use model::guarded_commands::{DeclaredPropertyKind, LocationKind};
use model::interpreter::Interpreter;

use super::Answer;

/// The most states, also those inside of atomic sequences.
const LARGEST: usize = 300_000;

/// Explores a program, with a larger model as often as it has no room for a process.
pub fn explore(text: &str) -> Result<Answer, String> {
    let mut options = ReadOptions { format: &PROMELA, ..ReadOptions::default() };
    loop {
        let model = read_model_with(text, &options);
        let model = model.map_err(|found| found.iter().map(|one| format!("{one}; ")).collect::<String>())?;
        match explore_model(&model, &options) {
            Ok(answer) => return Ok(answer),
            Err(Stop::Outgrown(larger)) => options = *larger,
            Err(Stop::Failed(reason)) => return Err(reason),
        }
    }
}

enum Stop {
    Outgrown(Box<ReadOptions>),
    Failed(String),
}

fn explore_model(model: &Model, options: &ReadOptions) -> Result<Answer, Stop> {
    let commands = &model.commands;
    let interpreter = Interpreter::new(commands);
    let is_counted = |state: &[i64]| {
        let location = |process: &model::guarded_commands::Process| {
            process.locations[state[process.location.index()] as usize].kind
        };
        commands.processes.iter().all(|process| location(process) != LocationKind::Intermediate)
    };
    let valid_end = model.valid_end.as_ref().expect("models of Promela say where a run may end");
    let assertions = commands.properties.iter().find_map(|property| match &property.kind {
        DeclaredPropertyKind::Invariant(holds) if property.name == "assertions" => Some(holds),
        _ => None,
    });
    let mut states = vec![commands.initial_state()];
    let mut known: HashSet<Vec<i64>> = states.iter().cloned().collect();
    let mut transitions = 1;
    let mut answer = Answer { states: 0, transitions: None, has_invalid_end: false, fails_assertion: false };
    while let Some(state) = states.pop() {
        if known.len() > LARGEST {
            return Err(Stop::Failed("too many states".into()));
        }
        answer.states += u64::from(is_counted(&state));
        answer.fails_assertion |= assertions.is_some_and(|one| interpreter.evaluate(one, &state) == Ok(0));
        let mut is_end = true;
        let mut stop = None;
        interpreter.for_each_successor(&state, |action, next| {
            is_end = false;
            match next {
                Ok(next) => {
                    transitions += u64::from(is_counted(next));
                    if known.insert(next.to_vec()) {
                        states.push(next.to_vec());
                    }
                }
                Err(error) => {
                    let larger = model.options_for(action, &state, options);
                    let larger = larger.filter(|_| commands.outgrowing.contains(&action));
                    let failed = || Stop::Failed(format!("{error} in {}", commands.action_name(action)));
                    stop = Some(larger.map_or_else(failed, |larger| Stop::Outgrown(Box::new(larger))));
                }
            }
        });
        if let Some(stop) = stop {
            return Err(stop);
        }
        answer.has_invalid_end |= is_end && interpreter.evaluate(valid_end, &state) == Ok(0);
    }
    Ok(Answer { transitions: Some(transitions), ..answer })
}
