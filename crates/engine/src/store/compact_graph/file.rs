//! A compact graph as a file: what a sweep leaves of a state space when all states are forgotten.
//!
//! First lines of text, each a word and what it says; then bytes.
//!
//! ```text
//! sweepline-graph/1             the format
//! nodes 3                       numbered from 0
//! edges 2
//! initial 0                     a node; a line for each initial state
//! proposition end x == 2        a name, and the expression that it stands for
//! action P: s -> s              the name of action 0; a line for each action, in the order of their numbers
//! rows                          the last line
//! ```
//!
//! Propositions: for each, in the order of the lines, one bit a node, eight in a byte, the lowest first; the rest of the last byte is zero.
//! Rows: for each node the number of its steps, and for each step the number of the action and the difference between target and source. A difference
//! `d` is written as `2d`, or as `-2d - 1` if it is less than zero. Numbers are written in groups of seven bits, the lowest first, one in a byte, whose
//! highest bit says that another one follows.
//! End: the sum of everything before it, in eight bytes, the lowest first: FNV-1a with 64 bits. Each byte changes it by a
//! bijection, so that one byte that differs is noticed with certainty.
//!
//! Line breaks and `\` in a line of text are written as `\n` and `\\`. The order of the lines is part of the format. Layers are not in it: a graph that was read
//! has blocks of a certain size.
//!
//! Nothing but the bits of propositions, and the names, is ever in memory as a whole, neither here nor there.

use std::io::{self, BufRead, Write};

use super::{Edge, PackedReader, RecordedGraph, RowWriter};
use crate::store::bit_vector::BitVector;
use crate::store::external::disk::Disk;

/// Name and version of the format.
pub const FORMAT: &str = "sweepline-graph/1";
/// The name without the version.
const NAME: &str = "sweepline-graph/";
/// The longest line: what is longer is no text.
const LONGEST_LINE: usize = 1 << 20;

/// What the numbers in a graph stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphNames {
    /// The propositions.
    pub propositions: Vec<NamedProposition>,
    /// The actions.
    pub actions: Vec<String>,
}

/// A proposition of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProposition {
    /// One word.
    pub name: String,
    /// What it stands for.
    pub expression: String,
}

/// Why a file gives no graph.
#[derive(Debug, thiserror::Error)]
pub enum GraphFileError {
    /// It begins otherwise.
    #[error("the file is no graph: it does not begin with `{FORMAT}`")]
    NotAGraph,
    /// It is of another version.
    #[error("the file is a graph in the format `{0}`, and only `{FORMAT}` is read")]
    OtherVersion(String),
    /// It is not as it was written.
    #[error("the graph is damaged: {0}")]
    Damaged(&'static str),
    /// It cannot be read, or there is no room for it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

use GraphFileError::Damaged;

/// The sum of bytes.
#[derive(Clone, Copy, Debug)]
struct Sum(u64);

impl Sum {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Writes, adds up and counts.
struct Summing<'a> {
    out: &'a mut dyn Write,
    sum: Sum,
    bytes: u64,
}

impl Summing<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.add(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn line(&mut self, word: &str, text: &str) -> io::Result<()> {
        let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
        self.put(format!("{word} {text}\n").as_bytes())
    }
}

/// Writes a graph, and tells how many bytes it took. The writer should have a buffer.
///
/// # Errors
/// It is not taken, or the graph cannot be read; or there are fewer names than propositions or actions, or the name of a proposition is no word.
pub fn write_graph(recorded: &RecordedGraph, names: &GraphNames, out: &mut dyn Write) -> io::Result<u64> {
    let RecordedGraph { graph, truths } = recorded;
    let named = names.propositions.len() == truths.len()
        && names.actions.len() >= graph.actions as usize
        && names.propositions.iter().all(|proposition| is_word(&proposition.name));
    if !named {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the names do not fit the graph"));
    }
    let mut out = Summing { out, sum: Sum::EMPTY, bytes: 0 };
    out.put(format!("{FORMAT}\nnodes {}\nedges {}\n", graph.nodes, graph.edges).as_bytes())?;
    for (_, node) in &graph.initial {
        out.line("initial", &node.to_string())?;
    }
    for NamedProposition { name, expression } in &names.propositions {
        out.line("proposition", &format!("{name} {expression}"))?;
    }
    for action in &names.actions {
        out.line("action", action)?;
    }
    out.put(b"rows\n")?;
    for truth in truths {
        for first in (0..graph.nodes).step_by(8) {
            let bits = (first..graph.nodes.min(first + 8)).map(|node| u8::from(truth.get(node)));
            out.put(&[bits.zip(0..).fold(0, |byte, (bit, place)| byte | bit << place)])?;
        }
    }
    // In memory, rows are as they are here.
    let mut rows = PackedReader::new(&graph.rows, 0)?;
    for _ in 0..graph.bytes {
        out.put(&[rows.byte()?])?;
    }
    let sum = out.sum.0.to_le_bytes();
    out.put(&sum)?;
    Ok(out.bytes)
}

/// Reads a graph. At most so many nodes and steps of it will be in memory at one time; the rest goes to disk.
///
/// # Errors
/// It is no graph, or damaged; or it cannot be read.
pub fn read_graph(
    from: &mut dyn BufRead,
    disk: &Disk,
    block: usize,
) -> Result<(RecordedGraph, GraphNames), GraphFileError> {
    let mut from = Reading { from, sum: Sum::EMPTY };
    let head = from.head()?;
    let mut truths = Vec::with_capacity(head.names.propositions.len());
    for _ in &head.names.propositions {
        truths.push(from.bits(head.nodes)?);
    }
    let mut rows = RowWriter::new(disk, block);
    let mut edges = Vec::new();
    for node in 0..head.nodes {
        from.row(node, &head, &mut edges)?;
        rows.push(&edges, false)?;
    }
    let sum = from.sum.0;
    let end: Vec<u8> = (0..8).map(|_| from.byte()).collect::<Result<_, _>>()?;
    if end != sum.to_le_bytes() {
        return Err(Damaged("its sum is another one"));
    }
    if !from.from.fill_buf()?.is_empty() {
        return Err(Damaged("it goes on behind its end"));
    }
    if rows.graph.edges != head.edges {
        return Err(Damaged("the number of steps is another one"));
    }
    let graph = rows.finish((0..).zip(head.initial).collect())?;
    Ok((RecordedGraph { graph, truths }, head.names))
}

/// What the lines say.
struct Head {
    nodes: u64,
    edges: u64,
    initial: Vec<u64>,
    names: GraphNames,
}

/// Reads and adds up. Until the sum is known to be right, everything may be wrong; memory grows with what was read and not with what is claimed.
struct Reading<'a> {
    from: &'a mut dyn BufRead,
    sum: Sum,
}

impl Reading<'_> {
    fn head(&mut self) -> Result<Head, GraphFileError> {
        let format = self.line().map_err(|error| match error {
            Damaged(_) => GraphFileError::NotAGraph,
            other => other,
        })?;
        if format != FORMAT {
            let other = format.starts_with(NAME).then_some(GraphFileError::OtherVersion(format));
            return Err(other.unwrap_or(GraphFileError::NotAGraph));
        }
        let nodes = self.counted("nodes")?;
        let edges = self.counted("edges")?;
        let mut head = Head { nodes, edges, initial: Vec::new(), names: GraphNames::default() };
        loop {
            let line = self.line()?;
            let (word, text) = line.split_once(' ').unwrap_or((&line, ""));
            let names = &mut head.names;
            match word {
                "initial" if names.propositions.is_empty() && names.actions.is_empty() => {
                    let node = number(text)?;
                    head.initial.push(Some(node).filter(|node| *node < nodes).ok_or(NO_SUCH_NODE)?);
                }
                "proposition" if names.actions.is_empty() => {
                    let (name, expression) = text.split_once(' ').ok_or(BAD_LINE)?;
                    let (name, expression) = (unescaped(name)?, unescaped(expression)?);
                    if !is_word(&name) {
                        return Err(BAD_LINE);
                    }
                    names.propositions.push(NamedProposition { name, expression });
                }
                "action" => names.actions.push(unescaped(text)?),
                "rows" if line == "rows" => return Ok(head),
                _ => return Err(BAD_LINE),
            }
        }
    }

    fn counted(&mut self, word: &str) -> Result<u64, GraphFileError> {
        let line = self.line()?;
        let (found, text) = line.split_once(' ').ok_or(BAD_LINE)?;
        if found == word { number(text) } else { Err(BAD_LINE) }
    }

    /// A line without its end.
    fn line(&mut self) -> Result<String, GraphFileError> {
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                b'\n' => return String::from_utf8(line).map_err(|_| BAD_LINE),
                _ if line.len() == LONGEST_LINE => return Err(BAD_LINE),
                byte => line.push(byte),
            }
        }
    }

    fn bits(&mut self, len: u64) -> Result<BitVector, GraphFileError> {
        let mut bits = BitVector::default();
        while bits.len() < len {
            let byte = self.byte()?;
            let used = (len - bits.len()).min(8);
            (0..used).for_each(|place| bits.push(byte >> place & 1 != 0));
            if u32::from(byte) >> used != 0 {
                return Err(Damaged("there are more bits than nodes"));
            }
        }
        Ok(bits)
    }

    fn row(&mut self, node: u64, head: &Head, edges: &mut Vec<Edge>) -> Result<(), GraphFileError> {
        edges.clear();
        for _ in 0..self.number()? {
            let (action, coded) = (self.number()?, self.number()?);
            if action >= head.names.actions.len() as u64 {
                return Err(Damaged("there is no such action"));
            }
            let target = node.wrapping_add((coded >> 1) ^ (coded & 1).wrapping_neg());
            if target >= head.nodes {
                return Err(NO_SUCH_NODE);
            }
            edges.push(Edge { action: action as u32, target });
        }
        Ok(())
    }

    /// A number as [`RowWriter`] writes it: in as few bytes as there can be.
    #[inline]
    fn number(&mut self) -> Result<u64, GraphFileError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 127);
            if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                break;
            }
            number |= bits << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Damaged("a number is too long"))
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, GraphFileError> {
        let byte = *self.from.fill_buf()?.first().ok_or(Damaged("it ends too early"))?;
        self.from.consume(1);
        self.sum.add(&[byte]);
        Ok(byte)
    }
}

const BAD_LINE: GraphFileError = Damaged("a line of its head makes no sense");
const NO_SUCH_NODE: GraphFileError = Damaged("there is no such node");

/// Whether a text can name a proposition.
fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

fn number(text: &str) -> Result<u64, GraphFileError> {
    text.parse().map_err(|_| BAD_LINE)
}

fn unescaped(text: &str) -> Result<String, GraphFileError> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(one) = rest.next() {
        plain.push(match one {
            '\\' => match rest.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('r') => '\r',
                _ => return Err(BAD_LINE),
            },
            other => other,
        });
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A graph as plain lists.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Plain {
        rows: Vec<Vec<Edge>>,
        truths: Vec<BitVector>,
        initial: Vec<(u32, u64)>,
    }

    fn disk() -> Disk {
        Disk::new(&std::env::temp_dir(), u64::MAX)
    }

    fn recorded(plain: &Plain) -> RecordedGraph {
        let mut writer = RowWriter::new(&disk(), 10);
        plain.rows.iter().for_each(|edges| writer.push(edges, false).unwrap());
        let graph = writer.finish(plain.initial.clone()).unwrap();
        RecordedGraph { graph, truths: plain.truths.clone() }
    }

    fn plain(recorded: &RecordedGraph) -> Plain {
        let row = |node| {
            let mut edges = Vec::new();
            recorded.graph.row(node, &mut edges).unwrap();
            edges
        };
        let rows = (0..recorded.graph.nodes()).map(row).collect();
        Plain { rows, truths: recorded.truths.clone(), initial: recorded.graph.initial().to_vec() }
    }

    fn written(plain: &Plain, names: &GraphNames) -> Vec<u8> {
        let mut bytes = Vec::new();
        let told = write_graph(&recorded(plain), names, &mut bytes).unwrap();
        assert_eq!(told, bytes.len() as u64);
        bytes
    }

    fn read(mut bytes: &[u8]) -> Result<(RecordedGraph, GraphNames), GraphFileError> {
        read_graph(&mut bytes, &disk(), 10)
    }

    fn names(propositions: usize, actions: usize) -> GraphNames {
        let proposition = |number| NamedProposition {
            name: format!("p{number}"),
            expression: format!("x == {number} \\ 2\n// \r and so on"),
        };
        GraphNames {
            propositions: (0..propositions).map(proposition).collect(),
            actions: (0..actions).map(|number| format!("P: s -> s{number}")).collect(),
        }
    }

    fn graphs() -> impl Strategy<Value = Plain> {
        let steps = prop::collection::vec((0..5_u32, any::<u64>()), 0..5);
        let nodes = prop::collection::vec((steps, any::<u8>()), 1..150);
        (nodes, 0..4_usize, prop::collection::vec(any::<u64>(), 1..3)).prop_map(
            |(nodes, propositions, initial)| {
                let some = |number: u64| number % nodes.len() as u64;
                let edge = |&(action, target): &(u32, u64)| Edge { action, target: some(target) };
                let mut truths = vec![BitVector::default(); propositions];
                for (_, bits) in &nodes {
                    truths
                        .iter_mut()
                        .enumerate()
                        .for_each(|(place, truth)| truth.push(bits >> place & 1 != 0));
                }
                let rows = nodes.iter().map(|(steps, _)| steps.iter().map(edge).collect()).collect();
                Plain { rows, truths, initial: (0..).zip(initial.iter().map(|node| some(*node))).collect() }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_read_is_what_was_written(graph in graphs()) {
            let names = names(graph.truths.len(), 5);
            let (found, found_names) = read(&written(&graph, &names)).unwrap();
            prop_assert_eq!(plain(&found), graph);
            prop_assert_eq!(found_names, names);
        }

        #[test]
        fn arbitrary_bytes_behind_the_format_are_no_graph(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes).is_err());
            prop_assert!(read(&[FORMAT.as_bytes(), b"\nnodes 9\nedges 9\nrows\n", &bytes].concat()).is_err());
        }
    }

    fn small() -> Plain {
        let edge = |action, target| Edge { action, target };
        let rows = vec![vec![edge(0, 1), edge(1, 2)], vec![edge(1, 2)], vec![]];
        let mut truth = BitVector::new(3, false);
        truth.set(2, true);
        Plain { rows, truths: vec![truth], initial: vec![(0, 0)] }
    }

    #[test]
    fn the_head_is_text_and_rows_are_packed() {
        let names = GraphNames {
            propositions: vec![NamedProposition { name: "end".into(), expression: "x == 2".into() }],
            actions: vec!["P: s -> s".into(), "Q: t -> t".into()],
        };
        let bytes = written(&small(), &names);
        let (head, rest) = bytes.split_at(bytes.len() - 8 - 10);
        let text = "sweepline-graph/1\nnodes 3\nedges 3\ninitial 0\nproposition end x == 2\n\
                    action P: s -> s\naction Q: t -> t\nrows\n";
        assert_eq!(std::str::from_utf8(head).unwrap(), text);
        assert_eq!(rest[..10], [0b100, 2, 0, 2, 1, 4, 1, 1, 2, 0]);
    }

    #[test]
    fn each_byte_that_differs_is_noticed() {
        let bytes = written(&small(), &names(1, 2));
        for place in 0..bytes.len() {
            for other in (1..=255).map(|difference| bytes[place] ^ difference) {
                let mut damaged = bytes.clone();
                damaged[place] = other;
                assert!(read(&damaged).is_err(), "byte {place} is {other}");
            }
        }
    }

    #[test]
    fn each_cut_and_anything_behind_the_end_is_noticed() {
        let bytes = written(&small(), &names(1, 2));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "cut at {end}");
        }
        for place in 0..bytes.len() {
            let without = [&bytes[..place], &bytes[place + 1..]].concat();
            assert!(read(&without).is_err(), "without byte {place}");
        }
        assert!(matches!(read(&[&bytes[..], &[0]].concat()), Err(Damaged("it goes on behind its end"))));
    }

    #[test]
    fn other_files_are_told_apart() {
        assert!(matches!(read(b""), Err(GraphFileError::NotAGraph)));
        assert!(matches!(read(b"1 0 0 * 2\n"), Err(GraphFileError::NotAGraph)));
        assert!(matches!(read(b"sweepline-graph/2\n"), Err(GraphFileError::OtherVersion(_))));
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        let mut wrong = names(1, 2);
        wrong.propositions[0].name = "two words".into();
        for names in [names(0, 2), names(2, 2), names(1, 1), wrong] {
            assert!(write_graph(&recorded(&small()), &names, &mut Vec::new()).is_err());
        }
    }

    #[test]
    fn the_name_of_a_proposition_may_have_a_backslash() {
        let mut names = names(1, 2);
        names.propositions[0].name = "a\\b\\n".into();
        assert_eq!(read(&written(&small(), &names)).unwrap().1, names);
        for name in ["", "\\n", "a\tb", "\\"] {
            let head = format!("{FORMAT}\nnodes 0\nedges 0\nproposition {name} x\nrows\n");
            assert!(matches!(read(&signed(head.as_bytes())), Err(Damaged(_))), "{name:?}");
        }
    }

    /// The bytes with the right sum.
    fn signed(bytes: &[u8]) -> Vec<u8> {
        let mut sum = Sum::EMPTY;
        sum.add(bytes);
        [bytes, &sum.0.to_le_bytes()].concat()
    }

    /// Reads a file. If that is possible, each row can be read, and the graph can be written and is
    /// the same when it is read again. Returns whether it was possible.
    fn reads_whole(bytes: &[u8]) -> bool {
        let Ok((found, names)) = read(bytes) else { return false };
        let graph = plain(&found);
        let (again, names_again) = read(&written(&graph, &names)).unwrap();
        assert_eq!((plain(&again), names_again), (graph, names));
        true
    }

    fn lines() -> impl Strategy<Value = String> {
        let number = prop_oneof![0..4u64, any::<u64>(), Just(u64::MAX)];
        let line = prop_oneof![
            number.clone().prop_map(|node| format!("initial {node}\n")),
            r"proposition [a-c\\\t]{0,2} [x\\nr ]{0,3}\n",
            r"action [ a\\nr]{0,3}\n",
            r"[a-z ]{0,3}\n",
        ];
        let lines = prop::collection::vec(line, 0..4);
        (number.clone(), number, lines).prop_map(|(nodes, edges, mut lines)| {
            lines.sort_unstable_by_key(|line| (!line.starts_with('i'), !line.starts_with('p')));
            format!("{FORMAT}\nnodes {nodes}\nedges {edges}\n{}rows\n", lines.concat())
        })
    }

    #[test]
    fn a_count_that_is_only_claimed_is_damaged() {
        for counts in ["nodes 18446744073709551615\nedges 0", "nodes 1\nedges 18446744073709551615"] {
            for line in ["", "proposition p x\n"] {
                let head = format!("{FORMAT}\n{counts}\n{line}rows\n");
                assert!(!reads_whole(&signed(head.as_bytes())));
                assert!(!reads_whole(&signed(&[head.as_bytes(), &[0; 100]].concat())));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn arbitrary_rows_with_the_right_sum_never_panic(
            head in lines(), bytes in prop::collection::vec(prop_oneof![0..4u8, any::<u8>()], 0..12),
        ) {
            reads_whole(&signed(&[head.as_bytes(), &bytes].concat()));
        }

        #[test]
        fn damaged_files_never_panic(
            graph in graphs(), at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut: prop::sample::Index, rest in prop::collection::vec(any::<u8>(), 1..20),
        ) {
            let mut bytes = written(&graph, &names(graph.truths.len(), 5));
            prop_assert!(reads_whole(&bytes));
            prop_assert!(!reads_whole(&[&bytes[..], &rest].concat()));
            let cut = cut.index(bytes.len());
            prop_assert!(!reads_whole(&bytes[..cut]));
            reads_whole(&signed(&bytes[..cut]));
            bytes.truncate(bytes.len() - 8);
            reads_whole(&signed(&[&bytes[..], &rest].concat()));
            for (at, byte) in at {
                let at = at.index(bytes.len());
                bytes[at] ^= byte;
            }
            reads_whole(&signed(&bytes));
        }
    }
}
