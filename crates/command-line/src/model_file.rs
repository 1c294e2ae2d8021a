//! A model as read from its file, together with its text, to which all findings about it refer.

use std::path::Path;
use std::sync::Arc;

use languages::{Diagnostic, Model, read_model};
use report::Finding;

use crate::text_file::{LARGEST_MODEL, read_text};

/// A model with the text it was read from.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The file, as named by the user.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// What it means.
    pub model: Model,
}

impl ModelFile {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with the file or its text.
    pub fn read(path: &Path) -> Result<Self, Vec<Finding>> {
        let text: Arc<str> = read_text(path, LARGEST_MODEL).map_err(|finding| vec![finding])?.into();
        let path = path.display().to_string();
        match read_model(&text) {
            Ok(model) => Ok(Self { path, text, model }),
            Err(diagnostics) => Err(in_text(diagnostics, &path, &text)),
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
