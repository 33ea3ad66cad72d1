//! The path of TensorFlow's library.

use std::path::{Path, PathBuf};

/// The environment variable that names TensorFlow's folder, which has `lib/libtensorflow.so`.
pub(crate) const DIRECTORY_VARIABLE: &str = "TFX_TENSORFLOW_DIR";

/// The file that has the C API.
pub(crate) const LIBRARY: &str = "libtensorflow.so";

/// The folder at the root of a checkout that `make tensorflow` fills.
const SET_UP_DIRECTORY: &str = ".tensorflow";

/// Returns the library's path: in the folder that the user names; else in a folder that
/// `make tensorflow` filled, next to the executable or above it; else the bare file name, which the
/// dynamic loader looks up.
pub(crate) fn find() -> PathBuf {
    let in_folder = |folder: &Path| folder.join("lib").join(LIBRARY);
    if let Some(folder) = std::env::var_os(DIRECTORY_VARIABLE).filter(|folder| !folder.is_empty()) {
        return in_folder(Path::new(&folder));
    }
    let executable = std::env::current_exe().unwrap_or_default();
    let set_up = executable
        .ancestors()
        .map(|folder| in_folder(&folder.join(SET_UP_DIRECTORY)));
    set_up
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or_else(|| LIBRARY.into())
}

/// Returns the path of a file in the library's folder.
pub fn beside(file: &str) -> PathBuf {
    find().with_file_name(file)
}

/// The reason why TensorFlow cannot be loaded, with the place that was searched and what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "TensorFlow cannot be loaded: {0}; run 'make tensorflow' in the checkout, or set \
     {DIRECTORY_VARIABLE} to a folder with lib/{LIBRARY}"
)]
pub struct LoadError(pub(crate) String);
