//! Formulas in negation normal form, each stored once.
//!
//! Rewriting and translation compare formulas all the time. Here equal formulas have equal numbers:
//! conjunctions and disjunctions are sets (flat, in order, without repetition), and a formula is
//! looked up before it is stored. The table also stores syntactic properties (Etessami and
//! Holzmann, *Optimizing Büchi automata*, CONCUR 2000): whether a formula is *eventual* (true of a
//! word if true of a suffix) and whether it is *universal* (true of all suffixes if true of the
//! word). A formula that is both has the same truth at every position: `G F p`.

use std::collections::HashMap;

use super::{Ltl, Proposition};

/// The number of a formula in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(u32);

impl FormulaId {
    /// One bit of 64, for signatures of sets.
    pub fn bit(self) -> u64 {
        1 << (self.0 % u64::BITS)
    }
}

/// A formula whose operands are in the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Always true.
    True,
    /// Never true.
    False,
    /// A proposition holds.
    Holds(Proposition),
    /// A proposition does not hold.
    Fails(Proposition),
    /// All of these: at least two, in order, none of them a conjunction.
    And(Vec<FormulaId>),
    /// One of these: at least two, in order, none of them a disjunction.
    Or(Vec<FormulaId>),
    /// True of the next suffix.
    Next(FormulaId),
    /// The second becomes true, until then the first is.
    Until(FormulaId, FormulaId),
    /// The second is true as long as the first was not.
    Release(FormulaId, FormulaId),
}

/// Syntactic properties of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// True of a word if true of one of its suffixes.
    pub eventual: bool,
    /// True of all suffixes if true of the word.
    pub universal: bool,
}

/// All formulas of a translation.
#[derive(Debug)]
pub struct FormulaTable {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    numbers: HashMap<Node, FormulaId>,
    negations: HashMap<FormulaId, FormulaId>,
    /// Answers of [`FormulaTable::implies`].
    pub(super) implications: HashMap<(FormulaId, FormulaId), bool>,
}

impl FormulaTable {
    /// `true`
    pub const TRUE: FormulaId = FormulaId(0);
    /// `false`
    pub const FALSE: FormulaId = FormulaId(1);

    /// A table with the two constants.
    pub fn new() -> Self {
        let mut table = Self {
            nodes: Vec::new(),
            shapes: Vec::new(),
            numbers: HashMap::new(),
            negations: HashMap::new(),
            implications: HashMap::new(),
        };
        let constants = (table.number(Node::True), table.number(Node::False));
        debug_assert_eq!(constants, (Self::TRUE, Self::FALSE));
        table
    }

    /// A formula by its number.
    pub fn node(&self, id: FormulaId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Its syntactic properties.
    pub fn shape(&self, id: FormulaId) -> Shape {
        self.shapes[id.0 as usize]
    }

    /// Whether it has the same truth at every position.
    pub fn is_suspendable(&self, id: FormulaId) -> bool {
        self.shape(id).eventual && self.shape(id).universal
    }

    /// The number of a formula, without any rewriting.
    pub fn number(&mut self, node: Node) -> FormulaId {
        if let Some(&known) = self.numbers.get(&node) {
            return known;
        }
        let id = FormulaId(self.nodes.len() as u32);
        self.shapes.push(self.shape_of(&node));
        self.nodes.push(node.clone());
        self.numbers.insert(node, id);
        id
    }

    fn shape_of(&self, node: &Node) -> Shape {
        match node {
            Node::True | Node::False => Shape { eventual: true, universal: true },
            Node::Holds(_) | Node::Fails(_) => Shape { eventual: false, universal: false },
            Node::And(parts) | Node::Or(parts) => Shape {
                eventual: parts.iter().all(|&part| self.shape(part).eventual),
                universal: parts.iter().all(|&part| self.shape(part).universal),
            },
            Node::Next(f) => self.shape(*f),
            Node::Until(f, g) => {
                let (first, second) = (self.shape(*f), self.shape(*g));
                Shape {
                    eventual: *f == Self::TRUE || second.eventual,
                    universal: first.universal && second.universal,
                }
            }
            Node::Release(f, g) => {
                let (first, second) = (self.shape(*f), self.shape(*g));
                Shape {
                    eventual: first.eventual && second.eventual,
                    universal: *f == Self::FALSE || second.universal,
                }
            }
        }
    }

    /// The negation, without any rewriting.
    pub fn negation(&mut self, id: FormulaId) -> FormulaId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negated = match self.node(id).clone() {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Holds(number) => Node::Fails(number),
            Node::Fails(number) => Node::Holds(number),
            Node::And(parts) => Node::Or(self.negations(&parts)),
            Node::Or(parts) => Node::And(self.negations(&parts)),
            Node::Next(f) => Node::Next(self.negation(f)),
            Node::Until(f, g) => Node::Release(self.negation(f), self.negation(g)),
            Node::Release(f, g) => Node::Until(self.negation(f), self.negation(g)),
        };
        let negated = self.number(negated);
        self.negations.insert(id, negated);
        self.negations.insert(negated, id);
        negated
    }

    fn negations(&mut self, parts: &[FormulaId]) -> Vec<FormulaId> {
        let mut negated: Vec<_> = parts.iter().map(|&part| self.negation(part)).collect();
        negated.sort_unstable();
        negated
    }

    /// The conjuncts: the operands of a conjunction, or the formula itself.
    pub fn conjuncts(&self, id: FormulaId) -> Vec<FormulaId> {
        match self.node(id) {
            Node::And(parts) => parts.clone(),
            Node::True => Vec::new(),
            _ => vec![id],
        }
    }

    /// The formula as a tree.
    pub fn tree(&self, id: FormulaId) -> Ltl {
        match self.node(id) {
            Node::True => Ltl::True,
            Node::False => Ltl::False,
            Node::Holds(number) => Ltl::Proposition(*number),
            Node::Fails(number) => Ltl::negation(Ltl::Proposition(*number)),
            Node::And(parts) => self.chain(parts, Ltl::and),
            Node::Or(parts) => self.chain(parts, Ltl::or),
            Node::Next(f) => Ltl::next(self.tree(*f)),
            Node::Until(f, g) => Ltl::until(self.tree(*f), self.tree(*g)),
            Node::Release(f, g) => Ltl::release(self.tree(*f), self.tree(*g)),
        }
    }

    fn chain(&self, parts: &[FormulaId], join: impl Fn(Ltl, Ltl) -> Ltl) -> Ltl {
        let mut trees = parts.iter().map(|&part| self.tree(part));
        let first = trees.next().expect("a conjunction or disjunction has parts");
        trees.fold(first, join)
    }
}
