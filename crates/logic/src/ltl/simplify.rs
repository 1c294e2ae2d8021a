//! Simplification: smaller equivalent formulas.
//!
//! A smaller formula has a smaller automaton, and these rules cost next to nothing. They come from
//! Somenzi and Bloem (CAV 2000: implication, `X` distributed) and from Etessami and Holzmann
//! (CONCUR 2000: eventual and universal formulas); the ones for `G F` and `F G` are folklore. A
//! formula is rebuilt from its leaves upwards by functions that apply the rules for one operator to
//! operands that are already simplified.
//!
//! Only `and`, `X` and `U` have rules: `f or g` is `not (not f and not g)`, `f R g` is `not (not f
//! U not g)`, and in negation normal form a negation costs nothing. So every rule holds together
//! with its dual.
//!
//! | `and` | `U` |
//! |---|---|
//! | what another part implies goes; parts that exclude each other are `false` | `f U g = g` if `f` implies `g`, or `g` is eventual |
//! | `X f and X g = X (f and g)` | `f U g = F g` if `not g` implies `f` |
//! | `f R g and f R h = f R (g and h)` | `(f or h) U g = f U g` if `h` implies `g` |
//! | `f U g and h U g = (f and h) U g` | `X f U X g = X (f U g)` |
//! | `F G f and F G g = F G (f and g)` | `f U (h U g) = h U g` if `f` implies `h`; `F (h U g) = F g` |
//! | `f R g and F f = g U (f and g)` | `f U (g or e) = f U g or e` for eventual `e` |
//! | | `f U (g and s) = f U g and s` if `s` does not care where it is evaluated |
//! | | `F G (f R g) = F G g`, `F G X f = F G f`, `F G (f or G g) = F G f or F G g` |

use std::collections::BTreeMap;

use super::Ltl;
use super::formula_table::{FormulaId, FormulaTable, Node};

/// Limit on the rounds. Rebuilding a formula can make another rule apply; one more round usually
/// suffices.
const MOST_ROUNDS: usize = 4;

/// Kinds of conjuncts that can be joined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// `X …`
    Next,
    /// `f R …`
    Release(FormulaId),
    /// `… U g`
    Until(FormulaId),
    /// `F G …`
    AtLastAlways,
    /// Cannot be joined.
    Alone(FormulaId),
}

impl Ltl {
    /// An equivalent formula in negation normal form, in general not larger.
    pub fn simplified(&self) -> Self {
        let mut table = FormulaTable::new();
        let id = table.simplified(self);
        table.tree(id)
    }
}

impl FormulaTable {
    /// The number of an equivalent simplified formula.
    pub fn simplified(&mut self, formula: &Ltl) -> FormulaId {
        let mut id = self.rebuilt(&formula.normal_form());
        for _ in 1..MOST_ROUNDS {
            let again = self.rebuilt(&self.tree(id));
            if again == id {
                break;
            }
            id = again;
        }
        id
    }

    /// The formula is in negation normal form.
    fn rebuilt(&mut self, formula: &Ltl) -> FormulaId {
        match formula {
            Ltl::True => Self::TRUE,
            Ltl::False => Self::FALSE,
            Ltl::Proposition(number) => self.number(Node::Holds(*number)),
            Ltl::Not(f) => {
                let f = self.rebuilt(f);
                self.negation(f)
            }
            Ltl::Next(f) => {
                let f = self.rebuilt(f);
                self.next(f)
            }
            Ltl::And(..) => {
                let parts = chain(formula, |f| matches!(f, Ltl::And(..)));
                let parts = parts.into_iter().map(|part| self.rebuilt(part)).collect();
                self.and(parts)
            }
            Ltl::Or(..) => {
                let parts = chain(formula, |f| matches!(f, Ltl::Or(..)));
                let parts = parts.into_iter().map(|part| self.rebuilt(part)).collect();
                self.or(parts)
            }
            Ltl::Until(f, g) => {
                let (f, g) = (self.rebuilt(f), self.rebuilt(g));
                self.until(f, g)
            }
            Ltl::Release(f, g) => {
                let (f, g) = (self.rebuilt(f), self.rebuilt(g));
                self.release(f, g)
            }
        }
    }

    fn next(&mut self, f: FormulaId) -> FormulaId {
        if self.is_suspendable(f) { f } else { self.number(Node::Next(f)) }
    }

    fn or(&mut self, mut parts: Vec<FormulaId>) -> FormulaId {
        parts.iter_mut().for_each(|part| *part = self.negation(*part));
        let neither = self.and(parts);
        self.negation(neither)
    }

    fn release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let (f, g) = (self.negation(f), self.negation(g));
        let until = self.until(f, g);
        self.negation(until)
    }

    /// The conjunction of these.
    fn and(&mut self, parts: Vec<FormulaId>) -> FormulaId {
        let mut parts: Vec<_> = parts.into_iter().flat_map(|part| self.conjuncts(part)).collect();
        while self.join_groups(&mut parts) || self.join_release_and_finally(&mut parts) {}
        self.drop_implied(&mut parts);
        if self.excludes(&parts) {
            return Self::FALSE;
        }
        match parts[..] {
            [] => Self::TRUE,
            [only] => only,
            _ => self.number(Node::And(parts)),
        }
    }

    /// Joins conjuncts that can be joined; `true` if there were any.
    fn join_groups(&mut self, parts: &mut Vec<FormulaId>) -> bool {
        parts.sort_unstable();
        parts.dedup();
        let mut groups: BTreeMap<Group, Vec<FormulaId>> = BTreeMap::new();
        for &part in parts.iter() {
            let (group, inner) = self.group(part);
            groups.entry(group).or_default().push(inner);
        }
        if groups.len() == parts.len() {
            return false;
        }
        parts.clear();
        for (group, inner) in groups {
            let joined = self.joined(group, inner);
            parts.extend(self.conjuncts(joined));
        }
        true
    }

    /// The kind by which a conjunct can be joined, and the operand that is then joined.
    fn group(&self, part: FormulaId) -> (Group, FormulaId) {
        match *self.node(part) {
            Node::Next(f) => (Group::Next, f),
            Node::Release(f, g) => (Group::Release(f), g),
            Node::Until(f, g) => match self.always(g) {
                Some(always) if f == Self::TRUE => (Group::AtLastAlways, always),
                _ => (Group::Until(g), f),
            },
            _ => (Group::Alone(part), part),
        }
    }

    fn joined(&mut self, group: Group, inner: Vec<FormulaId>) -> FormulaId {
        let all = if let [only] = inner[..] { only } else { self.and(inner) };
        match group {
            Group::Next => self.next(all),
            Group::Release(f) => self.release(f, all),
            Group::Until(g) => self.until(all, g),
            Group::AtLastAlways => {
                let always = self.release(Self::FALSE, all);
                self.until(Self::TRUE, always)
            }
            Group::Alone(_) => all,
        }
    }

    /// Replaces `f R g and F f` by `g U (f and g)`; `true` if there was such a pair.
    fn join_release_and_finally(&mut self, parts: &mut Vec<FormulaId>) -> bool {
        for at in 0..parts.len() {
            let Node::Release(f, g) = *self.node(parts[at]) else { continue };
            let finally = self.number(Node::Until(Self::TRUE, f));
            if let Some(with) = parts.iter().position(|&part| part == finally) {
                parts.swap_remove(at.max(with));
                parts.swap_remove(at.min(with));
                let both = self.and(vec![f, g]);
                let until = self.until(g, both);
                parts.extend(self.conjuncts(until));
                return true;
            }
        }
        false
    }

    /// The operand of `G`.
    pub fn always(&self, id: FormulaId) -> Option<FormulaId> {
        match self.node(id) {
            Node::Release(f, g) if *f == Self::FALSE => Some(*g),
            _ => None,
        }
    }

    /// Removes conjuncts that another one implies.
    fn drop_implied(&mut self, parts: &mut Vec<FormulaId>) {
        let mut at = 0;
        while at < parts.len() {
            let part = parts[at];
            if parts.iter().any(|&other| other != part && self.implies(other, part)) {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether the rules show that two of these exclude each other.
    pub fn excludes(&mut self, parts: &[FormulaId]) -> bool {
        let negations: Vec<_> = parts.iter().map(|&part| self.negation(part)).collect();
        parts.iter().any(|&part| negations.iter().any(|&negation| self.implies(part, negation)))
    }

    fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let f = self.first_operand(f, g);
        if f == Self::FALSE || self.shape(g).eventual {
            return g;
        }
        match self.node(g).clone() {
            Node::Next(g) => match self.node(f).clone() {
                Node::True => return self.next_until(f, g),
                Node::Next(f) => return self.next_until(f, g),
                _ => {}
            },
            Node::Until(h, _) if self.implies(f, h) => return g,
            Node::Until(_, k) if f == Self::TRUE => return self.until(f, k),
            Node::Or(parts) => {
                let (eventual, rest) = self.split(parts, |table, part| table.shape(part).eventual);
                if !eventual.is_empty() {
                    let rest = self.or(rest);
                    let until = self.until(f, rest);
                    return self.or([eventual, vec![until]].concat());
                }
            }
            Node::And(parts) => {
                let (suspendable, rest) = self.split(parts, |table, part| table.is_suspendable(part));
                if !suspendable.is_empty() {
                    let rest = self.and(rest);
                    let until = self.until(f, rest);
                    return self.and([suspendable, vec![until]].concat());
                }
            }
            Node::Release(h, k) if f == Self::TRUE && h == Self::FALSE => return self.at_last_always(k),
            _ => {}
        }
        self.number(Node::Until(f, g))
    }

    /// The condition on the first operand while the second is not true.
    fn first_operand(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let alternatives = match self.node(f) {
            Node::Or(parts) => parts.clone(),
            _ => vec![f],
        };
        let count = alternatives.len();
        let (_, needed) = self.split(alternatives, |table, part| table.implies(part, g));
        let f = if needed.len() == count { f } else { self.or(needed) };
        let otherwise = self.negation(g);
        if self.implies(otherwise, f) { Self::TRUE } else { f }
    }

    fn next_until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        let until = self.until(f, g);
        self.next(until)
    }

    /// `F G f`
    fn at_last_always(&mut self, f: FormulaId) -> FormulaId {
        match self.node(f).clone() {
            Node::Next(g) | Node::Release(_, g) => return self.at_last_always(g),
            Node::Or(parts) => {
                let (always, rest) = self.split(parts, |table, part| table.always(part).is_some());
                if !always.is_empty() {
                    let rest = self.or(rest);
                    let mut alternatives: Vec<_> =
                        always.into_iter().map(|part| self.until(Self::TRUE, part)).collect();
                    alternatives.push(self.at_last_always(rest));
                    return self.or(alternatives);
                }
            }
            _ => {}
        }
        let always = self.release(Self::FALSE, f);
        if self.always(always) == Some(f) {
            self.number(Node::Until(Self::TRUE, always))
        } else {
            self.until(Self::TRUE, always)
        }
    }

    fn split(
        &mut self,
        parts: Vec<FormulaId>,
        mut is_first: impl FnMut(&mut Self, FormulaId) -> bool,
    ) -> (Vec<FormulaId>, Vec<FormulaId>) {
        parts.into_iter().partition(|&part| is_first(self, part))
    }
}

/// The operands of nested conjunctions, or of nested disjunctions, from left to right.
fn chain(formula: &Ltl, is_link: impl Fn(&Ltl) -> bool) -> Vec<&Ltl> {
    let mut operands = Vec::new();
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        if is_link(formula) {
            let below: Vec<&Ltl> = formula.operands().collect();
            open.extend(below.into_iter().rev());
        } else {
            operands.push(formula);
        }
    }
    operands
}

#[cfg(test)]
mod tests {
    use super::super::random_formulas::{formula, lasso};
    use super::*;
    use model::random::Random;

    #[test]
    fn a_simple_formula_says_the_same() {
        let mut random = Random::new(2);
        for _ in 0..4_000 {
            let size = random.below(14);
            let formula = formula(&mut random, size);
            let simple = formula.simplified();
            for _ in 0..4 {
                let (stem, cycle) = lasso(&mut random);
                let truth = formula.is_true_of(&stem, &cycle);
                assert_eq!(simple.is_true_of(&stem, &cycle), truth, "{formula}  =  {simple}");
            }
        }
    }

    #[test]
    fn implications_hold() {
        let mut random = Random::new(3);
        let mut seen = 0;
        for _ in 0..4_000 {
            let sizes = (random.below(5), random.below(5));
            let pair = (formula(&mut random, sizes.0), formula(&mut random, sizes.1));
            let mut table = FormulaTable::new();
            let (first, second) = (table.simplified(&pair.0), table.simplified(&pair.1));
            if table.implies(first, second) {
                seen += 1;
                let (stem, cycle) = lasso(&mut random);
                let broken = pair.0.is_true_of(&stem, &cycle) && !pair.1.is_true_of(&stem, &cycle);
                assert!(!broken, "{} does not imply {}", pair.0, pair.1);
            }
        }
        assert!(seen > 500, "{seen}");
    }

    #[test]
    fn the_usual_rules_apply() {
        use Ltl as L;
        let [p, q, r] = [0, 1, 2].map(L::Proposition);
        let again = |f: &Ltl| L::globally(L::finally(f.clone()));
        let expected = [
            (L::finally(L::finally(p.clone())), "F p0"),
            (L::globally(L::next(L::globally(p.clone()))), "X G p0"),
            (L::next(again(&p)), "G F p0"),
            (L::until(q.clone(), again(&p)), "G F p0"),
            (L::and(p.clone(), L::or(p.clone(), q.clone())), "p0"),
            (L::and(L::globally(p.clone()), L::finally(L::negation(p.clone()))), "false"),
            (L::and(L::weak_until(p.clone(), q.clone()), L::finally(q.clone())), "p0 U p1"),
            (L::or(again(&p), again(&q)), "G F (p0 or p1)"),
            (L::finally(L::and(p.clone(), again(&q))), "G F p1 and F p0"),
            (L::finally(L::until(p.clone(), q.clone())), "F p1"),
            (L::until(p.clone(), L::until(p.clone(), r.clone())), "p0 U p2"),
            (L::implies(L::until(p.clone(), q.clone()), L::finally(q)), "true"),
            (again(&L::and(p, L::finally(r))), "G (F p2 and F p0)"),
        ];
        for (formula, simple) in expected {
            assert_eq!(formula.simplified().to_string(), simple, "{formula}");
        }
    }
}
