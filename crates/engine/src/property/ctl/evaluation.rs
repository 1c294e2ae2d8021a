//! In which nodes of a graph a formula is true.
//!
//! Subformulas are evaluated in the order of their size, each with one bit for each node. `EX f` looks at each row once. `E[f U g]` is the
//! least set with g ∪ (f ∩ EX of the set), `EG f` the greatest with f ∩ (EX of the set ∪ nodes without successors), and both are
//! found block by block of rows, the last block first: in a block, with everything around it as it is known so far, the set is computed exactly, in
//! time linear in the steps of the block (a backward closure for `EU`; for `EG`, nodes fall out when the count of their
//! successors in the set comes to zero). Steps lead from a layer to itself and to later ones, and a layer lies in one block, if it fits into memory.
//! So with a measure that never falls, everything around a block is final when the block is looked at: the system of
//! equations is block triangular, and one pass is enough, however many layers there are (Bekić's principle; for sweeps,
//! this seems to be new). If steps lead back to an earlier block, because progress falls or a layer is larger than memory, passes are repeated until
//! nothing changes: the sets only grow (`EU`) or shrink (`EG`), so what they end with is the least, or the greatest.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use crate::store::bit_vector::BitVector;
use crate::store::compact_graph::{CompactGraph, RecordedGraph, Rows};

use logic::ctl::Ctl;

/// Bytes of a node or step in the block that is evaluated: its number, the step turned around, where both begin, a count, a place on
/// the list of what is to be done.
pub const BLOCK_BYTES: usize = 32;

/// The number of sets that are held by [`Evaluation::recurring`].
pub const SETS_OF_RECURRING: usize = 5;

/// Evaluates formulas on a graph.
pub struct Evaluation<'g> {
    graph: &'g CompactGraph,
    truths: &'g [BitVector],
    known: HashMap<Ctl, Rc<BitVector>>,
    passes: u64,
    /// Asked before each block whether to go on.
    goes_on: &'g mut dyn FnMut() -> bool,
}

/// The number of sets that are held when a formula is evaluated: its different subformulas.
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
    /// On this graph. Now and then it is asked whether to go on; if not, what runs ends with an error of the kind `Interrupted`.
    pub fn new(recorded: &'g RecordedGraph, goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        Self { graph: &recorded.graph, truths: &recorded.truths, known: HashMap::new(), passes: 0, goes_on }
    }

    /// Passes over all rows so far.
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

    /// The nodes of a set from which one can come back to the set again and again: the greatest part of it of which each node has a step to
    /// where the part can be reached from. It is not empty if, and only if, a cycle meets the set (Emerson and Lei).
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
        if (self.goes_on)() { self.graph.load(block, rows) } else { Err(io::ErrorKind::Interrupted.into()) }
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

/// A block, and what it takes to go through it backwards.
#[derive(Debug, Default)]
struct BlockRows {
    rows: Rows,
    /// Where the predecessors of each node begin.
    starts: Vec<u32>,
    /// Predecessors in the block, as often as they have a step; both numbered from the first node on.
    predecessors: Vec<u32>,
    counts: Vec<u32>,
    work: Vec<u32>,
}

impl BlockRows {
    /// Turns all steps inside the block around.
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
                // Each start moves on to where the next one begins.
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

/// A set that is being computed.
enum Fixpoint {
    /// Grows from the nodes with the second operand.
    Until { f: Rc<BitVector>, set: BitVector },
    /// Shrinks from the nodes with the operand.
    Globally { set: BitVector },
}

impl Fixpoint {
    fn into_set(self) -> BitVector {
        match self {
            Self::Until { set, .. } | Self::Globally { set } => set,
        }
    }

    /// Computes the set in a block, the rest of it as it is; whether something changed.
    fn solve(&mut self, block: &mut BlockRows) -> bool {
        block.turn();
        match self {
            Self::Until { f, set } => grow(f, set, block),
            Self::Globally { set } => shrink(set, block),
        }
    }
}

/// Nodes of `f` with a step into the set belong to it.
fn grow(f: &BitVector, set: &mut BitVector, block: &mut BlockRows) -> bool {
    let BlockRows { rows, starts, predecessors, work, .. } = block;
    let mut changes = false;
    work.clear();
    for node in rows.nodes() {
        // What is in the set from the beginning has predecessors that nobody has looked at yet.
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

/// Nodes with steps, none of which leads into the set, do not belong to it.
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
