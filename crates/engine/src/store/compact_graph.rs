//! The compact graph: all steps between states, without the states.
//!
//! Mailund and Westergaard (*Obtaining memory-efficient reachability graph representations using
//! the sweep-line method*, TACAS 2004) number the states that a sweep visits. Of each state they
//! keep only its row: the propositions that are true in it, and the numbers of its successors. The
//! state itself can be forgotten. A formula of computation tree logic, for example, can be
//! evaluated on these rows alone.
//!
//! The difficulty is the number of a successor that lies in another layer. The paper numbers a
//! state when it is first seen. A store would then have to carry numbers through future layers,
//! persistent states and files. None of them could drop a duplicate any more, since each duplicate
//! is a step. Instead, [`recording`] records steps as the search takes them, with the target as a
//! state, and states as they are expanded, with their number. After the sweep both are sorted by
//! state and joined. The search reports each step once, and nothing else changes in it. It may
//! compact its states and spill them to disk.
//!
//! The price is two external sorts of all steps between layers. The gain concerns states that two
//! sweeps expand. Such a state has two numbers, but the join sees it once and keeps the first. So
//! the result is not an unfolding of the graph, as in the paper (a third more nodes on random
//! graphs), but the graph itself.
//!
//! Nodes are numbered in the order in which they were first expanded. A row is the number of its
//! steps, followed by the steps. A step is the action and the difference to the number of the
//! target. All numbers are in groups of seven bits. This takes two to four bytes a step, against
//! ⌈log₂|T|⌉ + ⌈log₂|V|⌉ bits in the paper. The position of every 64th row stays in
//! memory: one bit a node. Rows are read backwards in *blocks*. A block consists of some layers, or
//! of a part of one that is larger than memory.

pub mod file;
pub mod recording;

use std::io;

use super::bit_vector::BitVector;
use super::external::block::Block;
use super::external::disk::{Disk, FileClass};
use super::external::run::{Run, RunReader, RunWriter};
use super::records::EntryShape;

/// Number of rows from one with a known position to the next.
const SAMPLED: u64 = 64;
/// Number of nodes and steps of a block, if layers are smaller.
const BLOCK: usize = 1 << 16;

/// A graph whose nodes are numbers.
#[derive(Debug)]
pub struct CompactGraph {
    /// Bytes of the rows, eight in a word.
    rows: Run,
    bytes: u64,
    /// Position of every 64th row.
    samples: Vec<u64>,
    /// The first node of each block, and the position of its row.
    blocks: Vec<(u64, u64)>,
    nodes: u64,
    edges: u64,
    /// A number larger than all action numbers.
    actions: u32,
    /// Number of nodes and steps of the largest block.
    largest: usize,
    /// Initial nodes, each with the number of the initial state.
    initial: Vec<(u32, u64)>,
}

/// A step to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The number of the action.
    pub action: u32,
    /// The target node.
    pub target: u64,
}

/// Rows of a block in memory.
#[derive(Debug, Default)]
pub struct Rows {
    /// The first node.
    pub first: u64,
    /// Index of the first step of each node, and the end of the last ones.
    pub starts: Vec<u32>,
    /// The targets of the steps.
    pub targets: Vec<u64>,
}

impl Rows {
    /// The nodes, from the first on.
    pub fn nodes(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.starts.len() as u64 - 1
    }

    /// The targets of the steps of this node.
    #[inline]
    pub fn of(&self, node: u64) -> &[u64] {
        let local = (node - self.first) as usize;
        &self.targets[self.starts[local] as usize..self.starts[local + 1] as usize]
    }
}

/// Size of a graph, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSize {
    /// Size of the rows, their positions, and the truth of propositions in nodes.
    pub bits: u64,
    /// Size by the survey of Jensen, Kristensen and Mailund: (2w + n)|V| + |E|(⌈log₂|T|⌉ +
    /// ⌈log₂|V|⌉) for n propositions and words of w bits.
    pub formula_bits: u64,
}

impl CompactGraph {
    /// Number of nodes.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Number of steps.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of nodes and steps of the largest block.
    pub fn largest_block(&self) -> usize {
        self.largest
    }

    /// Initial nodes, each with the number of the initial state.
    pub fn initial(&self) -> &[(u32, u64)] {
        &self.initial
    }

    /// Size of the graph, with this many propositions.
    pub fn size(&self, propositions: usize) -> GraphSize {
        let ceil_log = |number: u64| u64::from(number.max(1).next_power_of_two().ilog2());
        let (word, bits) = (64, propositions as u64);
        let edge = ceil_log(u64::from(self.actions)) + ceil_log(self.nodes);
        GraphSize {
            bits: 8 * self.bytes + 64 * self.samples.len() as u64 + bits * self.nodes,
            formula_bits: (2 * word + bits) * self.nodes + self.edges * edge,
        }
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.samples.capacity() * 8 + self.blocks.capacity() * 16
    }

    /// Reads the rows of a block.
    pub fn load(&self, block: usize, rows: &mut Rows) -> io::Result<()> {
        let (first, byte) = self.blocks[block];
        let end = self.blocks.get(block + 1).map_or(self.nodes, |(next, _)| *next);
        rows.first = first;
        rows.targets.clear();
        rows.starts.clear();
        rows.starts.push(0);
        let mut from = PackedReader::new(&self.rows, byte)?;
        for node in first..end {
            let steps = from.number()?;
            for _ in 0..steps {
                rows.targets.push(from.edge(node)?.target);
            }
            rows.starts.push(rows.targets.len() as u32);
        }
        Ok(())
    }

    /// Reads the steps of one node.
    pub fn row(&self, node: u64, edges: &mut Vec<Edge>) -> io::Result<()> {
        let mut from = PackedReader::new(&self.rows, self.samples[(node / SAMPLED) as usize])?;
        for other in node - node % SAMPLED..=node {
            edges.clear();
            for _ in 0..from.number()? {
                edges.push(from.edge(other)?);
            }
        }
        Ok(())
    }
}

/// Writer of rows, which also determines where blocks begin.
#[derive(Debug)]
struct RowWriter {
    rows: RunWriter,
    word: u64,
    graph: GraphCounts,
    /// Most nodes and steps of a block.
    most: usize,
    /// Number of nodes and steps of the block so far.
    size: usize,
    /// The last layer that begins inside the block: its first node, the position of that node, and
    /// the size of the block before it.
    layer: Option<(u64, u64, usize)>,
}

#[derive(Debug, Default)]
struct GraphCounts {
    bytes: u64,
    samples: Vec<u64>,
    blocks: Vec<(u64, u64)>,
    nodes: u64,
    edges: u64,
    actions: u32,
    largest: usize,
}

impl RowWriter {
    fn new(disk: &Disk, most: usize) -> Self {
        Self {
            rows: RunWriter::new(disk, FileClass::Rows, EntryShape::words(1)),
            word: 0,
            graph: GraphCounts::default(),
            most: most.clamp(1, u32::MAX as usize),
            size: 0,
            layer: None,
        }
    }

    /// Appends the row of the next node. A layer may begin with it.
    fn push(&mut self, edges: &[Edge], begins_layer: bool) -> io::Result<()> {
        let (node, byte, size) = (self.graph.nodes, self.graph.bytes, edges.len() + 1);
        if begins_layer && self.size >= BLOCK.min(self.most) {
            self.size = 0;
        } else if self.size > 0 && begins_layer {
            self.layer = Some((node, byte, self.size));
        }
        while self.size > 0 && self.size + size > self.most {
            // Whole layers are preferred to a full block.
            let (first, place, before) = self.layer.take().unwrap_or((node, byte, self.size));
            self.size -= before;
            if first < node {
                self.graph.blocks.push((first, place));
            }
        }
        if self.size == 0 {
            self.graph.blocks.push((node, byte));
            self.layer = None;
        }
        self.size += size;
        self.graph.largest = self.graph.largest.max(self.size);
        if node.is_multiple_of(SAMPLED) {
            self.graph.samples.push(byte);
        }
        self.number(edges.len() as u64)?;
        for edge in edges {
            self.number(u64::from(edge.action))?;
            let difference = edge.target.wrapping_sub(node) as i64;
            self.number((difference << 1 ^ difference >> 63) as u64)?;
            self.graph.actions = self.graph.actions.max(edge.action + 1);
        }
        self.graph.nodes += 1;
        self.graph.edges += edges.len() as u64;
        Ok(())
    }

    fn number(&mut self, mut number: u64) -> io::Result<()> {
        while number >= 128 {
            self.byte(number as u8 | 128)?;
            number >>= 7;
        }
        self.byte(number as u8)
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        self.word |= u64::from(byte) << (self.graph.bytes % 8 * 8);
        self.graph.bytes += 1;
        if !self.graph.bytes.is_multiple_of(8) {
            return Ok(());
        }
        self.rows.push(&[std::mem::take(&mut self.word)])
    }

    fn finish(mut self, initial: Vec<(u32, u64)>) -> io::Result<CompactGraph> {
        self.rows.push(&[self.word])?;
        let GraphCounts { bytes, samples, blocks, nodes, edges, actions, largest } = self.graph;
        let rows = self.rows.finish()?;
        Ok(CompactGraph { rows, bytes, samples, blocks, nodes, edges, actions, largest, initial })
    }
}

/// Reader of rows from a position on.
struct PackedReader {
    words: RunReader,
    word: u64,
    /// Number of bytes of the word that remain to be read.
    left: u32,
}

impl PackedReader {
    fn new(rows: &Run, byte: u64) -> io::Result<Self> {
        let mut words = rows.reader();
        let (word, in_block) = (byte / 8, Block::capacity(1) as u64);
        words.go_to(((word / in_block) as usize + 1, (word % in_block) as usize))?;
        let mut reader = Self { words, word: 0, left: 0 };
        for _ in 0..byte % 8 {
            reader.byte()?;
        }
        Ok(reader)
    }

    #[inline]
    fn byte(&mut self) -> io::Result<u8> {
        if self.left == 0 {
            let word = self.words.peek()?.ok_or_else(damaged)?;
            self.word = word[0];
            self.words.advance();
            self.left = 8;
        }
        let byte = self.word as u8;
        self.word >>= 8;
        self.left -= 1;
        Ok(byte)
    }

    #[inline]
    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    #[inline]
    fn edge(&mut self, source: u64) -> io::Result<Edge> {
        let action = self.number()? as u32;
        let coded = self.number()?;
        let difference = (coded >> 1) ^ (coded & 1).wrapping_neg();
        Ok(Edge { action, target: source.wrapping_add(difference) })
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the graph is damaged")
}

/// The recorded graph of a search, and for each proposition the nodes in which it is true.
#[derive(Debug)]
pub struct RecordedGraph {
    /// The graph.
    pub graph: CompactGraph,
    /// One bit for each node, for each proposition.
    pub truths: Vec<BitVector>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rows_come_back_in_any_order(
            rows in prop::collection::vec((prop::collection::vec((any::<u32>(), any::<u64>()), 0..6), any::<bool>()), 1..400),
            most in 1..100usize,
        ) {
            let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
            let mut writer = RowWriter::new(&disk, most);
            let edge = |&(action, target): &(u32, u64)| Edge { action: action >> 8, target: target >> 1 };
            let rows: Vec<(Vec<Edge>, bool)> =
                rows.iter().map(|(edges, begins)| (edges.iter().map(edge).collect(), *begins)).collect();
            rows.iter().for_each(|(edges, begins)| writer.push(edges, *begins).unwrap());
            let graph = writer.finish(Vec::new()).unwrap();
            prop_assert_eq!(graph.nodes(), rows.len() as u64);
            let mut edges = Vec::new();
            for node in (0..rows.len()).rev() {
                graph.row(node as u64, &mut edges).unwrap();
                prop_assert_eq!(&edges, &rows[node].0);
            }
            let (mut loaded, mut next) = (Rows::default(), 0);
            for block in 0..graph.blocks() {
                graph.load(block, &mut loaded).unwrap();
                prop_assert_eq!(loaded.first, next);
                prop_assert!(loaded.targets.len() + loaded.nodes().count() <= most.max(7));
                for node in loaded.nodes() {
                    let targets: Vec<u64> = rows[node as usize].0.iter().map(|edge| edge.target).collect();
                    prop_assert_eq!(loaded.of(node), &targets);
                    next += 1;
                }
            }
            prop_assert_eq!(next, graph.nodes());
        }
    }

    /// A layer that fits into a block is in one block.
    #[test]
    fn blocks_begin_with_layers() {
        let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
        let mut writer = RowWriter::new(&disk, 10);
        for node in 0..30 {
            writer.push(&[], node % 6 == 0).unwrap();
        }
        let graph = writer.finish(Vec::new()).unwrap();
        let firsts: Vec<u64> = graph.blocks.iter().map(|(first, _)| *first).collect();
        assert_eq!(firsts, [0, 6, 12, 18, 24]);
    }
}
