//! `convert --to hoa`: the automaton that a search for violations of a formula moves along with the model, for other tools to
//! draw, to compare or to make smaller. Its propositions are expressions of the model, so that `--automaton` reads it back.

use report::Exit;

use crate::arguments::ConvertArguments;
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
    let names: Vec<String> = formula.propositions.iter().map(|one| one.text.clone()).collect();
    let title = format!("not ({formula})");
    let automaton = linear_property(formula)?.automaton().hoa(&names, &title);
    out.write(automaton.as_bytes()).map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}
