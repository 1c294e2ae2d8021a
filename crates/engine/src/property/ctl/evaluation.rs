//! Evaluation: the nodes of a graph in which a formula is true.
//!
//! Subformulas are evaluated in the order of their size, each with one bit for each node. `EX f`
//! reads each row once. `E[f U g]` is the least set with g ∪ (f ∩ EX of the set). `EG f` is the
//! greatest set with f ∩ (EX of the set ∪ nodes without successors).
//!
//! Both are computed block by block of rows, the last block first. In a block, the set is computed
//! exactly, given the current sets in the other blocks, in time linear in the steps of the block.
//! For `EU` this is a backward closure. For `EG`, a node is removed when the count of its
//! successors in the set reaches zero.
//!
//! Steps lead from a layer to itself and to later ones, and a layer lies in one block, if it fits
//! into memory. So with a monotone measure, all other blocks are final when a block is evaluated.
//! The system of equations is block triangular, and one pass is enough, for any number of layers
//! (Bekić's principle; for sweeps, this seems to be new).
//!
//! Steps lead back to an earlier block if progress decreases or a layer is larger than memory. Then
//! passes are repeated until nothing changes. The sets only grow (`EU`) or shrink (`EG`), so the
//! result is the least, or the greatest, fixed point.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use crate::store::bit_vector::BitVector;
use crate::store::compact_graph::{CompactGraph, RecordedGraph, Rows};

use logic::ctl::Ctl;

/// Bytes per node or step in the block that is evaluated. They cover its number, the reversed step,
/// the start indices of both, a count, and a place on the work list.
pub const BLOCK_BYTES: usize = 32;

/// The number of sets that [`Evaluation::recurring`] holds.
pub const SETS_OF_RECURRING: usize = 5;

/// Evaluates formulas on a graph.
pub struct Evaluation<'g> {
    graph: &'g CompactGraph,
    truths: &'g [BitVector],
    known: HashMap<Ctl, Rc<BitVector>>,
    passes: u64,
    /// Called before each block; `false` interrupts the evaluation.
    may_continue: &'g mut dyn FnMut() -> bool,
}

/// The number of sets held when a formula is evaluated: its different subformulas.
pub fn sets_held(formula: &Ctl) -> usize {
    fn collect<'f>(formula: &'f Ctl, found: &mut std::collections::HashSet<&'f Ctl>) {
        if found.insert(formula) {
            operands(formula).into_iter().flatten().for_each(|operand| collect(operand, found));
        }
    }
    let mut found = std::collections::HashSet::new();
    collect(formula, &mut found);
    found.len()
}

fn operands(formula: &Ctl) -> [Option<&Ctl>; 2] {
    match formula {
        Ctl::True | Ctl::False | Ctl::Proposition(_) => [None, None],
        Ctl::Not(f) | Ctl::ExistsNext(f) | Ctl::ExistsGlobally(f) => [Some(f), None],
        Ctl::And(f, g) | Ctl::Or(f, g) | Ctl::ExistsUntil(f, g) => [Some(f), Some(g)],
    }
}

impl<'g> Evaluation<'g> {
    /// Creates an evaluation on this graph. It calls `may_continue` now and then. If that returns
    /// `false`, the running operation ends with an error of the kind `Interrupted`.
    pub fn new(recorded: &'g RecordedGraph, may_continue: &'g mut dyn FnMut() -> bool) -> Self {
        Self {
            graph: &recorded.graph,
            truths: &recorded.truths,
            known: HashMap::new(),
            passes: 0,
            may_continue,
        }
    }

    /// Number of passes over all rows so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// The graph.
    pub fn graph(&self) -> &'g CompactGraph {
        self.graph
    }

    /// The nodes in which the formula is true.
    pub fn nodes(&mut self, formula: &Ctl) -> io::Result<Rc<BitVector>> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let set = match formula {
            Ctl::True => BitVector::new(self.graph.nodes(), true),
            Ctl::False => BitVector::new(self.graph.nodes(), false),
            Ctl::Proposition(number) => self.truths[usize::from(*number)].clone(),
            Ctl::Not(f) => self.nodes(f)?.complement(),
            Ctl::And(f, g) => self.nodes(f)?.combine(&*self.nodes(g)?, |f, g| f & g),
            Ctl::Or(f, g) => self.nodes(f)?.combine(&*self.nodes(g)?, |f, g| f | g),
            Ctl::ExistsNext(f) => {
                let f = self.nodes(f)?;
                self.exists_next(&f)?
            }
            Ctl::ExistsUntil(f, g) => {
                let (f, g) = (self.nodes(f)?, self.nodes(g)?);
                self.fixpoint(Fixpoint::Until { f, set: (*g).clone() })?
            }
            Ctl::ExistsGlobally(f) => {
                let set = (*self.nodes(f)?).clone();
                self.fixpoint(Fixpoint::Globally { set })?
            }
        };
        let set = Rc::new(set);
        self.known.insert(formula.clone(), set.clone());
        Ok(set)
    }

    /// The nodes of a set from which the set can be reached again and again. This is the greatest
    /// part of it in which each node has a step to a node that can reach the part. It is not empty
    /// if, and only if, a cycle meets the set (Emerson and Lei).
    pub fn recurring(&mut self, set: &BitVector) -> io::Result<BitVector> {
        let everywhere = Rc::new(BitVector::new(self.graph.nodes(), true));
        let mut part = set.clone();
        loop {
            let before = self.fixpoint(Fixpoint::Until { f: Rc::clone(&everywhere), set: part.clone() })?;
            let stays = self.exists_next(&before)?.combine(&part, |before, part| before & part);
            if stays.ones() == part.ones() {
                return Ok(part);
            }
            part = stays;
        }
    }

    fn load(&mut self, block: usize, rows: &mut Rows) -> io::Result<()> {
        if (self.may_continue)() {
            self.graph.load(block, rows)
        } else {
            Err(io::ErrorKind::Interrupted.into())
        }
    }

    fn exists_next(&mut self, f: &BitVector) -> io::Result<BitVector> {
        let mut set = BitVector::new(self.graph.nodes(), false);
        let mut rows = Rows::default();
        self.passes += 1;
        for block in (0..self.graph.blocks()).rev() {
            self.load(block, &mut rows)?;
            for node in rows.nodes() {
                set.set(node, rows.of(node).iter().any(|target| f.get(*target)));
            }
        }
        Ok(set)
    }

    fn fixpoint(&mut self, mut fixpoint: Fixpoint) -> io::Result<BitVector> {
        let mut block = BlockRows::default();
        loop {
            let (mut changes, mut goes_back) = (false, false);
            self.passes += 1;
            for number in (0..self.graph.blocks()).rev() {
                self.load(number, &mut block.rows)?;
                changes |= fixpoint.solve(&mut block);
                goes_back |= block.rows.targets.iter().any(|target| *target < block.rows.first);
            }
            if !(changes && goes_back) {
                return Ok(fixpoint.into_set());
            }
        }
    }
}

/// A block, with the buffers for traversing it backwards.
#[derive(Debug, Default)]
struct BlockRows {
    rows: Rows,
    /// Index of the first predecessor of each node.
    starts: Vec<u32>,
    /// Predecessors in the block, as often as they have a step. Nodes are numbered from the first
    /// of the block.
    predecessors: Vec<u32>,
    counts: Vec<u32>,
    work: Vec<u32>,
}

impl BlockRows {
    /// Reverses all steps inside the block.
    fn turn(&mut self) {
        let Self { rows, starts, predecessors, .. } = self;
        let (first, nodes) = (rows.first, rows.starts.len() - 1);
        let inside = |target: u64| target.checked_sub(first).filter(|local| *local < nodes as u64);
        starts.clear();
        starts.resize(nodes + 2, 0);
        for local in rows.targets.iter().filter_map(|target| inside(*target)) {
            starts[local as usize + 2] += 1;
        }
        for local in 2..starts.len() {
            starts[local] += starts[local - 1];
        }
        predecessors.clear();
        predecessors.resize(starts[nodes + 1] as usize, 0);
        for node in rows.nodes() {
            for local in rows.of(node).iter().filter_map(|target| inside(*target)) {
                // Each start moves to where the next one begins.
                let place = &mut starts[local as usize + 1];
                predecessors[*place as usize] = (node - first) as u32;
                *place += 1;
            }
        }
    }

    fn before(starts: &[u32], local: u32) -> std::ops::Range<usize> {
        starts[local as usize] as usize..starts[local as usize + 1] as usize
    }
}

/// A set that is being computed as a fixed point.
enum Fixpoint {
    /// Grows from the nodes in which the second operand is true.
    Until { f: Rc<BitVector>, set: BitVector },
    /// Shrinks from the nodes in which the operand is true.
    Globally { set: BitVector },
}

impl Fixpoint {
    fn into_set(self) -> BitVector {
        match self {
            Self::Until { set, .. } | Self::Globally { set } => set,
        }
    }

    /// Computes the set in a block, with the other blocks fixed. Returns whether something changed.
    fn solve(&mut self, block: &mut BlockRows) -> bool {
        block.turn();
        match self {
            Self::Until { f, set } => grow(f, set, block),
            Self::Globally { set } => shrink(set, block),
        }
    }
}

/// Adds the nodes of `f` with a step into the set.
fn grow(f: &BitVector, set: &mut BitVector, block: &mut BlockRows) -> bool {
    let BlockRows { rows, starts, predecessors, work, .. } = block;
    let mut changes = false;
    work.clear();
    for node in rows.nodes() {
        // The predecessors of nodes that are in the set from the beginning have not been visited
        // yet.
        let is_new = !set.get(node) && f.get(node) && rows.of(node).iter().any(|target| set.get(*target));
        if is_new {
            set.set(node, true);
            changes = true;
        }
        if set.get(node) {
            work.push((node - rows.first) as u32);
        }
    }
    while let Some(local) = work.pop() {
        for &before in &predecessors[BlockRows::before(starts, local)] {
            let node = rows.first + u64::from(before);
            if !set.get(node) && f.get(node) {
                set.set(node, true);
                changes = true;
                work.push(before);
            }
        }
    }
    changes
}

/// Removes the nodes that have steps, none of which leads into the set.
fn shrink(set: &mut BitVector, block: &mut BlockRows) -> bool {
    let BlockRows { rows, starts, predecessors, counts, work } = block;
    counts.clear();
    work.clear();
    for node in rows.nodes() {
        let targets = rows.of(node);
        // A node without successors is the end of a path.
        let stays =
            targets.iter().filter(|target| set.get(**target)).count() + usize::from(targets.is_empty());
        counts.push(stays as u32);
    }
    for node in rows.nodes() {
        let local = (node - rows.first) as u32;
        if set.get(node) && counts[local as usize] == 0 {
            set.set(node, false);
            work.push(local);
        }
    }
    let changes = !work.is_empty();
    while let Some(local) = work.pop() {
        for &before in &predecessors[BlockRows::before(starts, local)] {
            let node = rows.first + u64::from(before);
            counts[before as usize] -= 1;
            if set.get(node) && counts[before as usize] == 0 {
                set.set(node, false);
                work.push(before);
            }
        }
    }
    changes
}
