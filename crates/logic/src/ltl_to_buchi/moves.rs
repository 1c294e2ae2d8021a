//! Moves of a formula: its conditions on the present state and on the rest of the word.
//!
//! A formula is the disjunction of its *moves*: a cube that is true now, and a set of formulas that
//! are true from the next step on. `f U g` has the moves of `g`, and those of `f` with `f U g`
//! postponed to the next step; `f R g` has the moves of `g`, each with a move of `f` or with `f R
//! g` postponed. A move is superfluous if another one requires less now and less next, and its
//! additional requirements help to fulfil no `U`, whatever both are combined with: a `U` of the
//! same set may be postponed by the one and fulfilled by the other. Superfluous moves are dropped
//! at once, which keeps products small.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{FormulaTooLarge, Limits};
use crate::buchi::Cube;
use crate::ltl::formula_table::{FormulaId, FormulaTable, Node};

/// Formulas that must all be true: in order, and none of them a conjunction.
pub type FormulaSet = Vec<FormulaId>;

/// An alternative of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// True now.
    pub label: Cube,
    /// True from the next step on.
    pub next: FormulaSet,
    /// A bit for each formula of `next`; several may share one. It distinguishes most sets.
    signature: u64,
}

impl Move {
    /// The move without requirements.
    const FREE: Self = Self { label: Cube::TRUE, next: Vec::new(), signature: 0 };

    fn now(label: Cube) -> Self {
        Self { label, ..Self::FREE }
    }

    fn next(next: FormulaSet) -> Self {
        let signature = next.iter().fold(0, |signature, formula| signature | formula.bit());
        Self { label: Cube::TRUE, next, signature }
    }

    /// Whether it requires no more than another.
    pub fn asks_no_more_than(&self, other: &Self) -> bool {
        self.signature & !other.signature == 0
            && other.label.implies(self.label)
            && is_subset(&self.next, &other.next)
    }

    fn and(&self, other: &Self) -> Option<Self> {
        let label = self.label.and(other.label)?;
        let signature = self.signature | other.signature;
        Some(Self { label, next: union(&self.next, &other.next), signature })
    }
}

/// Whether all of the first are in the second.
fn is_subset(first: &[FormulaId], second: &[FormulaId]) -> bool {
    first.len() <= second.len() && first.iter().all(|formula| second.binary_search(formula).is_ok())
}

fn union(first: &[FormulaId], second: &[FormulaId]) -> FormulaSet {
    let mut all = [first, second].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The moves of all formulas requested so far.
pub struct Moves {
    known: HashMap<FormulaId, Rc<[Move]>>,
    limits: Limits,
    /// The number of compared pairs.
    comparisons: usize,
    /// Everything that fulfils a `U`, in one move.
    helpful: Move,
}

impl Moves {
    /// For formulas with these `U`.
    pub fn new(table: &FormulaTable, untils: &[FormulaId], limits: Limits) -> Self {
        Self { known: HashMap::new(), limits, comparisons: 0, helpful: helpful(table, untils) }
    }

    /// The moves of `f U g` that do not postpone it.
    pub fn fulfilling(
        &mut self,
        table: &FormulaTable,
        until: FormulaId,
    ) -> Result<Vec<Move>, FormulaTooLarge> {
        let all = self.of(table, until)?;
        Ok(all.iter().filter(|one| one.next.binary_search(&until).is_err()).cloned().collect())
    }

    /// The moves of a formula.
    pub fn of(&mut self, table: &FormulaTable, id: FormulaId) -> Result<Rc<[Move]>, FormulaTooLarge> {
        if let Some(known) = self.known.get(&id) {
            return Ok(Rc::clone(known));
        }
        let found = match table.node(id) {
            Node::True => vec![Move::FREE],
            Node::False => Vec::new(),
            Node::Holds(number) => vec![Move::now(Cube::proposition(*number))],
            Node::Fails(number) => vec![Move::now(Cube::negated(*number))],
            Node::And(parts) => self.of_all(table, parts)?,
            Node::Or(parts) => {
                let mut either = Vec::new();
                for &part in parts {
                    either.extend_from_slice(&self.of(table, part)?);
                }
                self.needed(either)?
            }
            Node::Next(f) => vec![Move::next(table.conjuncts(*f))],
            Node::Until(f, g) => {
                let put_off = [Move::next(vec![id])];
                let first = self.of(table, *f)?;
                let mut either: Vec<Move> = product(&first, &put_off).collect();
                either.extend_from_slice(&self.of(table, *g)?);
                self.needed(either)?
            }
            Node::Release(f, g) => {
                let mut either = self.of(table, *f)?.to_vec();
                either.push(Move::next(vec![id]));
                let second = self.of(table, *g)?;
                self.needed(product(&second, &either))?
            }
        };
        let found: Rc<[Move]> = found.into();
        self.known.insert(id, Rc::clone(&found));
        Ok(found)
    }

    /// The moves of a set of formulas that must all be true.
    pub fn of_all(&mut self, table: &FormulaTable, set: &[FormulaId]) -> Result<Vec<Move>, FormulaTooLarge> {
        let mut all = vec![Move::FREE];
        for &formula in set {
            let more = self.of(table, formula)?;
            all = self.needed(product(&all, &more))?;
        }
        Ok(all)
    }

    /// Whether a requirement of only the first helps to fulfil a `U`.
    fn helps_more(&self, one: &Move, other: &Move) -> bool {
        let label = &self.helpful.label;
        one.label.holds & !other.label.holds & label.holds != 0
            || one.label.fails & !other.label.fails & label.fails != 0
            || one.next.iter().any(|formula| {
                self.helpful.next.binary_search(formula).is_ok() && other.next.binary_search(formula).is_err()
            })
    }

    /// Drops superfluous moves. Of two that make each other superfluous, the first stays.
    fn needed(&mut self, moves: impl IntoIterator<Item = Move>) -> Result<Vec<Move>, FormulaTooLarge> {
        let mut needed: Vec<Move> = Vec::new();
        // Most pairs of a product are equal to others: removing those first saves four fifths of
        // the comparisons.
        let mut met: HashSet<Move> = HashSet::new();
        for one in moves {
            if !met.insert(one.clone()) {
                continue;
            }
            self.count_comparisons(needed.len())?;
            let is_superfluous =
                |one: &Move, beside: &Move| beside.asks_no_more_than(one) && !self.helps_more(one, beside);
            if needed.iter().any(|other| is_superfluous(&one, other)) {
                continue;
            }
            needed.retain(|other| !is_superfluous(other, &one));
            needed.push(one);
            if needed.len() > self.limits.alternatives {
                return Err(FormulaTooLarge::Alternatives(self.limits.alternatives));
            }
        }
        Ok(needed)
    }

    /// Counts comparisons against the limit.
    pub fn count_comparisons(&mut self, count: usize) -> Result<(), FormulaTooLarge> {
        self.comparisons += count;
        if self.comparisons > self.limits.comparisons {
            return Err(FormulaTooLarge::Comparisons(self.limits.comparisons));
        }
        Ok(())
    }
}

/// Everything that moves which fulfil one of these `U` may require, in one move: literals that are
/// not under an `X`, and postponed formulas.
fn helpful(table: &FormulaTable, untils: &[FormulaId]) -> Move {
    let mut helpful = Move::FREE;
    let mut met: Vec<FormulaId> = Vec::new();
    for &until in untils {
        if let Node::Until(_, g) = table.node(until) {
            met.push(*g);
        }
    }
    let mut at = 0;
    while let Some(&id) = met.get(at) {
        at += 1;
        let below: &[FormulaId] = match table.node(id) {
            Node::True | Node::False => &[],
            Node::Holds(number) => {
                helpful.label.holds |= 1 << number;
                &[]
            }
            Node::Fails(number) => {
                helpful.label.fails |= 1 << number;
                &[]
            }
            Node::And(parts) | Node::Or(parts) => parts,
            Node::Next(f) => {
                helpful.next.extend(table.conjuncts(*f));
                &[]
            }
            Node::Until(f, g) | Node::Release(f, g) => {
                helpful.next.push(id);
                &[*f, *g]
            }
        };
        let new: Vec<FormulaId> = below.iter().copied().filter(|below| !met.contains(below)).collect();
        met.extend(new);
    }
    helpful.next.sort_unstable();
    helpful.next.dedup();
    helpful
}

/// All pairs that do not contradict each other.
fn product(first: &[Move], second: &[Move]) -> impl Iterator<Item = Move> {
    first.iter().flat_map(|one| second.iter().filter_map(|other| one.and(other)))
}
