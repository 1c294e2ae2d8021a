//! The table of formats: which languages can be read, and how a file tells its language.
//!
//! A language is a module that reads a text into a [`Model`], and a row of [`FORMATS`]. Command
//! lines, documentation and file dialogs take names, endings and sizes from the row.

use std::fmt;
use std::path::Path;

use model::guarded_commands::Span;

use crate::diagnostic::{Diagnostic, Diagnostics, too_long};
use crate::{Model, ReadOptions, codes, dve, petri, promela, state_space};

/// A language that models are written in.
pub struct Format {
    /// The name, as used in options; a lower-case word.
    pub name: &'static str,
    /// What the format is, in one line without a full stop.
    pub summary: &'static str,
    /// The endings of its files, without a dot, in lower case.
    pub endings: &'static [&'static str],
    /// The longest text that is read, in bytes. Spans are 32 bits wide.
    pub largest: usize,
    /// What an error calls a text of this format.
    what: &'static str,
    read: Reader,
}

/// Reads a text in its surroundings.
type Reader = fn(&str, &ReadOptions) -> Result<Model, Vec<Diagnostic>>;

/// The language of the DiVinE model checker and of the BEEM benchmark.
pub static DVE: Format = Format {
    name: "dve",
    summary: "The language of the DiVinE model checker",
    endings: &["dve"],
    largest: 64 << 20,
    what: "the model",
    read: |text, options| dve::read(text, &options.constants),
};

/// Explicit state spaces, described at [`state_space`].
pub static STATE_SPACE: Format = Format {
    name: "ss",
    summary: "An explicit state space, one line per state",
    endings: &["ss"],
    largest: state_space::LARGEST_TEXT,
    what: "the state space",
    read: |text, options| state_space::read_model(text, &options.constants),
};

/// Petri nets in the Petri Net Markup Language. No other format is written in XML, so any XML file
/// is taken for one.
pub static PNML: Format = Format {
    name: "pnml",
    summary: "A Petri net in the Petri Net Markup Language",
    endings: &["pnml", "xml"],
    largest: petri::LARGEST_TEXT,
    what: "the net",
    read: |text, options| petri::read_pnml(text, &options.constants),
};

/// Petri nets as LoLA reads them.
pub static LOLA: Format = Format {
    name: "lola",
    summary: "A Petri net as LoLA reads it",
    endings: &["lola"],
    largest: petri::LARGEST_TEXT,
    what: "the net",
    read: |text, options| petri::read_lola(text, &options.constants),
};

/// Promela, the language of SPIN.
pub static PROMELA: Format = Format {
    name: "promela",
    summary: "Promela, the language of SPIN",
    endings: &["pml", "pm", "prom", "promela", "prm", "spin"],
    largest: 4 << 20,
    what: "the model",
    read: promela::read,
};

/// All formats. The first one is the default for texts without a name.
pub static FORMATS: [&Format; 5] = [&DVE, &STATE_SPACE, &PNML, &LOLA, &PROMELA];

impl Format {
    /// The format with this name, in any case.
    ///
    /// ```
    /// use languages::format::{Format, STATE_SPACE};
    ///
    /// assert_eq!(Format::by_name("ss"), Some(&STATE_SPACE));
    /// assert_eq!(Format::by_name("basic"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Self> {
        FORMATS.into_iter().find(|format| format.name.eq_ignore_ascii_case(name))
    }

    /// The format that the ending of a file tells, in any case.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use languages::format::{DVE, Format, PNML, STATE_SPACE};
    ///
    /// assert_eq!(Format::by_ending(Path::new("models/peterson.dve")), Some(&DVE));
    /// assert_eq!(Format::by_ending(Path::new("protocol.SS")), Some(&STATE_SPACE));
    /// assert_eq!(Format::by_ending(Path::new("model.xml")), Some(&PNML));
    /// assert_eq!(Format::by_ending(Path::new("dve")), None);
    /// ```
    pub fn by_ending(path: &Path) -> Option<&'static Self> {
        let ending = path.extension()?.to_str()?;
        let has_ending = |format: &&Self| format.endings.iter().any(|one| one.eq_ignore_ascii_case(ending));
        FORMATS.into_iter().find(has_ending)
    }

    /// Reads a text in its surroundings.
    pub(crate) fn read(&self, text: &str, options: &ReadOptions) -> Result<Model, Vec<Diagnostic>> {
        if text.len() > self.largest {
            return Err(vec![too_long(self.what, text, self.largest)]);
        }
        (self.read)(text, options)
    }
}

/// Refuses values for constants, for formats that have no constants.
pub(crate) fn refuse_constants(constants: &[(String, i64)], help: &str) -> Result<(), Vec<Diagnostic>> {
    let refused = constants.iter().take(Diagnostics::LIMIT);
    let refused: Vec<Diagnostic> = refused.map(|(name, _)| unknown_constant(name, help.to_owned())).collect();
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// The error about a constant that a text does not have. Its span is empty, at the start of the
/// text.
pub(crate) fn unknown_constant(name: &str, help: String) -> Diagnostic {
    let message = format!("no global constant `{name}` in this model");
    let label = "not declared in this file";
    Diagnostic::error(codes::UNKNOWN_CONSTANT, Span::new(0, 0), message, label).help(help)
}

impl Default for &'static Format {
    fn default() -> Self {
        FORMATS[0]
    }
}

/// Formats are equal if their names are.
impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Format").field(&self.name).finish()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_endings_are_unique_and_in_lower_case() {
        let endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.endings).copied().collect();
        assert_eq!(endings.iter().collect::<BTreeSet<_>>().len(), endings.len());
        let names: BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
        assert_eq!(names.len(), FORMATS.len());
        assert!(endings.iter().chain(&names).all(|one| one.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn spans_reach_to_the_end_of_the_longest_text() {
        assert!(FORMATS.iter().all(|format| u32::try_from(format.largest).is_ok()));
    }
}
