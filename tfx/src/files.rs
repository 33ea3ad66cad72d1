//! File access of the tools: `-` is standard input, and an output file is written completely or not
//! at all.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;
use tfx_runtime::failure;

use crate::error::Error;

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The permissions of an ordinary file: read for all, write for the owner.
const ORDINARY: u32 = 0o644;

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// The error of the operating system.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != STANDARD_INPUT {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file completely or not at all. A pipe or a device is written directly.
///
/// # Errors
/// The path cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if path
        .metadata()
        .is_ok_and(|there| !there.is_file() && !there.is_dir())
    {
        return fs::write(path, bytes).map_err(|error| cannot(path, &failure::reason(&error)));
    }
    replace(path, |file| {
        file.write_all(bytes)?;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(ORDINARY))
    })
}

/// Copies a finished file to its destination, completely or not at all.
///
/// # Errors
/// The path cannot be written.
pub fn install(from: &Path, to: &Path) -> Result<(), Error> {
    replace(to, |file| fs::copy(from, file.path()).map(|_| ()))
}

/// Fills a temporary file in the folder of `to`, and renames it to `to`.
fn replace(
    to: &Path,
    fill: impl FnOnce(&mut NamedTempFile) -> io::Result<()>,
) -> Result<(), Error> {
    // A symbolic link is followed and kept. A device must not be replaced by a file.
    let place = &fs::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    let failed = |error: &io::Error| cannot(to, &failure::reason(error));
    if place.is_dir() {
        return Err(cannot(to, "it is a folder"));
    }
    if place.exists() && !place.is_file() {
        return Err(cannot(to, "it is not a regular file"));
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
        .map_err(|error| failed(&error))?;
    fill(&mut near).map_err(|error| failed(&error))?;
    near.persist(place).map_err(|error| failed(&error.error))?;
    Ok(())
}

fn cannot(path: &Path, reason: &str) -> Error {
    Error::new(format!("cannot write '{}': {reason}", path.display()))
}
