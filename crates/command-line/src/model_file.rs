//! A model as read from its file, together with its text, to which all findings about it refer.

use std::path::Path;
use std::sync::Arc;

use languages::format::DVE;
use languages::{Diagnostic, Format, Model, ReadOptions, StateSpace, read_model_with};
use report::Finding;

use crate::options::ModelOptions;
use crate::text_file::read_text;

/// Said about a text that is no DVE model and begins like something else.
const LIKELY_SPACE: &str =
    "the first line looks like that of an explicit state space: --language ss reads it as one";

/// A model with the text it was read from.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The file, as named by the user.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// What it means.
    pub model: Model,
    /// Values for its constants that come from outside.
    pub constants: Vec<(String, i64)>,
}

impl ModelFile {
    /// Reads the file, in the language that the options or its ending tell, with the options' values for constants.
    ///
    /// # Errors
    /// What is wrong with the file, its text, or the constants.
    pub fn read(path: &Path, options: &ModelOptions) -> Result<Self, Vec<Finding>> {
        let ModelOptions { constants, language: chosen } = options;
        let format = chosen.map(|choice| choice.0).or_else(|| Format::by_ending(path)).unwrap_or_default();
        let text: Arc<str> = read_text(path, format.largest as u64).map_err(|finding| vec![finding])?.into();
        let path = path.display().to_string();
        let constants = constants.to_vec();
        let options = ReadOptions { format, constants: constants.clone() };
        match read_model_with(&text, &options) {
            Ok(model) => Ok(Self { path, text, model, constants }),
            Err(diagnostics) => {
                let mut findings = in_text(diagnostics, &path, &text);
                if *format == DVE && chosen.is_none() && StateSpace::is_likely(&text) {
                    // The other findings are about a text that was meant otherwise.
                    findings.truncate(1);
                    findings.iter_mut().for_each(|finding| finding.help = Some(LIKELY_SPACE.into()));
                }
                Err(findings)
            }
        }
    }

    /// What is odd about the model.
    pub fn warnings(&self) -> Vec<Finding> {
        in_text(self.model.warnings.clone(), &self.path, &self.text)
    }
}

/// What a language says about a text, as findings.
pub fn in_text(diagnostics: Vec<Diagnostic>, origin: &str, text: &Arc<str>) -> Vec<Finding> {
    diagnostics.into_iter().map(|diagnostic| Finding::in_text(diagnostic, origin, text)).collect()
}
