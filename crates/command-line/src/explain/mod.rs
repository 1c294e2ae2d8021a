//! `explain`: explains the code of an error or warning, and says what to do about it.
//!
//! A code has a one-line summary where it is declared, beside codes with a similar meaning. The
//! longer texts are in the folder `texts`, one file for each hundred codes. They are prose, and
//! easier to read and to correct as Markdown than as strings in a program. They are part of the
//! binary.

pub mod codes;

use languages::spelling::nearest;
use report::{Exit, RUNTIME_CODES};

use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::result_lost;

/// The longer texts: a heading `## CODE`, then paragraphs up to the next heading.
const TEXTS: [&str; 6] = [
    include_str!("texts/run.md"),
    include_str!("texts/reading.md"),
    include_str!("texts/meaning.md"),
    include_str!("texts/support.md"),
    include_str!("texts/odd.md"),
    include_str!("texts/steps.md"),
];

/// A code with its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    code: &'static str,
    /// One line, from the declaration of the code.
    summary: &'static str,
}

impl Explanation {
    /// All codes, ordered by their numbers.
    fn all() -> impl Iterator<Item = Self> {
        let lists = [codes::ALL, languages::codes::ALL, RUNTIME_CODES];
        lists.into_iter().flatten().map(|&(code, summary)| Self { code, summary })
    }

    /// Finds a code in any case, also as messages show it: `error[E0203]`.
    ///
    /// # Errors
    /// There is no such code; the message suggests a similar one.
    pub fn find(text: &str) -> Result<Self, String> {
        let plain = text.trim().to_ascii_uppercase();
        let inside =
            plain.split_once('[').map_or(plain.as_str(), |(_, rest)| rest.trim_end_matches([']', ':']));
        if let Some(found) = Self::all().find(|known| known.code == inside) {
            return Ok(found);
        }
        // A wrong letter is the most common mistake.
        let other_letter = Self::all().find(|known| inside.get(1..) == Some(&known.code[1..]));
        let near = other_letter.map(|known| known.code);
        Err(match near.or_else(|| nearest(inside, Self::all().map(|known| known.code))) {
            Some(near) => format!("there is no such code; did you mean `{near}`?"),
            None => "there is no such code; `sweepline explain` lists all codes".into(),
        })
    }

    /// The longer text of the code.
    fn text(self) -> Option<&'static str> {
        let sections = TEXTS.iter().flat_map(|text| text.split("\n## ").skip(1));
        let mut headed = sections.filter_map(|section| section.split_once('\n'));
        headed.find(|(heading, _)| *heading == self.code).map(|(_, text)| text.trim())
    }
}

/// Explains a code, or lists all of them.
///
/// # Errors
/// The text cannot be printed.
pub fn explain(code: Option<Explanation>, console: Console) -> Result<Exit, Failure> {
    let text = match code {
        Some(known) => {
            let Explanation { code, summary } = known;
            let text = known.text().map_or(String::new(), |text| format!("\n{text}\n"));
            format!("{code}  {summary}\n{text}")
        }
        None => Explanation::all().map(|known| format!("{}  {}\n", known.code, known.summary)).collect(),
    };
    console.print(&text).map_err(|error| {
        let findings = vec![result_lost("the explanation", &error)];
        Failure { exit: Exit::Unknown, findings }
    })?;
    Ok(Exit::Holds)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_explained_and_says_what_to_do() {
        for known in Explanation::all() {
            let text = known.text().unwrap_or_else(|| panic!("{} has no explanation", known.code));
            assert!(text.contains("\nWhat to do: "), "{} does not say what to do", known.code);
            assert!(text.lines().all(|line| line.chars().count() <= 120), "{} has long lines", known.code);
        }
    }

    #[test]
    fn every_explanation_belongs_to_one_code() {
        let known: BTreeSet<&str> = Explanation::all().map(|known| known.code).collect();
        let mut explained = BTreeSet::new();
        for line in TEXTS.iter().flat_map(|text| text.lines()) {
            if let Some(code) = line.strip_prefix("## ") {
                assert!(known.contains(code) && explained.insert(code), "{code}");
            }
        }
        assert_eq!(known, explained);
    }

    #[test]
    fn codes_are_found_in_any_spelling() {
        let code = |text: &str| Explanation::find(text).map(|known| known.code);
        assert_eq!(code("E0203"), Ok("E0203"));
        assert_eq!(code(" w0050"), Ok("W0050"));
        assert_eq!(code("error[E0501]:"), Ok("E0501"));
        assert!(code("W0203").unwrap_err().contains("did you mean `E0203`?"));
        assert!(code("E203").unwrap_err().contains("did you mean `E0203`?"));
        for far in ["", "[", "ü", "E", "nothing of the kind", &"E".repeat(5_000)] {
            assert!(code(far).unwrap_err().contains("lists all codes"), "{far}");
        }
    }
}
