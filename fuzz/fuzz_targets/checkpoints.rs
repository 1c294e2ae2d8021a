//! Any bytes are read as a checkpoint without a panic: as a whole file, as the compressed bytes of
//! a chunk whose checksum is right, and as the content of such a chunk.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use engine::check::checkpoint::CheckpointFolder;
use engine::store::external::block::checksum;
use engine::store::saved::{Loader, Saver};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// A folder for checkpoints.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("there is room for a folder"));

/// The first bytes of each checkpoint, which name the format.
static HEAD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = FOLDER.path().join("empty");
    Saver::create(&path).and_then(Saver::finish).expect("there is room for a file");
    let empty = fs::read(&path).expect("the file was written");
    empty[..empty.len() - 16].to_vec()
});

/// A file with one chunk, which claims to expand to this length.
fn with_chunk(bytes: &[u8], plain: u32) -> Vec<u8> {
    let mut file = HEAD.clone();
    file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    file.extend_from_slice(&plain.to_le_bytes());
    file.extend_from_slice(&checksum(bytes).to_le_bytes());
    file.extend_from_slice(bytes);
    file.extend_from_slice(&[0; 8]);
    file.extend_from_slice(&1_u64.to_le_bytes());
    file
}

/// Reads values of these kinds, also after one that cannot be read.
fn read_each(loader: &mut Loader, kinds: &[u8]) {
    for kind in kinds {
        match kind % 4 {
            0 => drop(loader.get_words()),
            1 => drop(loader.get_bytes()),
            2 => drop(loader.get::<(u64, String, Option<u8>)>()),
            _ => drop(loader.get::<Vec<Vec<u32>>>()),
        }
    }
}

fn read(file: &[u8], path: &Path, kinds: &[u8]) {
    fs::write(path, file).expect("there is room for a file");
    if let Ok(mut checkpoint) = CheckpointFolder::new(FOLDER.path()).open() {
        assert!(Loader::verify(path).is_ok(), "a checkpoint that was opened is intact");
        read_each(&mut checkpoint.loader, kinds);
    }
    // Nor is there a panic if the file is not intact, or does not begin with a text.
    if let Ok(mut loader) = Loader::open(path) {
        read_each(&mut loader, kinds);
    }
}

fuzz_target!(|input: (u32, [u8; 8], &[u8])| {
    let (plain, kinds, bytes) = input;
    let path = FOLDER.path().join("checkpoint");
    read(bytes, &path, &kinds);
    read(&[&HEAD[..], bytes].concat(), &path, &kinds);
    read(&with_chunk(bytes, plain), &path, &kinds);
    read(&with_chunk(&lz4_flex::block::compress(bytes), bytes.len() as u32), &path, &kinds);
});
