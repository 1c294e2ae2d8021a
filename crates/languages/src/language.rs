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
    /// A Petri net in the Petri Net Markup Language.
    Pnml,
    /// A Petri net as LoLA reads it.
    Lola,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 4] = [Self::Dve, Self::StateSpace, Self::Pnml, Self::Lola];

    /// The name, as used for file endings and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dve => "dve",
            Self::StateSpace => "ss",
            Self::Pnml => "pnml",
            Self::Lola => "lola",
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

    /// The language that the ending of a file tells. A file of XML is one of PNML: no other language is written in it.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use languages::Language;
    ///
    /// assert_eq!(Language::of_path(Path::new("models/peterson.dve")), Some(Language::Dve));
    /// assert_eq!(Language::of_path(Path::new("protocol.SS")), Some(Language::StateSpace));
    /// assert_eq!(Language::of_path(Path::new("model.xml")), Some(Language::Pnml));
    /// assert_eq!(Language::of_path(Path::new("dve")), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        if ending.eq_ignore_ascii_case("xml") { Some(Self::Pnml) } else { Self::named(ending) }
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
