//! Where files of records are, how much they take, and what was written and read.
//!
//! Files have no names: nothing is left behind, however a run ends. They are written by a thread of their own, block by block; while it compresses and
//! writes, the search goes on. Single records are counted here, and nowhere else, the way the literature on external search counts them: one for each
//! record that goes to a file or comes from one.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::block::{Block, Scratch};

/// Blocks that wait to be written, at the most.
const WAITING: usize = 4;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileClass {
    /// Future layers.
    Queue,
    /// Persistent states.
    Persistent,
    /// Parts of a layer that is larger than memory.
    Layer,
    /// Expanded states of partitions.
    Visited,
    /// States that partitions are still to take in or to expand.
    Candidates,
}

impl FileClass {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Queue, Self::Persistent, Self::Layer, Self::Visited, Self::Candidates];
}

/// What went to files and came from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCount {
    /// Records written.
    pub written: u64,
    /// Records read.
    pub read: u64,
    /// Bytes written, compressed.
    pub bytes_written: u64,
    /// Bytes read, compressed.
    pub bytes_read: u64,
}

impl std::iter::Sum for IoCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            written: sum.written + one.written,
            read: sum.read + one.read,
            bytes_written: sum.bytes_written + one.bytes_written,
            bytes_read: sum.bytes_read + one.bytes_read,
        })
    }
}

#[derive(Debug, Default)]
struct AtomicCount {
    written: AtomicU64,
    read: AtomicU64,
    bytes_written: AtomicU64,
    bytes_read: AtomicU64,
}

/// A folder for files, with a limit to what they take together.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    usage: Arc<Usage>,
    directory: PathBuf,
    writer: Mutex<Option<Writer>>,
}

#[derive(Debug)]
struct Usage {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
    counts: [AtomicCount; FileClass::ALL.len()],
}

#[derive(Debug)]
struct Writer {
    jobs: SyncSender<Job>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
enum Job {
    Write(Arc<RecordFile>, Block),
    /// Answers when everything before it is done.
    Settle(SyncSender<()>),
}

/// A file that records are appended to.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    class: FileClass,
    usage: Arc<Usage>,
    bytes: AtomicU64,
    has_failed: AtomicBool,
    failure: Mutex<Option<io::Error>>,
}

impl Disk {
    /// Files in this folder, of at most `limit` bytes together.
    pub fn new(directory: &Path, limit: u64) -> Self {
        let usage = Usage {
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            counts: std::array::from_fn(|_| AtomicCount::default()),
        };
        Self(Arc::new(Shared {
            usage: Arc::new(usage),
            directory: directory.to_owned(),
            writer: Mutex::new(None),
        }))
    }

    /// What was written and read, by class.
    pub fn count(&self, class: FileClass) -> IoCount {
        let count = &self.0.usage.counts[class as usize];
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        IoCount {
            written: load(&count.written),
            read: load(&count.read),
            bytes_written: load(&count.bytes_written),
            bytes_read: load(&count.bytes_read),
        }
    }

    /// Bytes of all files, at the most so far.
    pub fn peak_bytes(&self) -> u64 {
        self.0.usage.peak.load(Ordering::Relaxed)
    }

    /// A new, empty file.
    pub fn create(&self, class: FileClass) -> io::Result<Arc<RecordFile>> {
        Ok(Arc::new(RecordFile {
            file: tempfile::tempfile_in(&self.0.directory)?,
            class,
            usage: self.0.usage.clone(),
            bytes: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        }))
    }

    /// Appends a block. A failure is told by a later call.
    pub fn write(&self, file: &Arc<RecordFile>, block: Block) -> io::Result<()> {
        file.check()?;
        let records = block.records() as u64;
        file.usage.counts[file.class as usize].written.fetch_add(records, Ordering::Relaxed);
        self.send(Job::Write(file.clone(), block))
    }

    /// Waits until everything is written.
    pub fn settle(&self, file: &RecordFile) -> io::Result<()> {
        let (sender, done) = sync_channel(1);
        self.send(Job::Settle(sender))?;
        done.recv().map_err(|_| lost())?;
        file.check()
    }

    fn send(&self, job: Job) -> io::Result<()> {
        let mut writer = self.0.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = match &mut *writer {
            Some(writer) => writer,
            none => none.insert(Writer::start()?),
        };
        writer.jobs.send(job).map_err(|_| lost())
    }
}

fn lost() -> io::Error {
    io::Error::other("the thread that writes files is gone")
}

impl Drop for Shared {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Writer { jobs, thread }) = writer {
            drop(jobs);
            // It has nothing to tell that nobody was told.
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn start() -> io::Result<Self> {
        let (jobs, queue) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("disk".into()).spawn(move || write_all(&queue))?;
        Ok(Self { jobs, thread })
    }
}

fn write_all(queue: &Receiver<Job>) {
    let mut scratch = Scratch::default();
    for job in queue {
        match job {
            Job::Write(file, block) => file.append(block.encode(&mut scratch)),
            // Whoever does not wait any more need not hear it.
            Job::Settle(done) => drop(done.send(())),
        }
    }
}

impl RecordFile {
    /// The file, to read from.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    /// Records of a block were read.
    pub(super) fn count_read(&self, records: u64, bytes: u64) {
        let count = &self.usage.counts[self.class as usize];
        count.read.fetch_add(records, Ordering::Relaxed);
        count.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    fn append(&self, bytes: &[u8]) {
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        let length = bytes.len() as u64;
        let used = self.usage.used.fetch_add(length, Ordering::Relaxed) + length;
        let written = if used > self.usage.limit {
            Err(io::Error::new(io::ErrorKind::QuotaExceeded, "the limit for files is reached"))
        } else {
            (&self.file).write_all(bytes)
        };
        match written {
            Ok(()) => {
                self.usage.peak.fetch_max(used, Ordering::Relaxed);
                self.usage.counts[self.class as usize].bytes_written.fetch_add(length, Ordering::Relaxed);
                self.bytes.fetch_add(length, Ordering::Release);
            }
            Err(error) => {
                self.usage.used.fetch_sub(length, Ordering::Relaxed);
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.has_failed.store(true, Ordering::Release);
            }
        }
    }

    /// What went wrong, if anything did.
    fn check(&self) -> io::Result<()> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(failure.as_ref().map_or_else(lost, |error| io::Error::new(error.kind(), error.to_string())))
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        self.usage.used.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}
