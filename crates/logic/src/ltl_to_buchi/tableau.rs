//! The tableau: states are sets of formulas.
//!
//! From the set that contains the formula alone, edges follow the moves of all members together. An
//! edge *postpones* a formula `f U g` if the formula is in the target set and could not be
//! fulfilled on the way: with this label and target, it has no move without itself. All other edges
//! are in its acceptance set. (Gastin and Oddoux, CAV 2001. Their condition does not depend on the
//! source set, so two sets with the same moves have the same edges, and are one state from the
//! start.)
//!
//! A set is stored without the operands of its `G`, since those are among the moves of the `G`
//! anyway: the state of `G F p` would occur twice, with `F p` and without. Other implied members
//! stay, and simulation finds later which of them were redundant.

use std::collections::HashMap;

use super::moves::{FormulaSet, Move, Moves};
use super::{FormulaTooLarge, Limits};
use crate::buchi::{Buchi, Edge};
use crate::ltl::formula_table::{FormulaId, FormulaTable, Node};

/// Bits of [`Edge::accepting`].
const MOST_SETS: u32 = u32::BITS;

/// The automaton under construction.
pub struct Tableau<'a> {
    table: FormulaTable,
    moves: Moves,
    root: FormulaId,
    limits: &'a Limits,
    /// The formulas `f U g` that may be postponed, one for each acceptance set.
    untils: Vec<FormulaId>,
    /// The sets found so far, in order, and their states.
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

    /// Builds the automaton.
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

    /// The acceptance sets of an edge: those of the formulas that it does not postpone.
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

    /// The set without the operands of its `G`; `None` if its members exclude each other.
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
