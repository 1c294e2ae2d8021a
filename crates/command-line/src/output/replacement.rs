//! Atomic replacement of a file: the new content is written to another file in the same directory,
//! and then takes the place of the old one.
//!
//! A process can be killed at any moment and must leave no stray files. On Linux the new file has
//! no name while it is written, so it disappears with the process. A nameless file can be linked to
//! a name, but only to a free one. So it first gets a temporary name, made from a hash of the
//! target's name, and is then renamed. A file with such a name is complete. A process that finds
//! the name taken renames that file, on behalf of a process that was killed between the two steps
//! or has not done the second one yet.
//!
//! On other systems, and in file systems without nameless files, the new file has a random name.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::store::external::block::checksum;
use tempfile::NamedTempFile;

/// New content of a file. Dropping it leaves the file as it is.
pub struct Replacement {
    target: PathBuf,
    content: Content,
}

enum Content {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(NamedTempFile),
}

impl Replacement {
    /// Empty content for a file.
    ///
    /// # Errors
    /// No file can be created in the directory.
    pub fn of(target: &Path) -> io::Result<Self> {
        Ok(Self { target: target.into(), content: Content::in_directory(directory_of(target))? })
    }

    /// Replaces the file by the content.
    ///
    /// # Errors
    /// The directory does not allow it any more. Then the file keeps its old content.
    pub fn publish(self) -> io::Result<()> {
        // The new content gets the permissions of the old one.
        if let Ok(old) = fs::metadata(&self.target) {
            let file = match &self.content {
                #[cfg(target_os = "linux")]
                Content::Nameless(file) => file,
                Content::Named(file) => file.as_file(),
            };
            // If that is not allowed, the result matters more than its permissions.
            let _ = file.set_permissions(old.permissions());
        }
        match self.content {
            #[cfg(target_os = "linux")]
            Content::Nameless(file) => publish_nameless(&file, &self.target),
            Content::Named(file) => file.persist(&self.target).map(drop).map_err(|error| error.error),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.content {
            #[cfg(target_os = "linux")]
            Content::Nameless(file) => file.write(bytes),
            Content::Named(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(()) // There is no buffer.
    }
}

impl Content {
    #[cfg(target_os = "linux")]
    fn in_directory(directory: &Path) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt;
        // A nameless file gets its name through this directory.
        if !Path::new("/proc/self/fd").is_dir() {
            return Self::named(directory);
        }
        let nameless = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
        match File::options().write(true).custom_flags(nameless).mode(MODE).open(directory) {
            Ok(file) => Ok(Self::Nameless(file)),
            Err(_) => Self::named(directory),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn in_directory(directory: &Path) -> io::Result<Self> {
        Self::named(directory)
    }

    fn named(directory: &Path) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sweepline-").permissions(Permissions::from_mode(MODE));
        builder.tempfile_in(directory).map(Self::Named)
    }
}

/// Permissions of a new file, before the user's mask.
const MODE: u32 = 0o666;

fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(target_os = "linux")]
fn publish_nameless(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;

    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    let mut refused = io::ErrorKind::AlreadyExists.into();
    for attempt in 0..ATTEMPTS {
        let hash = checksum(name.as_encoded_bytes()) ^ attempt;
        let passing = directory_of(target).join(format!(".sweepline-{hash:016x}"));
        let renamed = || match fs::rename(&passing, target) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed,
        };
        match linkat(CWD, &*nameless, CWD, &passing, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => {
                return renamed().inspect_err(|_| drop(fs::remove_file(&passing)));
            }
            // A file of another user cannot be renamed; another name is tried.
            Err(rustix::io::Errno::EXIST) => refused = renamed().err().unwrap_or(refused),
            Err(error) => return Err(error.into()),
        }
    }
    Err(refused)
}

/// Greatest number of processes that write the same file at once, or were killed while doing so.
#[cfg(target_os = "linux")]
const ATTEMPTS: u64 = 1 << 10;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn dropped_content_leaves_no_file_and_published_content_replaces_all() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("run.json");
        fs::write(&target, "old").unwrap();
        let mut dropped = Replacement::of(&target).unwrap();
        dropped.write_all(b"half").unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "it has no name");
        drop(dropped);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        // The file of a process that was killed between the two steps.
        let left = format!(".sweepline-{:016x}", checksum(b"run.json"));
        fs::write(directory.path().join(left), "left").unwrap();
        let mut whole = Replacement::of(&target).unwrap();
        whole.write_all(b"new").unwrap();
        whole.publish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_longest_names_work_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("n".repeat(255));
        for _ in 0..2 {
            let mut content = Replacement::of(&target).unwrap();
            content.write_all(b"new").unwrap();
            content.publish().unwrap();
            fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        }
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        // Content that cannot be published leaves no file.
        let refused = Replacement::of(&directory.path().join("folder/")).unwrap();
        fs::create_dir(directory.path().join("folder")).unwrap();
        refused.publish().unwrap_err();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn processes_that_write_the_same_file_do_not_fail() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("run.json");
        std::thread::scope(|scope| {
            for writer in 0..4u8 {
                let target = &target;
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut content = Replacement::of(target).unwrap();
                        content.write_all(&[b'a' + writer; 100]).unwrap();
                        content.publish().unwrap();
                        let read = fs::read(target).unwrap();
                        assert!(read.len() == 100 && read.iter().all(|&byte| byte == read[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
