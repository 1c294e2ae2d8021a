//! Output files: probed before the search, written after it.
//!
//! A search may take hours, so a missing directory must be noticed before it, not after. A regular
//! file is replaced atomically (see [`replacement`](super::replacement)): a reader finds the old or
//! the new content, never a part. Output to devices, pipes and open files (`/dev/stdout`) is
//! appended.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use report::{Finding, WrittenFile, write_json};
use serde::Serialize;

use super::replacement::Replacement;
use crate::explain::codes;
use crate::options::is_standard_stream;

/// Bytes of the buffer in front of a regular file. Records with long lists of states have hundreds
/// of megabytes.
const BUFFER: usize = 1 << 18;

/// A file that a result will be written to.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// The name on the command line.
    named: PathBuf,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Stdout.
    Standard,
    /// A regular file, which may not exist yet.
    Regular(PathBuf),
    /// A file in a directory in which no file can be created.
    Direct(PathBuf),
    /// A device, a pipe, or a file that another program opened; output is appended.
    Stream(PathBuf),
}

impl OutputFile {
    /// Checks that the file can be written, without changing it.
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
    /// The file can no longer be written, for example because the disk is full.
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

    /// Lets `fill` write the content, and returns its result; `None` if the pipe was closed.
    ///
    /// # Errors
    /// The file can no longer be written, or `fill` fails. Then a regular file keeps its content.
    pub fn write_by<T>(&self, fill: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<Option<T>> {
        match &self.place {
            Place::Standard => {
                let mut out = BufWriter::new(io::stdout().lock());
                let filled = fill(&mut out).and_then(|result| out.flush().map(|()| result));
                // A closed pipe must not be written again when the buffer is dropped.
                let _ = out.into_parts();
                match filled {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
                    filled => filled.map(Some),
                }
            }
            Place::Regular(path) => {
                let mut file = BufWriter::with_capacity(BUFFER, Replacement::of(path)?);
                let result = fill(&mut file)?;
                file.into_inner().map_err(io::IntoInnerError::into_error)?.publish()?;
                Ok(Some(result))
            }
            Place::Direct(path) | Place::Stream(path) => {
                let is_stream = matches!(self.place, Place::Stream(_));
                let file = match is_stream {
                    true => OpenOptions::new().append(true).open(path)?,
                    false => File::create(path)?,
                };
                let mut file = BufWriter::new(file);
                let result = fill(&mut file)?;
                file.flush()?;
                Ok(Some(result))
            }
        }
    }

    /// The file for the list of written files; `None` for stdout.
    pub fn as_written(&self, content: &'static str) -> Option<WrittenFile> {
        (self.place != Place::Standard)
            .then(|| WrittenFile { content, path: self.named.display().to_string() })
    }

    /// Removes the output of an earlier run, and returns whether there was any.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn discard(&self) -> io::Result<bool> {
        match &self.place {
            Place::Regular(path) => match fs::remove_file(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                other => other.map(|()| true),
            },
            // The file cannot be removed from its directory, so it is emptied.
            Place::Direct(path) if path.is_file() => File::create(path).map(|_| true),
            Place::Standard | Place::Direct(_) | Place::Stream(_) => Ok(false),
        }
    }
}

impl Place {
    fn of_file(path: &Path) -> io::Result<Self> {
        // Such a file belongs to the program that opened it, even if it is regular.
        if path.starts_with("/dev") || path.starts_with("/proc") {
            // A pipe must not be opened for probing: its reader would take the close for the end.
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
                // Renaming would replace a write-protected file, or a link instead of its target.
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
    // The message names the path; the error would name the temporary file.
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such directory".into(),
        io::ErrorKind::IsADirectory => "it is a directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    };
    let message = format!("`{}` cannot be written: {reason}; nothing was checked", path.display());
    Finding::error(codes::UNWRITABLE, message, help)
}

/// The error for a result that cannot be written.
pub fn result_lost(what: &str, error: &io::Error) -> Finding {
    let help = "the exit code and the text on the terminal are still valid";
    Finding::error(codes::RESULT_LOST, format!("{what} could not be written: {error}"), help)
}
