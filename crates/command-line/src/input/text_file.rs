//! Reading text files. A file that is missing, too large or not text gets an error that says what
//! it is instead.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use languages::spelling::nearest;
use report::{Bytes, Finding};

use crate::explain::codes;
use crate::options::is_standard_stream;

/// Greatest size of a model, in bytes. The languages have the same limit.
pub const LARGEST_MODEL: u64 = 64 << 20;
/// Greatest size of a state space or net, in bytes, as in their languages.
pub const LARGEST_STATE_SPACE: u64 = 1 << 30;
/// Greatest size of a trace, in bytes: ten million steps of about a hundred bytes.
pub const LARGEST_TRACE: u64 = 1 << 30;

/// Reads a text file of at most `largest` bytes, or stdin for `-`.
///
/// # Errors
/// The file is missing, unreadable, too large or not text.
pub fn read_text(path: &Path, largest: u64) -> Result<String, Finding> {
    let bytes = if is_standard_stream(path) {
        read(io::stdin().lock(), largest)
    } else {
        if path.is_dir() {
            return Err(is_a_directory(path));
        }
        File::open(path).and_then(|file| read(file, largest))
    };
    let bytes = bytes.map_err(|error| unreadable(path, &error))?;
    let shown = path.display();
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let message = format!("`{shown}` is a binary file: byte {at} is zero");
        return Err(Finding::error(codes::BINARY, message, "name a file with the text of a model"));
    }
    if bytes.len() as u64 > largest {
        let message = format!("`{shown}` is larger than {}", Bytes(largest));
        return Err(Finding::error(codes::TOO_LARGE, message, "name another file, or write a smaller one"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let message = format!("`{shown}` is not UTF-8: line {line} has an invalid byte");
        let help = "convert the file, for example by `iconv -f latin1 -t utf-8`";
        Finding::error(codes::NOT_UTF8, message, help)
    })
}

/// Reads at most one byte more than allowed, which is enough to notice.
fn read(source: impl Read, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(largest + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_a_directory(path: &Path) -> Finding {
    let message = format!("`{}` is a directory, expected a file", path.display());
    let first = names_in(path).into_iter().find(|name| name.ends_with(".dve"));
    let help = match first {
        Some(name) => format!("name a file in it, such as `{}`", path.join(name).display()),
        None => "name a model file; none in this directory ends in .dve".into(),
    };
    Finding::error(codes::IS_A_DIRECTORY, message, help)
}

fn unreadable(path: &Path, error: &io::Error) -> Finding {
    let shown = path.display();
    if error.kind() != io::ErrorKind::NotFound {
        let message = format!("`{shown}` cannot be read: {error}");
        return Finding::error(codes::UNREADABLE, message, "check the permissions of the file");
    }
    let message = format!("there is no file `{shown}`");
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = names_in(directory);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let help = match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`?", path.with_file_name(near).display()),
        None if directory.is_dir() => "check the spelling and the current directory".into(),
        None => format!("the directory `{}` does not exist either", directory.display()),
    };
    Finding::error(codes::NO_SUCH_FILE, message, help)
}

/// The sorted names in a directory; none if it cannot be read.
fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}
