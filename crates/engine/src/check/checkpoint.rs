//! Checkpoints: a run is saved from time to time, and can resume after it was stopped or killed.
//!
//! A folder has at most two files: the last checkpoint, and the one before it. The older one is
//! removed only after the new one was written, read back and found intact. So one intact checkpoint
//! exists at all times, even if the process is killed in between.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::CheckError;
use crate::explore::search::Snapshot;
use crate::explore::{AfterPause, Monitor, PausedSearch, Phase, StopReason};
use crate::store::saved::{Loader, Saver};

const CURRENT: &str = "checkpoint";
const PREVIOUS: &str = "checkpoint.previous";
const UNFINISHED: &str = "checkpoint.new";

/// Checkpoints take at most one part in `SHARE` of the running time.
const SHARE: u32 = 10;

/// Number of attempts to lock a folder, and the time between two of them.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// Settings of checkpoints: when a run is saved, and where.
#[derive(Clone, Debug)]
pub struct Checkpointing {
    /// The folder for the checkpoint files. It must have no other use.
    pub directory: PathBuf,
    /// Minimum time between two checkpoints.
    pub every: Duration,
    /// A text of the caller, which is returned when the run resumes.
    pub about: String,
    /// Whether to resume from the checkpoint in the folder.
    pub resumes: bool,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct CheckpointFolder(PathBuf);

/// A checkpoint that was found intact.
#[derive(Debug)]
pub struct Checkpoint {
    /// Reader of the rest of the checkpoint.
    pub loader: Loader,
    /// The text of the caller that saved it.
    pub about: String,
    /// The reason why the last checkpoint cannot be used, if this is the one before it.
    pub fallback: Option<String>,
}

impl CheckpointFolder {
    /// The checkpoints in this folder.
    pub fn new(directory: &Path) -> Self {
        Self(directory.to_owned())
    }

    /// Whether there is a checkpoint, intact or not.
    pub fn is_used(&self) -> bool {
        [CURRENT, PREVIOUS].iter().any(|name| self.0.join(name).exists())
    }

    /// Locks the folder until the file is dropped or the process ends in any way.
    ///
    /// # Errors
    /// Another run has the lock, or the folder cannot be created.
    pub fn lock(&self) -> Result<fs::File, CheckError> {
        fs::create_dir_all(&self.0).map_err(CheckError::Checkpoint)?;
        let folder = fs::File::open(&self.0).map_err(CheckError::Checkpoint)?;
        // A child process that is being started holds the open files of its parent for a moment.
        for _ in 0..LOOKS {
            match folder.try_lock() {
                Err(fs::TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
                // Some file systems cannot lock. There the user must keep runs apart.
                Ok(()) | Err(fs::TryLockError::Error(_)) => return Ok(folder),
            }
        }
        Err(CheckError::FolderInUse(self.0.clone()))
    }

    /// Writes a checkpoint. If that fails, the earlier ones remain.
    pub fn save(&self, about: &str, fill: impl FnOnce(&mut Saver) -> io::Result<()>) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        let [current, previous, unfinished] = [CURRENT, PREVIOUS, UNFINISHED].map(|name| self.0.join(name));
        let written = Saver::create(&unfinished).and_then(|mut saver| {
            saver.put(about)?;
            fill(&mut saver)?;
            saver.finish()?;
            Loader::verify(&unfinished)
        });
        if let Err(error) = written {
            // If it cannot be removed, the next one overwrites it.
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
        if current.exists() {
            fs::rename(&current, &previous)?;
        }
        fs::rename(&unfinished, &current)?;
        // Flush the new names to disk as well, where the system can flush a folder.
        let _ = fs::File::open(&self.0).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Opens the last checkpoint that is intact.
    ///
    /// # Errors
    /// There is none. The error says what is wrong with the last one.
    pub fn open(&self) -> io::Result<Checkpoint> {
        let open = |name| -> io::Result<(String, Loader)> {
            let path = self.0.join(name);
            Loader::verify(&path)?;
            let mut loader = Loader::open(&path)?;
            Ok((loader.get()?, loader))
        };
        let (fallback, (about, loader)) = match open(CURRENT) {
            Ok(current) => (None, current),
            Err(error) => match open(PREVIOUS) {
                Ok(previous) => (Some(error.to_string()), previous),
                Err(_) => return Err(error),
            },
        };
        Ok(Checkpoint { loader, about, fallback })
    }

    /// Removes all checkpoints, and the folder if it has no other files.
    pub fn remove(&self) {
        for name in [CURRENT, PREVIOUS, UNFINISHED] {
            let _ = fs::remove_file(self.0.join(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

/// Monitor that pauses a search when a checkpoint is due.
pub(super) struct Pauses<'a> {
    pub(super) monitor: &'a mut dyn Monitor,
    clock: Option<Clock>,
}

struct Clock {
    every: Duration,
    next: Instant,
}

impl<'a> Pauses<'a> {
    /// Wraps the monitor. The first call pauses, so that a checkpoint exists from then on.
    pub(super) fn new(monitor: &'a mut dyn Monitor, checkpoints: Option<&Checkpointing>) -> Self {
        let clock = checkpoints.map(|one| Clock {
            every: one.every,
            next: if one.resumes { Instant::now() + one.every } else { Instant::now() },
        });
        Self { monitor, clock }
    }

    /// Notes that a checkpoint was written, and the time it took.
    pub(super) fn saved(&mut self, took: Duration) {
        if let Some(clock) = &mut self.clock {
            clock.next = Instant::now() + clock.every.max(took * SHARE);
        }
    }
}

impl Monitor for Pauses<'_> {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        let stop = self.monitor.look(snapshot);
        let wanted = self.monitor.wants_checkpoint();
        let is_due = self.clock.as_ref().is_some_and(|clock| wanted || Instant::now() >= clock.next);
        stop.or(is_due.then_some(StopReason::Pause))
    }

    fn phase(&mut self, phase: Phase<'_>) {
        self.monitor.phase(phase);
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        self.monitor.paused(search)
    }

    fn sweep_disappoints(&mut self) -> bool {
        self.monitor.sweep_disappoints()
    }

    fn sweep_ended(&mut self, snapshot: &Snapshot) -> bool {
        self.monitor.sweep_ended(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_run_at_a_time_saves_to_a_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = CheckpointFolder::new(&parent.path().join("saved"));
        let first = folder.lock().unwrap();
        assert!(matches!(folder.lock(), Err(CheckError::FolderInUse(_))));
        drop(first);
        folder.lock().unwrap();
    }

    fn number(folder: &CheckpointFolder) -> io::Result<(u64, bool)> {
        let mut checkpoint = folder.open()?;
        Ok((checkpoint.loader.get()?, checkpoint.fallback.is_some()))
    }

    #[test]
    fn one_of_two_checkpoints_is_always_whole() {
        let place = tempfile::tempdir().unwrap();
        let folder = CheckpointFolder::new(&place.path().join("new"));
        assert!(!folder.is_used() && folder.open().is_err());
        for generation in 1..4u64 {
            folder.save("about", |saver| saver.put(&generation)).unwrap();
            assert_eq!(number(&folder).unwrap(), (generation, false));
        }
        assert!(folder.save("about", |_| Err(io::Error::other("no room"))).is_err());
        assert_eq!(number(&folder).unwrap(), (3, false), "what was there is there");
        let current = folder.0.join(CURRENT);
        let whole = fs::read(&current).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&current, &changed).unwrap();
            assert_eq!(number(&folder).unwrap(), (2, true), "byte {at}");
            fs::write(&current, &whole[..at]).unwrap();
            assert_eq!(number(&folder).unwrap(), (2, true), "cut off at {at}");
        }
        fs::remove_file(&current).unwrap();
        assert_eq!(number(&folder).unwrap(), (2, true));
        folder.remove();
        assert!(!folder.0.exists());
    }

    /// A file that is intact and whose first value is not a text is not a checkpoint.
    #[test]
    fn an_intact_file_of_something_else_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let folder = CheckpointFolder::new(place.path());
        let mut saver = Saver::create(&place.path().join(CURRENT)).unwrap();
        saver.put(&u64::MAX).unwrap();
        saver.finish().unwrap();
        assert!(folder.open().is_err());
        fs::remove_file(place.path().join(CURRENT)).unwrap();
        fs::create_dir(place.path().join(CURRENT)).unwrap();
        assert!(folder.open().is_err(), "a folder");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn arbitrary_files_are_an_error_or_make_way_for_the_previous_one(
            head in any::<bool>(), bytes in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let place = tempfile::tempdir().unwrap();
            let folder = CheckpointFolder::new(place.path());
            let [current, previous] = [CURRENT, PREVIOUS].map(|name| place.path().join(name));
            folder.save("about", |saver| saver.put(&5u64)).unwrap();
            fs::rename(&current, &previous).unwrap();
            let whole = fs::read(&previous).unwrap();
            let bytes = if head { [&whole[..16], &bytes].concat() } else { bytes };
            fs::write(&current, &bytes).unwrap();
            prop_assert_eq!(number(&folder).unwrap(), (5, true));
            fs::write(&previous, &bytes).unwrap();
            prop_assert!(folder.open().is_err());
        }
    }
}
