//! Which language a model is written in, and what else is to be known before reading it.

use std::path::Path;

/// A language that models are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// The language of the DiVinE model checker.
    #[default]
    Dve,
    /// An explicit state space, one line per state.
    StateSpace,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::Dve, Self::StateSpace];

    /// The name, as used for file endings and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dve => "dve",
            Self::StateSpace => "ss",
        }
    }

    /// The language with this name, in any case.
    ///
    /// ```
    /// assert_eq!(languages::Language::named("ss"), Some(languages::Language::StateSpace));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name().eq_ignore_ascii_case(name))
    }

    /// The language that the ending of a file tells.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use languages::Language;
    ///
    /// assert_eq!(Language::of_path(Path::new("models/peterson.dve")), Some(Language::Dve));
    /// assert_eq!(Language::of_path(Path::new("protocol.SS")), Some(Language::StateSpace));
    /// assert_eq!(Language::of_path(Path::new("dve")), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        Self::named(path.extension()?.to_str()?)
    }
}

/// How to read a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// What it is written in.
    pub language: Language,
    /// Values for global constants, which replace those in the text before anything is computed from them. Of
    /// several values for one name the last counts.
    pub constants: Vec<(String, i64)>,
}
