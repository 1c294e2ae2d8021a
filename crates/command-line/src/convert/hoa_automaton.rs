//! `convert --to hoa`: the Büchi automaton of the runs that violate a formula, for other tools to
//! draw, compare or reduce. Its propositions are expressions of the model, so `--automaton` reads
//! it back.

use std::sync::Arc;

use languages::{Model, Proposition};
use model::guarded_commands::Expression;
use report::{Exit, Finding};
use sweepline::properties::linear;

use super::{ConvertArguments, lost};
use crate::check::properties::{too_large, with_advice};
use crate::explain::codes;
use crate::input::model_file::{ModelFile, in_text};
use crate::output::console::Console;
use crate::output::failure::{Failure, bug};
use crate::output::output_file::OutputFile;

/// Writes the automaton of the runs that violate the formula.
///
/// # Errors
/// The input is bad, the automaton would be too large, or it cannot be written.
pub fn write_automaton(arguments: &ConvertArguments, console: Console) -> Result<Exit, Failure> {
    let out = OutputFile::probe(&arguments.output)?;
    let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
    console.report(&file.warnings());
    let text = arguments.ltl.as_deref().ok_or_else(|| bug("clap requires --ltl, and it is missing"))?;
    let text: Arc<str> = text.into();
    let formula = file.model.ltl(&text).map_err(|found| with_advice(in_text(found, "--ltl", &text)))?;
    console.report(&in_text(formula.warnings.clone(), "--ltl", &text));
    let names: Vec<String> =
        formula.propositions.iter().map(|one| name_of(one, &file.model)).collect::<Result<_, Finding>>()?;
    let title = format!("not ({formula})");
    let automaton = linear(formula).map_err(too_large)?.automaton().hoa(&names, &title);
    out.write(automaton.as_bytes()).map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

/// A name that parses as the expression of the proposition. Formulas have some syntax that
/// expressions lack, and a formula may have replaced an expression by its negation.
fn name_of(proposition: &Proposition, model: &Model) -> Result<String, Finding> {
    let meaning = |expression: &Expression| model.measure_text(std::slice::from_ref(expression));
    let meant = meaning(&proposition.expression);
    let plain = proposition.text.replace("/\\", " and ").replace("\\/", " or ");
    let negated = format!("not ({plain})");
    let reads_back = |name: &String| {
        !name.contains(['"', '\\']) && model.expression(name).is_ok_and(|read| meaning(&read) == meant)
    };
    [plain, negated, meant.clone()].into_iter().find(reads_back).ok_or_else(|| {
        let message = format!("`{}` cannot be a proposition of an automaton", proposition.text);
        let help = "write it as an expression of the model, with `and`, `or`, `not` and `imply`, without quotation marks";
        Finding::error(codes::BAD_PROPOSITION, message, help)
    })
}
