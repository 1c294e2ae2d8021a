//! The truth of a formula on a lasso word: a stem, and a cycle that is repeated.
//!
//! This checks counterexamples, and the translation to automata. It shares nothing with that
//! translation: it evaluates the formula by the meaning of its operators. A word `stem cycle cycle
//! …` has only as many different suffixes as stem and cycle have letters, so the truth of a
//! subformula is one bit for each of them. `f U g` is the least solution of "`g`, or `f` and the
//! same at the next position", `f R g` the greatest of "`g`, and `f` or the same at the next
//! position". Two backward passes over the word find them, because after the first pass the bit at
//! the beginning of the cycle, where the last position leads, is right.
//!
//! Time and memory are proportional to the size of the formula times the length of the word.

use super::Ltl;

impl Ltl {
    /// Whether the formula is true of the run that repeats `cycle` after `stem`. The bits of a
    /// letter say which propositions hold.
    ///
    /// # Panics
    /// If the cycle is empty: the run would be finite.
    pub fn is_true_of(&self, stem: &[u64], cycle: &[u64]) -> bool {
        assert!(!cycle.is_empty(), "a run is infinite");
        let letters: Vec<u64> = [stem, cycle].concat();
        Lasso { letters: &letters, entry: stem.len() }.truths(self)[0]
    }
}

struct Lasso<'a> {
    letters: &'a [u64],
    /// The position that follows the last.
    entry: usize,
}

impl Lasso<'_> {
    /// For each position, whether the formula is true of the run from there on.
    fn truths(&self, formula: &Ltl) -> Vec<bool> {
        let pairs = |f: &Ltl, g: &Ltl| self.truths(f).into_iter().zip(self.truths(g));
        match formula {
            Ltl::True => vec![true; self.letters.len()],
            Ltl::False => vec![false; self.letters.len()],
            Ltl::Proposition(number) => self.letters.iter().map(|letter| letter >> number & 1 == 1).collect(),
            Ltl::Not(f) => self.truths(f).into_iter().map(|truth| !truth).collect(),
            Ltl::And(f, g) => pairs(f, g).map(|(f, g)| f && g).collect(),
            Ltl::Or(f, g) => pairs(f, g).map(|(f, g)| f || g).collect(),
            Ltl::Next(f) => {
                let below = self.truths(f);
                (0..below.len()).map(|at| below[self.following(at)]).collect()
            }
            Ltl::Until(f, g) => self.solution(false, pairs(f, g), |f, g, next| g || f && next),
            Ltl::Release(f, g) => self.solution(true, pairs(f, g), |f, g, next| g && (f || next)),
        }
    }

    fn following(&self, at: usize) -> usize {
        if at + 1 == self.letters.len() { self.entry } else { at + 1 }
    }

    /// The solution of a step's equation: the least one if the start is false, the greatest one if
    /// it is true.
    fn solution(
        &self,
        start: bool,
        operands: impl Iterator<Item = (bool, bool)>,
        step: impl Fn(bool, bool, bool) -> bool,
    ) -> Vec<bool> {
        let operands: Vec<_> = operands.collect();
        let mut truths = vec![start; operands.len()];
        for at in (0..operands.len()).rev().chain((0..operands.len()).rev()) {
            truths[at] = step(operands[at].0, operands[at].1, truths[self.following(at)]);
        }
        truths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: u64 = 1;
    const Q: u64 = 2;

    fn p() -> Ltl {
        Ltl::Proposition(0)
    }

    fn q() -> Ltl {
        Ltl::Proposition(1)
    }

    #[test]
    fn until_wants_its_second_operand() {
        let until = Ltl::until(p(), q());
        assert!(until.is_true_of(&[P, P], &[Q, 0]));
        assert!(until.is_true_of(&[], &[P, P, Q]));
        assert!(!until.is_true_of(&[P], &[P]));
        assert!(!until.is_true_of(&[P, 0], &[Q]));
        assert!(Ltl::weak_until(p(), q()).is_true_of(&[P], &[P]));
    }

    #[test]
    fn release_may_wait_for_ever() {
        let release = Ltl::release(p(), q());
        assert!(release.is_true_of(&[], &[Q]));
        assert!(release.is_true_of(&[Q, P | Q], &[0]));
        assert!(!release.is_true_of(&[Q, P], &[0]));
        assert!(!Ltl::strong_release(p(), q()).is_true_of(&[], &[Q]));
    }

    #[test]
    fn again_and_again_is_a_matter_of_the_cycle() {
        let again = Ltl::globally(Ltl::finally(p()));
        assert!(again.is_true_of(&[0, 0], &[0, P, 0]));
        assert!(!again.is_true_of(&[P, P], &[0]));
        let at_last = Ltl::finally(Ltl::globally(p()));
        assert!(at_last.is_true_of(&[0], &[P]));
        assert!(!at_last.is_true_of(&[0], &[P, 0]));
    }

    #[test]
    fn next_comes_back_to_the_cycle() {
        let third = Ltl::next(Ltl::next(p()));
        assert!(third.is_true_of(&[], &[P, 0]));
        assert!(!third.is_true_of(&[0], &[P, 0]));
    }
}
