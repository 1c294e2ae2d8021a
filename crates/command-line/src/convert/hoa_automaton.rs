//! `convert --to hoa`: the automaton that a search for violations of a formula moves along with the model, for other tools to
//! draw, to compare or to make smaller. Its propositions are expressions of the model, so that `--automaton` reads it back.

use languages::{Model, Proposition};
use model::guarded_commands::Expression;
use report::{Exit, Finding};

use crate::arguments::ConvertArguments;
use crate::codes;
use crate::console::Console;
use crate::conversion::lost;
use crate::failure::{Failure, defect};
use crate::model_file::ModelFile;
use crate::output_file::OutputFile;
use crate::questions::{formula_of, linear_property};

/// Writes the automaton of the runs that violate the formula.
///
/// # Errors
/// The input is bad, the automaton would be too large, or it cannot be written.
pub fn write_automaton(arguments: &ConvertArguments, console: Console) -> Result<Exit, Failure> {
    let out = OutputFile::probe(&arguments.output)?;
    let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
    console.report(&file.warnings());
    let text = arguments.ltl.as_deref().ok_or_else(|| defect("--ltl did not come through"))?;
    let formula = formula_of(text, &file)?;
    let names: Vec<String> =
        formula.propositions.iter().map(|one| name_of(one, &file.model)).collect::<Result<_, Finding>>()?;
    let title = format!("not ({formula})");
    let automaton = linear_property(formula)?.automaton().hoa(&names, &title);
    out.write(automaton.as_bytes()).map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

/// A name that reads back as what the proposition means. In a formula some things can be said that no expression has words for, and
/// the opposite of an expression is its negation there.
fn name_of(proposition: &Proposition, model: &Model) -> Result<String, Finding> {
    let meaning = |expression: &Expression| model.measure_text(std::slice::from_ref(expression));
    let meant = meaning(&proposition.expression);
    let plain = proposition.text.replace("/\\", " and ").replace("\\/", " or ");
    let negated = format!("not ({plain})");
    let reads_back = |name: &String| {
        !name.contains(['"', '\\']) && model.expression(name).is_ok_and(|read| meaning(&read) == meant)
    };
    [plain, negated, meant.clone()].into_iter().find(reads_back).ok_or_else(|| {
        let message = format!("`{}` cannot be the name of a proposition in an automaton", proposition.text);
        let help = "write it as an expression of the model, with `and`, `or`, `not` and `imply`, without quotation marks";
        Finding::error(codes::BAD_PROPOSITION, message, help)
    })
}
