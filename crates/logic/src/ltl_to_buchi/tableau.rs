//! States are sets of formulas: the tableau.
//!
//! From the set that holds the formula alone, edges follow the moves of all members together. Along
//! an edge a formula `f U g` is *put off* when it is in the set that is reached and could not be
//! fulfilled on the way: with this label, and going to this set, it has no move without itself. All
//! other edges are in its acceptance set. (Gastin and Oddoux, CAV 2001. Their condition does not
//! look at the set that the edge comes from, so that two sets with the same moves have the same
//! edges, and are one state from the start.)
//!
//! A set is stored without what is under one of its `G`, since that is among the moves of the `G`
//! anyway: the state of `G F p` would come twice, with `F p` and without. Other members that are
//! implied stay, and simulation finds later which of them told nothing new.

use std::collections::HashMap;

use super::moves::{FormulaSet, Move, Moves};
use super::{FormulaTooLarge, Limits};
use crate::buchi::{Buchi, Edge};
use crate::ltl::formula_table::{FormulaId, FormulaTable, Node};

/// Bits of [`Edge::accepting`].
const MOST_SETS: u32 = u32::BITS;

/// The automaton while it is made.
pub struct Tableau<'a> {
    table: FormulaTable,
    moves: Moves,
    root: FormulaId,
    limits: &'a Limits,
    /// The formulas `f U g` that may be put off, one for each acceptance set.
    untils: Vec<FormulaId>,
    /// The sets that were met, in order, and the states that they have.
    sets: Vec<FormulaSet>,
    numbers: HashMap<FormulaSet, u32>,
}

impl<'a> Tableau<'a> {
    /// A tableau for this formula.
    pub fn new(table: FormulaTable, root: FormulaId, limits: &'a Limits) -> Result<Self, FormulaTooLarge> {
        let untils = untils_in(&table, root);
        if untils.len() > MOST_SETS as usize {
            return Err(FormulaTooLarge::AcceptanceSets(MOST_SETS));
        }
        let moves = Moves::new(&table, &untils, *limits);
        Ok(Self { table, moves, root, limits, untils, sets: Vec::new(), numbers: HashMap::new() })
    }

    /// Builds it.
    pub fn automaton(mut self) -> Result<Buchi, FormulaTooLarge> {
        let start = self.table.conjuncts(self.root);
        let initial = self.number(start);
        let mut rows: Vec<Vec<Edge>> = Vec::new();
        let mut edges_left = self.limits.edges;
        // Sets whose edges are the same share the row of the first of them.
        let mut first_with: HashMap<Vec<Edge>, u32> = HashMap::new();
        let mut shared: Vec<u32> = Vec::new();
        while let Some(set) = self.sets.get(rows.len()).cloned() {
            let mut row = self.row(&set)?;
            let number = rows.len() as u32;
            let first = *first_with.entry(row.clone()).or_insert(number);
            shared.push(first);
            if first != number {
                row.clear();
            }
            edges_left =
                edges_left.checked_sub(row.len()).ok_or(FormulaTooLarge::Edges(self.limits.edges))?;
            rows.push(row);
            if self.sets.len() > self.limits.states {
                return Err(FormulaTooLarge::States(self.limits.states));
            }
        }
        rows.iter_mut().flatten().for_each(|edge| edge.target = shared[edge.target as usize]);
        let initial = vec![shared[initial as usize]];
        Ok(Buchi { states: rows, initial, acceptance_sets: self.untils.len() as u32 })
    }

    /// The edges out of a set.
    fn row(&mut self, set: &[FormulaId]) -> Result<Vec<Edge>, FormulaTooLarge> {
        let mut steps: Vec<(Move, u32)> = Vec::new();
        for one in self.moves.of_all(&self.table, set)? {
            let accepting = self.accepting(&one)?;
            steps.push((one, accepting));
        }
        self.moves.count_comparisons(steps.len() * steps.len())?;
        let is_needed = |(one, accepting): &(Move, u32)| {
            !steps
                .iter()
                .any(|(other, more)| other != one && other.asks_no_more_than(one) && accepting & !more == 0)
        };
        let needed: Vec<(Move, u32)> = steps.iter().filter(|step| is_needed(step)).cloned().collect();
        let mut row = Vec::new();
        for (one, accepting) in needed {
            if let Some(next) = self.concise(one.next) {
                row.push(Edge { label: one.label, target: self.number(next), accepting });
            }
        }
        row.sort_unstable();
        row.dedup();
        Ok(row)
    }

    /// The acceptance sets of an edge: those of the formulas that it does not put off.
    fn accepting(&mut self, one: &Move) -> Result<u32, FormulaTooLarge> {
        let mut accepting = 0;
        for (set, &until) in self.untils.iter().enumerate() {
            let is_put_off = one.next.binary_search(&until).is_ok()
                && !self
                    .moves
                    .fulfilling(&self.table, until)?
                    .iter()
                    .any(|fulfilling| fulfilling.asks_no_more_than(one));
            if !is_put_off {
                accepting |= 1 << set;
            }
        }
        Ok(accepting)
    }

    /// The set without what is under a `G`; `None` if its members exclude each other.
    fn concise(&mut self, mut set: FormulaSet) -> Option<FormulaSet> {
        let mut under: FormulaSet = Vec::new();
        for &formula in &set {
            if let Some(always) = self.table.always(formula) {
                under.extend(self.table.conjuncts(always));
            }
        }
        set.retain(|formula| !under.contains(formula));
        if set.contains(&FormulaTable::FALSE) || self.table.excludes(&set) {
            return None;
        }
        Some(set)
    }

    fn number(&mut self, set: FormulaSet) -> u32 {
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            self.sets.len() as u32 - 1
        })
    }
}

/// All formulas `f U g` inside a formula.
fn untils_in(table: &FormulaTable, root: FormulaId) -> Vec<FormulaId> {
    let mut met = vec![root];
    let mut at = 0;
    while let Some(&id) = met.get(at) {
        at += 1;
        let operands = match table.node(id) {
            Node::And(parts) | Node::Or(parts) => parts.clone(),
            Node::Next(f) => vec![*f],
            Node::Until(f, g) | Node::Release(f, g) => vec![*f, *g],
            _ => Vec::new(),
        };
        for operand in operands {
            if !met.contains(&operand) {
                met.push(operand);
            }
        }
    }
    met.retain(|&id| matches!(table.node(id), Node::Until(..)));
    met
}
