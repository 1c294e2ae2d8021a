//! File names on the command line, where `-` means stdin or stdout.

use std::path::{Path, PathBuf};

use crate::output::console::Stream;

/// Whether a file name means stdin or stdout.
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The stream for text that people read: stdout, unless one of these files is stdout.
pub fn free_stream(files: &[&Option<PathBuf>]) -> Stream {
    let is_taken = files.iter().copied().flatten().any(|path| is_standard_stream(path));
    if is_taken { Stream::Error } else { Stream::Output }
}

/// Whether two names refer to the same file. Standard streams are not files.
pub fn same_file(left: &Path, right: &Path) -> bool {
    let location = |path: &Path| {
        // A file that does not exist yet is identified by its directory.
        path.canonicalize().ok().or_else(|| {
            let directory =
                path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(directory.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    !is_standard_stream(left)
        && !is_standard_stream(right)
        && location(left).is_some_and(|left| location(right) == Some(left))
}

/// The first file that would overwrite another one, or an input, as a sentence.
///
/// `written` lists the files that a command writes, with the options that name them.
pub fn overwritten(inputs: &[&Path], written: &[(&'static str, &Path)]) -> Option<String> {
    let mut pairs = (1..written.len()).flat_map(|end| (0..end).map(move |start| (start, end)));
    let same = pairs.find(|(one, other)| {
        let (one, other) = (written[*one].1, written[*other].1);
        one == other || same_file(one, other)
    });
    if let Some((one, other)) = same {
        let (one, other) = (written[one].0, written[other].0);
        return Some(format!("{one} and {other} would write to the same file; name two different files"));
    }
    let overwrites = |path: &Path| inputs.iter().any(|input| same_file(input, path));
    let (option, _) = written.iter().find(|(_, path)| overwrites(path))?;
    Some(format!("{option} would overwrite the input; name another file"))
}
