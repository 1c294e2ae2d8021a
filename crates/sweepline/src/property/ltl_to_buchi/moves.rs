//! What a formula asks of now and of the next step.
//!
//! A formula is the disjunction of its *moves*: a cube that is true now, and a set of formulas that are true from the next step on. `f U g` has
//! the moves of `g`, and those of `f` with `f U g` put off to the next step; `f R g` has the moves of `g`, each with a move of `f` or with `f R g` put off. Of the
//! moves of one formula, one is superfluous if another asks for less now and for less next; such moves go at once, which keeps products small.
//! Not so of a set of formulas: there, a move that asks for more can fulfil a `U` of the set that the other one puts off. It is superfluous only if
//! what it asks for in addition helps to fulfil no `U`, whatever it is combined with.

use std::collections::HashMap;
use std::rc::Rc;

use super::FormulaTooLarge;
use crate::property::buchi::Cube;
use crate::property::ltl::formula_table::{FormulaId, FormulaTable, Node};

/// Formulas that must all be true: in order, and none of them a conjunction.
pub type FormulaSet = Vec<FormulaId>;

/// An alternative of a formula.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// True now.
    pub label: Cube,
    /// True from the next step on.
    pub next: FormulaSet,
}

impl Move {
    /// Asks for nothing.
    const FREE: Self = Self { label: Cube::TRUE, next: Vec::new() };

    /// Whether it asks for no more than another.
    pub fn asks_no_more_than(&self, other: &Self) -> bool {
        other.label.implies(self.label) && is_subset(&self.next, &other.next)
    }

    fn and(&self, other: &Self) -> Option<Self> {
        let label = self.label.and(other.label)?;
        Some(Self { label, next: union(&self.next, &other.next) })
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

/// The moves of all formulas that were asked for.
#[derive(Debug)]
pub struct Moves {
    known: HashMap<FormulaId, Rc<[Move]>>,
    most: usize,
    /// All that fulfils a `U`, in one move.
    helpful: Move,
}

impl Moves {
    /// For formulas with these `U`, and at most as many alternatives of one formula or set.
    pub fn new(table: &FormulaTable, untils: &[FormulaId], most: usize) -> Result<Self, FormulaTooLarge> {
        let mut moves = Self { known: HashMap::new(), most, helpful: Move::FREE };
        for &until in untils {
            for one in moves.fulfilling(table, until)? {
                moves.helpful.label.holds |= one.label.holds;
                moves.helpful.label.fails |= one.label.fails;
                moves.helpful.next = union(&moves.helpful.next, &one.next);
            }
        }
        Ok(moves)
    }

    /// The moves of `f U g` that do not put it off.
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
        let label = |label| vec![Move { label, ..Move::FREE }];
        let found = match table.node(id) {
            Node::True => vec![Move::FREE],
            Node::False => Vec::new(),
            Node::Holds(number) => label(Cube::proposition(*number)),
            Node::Fails(number) => label(Cube::negated(*number)),
            Node::And(parts) => {
                let mut all = vec![Move::FREE];
                for &part in parts {
                    let more = self.of(table, part)?;
                    all = self.needed(product(&all, &more))?;
                }
                all
            }
            Node::Or(parts) => {
                let mut either = Vec::new();
                for &part in parts {
                    either.extend_from_slice(&self.of(table, part)?);
                }
                self.needed(either)?
            }
            Node::Next(f) => vec![Move { label: Cube::TRUE, next: table.conjuncts(*f) }],
            Node::Until(f, g) => {
                let put_off = [Move { label: Cube::TRUE, next: vec![id] }];
                let first = self.of(table, *f)?;
                let mut either: Vec<Move> = product(&first, &put_off).collect();
                either.extend_from_slice(&self.of(table, *g)?);
                self.needed(either)?
            }
            Node::Release(f, g) => {
                let mut either = self.of(table, *f)?.to_vec();
                either.push(Move { label: Cube::TRUE, next: vec![id] });
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
            all = self.without(product(&all, &more), |one, other| {
                other.asks_no_more_than(one) && !self.helps_more(one, other)
            })?;
        }
        Ok(all)
    }

    /// Whether something that only the first asks for helps to fulfil a `U`.
    fn helps_more(&self, one: &Move, other: &Move) -> bool {
        let label = &self.helpful.label;
        one.label.holds & !other.label.holds & label.holds != 0
            || one.label.fails & !other.label.fails & label.fails != 0
            || one.next.iter().any(|formula| {
                self.helpful.next.binary_search(formula).is_ok() && other.next.binary_search(formula).is_err()
            })
    }

    /// The moves of one formula that no other makes superfluous.
    fn needed(&self, moves: impl IntoIterator<Item = Move>) -> Result<Vec<Move>, FormulaTooLarge> {
        self.without(moves, |one, other| other.asks_no_more_than(one))
    }

    /// Those that are not superfluous beside another. Of two that are so beside each other, the first stays.
    fn without(
        &self,
        moves: impl IntoIterator<Item = Move>,
        is_superfluous_beside: impl Fn(&Move, &Move) -> bool,
    ) -> Result<Vec<Move>, FormulaTooLarge> {
        let mut needed: Vec<Move> = Vec::new();
        for one in moves {
            if needed.iter().any(|other| is_superfluous_beside(&one, other)) {
                continue;
            }
            needed.retain(|other| !is_superfluous_beside(other, &one));
            needed.push(one);
            if needed.len() > self.most {
                return Err(FormulaTooLarge::Alternatives(self.most));
            }
        }
        Ok(needed)
    }
}

/// All pairs that do not contradict each other.
fn product(first: &[Move], second: &[Move]) -> impl Iterator<Item = Move> {
    first.iter().flat_map(|one| second.iter().filter_map(|other| one.and(other)))
}
