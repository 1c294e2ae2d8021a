//! Acceptance conditions of the Hanoi format.
//!
//! A run of a generalised Büchi automaton must visit every set infinitely often: `Inf(0) & Inf(1)`.
//! `Inf(0) | Inf(1)` asks for either, which is the same as visiting their union. So any positive
//! combination is a list of unions. A condition with `Fin` belongs to another kind of automaton.

use model::guarded_commands::Span;

use super::hoa::Reader;
use super::hoa_tokens::TokenKind;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};

/// The most sets of an automaton, here and in the file.
pub(super) const MOST_SETS: u32 = 32;

/// A condition: for each set of the automaton, the sets of the file that it unites, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Acceptance {
    unions: Vec<u32>,
    /// Number of sets in the file.
    pub(super) declared: u32,
}

impl Acceptance {
    /// Number of sets of the automaton.
    pub(super) fn sets(&self) -> u32 {
        u32::try_from(self.unions.len()).expect("there are at most 32")
    }

    /// The sets of the automaton that contain an element of these sets of the file.
    pub(super) fn of(&self, declared: u32) -> u32 {
        let numbered = self.unions.iter().enumerate();
        numbered.filter(|(_, union)| **union & declared != 0).fold(0, |sets, (number, _)| sets | 1 << number)
    }
}

impl Reader<'_, '_> {
    /// `acceptance = number condition`; the number is that of the sets.
    pub(super) fn acceptance(&mut self) -> Checked<Acceptance> {
        let start = self.span();
        let declared = self.number("the number of acceptance sets")?;
        let Some(declared) = u32::try_from(declared).ok().filter(|sets| *sets <= MOST_SETS) else {
            return Err(self.other_acceptance(start, "more than 32 acceptance sets"));
        };
        let unions = self.any_condition(declared)?;
        Ok(Acceptance { unions, declared })
    }

    /// `disjunction = conjunction { "|" conjunction }`
    fn any_condition(&mut self, declared: u32) -> Checked<Vec<u32>> {
        let start = self.span();
        let mut unions = self.all_conditions(declared)?;
        while self.eat(TokenKind::Sign('|')) {
            let other = self.all_conditions(declared)?;
            let pairs = unions.iter().flat_map(|one| other.iter().map(move |other| one | other));
            unions = self.distinct(pairs.collect(), start)?;
        }
        Ok(unions)
    }

    fn all_conditions(&mut self, declared: u32) -> Checked<Vec<u32>> {
        let start = self.span();
        let mut unions = self.condition(declared)?;
        while self.eat(TokenKind::Sign('&')) {
            unions.extend(self.condition(declared)?);
            unions = self.distinct(unions, start)?;
        }
        Ok(unions)
    }

    /// `condition = "t" | "Inf" "(" set ")" | "(" disjunction ")"`; everything else is refused.
    fn condition(&mut self, declared: u32) -> Checked<Vec<u32>> {
        let start = self.span();
        if self.eat(TokenKind::Sign('(')) {
            let inside = self.nested(start, |reader| reader.any_condition(declared))?;
            self.expect(TokenKind::Sign(')'))?;
            return Ok(inside);
        }
        match self.word() {
            Some("t") => {
                self.advance();
                Ok(Vec::new())
            }
            Some("Inf") => {
                self.advance();
                self.expect(TokenKind::Sign('('))?;
                if self.kind() == TokenKind::Sign('!') {
                    return Err(self.other_acceptance(start, "the complement of a set"));
                }
                let set = self.set(declared)?;
                self.expect(TokenKind::Sign(')'))?;
                Ok(vec![1 << set])
            }
            Some("Fin") => {
                Err(self.other_acceptance(start, "a set that must be visited only finitely often"))
            }
            Some("f") => Err(self.other_acceptance(start, "no run is accepted")),
            _ => Err(self.unexpected("`t`, `Inf` or `(`")),
        }
    }

    /// The number of an acceptance set that the file has.
    pub(super) fn set(&mut self, declared: u32) -> Checked<u32> {
        let span = self.span();
        let number = self.number("the number of an acceptance set")?;
        match u32::try_from(number).ok().filter(|number| *number < declared) {
            Some(number) => Ok(number),
            None => {
                let message = format!("there is no acceptance set {number}");
                let error = Diagnostic::error(codes::UNKNOWN_SET, span, message, "not declared");
                let help = format!("`Acceptance:` declares {declared} of them, numbered from 0");
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    /// The unions without repetitions, if there are few.
    fn distinct(&mut self, mut unions: Vec<u32>, span: Span) -> Checked<Vec<u32>> {
        unions.sort_unstable();
        unions.dedup();
        if unions.len() > MOST_SETS as usize {
            return Err(self.other_acceptance(span, "more than 32 acceptance sets"));
        }
        Ok(unions)
    }

    fn other_acceptance(&mut self, span: Span, what: &str) -> Reported {
        let called = self.acceptance_name.map_or_else(String::new, |name| format!(" ({name})"));
        let message = format!("this is no Büchi automaton{called}: {what}");
        let error = Diagnostic::error(codes::OTHER_ACCEPTANCE, span, message, "not supported");
        let help = "automata may have `Buchi`, `generalized-Buchi` and `all` acceptance; Spot converts others by `autfilt --gba`";
        self.diagnostics.report(error.help(help))
    }
}
