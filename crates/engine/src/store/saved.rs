//! What a search is, on its way to a checkpoint and back.
//!
//! A file of compressed chunks, each with a checksum, between a head that names the format and an end that tells how many there are: a file
//! that was cut off or changed is noticed before anything of it is believed.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::external::block::checksum;

/// Name and version of the format.
const HEAD: [u8; 16] = *b"sweepline-save/7";
/// Bytes of a chunk, about.
const CHUNK: usize = 256 << 10;
/// The most that a chunk may claim to be.
const LARGEST: usize = 64 << 20;
/// Bytes that one compressed byte stands for, at most: a byte of LZ4 adds at most 255 to a length.
const EXPANSION: usize = 255;

/// Writes what is to be kept.
#[derive(Debug)]
pub struct Saver {
    file: BufWriter<File>,
    chunk: Vec<u8>,
    chunks: u64,
}

/// Reads it.
#[derive(Debug)]
pub struct Loader {
    file: BufReader<File>,
    chunk: Vec<u8>,
    place: usize,
    chunks: u64,
    is_at_end: bool,
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file is damaged")
}

/// A file that is shorter than it says is damaged.
fn read_exact(file: &mut BufReader<File>, into: &mut [u8]) -> io::Result<()> {
    file.read_exact(into).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(),
        _ => error,
    })
}

impl Saver {
    /// Into a new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&HEAD)?;
        Ok(Self { file, chunk: Vec::with_capacity(CHUNK), chunks: 0 })
    }

    /// A value.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        self.put_bytes(&postcard::to_stdvec(value).map_err(io::Error::other)?)
    }

    /// A row of words.
    pub fn put_words(&mut self, words: &[u64]) -> io::Result<()> {
        self.put(&words.len())?;
        for words in words.chunks(CHUNK / 8) {
            self.chunk.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            self.write_full()?;
        }
        Ok(())
    }

    /// A row of bytes.
    pub fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.chunk.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        bytes.chunks(CHUNK).try_for_each(|part| {
            self.chunk.extend_from_slice(part);
            self.write_full()
        })
    }

    fn write_full(&mut self) -> io::Result<()> {
        if self.chunk.len() >= CHUNK { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        let bytes = lz4_flex::block::compress(&self.chunk);
        let mut head = Vec::with_capacity(16 + bytes.len());
        head.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        head.extend_from_slice(&(self.chunk.len() as u32).to_le_bytes());
        head.extend_from_slice(&checksum(&bytes).to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(&bytes)?;
        self.chunk.clear();
        self.chunks += 1;
        Ok(())
    }

    /// That was all, and it is on disk for sure.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.write_chunk()?;
        }
        let end = self.chunks.to_le_bytes();
        self.file.write_all(&[0; 8])?;
        self.file.write_all(&end)?;
        self.file.into_inner()?.sync_all()
    }
}

impl Loader {
    /// From a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::new(File::open(path)?);
        let mut head = HEAD;
        read_exact(&mut file, &mut head)?;
        if head[..15] != HEAD[..15] {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is no checkpoint"));
        }
        if head != HEAD {
            let message = "the checkpoint was written by another version of this program";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Self { file, chunk: Vec::new(), place: 0, chunks: 0, is_at_end: false })
    }

    /// Reads all of a file and tells whether it is whole.
    pub fn verify(path: &Path) -> io::Result<()> {
        let mut loader = Self::open(path)?;
        while !loader.is_at_end {
            loader.read_chunk()?;
        }
        if loader.file.read(&mut [0])? == 0 { Ok(()) } else { Err(damaged()) }
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        let mut head = [0; 16];
        read_exact(&mut self.file, &mut head)?;
        let (lengths, last) = head.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let (size, plain) = (number(&lengths[..4]) as usize, number(&lengths[4..]) as usize);
        if (size, plain) == (0, 0) {
            self.is_at_end = number(last) == self.chunks;
            return if self.is_at_end { Ok(()) } else { Err(damaged()) };
        }
        // The lengths may be wrong. Memory grows with what the file has, not with what it claims.
        if size > LARGEST || plain > LARGEST.min(size * EXPANSION) {
            return Err(damaged());
        }
        let mut bytes = Vec::new();
        self.file.by_ref().take(size as u64).read_to_end(&mut bytes)?;
        if bytes.len() != size || checksum(&bytes) != number(last) {
            return Err(damaged());
        }
        self.chunk = lz4_flex::block::decompress(&bytes, plain).map_err(|_| damaged())?;
        if self.chunk.len() != plain {
            return Err(damaged());
        }
        self.place = 0;
        self.chunks += 1;
        Ok(())
    }

    fn read(&mut self, mut into: &mut [u8]) -> io::Result<()> {
        while !into.is_empty() {
            if self.place == self.chunk.len() {
                if self.is_at_end {
                    return Err(damaged());
                }
                self.read_chunk()?;
                continue;
            }
            let count = into.len().min(self.chunk.len() - self.place);
            let (now, later) = into.split_at_mut(count);
            now.copy_from_slice(&self.chunk[self.place..self.place + count]);
            self.place += count;
            into = later;
        }
        Ok(())
    }

    /// The next value.
    pub fn get<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        postcard::from_bytes(&self.get_bytes()?).map_err(|_| damaged())
    }

    /// The next row of words.
    pub fn get_words(&mut self) -> io::Result<Vec<u64>> {
        let count: usize = self.get()?;
        let mut words = Vec::new();
        let mut bytes = vec![0; CHUNK];
        while words.len() < count {
            let bytes = &mut bytes[..CHUNK.min((count - words.len()).saturating_mul(8))];
            self.read(bytes)?;
            words.extend(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(words)
    }

    /// The next row of bytes.
    pub fn get_bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.read(&mut length)?;
        let (count, mut bytes) = (u64::from_le_bytes(length), Vec::new());
        while (bytes.len() as u64) < count {
            let before = bytes.len();
            bytes.resize(before + (count - before as u64).min(CHUNK as u64) as usize, 0);
            self.read(&mut bytes[before..])?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_may_be_larger_than_any_chunk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved");
        let value = vec![u64::MAX; LARGEST / 8];
        let mut saver = Saver::create(&path).unwrap();
        saver.put(&value).unwrap();
        saver.finish().unwrap();
        Loader::verify(&path).unwrap();
        assert_eq!(Loader::open(&path).unwrap().get::<Vec<u64>>().unwrap(), value);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Whatever was saved comes back; with one bit changed or the end cut off, nothing does.
        #[test]
        fn what_is_saved_comes_back_or_is_known_to_be_damaged(
            rows in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..5_000), 0..20), at: prop::sample::Index, bit in 0..8u8,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("saved");
            let mut saver = Saver::create(&path).unwrap();
            for row in &rows {
                saver.put_words(row).unwrap();
                saver.put(&(row.len() as u32, "text", Some(7u8))).unwrap();
                saver.put_bytes(&vec![9; row.len() * 100]).unwrap();
            }
            saver.finish().unwrap();
            Loader::verify(&path).unwrap();
            let mut loader = Loader::open(&path).unwrap();
            for row in &rows {
                prop_assert_eq!(&loader.get_words().unwrap(), row);
                prop_assert_eq!(loader.get::<(u32, String, Option<u8>)>().unwrap(), (row.len() as u32, "text".into(), Some(7)));
                prop_assert_eq!(loader.get_bytes().unwrap().len(), row.len() * 100);
            }
            let whole = std::fs::read(&path).unwrap();
            let at = at.index(whole.len());
            std::fs::write(&path, &whole[..at]).unwrap();
            prop_assert!(Loader::verify(&path).is_err(), "cut off at {at} of {}", whole.len());
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            std::fs::write(&path, &changed).unwrap();
            prop_assert!(Loader::verify(&path).is_err(), "byte {at} of {} changed", whole.len());
        }
    }

    /// A file with these chunks, each with compressed bytes and the length that it claims to expand
    /// to. All checksums are right.
    fn forged(chunks: &[(Vec<u8>, u32)]) -> Vec<u8> {
        let mut file = HEAD.to_vec();
        for (bytes, plain) in chunks {
            file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            file.extend_from_slice(&plain.to_le_bytes());
            file.extend_from_slice(&checksum(bytes).to_le_bytes());
            file.extend_from_slice(bytes);
        }
        file.extend_from_slice(&[0; 8]);
        file.extend_from_slice(&(chunks.len() as u64).to_le_bytes());
        file
    }

    /// Reads values of these kinds, also after one that could not be read. Returns how many could.
    fn read_each(file: &[u8], kinds: &[u8]) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved");
        std::fs::write(&path, file).unwrap();
        let _ = Loader::verify(&path);
        let Ok(mut loader) = Loader::open(&path) else { return 0 };
        let read = kinds.iter().filter(|kind| match **kind % 4 {
            0 => loader.get_words().is_ok(),
            1 => loader.get_bytes().is_ok(),
            2 => loader.get::<(u64, String, Option<u8>)>().is_ok(),
            _ => loader.get::<Vec<Vec<u32>>>().is_ok(),
        });
        read.count()
    }

    /// Bytes with many lengths among them: of eight bytes, and as postcard writes them.
    fn contents() -> impl Strategy<Value = Vec<u8>> {
        let length = prop_oneof![0..40u64, any::<u64>(), Just(u64::MAX), (0..64u32).prop_map(|bit| 1 << bit)];
        let part = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            length.clone().prop_map(|length| length.to_le_bytes().to_vec()),
            length.prop_map(|length| {
                let packed = postcard::to_stdvec(&length).unwrap();
                [&(packed.len() as u64).to_le_bytes()[..], &packed].concat()
            }),
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    /// The count of a row of words is larger than the file: 2⁶¹ words are 2⁶⁴ bytes.
    #[test]
    fn a_row_of_words_that_claims_more_than_memory_is_damaged() {
        for count in [1, 1 << 61, (1 << 61) + 1, u64::MAX] {
            let packed = postcard::to_stdvec(&count).unwrap();
            let content = [&(packed.len() as u64).to_le_bytes()[..], &packed].concat();
            let chunk = (lz4_flex::block::compress(&content), content.len() as u32);
            assert_eq!(read_each(&forged(&[chunk]), &[0]), 0, "{count} words");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn arbitrary_bytes_never_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200), kinds in prop::collection::vec(any::<u8>(), 0..8),
        ) {
            prop_assert_eq!(read_each(&bytes, &kinds), 0);
            read_each(&[&HEAD[..], &bytes].concat(), &kinds);
        }

        #[test]
        fn arbitrary_chunks_with_right_checksums_never_panic(
            chunks in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..60), 0..2_000u32), 0..4),
            claim: u32, kinds in prop::collection::vec(any::<u8>(), 0..8),
        ) {
            read_each(&forged(&chunks), &kinds);
            let claiming: Vec<_> = chunks.into_iter().map(|(bytes, _)| (bytes, claim)).collect();
            read_each(&forged(&claiming), &kinds);
        }

        #[test]
        fn arbitrary_contents_never_panic(
            contents in prop::collection::vec(contents(), 0..4), kinds in prop::collection::vec(any::<u8>(), 0..8),
        ) {
            let chunk = |content: Vec<u8>| (lz4_flex::block::compress(&content), content.len() as u32);
            read_each(&forged(&contents.into_iter().map(chunk).collect::<Vec<_>>()), &kinds);
        }

        /// Without [`Loader::verify`], which a caller may forget.
        #[test]
        fn damaged_files_never_panic(
            words in prop::collection::vec(any::<u64>(), 0..50),
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            cut: prop::sample::Index, rest in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("saved");
            let mut saver = Saver::create(&path).unwrap();
            saver.put_words(&words).unwrap();
            saver.put_bytes(&vec![7; words.len()]).unwrap();
            saver.put(&(9u64, "text", Some(7u8))).unwrap();
            saver.finish().unwrap();
            let mut file = std::fs::read(&path).unwrap();
            let kinds = [0, 1, 2, 3];
            prop_assert_eq!(read_each(&file, &kinds), 3);
            let longer = [&file[..], &rest].concat();
            std::fs::write(&path, &longer).unwrap();
            prop_assert_eq!(Loader::verify(&path).is_ok(), rest.is_empty());
            for (at, byte) in flips {
                let at = at.index(file.len());
                file[at] ^= byte;
            }
            read_each(&[&file[..], &rest].concat(), &kinds);
            read_each(&[&file[..cut.index(file.len())], &rest].concat(), &kinds);
        }
    }
}
