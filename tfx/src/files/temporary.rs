//! Temporary folders, which the end of the process deletes too.
//!
//! ```text
//!   drop ─────────────────────┐
//!   exit(), by foreign code ──┼──► the folder is deleted
//!   a signal, in tfxc ────────┘
//! ```

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::{env, fs, io};

use crate::error::{Error, ErrorKind};
use crate::ffi;

/// The folders that exist.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of times that a deletion is tried: a C compiler that still runs may add a file.
const TRIES: usize = 3;

/// Deletes a folder with its files. Nothing can be done about a file that cannot be deleted.
fn delete(folder: &Path) {
    let deleted = |_: &usize| match fs::remove_dir_all(folder) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    (0..TRIES).find(deleted);
}

/// Deletes all temporary folders of this process, which is about to end.
pub fn remove_temporary_folders() {
    // The lock is held until all are deleted: if a thread exits while another one deletes after a
    // signal, the exit waits here.
    let mut folders = folders();
    folders.iter().for_each(|folder| delete(folder));
    folders.clear();
}

/// A folder with a name that starts with `tfx-`.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder in the system's folder for temporary files.
    pub(crate) fn new() -> Result<Self, Error> {
        let place = env::temp_dir();
        Self::new_in(&place).map_err(|error| {
            let message = format!(
                "cannot make a temporary folder in '{}': {error}",
                place.display()
            );
            Error::new(ErrorKind::File, message)
        })
    }

    /// Creates a folder in `place`.
    pub(crate) fn new_in(place: &Path) -> io::Result<Self> {
        static AT_EXIT: Once = Once::new();
        AT_EXIT.call_once(|| ffi::at_exit(remove_temporary_folders));
        // A signal after the creation finds the folder in the list.
        let mut folders = folders();
        let folder = tempfile::Builder::new().prefix("tfx-").tempdir_in(place)?;
        let folder = folder.keep();
        folders.push(folder.clone());
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Under the lock, so that a signal in between waits until the folder is deleted.
        let mut folders = folders();
        delete(&self.0);
        folders.retain(|folder| *folder != self.0);
    }
}
