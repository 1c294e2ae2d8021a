//! Readers of files allocate by what a file has, never by a length that it only claims.
//!
//! Each test reads small files that claim large lengths, and measures the largest allocation.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use engine::store::compact_graph::file::{FORMAT, read_graph};
use engine::store::external::block::checksum;
use engine::store::external::disk::Disk;
use engine::store::saved::{Loader, Saver};

/// The allocator of the system, which notes the largest request of each thread.
struct Measuring;

thread_local! {
    /// Bytes of the largest allocation.
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(bytes: usize) {
    // While a thread ends, its cell may be gone already.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(bytes)));
}

// SAFETY: each call is handed on to the allocator of the system as it is. Noting a size neither
// allocates nor unwinds: the cell is initialised by a constant and has no destructor.
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// Bytes of the largest allocation while `read` runs.
fn largest(read: impl FnOnce()) -> usize {
    LARGEST.set(0);
    read();
    LARGEST.get()
}

/// Buffers of a fixed size, which are allocated whatever a file claims.
const BUFFERS: usize = 2 << 20;

/// A checkpoint with one chunk, which claims these lengths and has the right checksum.
fn checkpoint(bytes: &[u8], size: u32, plain: u32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved");
    Saver::create(&path).unwrap().finish().unwrap();
    let empty = std::fs::read(&path).unwrap();
    let mut file = empty[..empty.len() - 16].to_vec();
    file.extend_from_slice(&size.to_le_bytes());
    file.extend_from_slice(&plain.to_le_bytes());
    file.extend_from_slice(&checksum(bytes).to_le_bytes());
    file.extend_from_slice(bytes);
    file
}

/// Bytes as a block of LZ4 without compression. There are fewer than 256.
fn literals(bytes: &[u8]) -> Vec<u8> {
    match u8::try_from(bytes.len()).unwrap() {
        few @ ..15 => [&[few << 4], bytes].concat(),
        many => [&[15 << 4, many - 15], bytes].concat(),
    }
}

/// A number as the first value of a checkpoint: groups of seven bits, the lowest first.
fn value(mut number: u64) -> Vec<u8> {
    let mut packed = Vec::new();
    while number >= 128 {
        packed.push(number as u8 | 128);
        number >>= 7;
    }
    packed.push(number as u8);
    [&(packed.len() as u64).to_le_bytes()[..], &packed].concat()
}

#[test]
fn a_checkpoint_is_read_by_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved");
    let refused = |file: &[u8], read: &dyn Fn(&mut Loader) -> bool| {
        std::fs::write(&path, file).unwrap();
        let bytes = largest(|| {
            assert!(Loader::verify(&path).is_err());
            assert!(!read(&mut Loader::open(&path).unwrap()));
        });
        assert!(bytes < BUFFERS, "{bytes} bytes for a file of {}", file.len());
    };
    let claim = 64 << 20;
    let words = |loader: &mut Loader| loader.get_words().is_ok();
    let bytes = |loader: &mut Loader| loader.get_bytes().is_ok();
    // A chunk claims to be longer than the file, or to expand to more than LZ4 can.
    refused(&checkpoint(&[0; 20], claim, claim), &bytes);
    refused(&checkpoint(&[0; 20], 20, claim), &bytes);
    refused(&checkpoint(&[], 0, claim), &bytes);
    // A row claims to be longer than the file.
    let holds = |content: &[u8]| {
        let block = literals(content);
        checkpoint(&block, block.len() as u32, content.len() as u32)
    };
    refused(&holds(&(1_u64 << 40).to_le_bytes()), &bytes);
    refused(&holds(&u64::MAX.to_le_bytes()), &bytes);
    for count in [1 << 40, 1 << 61, u64::MAX] {
        refused(&holds(&value(count)), &words);
    }
}

#[test]
fn a_graph_is_read_by_its_size() {
    let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
    let most = u64::MAX;
    let step = [&[255; 9][..], &[1]].concat();
    for (lines, rows) in [
        (format!("nodes {most}\nedges {most}\n"), &[0; 9][..]),
        (format!("nodes {most}\nedges 0\nproposition p x\n"), &[0; 9]),
        (format!("nodes 1\nedges {most}\naction a\n"), &step),
    ] {
        let file = [format!("{FORMAT}\n{lines}rows\n").as_bytes(), rows].concat();
        let bytes = largest(|| assert!(read_graph(&mut &file[..], &disk, usize::MAX).is_err()));
        assert!(bytes < BUFFERS, "{bytes} bytes for a file of {}", file.len());
    }
}
