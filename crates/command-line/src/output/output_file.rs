//! Files that are written: tried out before the search, written in one step after it.
//!
//! A search may take hours, so a directory that does not exist must be noticed before, not after. A regular file is
//! replaced in one step ([`replacement`]): whoever reads it finds the old content or the new one, never a
//! part. Devices, pipes and what a shell has opened (`/dev/stdout`) are added to.

mod replacement;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use report::{Finding, WrittenFile, write_json};
use serde::Serialize;

use self::replacement::Replacement;
use crate::arguments::is_standard_stream;
use crate::codes;

/// A place that a result will be written to.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// As the command line calls it.
    named: PathBuf,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Stdout.
    Standard,
    /// A regular file, there already or not.
    Regular(PathBuf),
    /// A file in a directory that takes no new ones.
    Direct(PathBuf),
    /// A device, a pipe, or what another program opened: it is added to.
    Stream(PathBuf),
}

impl OutputFile {
    /// Finds out whether something can be written there, without changing anything.
    ///
    /// # Errors
    /// It cannot.
    pub fn probe(path: &Path) -> Result<Self, Finding> {
        let place = if is_standard_stream(path) {
            Place::Standard
        } else {
            Place::of_file(path).map_err(|error| unwritable(path, &error))?
        };
        Ok(Self { named: path.into(), place })
    }

    /// Writes the content.
    ///
    /// # Errors
    /// What was possible before is no longer, e.g. because the disk is full.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        self.write_by(|out| out.write_all(content)).map(drop)
    }

    /// Writes a record as JSON.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_record(&self, record: &impl Serialize) -> io::Result<()> {
        self.write_by(|mut out| write_json(record, &mut out)).map(drop)
    }

    /// Has the content written, piece by piece, and gives what the writer tells; nothing, if nobody reads it any more.
    ///
    /// # Errors
    /// What was possible before is no longer, or the pieces cannot be had. Then a regular file is what it was.
    pub fn write_by<T>(&self, fill: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<Option<T>> {
        match &self.place {
            Place::Standard => {
                let mut out = BufWriter::new(io::stdout().lock());
                let filled = fill(&mut out).and_then(|told| out.flush().map(|()| told));
                // What nobody reads any more must not be tried again when the buffer goes.
                let _ = out.into_parts();
                match filled {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
                    filled => filled.map(Some),
                }
            }
            Place::Regular(path) => {
                let mut file = BufWriter::new(Replacement::of(path)?);
                let told = fill(&mut file)?;
                file.into_inner().map_err(io::IntoInnerError::into_error)?.publish()?;
                Ok(Some(told))
            }
            Place::Direct(path) | Place::Stream(path) => {
                let is_stream = matches!(self.place, Place::Stream(_));
                let file = match is_stream {
                    true => OpenOptions::new().append(true).open(path)?,
                    false => File::create(path)?,
                };
                let mut file = BufWriter::new(file);
                let told = fill(&mut file)?;
                file.flush()?;
                Ok(Some(told))
            }
        }
    }

    /// The file, for the list of those that were written; nothing for stdout, where people see it.
    pub fn as_written(&self, content: &'static str) -> Option<WrittenFile> {
        (self.place != Place::Standard)
            .then(|| WrittenFile { content, path: self.named.display().to_string() })
    }

    /// Removes what an earlier run has written, and tells whether there was anything.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn discard(&self) -> io::Result<bool> {
        match &self.place {
            Place::Regular(path) => match fs::remove_file(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                other => other.map(|()| true),
            },
            // Of a file in a directory that takes no changes, at least nothing is left inside.
            Place::Direct(path) if path.is_file() => File::create(path).map(|_| true),
            Place::Standard | Place::Direct(_) | Place::Stream(_) => Ok(false),
        }
    }
}

impl Place {
    fn of_file(path: &Path) -> io::Result<Self> {
        // What these lead to belongs to whoever opened it, also if it is a regular file.
        if path.starts_with("/dev") || path.starts_with("/proc") {
            // A pipe is opened only to write: its reader takes the first writer that goes away for the end.
            if fs::metadata(path)?.is_file() {
                OpenOptions::new().append(true).open(path)?;
            }
            return Ok(Self::Stream(path.into()));
        }
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(data) if data.is_file() => {
                // Renaming would replace a file that is write-protected, and a link instead of what it points to.
                OpenOptions::new().write(true).open(path)?;
                let target = fs::canonicalize(path)?;
                let replaceable = Replacement::of(&target).is_ok();
                Ok(if replaceable { Self::Regular(target) } else { Self::Direct(target) })
            }
            Ok(_) => Ok(Self::Stream(path.into())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) => {
                Replacement::of(path)?;
                Ok(Self::Regular(path.into()))
            }
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Finding {
    let help = match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() && !directory.is_dir() => {
            format!("create the directory `{}` first, or name another file", directory.display())
        }
        _ if path.is_dir() => "name a file in this directory".into(),
        _ => "name a file that you may write".into(),
    };
    // The path is in the message already, and the error would name the temporary file.
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such directory".into(),
        io::ErrorKind::IsADirectory => "it is a directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    };
    let message = format!("`{}` cannot be written: {reason}; nothing was checked", path.display());
    Finding::error(codes::UNWRITABLE, message, help)
}

/// Said when a result is there and cannot be written any more.
pub fn result_lost(what: &str, error: &io::Error) -> Finding {
    let help = "the exit code and the text on the terminal still tell the result";
    Finding::error(codes::RESULT_LOST, format!("{what} could not be written: {error}"), help)
}
