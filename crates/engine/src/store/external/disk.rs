//! Disk: where blocks of records are, how much space they take, and what was written and read.
//!
//! All blocks are in one file without a name, so nothing is left behind, however a run ends. A
//! block takes pages of it, and gives them back when it is not needed any more. A thread compresses
//! and writes blocks while the search continues. Only this module counts records, the way the
//! literature on external search does: one for each record that is written or read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};

use super::block::{Block, Scratch};
use crate::store::saved::{Loader, Saver};

/// Blocks that are handed to the thread together.
const TOGETHER: usize = 8;
/// Number of such groups that may wait to be written.
const WAITING: usize = 2;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Bytes that stay free on a disk.
const SPARE: u64 = 64 << 20;

/// The kind of records.
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
    /// States that partitions are still to enter or to expand.
    Candidates,
    /// States and steps on their way to a graph.
    Steps,
    /// The rows of a graph.
    Rows,
}

impl FileClass {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Queue,
        Self::Persistent,
        Self::Layer,
        Self::Visited,
        Self::Candidates,
        Self::Steps,
        Self::Rows,
    ];

    /// The name in run records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Persistent => "persistent",
            Self::Layer => "layer",
            Self::Visited => "visited",
            Self::Candidates => "candidates",
            Self::Steps => "steps",
            Self::Rows => "rows",
        }
    }

    /// Whether records are sorted, so that neighbours are alike.
    pub(super) fn is_sorted(self) -> bool {
        matches!(self, Self::Persistent | Self::Layer | Self::Steps)
    }
}

/// Counts of what was written and read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Counts by class of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounts([IoCount; FileClass::ALL.len()]);

impl IoCounts {
    /// Counts of this class.
    pub fn of(&self, class: FileClass) -> IoCount {
        self.0[class as usize]
    }

    /// Counts of all classes together.
    pub fn total(&self) -> IoCount {
        self.0.iter().copied().sum()
    }
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

/// A file for blocks, with a limit to its size.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pages: Arc<Pages>,
    writer: Mutex<Option<Writer>>,
}

/// The file, and which of its pages are in use.
#[derive(Debug)]
struct Pages {
    directory: PathBuf,
    limit: u64,
    state: Mutex<PagesState>,
    /// Bytes of the file. It never shrinks.
    size: AtomicU64,
    /// Bytes of the file that are in use.
    used: AtomicU64,
    /// Scratch space for decoding blocks. One block is decoded at a time, while many runs are read
    /// side by side: with a scratch space each, readers took twice the memory of their blocks.
    decoding: Mutex<Scratch>,
    counts: [AtomicCount; FileClass::ALL.len()],
}

#[derive(Debug, Default)]
struct PagesState {
    /// Exists once something was written.
    file: Option<Arc<File>>,
    /// For each number of pages, where as many contiguous pages are free.
    free: Vec<Vec<u64>>,
}

/// The place of a block.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    bytes: u32,
    /// The first word of its first record.
    first: u64,
}

impl Place {
    fn pages(self) -> u64 {
        u64::from(self.bytes).div_ceil(PAGE)
    }
}

#[derive(Debug)]
struct Writer {
    /// Blocks that are handed over together. To wake the thread for each would cost more than to
    /// write it.
    gathered: Vec<(Arc<RecordFile>, Block)>,
    jobs: SyncSender<Job>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
enum Job {
    Write(Vec<(Arc<RecordFile>, Block)>),
    /// A request to answer when everything before it is written.
    Settle(SyncSender<()>),
}

/// A row of blocks, to which others are appended.
#[derive(Debug)]
pub struct RecordFile {
    class: FileClass,
    pages: Arc<Pages>,
    written: Mutex<Written>,
    /// Number of blocks that are not written yet.
    pending: AtomicUsize,
}

#[derive(Debug, Default)]
struct Written {
    file: Option<Arc<File>>,
    places: Vec<Place>,
    failure: Option<io::Error>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk {
    /// A file in this directory of at most `limit` bytes.
    pub fn new(directory: &Path, limit: u64) -> Self {
        let pages = Pages {
            directory: directory.to_owned(),
            limit,
            state: Mutex::default(),
            size: AtomicU64::new(0),
            used: AtomicU64::new(0),
            decoding: Mutex::default(),
            counts: std::array::from_fn(|_| AtomicCount::default()),
        };
        Self(Arc::new(Shared { pages: Arc::new(pages), writer: Mutex::new(None) }))
    }

    /// Counts of what was written and read, by class.
    pub fn count(&self, class: FileClass) -> IoCount {
        let count = &self.0.pages.counts[class as usize];
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        IoCount {
            written: load(&count.written),
            read: load(&count.read),
            bytes_written: load(&count.bytes_written),
            bytes_read: load(&count.bytes_read),
        }
    }

    /// Counts of what was written and read of one class.
    pub fn counts(&self) -> IoCounts {
        IoCounts(FileClass::ALL.map(|class| self.count(class)))
    }

    /// Saves the counts.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&FileClass::ALL.map(|class| self.count(class)))
    }

    /// Adds to saved counts from now on.
    pub fn load(&self, from: &mut Loader) -> io::Result<()> {
        let counts: [IoCount; FileClass::ALL.len()] = from.get()?;
        for (now, before) in self.0.pages.counts.iter().zip(counts) {
            now.written.store(before.written, Ordering::Relaxed);
            now.read.store(before.read, Ordering::Relaxed);
            now.bytes_written.store(before.bytes_written, Ordering::Relaxed);
            now.bytes_read.store(before.bytes_read, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.0.pages.size.load(Ordering::Relaxed)
    }

    /// A reason to stop before the disk is full: the limit is near, or the disk has hardly room for
    /// `more` bytes.
    pub fn is_nearly_full(&self, needed: u64) -> Option<String> {
        let Pages { directory, limit, used, .. } = &*self.0.pages;
        let used = used.load(Ordering::Relaxed);
        if used == 0 {
            return None;
        }
        if used > limit - limit / 8 {
            return Some(format!("the limit of {limit} bytes for files is nearly reached"));
        }
        // If the system does not say how much is free, a write will fail.
        let room = rustix::fs::statvfs(directory).ok()?;
        let free = room.f_bavail.saturating_mul(room.f_frsize);
        (free < needed.saturating_add(SPARE)).then(|| format!("the disk has room for {free} more bytes only"))
    }

    /// Bytes that are in use.
    pub fn used(&self) -> u64 {
        self.0.pages.used.load(Ordering::Relaxed)
    }

    /// Bytes of memory held, beside those of the runs: the scratch space that their readers share.
    pub fn memory(&self) -> usize {
        lock(&self.0.pages.decoding).bytes()
    }

    /// Creates an empty row of blocks.
    pub fn create(&self, class: FileClass) -> Arc<RecordFile> {
        Arc::new(RecordFile {
            class,
            pages: self.0.pages.clone(),
            written: Mutex::default(),
            pending: AtomicUsize::new(0),
        })
    }

    /// Appends a block. A later call reports a failure.
    pub fn write(&self, file: &Arc<RecordFile>, block: Block) -> io::Result<()> {
        file.check()?;
        let records = block.records() as u64;
        self.0.pages.counts[file.class as usize].written.fetch_add(records, Ordering::Relaxed);
        file.pending.fetch_add(1, Ordering::Relaxed);
        self.with_writer(|writer| {
            writer.gathered.push((file.clone(), block));
            if writer.gathered.len() < TOGETHER { Ok(()) } else { writer.send_gathered() }
        })
    }

    /// Waits until everything is written.
    pub fn settle(&self, file: &RecordFile) -> io::Result<()> {
        if file.pending.load(Ordering::Acquire) > 0 {
            let (sender, done) = sync_channel(1);
            self.with_writer(|writer| {
                writer.send_gathered()?;
                writer.jobs.send(Job::Settle(sender)).map_err(|_| lost())
            })?;
            done.recv().map_err(|_| lost())?;
        }
        file.check()
    }

    fn with_writer(&self, act: impl FnOnce(&mut Writer) -> io::Result<()>) -> io::Result<()> {
        let mut writer = lock(&self.0.writer);
        act(match &mut *writer {
            Some(writer) => writer,
            none => none.insert(Writer::start()?),
        })
    }
}

fn lost() -> io::Error {
    io::Error::other("the thread that writes files is gone")
}

impl Drop for Shared {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Writer { jobs, thread, gathered }) = writer {
            drop((jobs, gathered));
            // Its failures were reported before, or are of no interest any more.
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn start() -> io::Result<Self> {
        let (jobs, queue) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("disk".into()).spawn(move || write_all(&queue))?;
        Ok(Self { gathered: Vec::new(), jobs, thread })
    }

    fn send_gathered(&mut self) -> io::Result<()> {
        self.jobs.send(Job::Write(std::mem::take(&mut self.gathered))).map_err(|_| lost())
    }
}

fn write_all(queue: &Receiver<Job>) {
    let mut scratch = Scratch::default();
    for job in queue {
        match job {
            Job::Write(blocks) => blocks.into_iter().for_each(|(file, block)| {
                let first = block.words().first().copied().unwrap_or_default();
                file.append(first, block.encode(file.class.is_sorted(), &mut scratch));
            }),
            // The receiver may have stopped waiting.
            Job::Settle(done) => drop(done.send(())),
        }
    }
}

impl PagesState {
    /// Takes this many contiguous free pages.
    fn take(&mut self, pages: usize) -> Option<u64> {
        self.free.get_mut(pages)?.pop()
    }

    /// Takes a part of more contiguous free pages.
    fn take_part(&mut self, pages: usize) -> Option<u64> {
        let whole = (pages..self.free.len()).find(|whole| !self.free[*whole].is_empty())?;
        let start = self.take(whole)?;
        self.give_back(whole - pages, start + pages as u64 * PAGE);
        Some(start)
    }

    fn give_back(&mut self, pages: usize, start: u64) {
        if self.free.len() <= pages {
            self.free.resize_with(pages + 1, Vec::new);
        }
        if pages > 0 {
            self.free[pages].push(start);
        }
    }
}

impl Pages {
    /// Writes a block, whose first word is `first`, to free pages.
    fn write(&self, first: u64, bytes: &[u8]) -> io::Result<(Arc<File>, Place)> {
        let too_large = || io::Error::other("a block is too large");
        let mut place =
            Place { start: 0, bytes: u32::try_from(bytes.len()).map_err(|_| too_large())?, first };
        let mut state = lock(&self.state);
        let file = match &state.file {
            Some(file) => file.clone(),
            None => state.file.insert(Arc::new(tempfile::tempfile_in(&self.directory)?)).clone(),
        };
        let pages = place.pages();
        let size = self.size.load(Ordering::Relaxed);
        place.start = if let Some(start) = state.take(pages as usize) {
            start
        } else if size + pages * PAGE <= self.limit {
            self.size.store(size + pages * PAGE, Ordering::Relaxed);
            size
        } else {
            state.take_part(pages as usize).ok_or_else(|| {
                io::Error::new(io::ErrorKind::QuotaExceeded, "the limit for files is reached")
            })?
        };
        drop(state);
        self.used.fetch_add(pages * PAGE, Ordering::Relaxed);
        match file.write_all_at(bytes, place.start) {
            Ok(()) => Ok((file, place)),
            Err(error) => {
                self.free(place);
                Err(error)
            }
        }
    }

    fn free(&self, place: Place) {
        self.used.fetch_sub(place.pages() * PAGE, Ordering::Relaxed);
        lock(&self.state).give_back(place.pages() as usize, place.start);
    }
}

impl RecordFile {
    /// Number of blocks that are written.
    pub fn blocks(&self) -> usize {
        lock(&self.written).places.len()
    }

    /// Saves the blocks from this number on as they are. Everything is written.
    pub(super) fn save(&self, first: usize, to: &mut Saver) -> io::Result<()> {
        let written = lock(&self.written);
        let places = written.places.get(first..).unwrap_or_default();
        to.put(&places.len())?;
        let mut bytes = Vec::new();
        for place in places {
            bytes.resize(place.bytes as usize, 0);
            written.file.as_ref().ok_or_else(lost)?.read_exact_at(&mut bytes, place.start)?;
            to.put(&place.first)?;
            to.put_bytes(&bytes)?;
        }
        Ok(())
    }

    /// Loads saved blocks.
    pub(super) fn load(disk: &Disk, class: FileClass, from: &mut Loader) -> io::Result<Arc<Self>> {
        let file = disk.create(class);
        let blocks: usize = from.get()?;
        for _ in 0..blocks {
            let (first, bytes): (u64, _) = (from.get()?, from.get_bytes()?);
            let (backing, place) = disk.0.pages.write(first, &bytes)?;
            let mut written = lock(&file.written);
            written.file = Some(backing);
            written.places.push(place);
        }
        Ok(file)
    }

    /// Finds, among blocks of sorted records from this one on, the first that may have a record
    /// whose first word is not smaller.
    pub(super) fn block_of(&self, from: usize, first: u64) -> usize {
        let written = lock(&self.written);
        let behind = written.places.get(from + 1..).unwrap_or_default();
        from + behind.partition_point(|place| place.first < first)
    }

    /// Reads a block. The read counts, unless it was counted before.
    pub(super) fn read(&self, number: usize, block: &mut Block, counted: bool) -> io::Result<()> {
        let (file, place) = {
            let written = lock(&self.written);
            written.file.clone().zip(written.places.get(number).copied()).ok_or_else(lost)?
        };
        let mut scratch = lock(&self.pages.decoding);
        block.decode(&mut scratch, place.bytes as usize, |into| file.read_exact_at(into, place.start))?;
        drop(scratch);
        if !counted {
            return Ok(());
        }
        let count = &self.pages.counts[self.class as usize];
        count.read.fetch_add(block.records() as u64, Ordering::Relaxed);
        count.bytes_read.fetch_add(u64::from(place.bytes), Ordering::Relaxed);
        Ok(())
    }

    fn append(&self, first: u64, bytes: &[u8]) {
        if lock(&self.written).failure.is_none() {
            let result = self.pages.write(first, bytes);
            let mut written = lock(&self.written);
            match result {
                Ok((file, place)) => {
                    written.file = Some(file);
                    written.places.push(place);
                    let count = &self.pages.counts[self.class as usize];
                    count.bytes_written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                }
                Err(error) => written.failure = Some(error),
            }
        }
        self.pending.fetch_sub(1, Ordering::Release);
    }

    /// The failure, if something went wrong.
    fn check(&self) -> io::Result<()> {
        let written = lock(&self.written);
        written.failure.as_ref().map_or(Ok(()), |error| Err(io::Error::new(error.kind(), error.to_string())))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        lock(&self.written).places.capacity() * size_of::<Place>()
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        let written = self.written.get_mut().unwrap_or_else(PoisonError::into_inner);
        written.places.drain(..).for_each(|place| self.pages.free(place));
    }
}
