//! The property process of a DVE file, with numbered propositions.
//!
//! Reading the file gives an automaton whose guards are expressions. Here they are split at their
//! logical operators, so that guards share propositions.

use model::guarded_commands::{BinaryOperator, BuchiAutomaton, CellId, Expression, Span};

use super::label::Label;
use super::{AutomatonFormat, AutomatonWithPropositions, Growing};
use crate::Model;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::question::proposition::Propositions;

/// The automaton that a model declares, in the form of automata that are read.
pub(crate) fn property_process(
    declared: &BuchiAutomaton,
    model: &Model,
) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let read = translated(declared, model, &mut diagnostics);
    diagnostics.check(read)
}

fn translated(
    declared: &BuchiAutomaton,
    model: &Model,
    diagnostics: &mut Diagnostics,
) -> Checked<AutomatonWithPropositions> {
    let mut growing = Growing::with_sets(1);
    let mut propositions = Propositions::default();
    let span = Span::default();
    for number in 0..declared.states.len() {
        growing.state(number, span, diagnostics)?;
    }
    growing.automaton.initial = vec![declared.initial];
    let text = |expression: &Expression| text(expression, model);
    for (from, to, guard) in &declared.transitions {
        let label = Label::of(guard.clone(), span, &mut propositions, &text, diagnostics)?;
        let accepting = u32::from(declared.accepting.contains(from));
        growing.edge((*from, *to), &label, accepting, span, diagnostics)?;
    }
    Ok(AutomatonWithPropositions {
        format: AutomatonFormat::PropertyProcess,
        automaton: growing.automaton,
        states: declared.states.clone(),
        propositions: propositions.into_list(),
        warnings: Vec::new(),
    })
}

/// The text of an expression.
fn text(expression: &Expression, model: &Model) -> String {
    let place = match expression {
        Expression::Binary { operator: BinaryOperator::Equal, left, right, .. } => {
            match (&**left, &**right) {
                (Expression::Cell(cell), Expression::Constant(number)) => location(*cell, *number, model),
                _ => None,
            }
        }
        _ => None,
    };
    place.unwrap_or_else(|| model.measure_text(std::slice::from_ref(expression)))
}

/// `P.s`, if the cell holds the location of a process.
fn location(cell: CellId, number: i64, model: &Model) -> Option<String> {
    let process = model.commands.processes.iter().find(|process| process.location == cell)?;
    let location = process.locations.get(usize::try_from(number).ok()?)?;
    Some(format!("{}.{}", process.name, location.name))
}
