//! File access of the tools: `-` is standard input, and an output file is written completely or not
//! at all.

mod temporary;

use std::fs::{self, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use tempfile::NamedTempFile;
use tfx_runtime::ffi::output;

use crate::error::{Error, ErrorKind};

pub(crate) use temporary::TemporaryFolder;
pub use temporary::remove_temporary_folders;

/// The path that stands for standard input or standard output.
const STANDARD_STREAM: &str = "-";

/// The permissions of an ordinary file: read for all, write for the owner.
const ORDINARY: u32 = 0o644;

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    if path.as_os_str() == STANDARD_STREAM {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    }
    .map_err(|error| Error::file("read", path, &error))
}

/// Writes to standard output. A reader that closes the pipe early is not an error.
///
/// # Errors
/// The output cannot be written.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    let written = output::check_open()
        .and_then(|()| stdout.write_all(text.as_ref()))
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot print: {}", output::reason(&error));
            Err(Error::new(ErrorKind::File, message))
        }
        _ => Ok(()),
    }
}

/// Writes a file completely or not at all, or standard output for `-`. A pipe or a device is
/// written directly.
///
/// # Errors
/// The path cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if path.as_os_str() == STANDARD_STREAM {
        return print(bytes);
    }
    if path
        .metadata()
        .is_ok_and(|there| !there.is_file() && !there.is_dir())
    {
        return fs::write(path, bytes).map_err(|error| Error::file("write", path, &error));
    }
    replace(path, |file| {
        file.write_all(bytes)?;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(ORDINARY))
    })
}

/// Checks that an output is not one of the files that the same command reads.
///
/// # Errors
/// It is one of them, perhaps by another path.
pub fn check_output<'p>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Error> {
    let identity = |path: &Path| {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    if output.as_os_str() == STANDARD_STREAM {
        return Ok(());
    }
    let Some(written) = identity(output) else {
        return Ok(());
    };
    let Some(input) = inputs
        .into_iter()
        .find(|input| identity(input) == Some(written))
    else {
        return Ok(());
    };
    let (output, input) = (output.display(), input.display());
    let message = format!(
        "cannot write '{output}': it would overwrite the input '{input}'; name another output"
    );
    Err(Error::new(ErrorKind::Argument, message))
}

/// Copies a finished file to its destination, completely or not at all, or to standard output for
/// `-`.
///
/// # Errors
/// The path cannot be written.
pub fn install(from: &Path, to: &Path) -> Result<(), Error> {
    if to.as_os_str() == STANDARD_STREAM {
        return print(read(from)?);
    }
    replace(to, |file| fs::copy(from, file.path()).map(|_| ()))
}

/// Fills a temporary file in the folder of `to`, and renames it to `to`.
fn replace(
    to: &Path,
    fill: impl FnOnce(&mut NamedTempFile) -> io::Result<()>,
) -> Result<(), Error> {
    // A symbolic link is followed and kept. A device must not be replaced by a file.
    let place = &fs::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    let failed = |error: io::Error| Error::file("write", to, &error);
    if place.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    if place.exists() && !place.is_file() {
        return Err(failed(io::Error::other("it is not a regular file")));
    }
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // The system's temporary folder may be on another file system, from which a file cannot be
    // renamed.
    let mut near = tempfile::Builder::new()
        .prefix(".tfx-")
        .tempfile_in(folder)
        .map_err(failed)?;
    fill(&mut near).map_err(failed)?;
    near.persist(place).map_err(|error| failed(error.error))?;
    Ok(())
}
