//! A model with the text that it was read from, to which diagnostics refer.

use std::path::Path;
use std::sync::Arc;

use engine::check::Outgrown;
use languages::format::DVE;
use languages::{Diagnostic, Format, Model, ReadOptions, StateSpace, read_model_with};
use report::Finding;

use crate::input::text_file::read_text;
use crate::options::ModelOptions;

/// Advice about a text that is no DVE model and begins like an explicit state space.
const LIKELY_SPACE: &str = "the first line looks like an explicit state space: --language ss reads it as one";

/// A model with the text it was read from.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The name of the file, as the user wrote it.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// The model.
    pub model: Model,
    /// Values of constants from the command line.
    pub constants: Vec<(String, i64)>,
    options: ReadOptions,
}

impl ModelFile {
    /// Reads a file in the language that the options name, or else its extension.
    ///
    /// # Errors
    /// Everything that is wrong with the file, its text, or the constants.
    pub fn read(path: &Path, options: &ModelOptions) -> Result<Self, Vec<Finding>> {
        let ModelOptions { constants, language: chosen } = options;
        let format = chosen.or_else(|| Format::by_ending(path)).unwrap_or_default();
        let text: Arc<str> = read_text(path, format.largest as u64).map_err(|finding| vec![finding])?.into();
        let folder = path.parent().map(Path::to_owned);
        let path = path.display().to_string();
        let constants = constants.clone();
        let options = ReadOptions { format, constants: constants.clone(), folder, ..ReadOptions::default() };
        match read_model_with(&text, &options) {
            Ok(model) => Ok(Self { path, text, model, constants, options }),
            Err(diagnostics) => {
                let mut findings = in_text(diagnostics, &path, &text);
                if *format == DVE && chosen.is_none() && StateSpace::is_likely(&text) {
                    // The other diagnostics assume DVE and would mislead.
                    findings.truncate(1);
                    findings.iter_mut().for_each(|finding| finding.help = Some(LIKELY_SPACE.into()));
                }
                Err(findings)
            }
        }
    }

    /// The same model with room for a step that it had none for.
    ///
    /// # Errors
    /// The model cannot be larger.
    pub fn larger(&self, outgrown: &Outgrown) -> Option<Self> {
        let options = self.model.options_for(outgrown.action, &outgrown.state, &self.options)?;
        let model = read_model_with(&self.text, &options).ok()?;
        Some(Self { model, options, ..self.clone() })
    }

    /// Warnings about the model.
    pub fn warnings(&self) -> Vec<Finding> {
        in_text(self.model.warnings.clone(), &self.path, &self.text)
    }
}

/// The diagnostics of a language as findings.
pub fn in_text(diagnostics: Vec<Diagnostic>, origin: &str, text: &Arc<str>) -> Vec<Finding> {
    diagnostics.into_iter().map(|diagnostic| Finding::in_text(diagnostic, origin, text)).collect()
}
