//! The words that are temporal operators.
//!
//! Tools agree on the letters and on little else: SPIN writes `[]`, `<>` and `V`, BEEM `GF` as one
//! word, LTSmin `E[]`. All of them are read. A name of the model stays usable:
//! [`formula`](mod@super::formula) decides by the context whether a word that is both is an
//! operator.

use crate::question::syntax::{BinaryTemporal, Connective, Runs, UnaryTemporal};

/// A temporal prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// [`Runs::This`] without a path quantifier.
    pub(super) runs: Runs,
    pub(super) operator: UnaryTemporal,
}

/// The meaning of a word between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Temporal(BinaryTemporal),
    Connective(Connective),
}

/// The operators that a word means, the outermost first: `GF` is two of them, and so is `AGEF`.
pub(super) fn prefixes(word: &str) -> Option<Vec<Prefix>> {
    let one = |operator| Some(vec![Prefix { runs: Runs::This, operator }]);
    match word {
        "always" => return one(UnaryTemporal::Globally),
        "eventually" => return one(UnaryTemporal::Finally),
        "next" => return one(UnaryTemporal::Next),
        _ => {}
    }
    let letter = |letter: u8| {
        Some(match letter {
            b'X' => UnaryTemporal::Next,
            b'F' => UnaryTemporal::Finally,
            b'G' => UnaryTemporal::Globally,
            _ => return None,
        })
    };
    let letters = word.as_bytes();
    if quantifier(letters.get(..1)?).is_none() {
        return letters
            .iter()
            .map(|one| Some(Prefix { runs: Runs::This, operator: letter(*one)? }))
            .collect();
    }
    let pair = |pair: &[u8]| match pair {
        [first, second] => Some(Prefix { runs: quantifier(&[*first])?, operator: letter(*second)? }),
        _ => None,
    };
    letters.chunks(2).map(pair).collect()
}

/// The runs that a path quantifier refers to.
pub(super) fn quantifier(word: &[u8]) -> Option<Runs> {
    match word {
        b"E" => Some(Runs::Some),
        b"A" => Some(Runs::Every),
        _ => None,
    }
}

/// The meaning of a word between two formulas.
pub(super) fn between(word: &str) -> Option<Between> {
    Some(match word {
        "U" | "until" | "stronguntil" => Between::Temporal(BinaryTemporal::Until),
        "R" | "V" | "release" => Between::Temporal(BinaryTemporal::Release),
        "W" | "weakuntil" => Between::Temporal(BinaryTemporal::WeakUntil),
        "M" => Between::Temporal(BinaryTemporal::StrongRelease),
        "implies" => Between::Connective(Connective::Implies),
        "equivalent" => Between::Connective(Connective::Equivalent),
        _ => return None,
    })
}

/// The most letters of operators without a space after them. Every split is tried, and a word in a
/// damaged file may have any length.
const MOST_GLUED: usize = 16;

/// Splits operators off the front of a word, as few as possible such that the rest is a known name:
/// `GFp` is `GF p`, unless there is an `Fp`.
pub(super) fn glued_prefix(word: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let operators = word.bytes().take(MOST_GLUED).take_while(|one| b"AEFGX".contains(one)).count();
    let splits = (1..=operators).filter_map(|at| word.split_at_checked(at));
    splits.filter(|(front, _)| prefixes(front).is_some()).find(|(_, rest)| is_known(rest))
}

/// Splits an operator off the end of a word before a parenthesis, where no name is allowed: `pU(`
/// is `p U (`.
pub(super) fn glued_between(word: &str) -> Option<(&str, &str)> {
    let (front, last) = word.split_at_checked(word.len().checked_sub(1)?)?;
    (!front.is_empty() && prefixes(word).is_none() && between(last).is_some()).then_some((front, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use UnaryTemporal::{Finally, Globally, Next};

    #[test]
    fn one_word_may_be_several_operators() {
        let operators = |word| prefixes(word).map(|all| all.iter().map(|one| one.operator).collect());
        assert_eq!(operators("GF"), Some(vec![Globally, Finally]));
        assert_eq!(operators("always"), Some(vec![Globally]));
        assert_eq!(operators("AGEFAX"), Some(vec![Globally, Finally, Next]));
        assert_eq!(prefixes("EX"), Some(vec![Prefix { runs: Runs::Some, operator: Next }]));
        for word in ["", "E", "A", "AGF", "EFA", "GA", "EE", "Fp", "f", "U", "ü", "Eü"] {
            assert_eq!(prefixes(word), None, "{word}");
        }
    }

    #[test]
    fn operators_come_off_known_names_only() {
        let known = |word: &str| ["p", "Fp"].contains(&word);
        assert_eq!(glued_prefix("GXp", known), Some(("GX", "p")));
        assert_eq!(glued_prefix("GFp", known), Some(("G", "Fp")));
        assert_eq!(glued_prefix("AGEFp", known), Some(("AGEF", "p")));
        assert_eq!(glued_prefix("AGp", known), Some(("AG", "p")));
        assert_eq!(glued_prefix("GFq", known), None);
        assert_eq!(glued_prefix("AEp", known), None);
    }

    #[test]
    fn an_operator_at_the_end_of_a_word_needs_something_in_front() {
        assert_eq!(glued_between("p1U"), Some(("p1", "U")));
        assert_eq!(glued_between("U"), None);
        assert_eq!(glued_between("p1"), None);
        assert_eq!(glued_between("pü"), None);
        assert_eq!(glued_between(""), None);
    }
}
