//! Where TensorFlow's library is. Whoever loads it (the runtime, or a pass that asks for shapes) finds the same one.

use std::path::{Path, PathBuf};

/// The environment variable that says where TensorFlow is: a folder with `lib/libtensorflow.so`.
pub const DIRECTORY_VARIABLE: &str = "TFX_TENSORFLOW_DIR";

/// The file that has the C API.
pub const LIBRARY: &str = "libtensorflow.so";

/// What set-up puts TensorFlow into, at the root of a checkout.
const SET_UP_DIRECTORY: &str = ".tensorflow";

/// TensorFlow's own switches, which it reads when it is loaded, with the values that keep it from writing to stderr. The second one chooses its
/// plain kernels over oneDNN's, which announce themselves in a line that no log level silences, and whose results differ from the plain ones.
pub const ENVIRONMENT: [(&str, &str); 2] = [
    ("TF_CPP_MIN_LOG_LEVEL", "3"),
    ("TF_ENABLE_ONEDNN_OPTS", "0"),
];

/// The folder that the user names; else one that set-up made, beside or above the executable; else the loader's path.
pub fn find() -> PathBuf {
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
