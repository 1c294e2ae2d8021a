//! Any bytes are read as a compact graph without a panic: as a whole file, and before a sum that
//! is right. A graph that is read gives each of its rows, and can be written and read again.

#![no_main]

use engine::store::compact_graph::file::{GraphNames, read_graph, write_graph};
use engine::store::compact_graph::{Edge, RecordedGraph};
use engine::store::external::disk::Disk;
use libfuzzer_sys::fuzz_target;

/// Nodes and steps in memory at one time.
const BLOCK: usize = 10;

fn read(mut bytes: &[u8]) -> Option<(RecordedGraph, GraphNames)> {
    let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
    read_graph(&mut bytes, &disk, BLOCK).ok()
}

fn rows(recorded: &RecordedGraph) -> Vec<Vec<Edge>> {
    let row = |node| {
        let mut edges = Vec::new();
        recorded.graph.row(node, &mut edges).expect("a row that was written can be read");
        edges
    };
    (0..recorded.graph.nodes()).map(row).collect()
}

/// The bytes and their sum, FNV-1a with 64 bits.
fn with_sum(bytes: &[u8]) -> Vec<u8> {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, add);
    [bytes, &sum.to_le_bytes()].concat()
}

fuzz_target!(|bytes: &[u8]| {
    for file in [bytes.to_vec(), with_sum(bytes)] {
        let Some((found, names)) = read(&file) else { continue };
        let mut written = Vec::new();
        write_graph(&found, &names, &mut written).expect("a vector takes everything");
        let (again, names_again) = read(&written).expect("a graph that was written can be read");
        assert_eq!(names_again, names);
        assert_eq!(rows(&again), rows(&found));
        assert_eq!(again.truths, found.truths);
        assert_eq!(again.graph.initial(), found.graph.initial());
    }
});
