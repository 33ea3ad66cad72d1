//! Where TensorFlow's library is, and how it is loaded. Whoever needs it (the runtime, or a pass that asks for shapes) has the same one, and declares
//! the functions that it calls with [`c_functions!`](crate::c_functions).
//!
//! All `unsafe` of this crate is here. Contract: the library is TensorFlow's, and stays loaded, for its threads live as long as the process.

use std::path::{Path, PathBuf};

use libloading::{Error, Library};

/// The environment variable that says where TensorFlow is: a folder with `lib/libtensorflow.so`.
pub const DIRECTORY_VARIABLE: &str = "TFX_TENSORFLOW_DIR";

/// The file that has the C API.
pub const LIBRARY: &str = "libtensorflow.so";

/// What set-up puts TensorFlow into, at the root of a checkout.
const SET_UP_DIRECTORY: &str = ".tensorflow";

/// TensorFlow's own switches, which it reads when it is loaded, with the values that keep it from writing to stderr. The second one chooses its
/// plain kernels over oneDNN's, which announce themselves in a line that no log level silences, and whose results differ from the plain ones.
const ENVIRONMENT: [(&str, &str); 2] = [
    ("TF_CPP_MIN_LOG_LEVEL", "3"),
    ("TF_ENABLE_ONEDNN_OPTS", "0"),
];

/// The folder that the user names; else one that set-up made, beside or above the executable; else the loader's path.
fn find() -> PathBuf {
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

/// Where a file is that belongs to the library: beside it.
pub fn beside(file: &str) -> PathBuf {
    find().with_file_name(file)
}

/// Loads the library, with its switches set where the user did not, and never unloads it.
///
/// # Errors
/// It is not there, or cannot be loaded.
pub fn open() -> Result<&'static Library, Error> {
    for (variable, value) in ENVIRONMENT {
        if std::env::var_os(variable).is_none() {
            // SAFETY: TensorFlow reads the variable when it is loaded, which is next. Rust's own accesses to the environment are
            // synchronized with this one; code in C that changes the environment meanwhile is not, as ever.
            unsafe { std::env::set_var(variable, value) };
        }
    }
    // SAFETY: loading runs the initializers of TensorFlow, which is what the user asked for.
    let library = unsafe { Library::new(find()) }?;
    Ok(Box::leak(Box::new(library)))
}

/// Declares types of the C API that are known by pointers alone.
#[macro_export]
macro_rules! opaque {
    ($($name:ident),*) => {$(
        #[repr(C)]
        struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

/// Declares a table `Functions` of functions of the C API, and `Functions::load`, which fills it. The signatures must be those of TensorFlow's `c_api.h`,
/// `tf_tensor.h` and `tf_tstring.h`, which promise to stay as they are.
#[macro_export]
macro_rules! c_functions {
    ($($name:ident = $symbol:literal: fn($($parameter:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl Functions {
            fn load(library: &'static ::libloading::Library) -> Result<Self, ::libloading::Error> {
                // SAFETY: the signatures are those of the headers; the pointers live as long as the library, which is never unloaded.
                unsafe {
                    Ok(Functions { $($name: *library.get(concat!($symbol, "\0").as_bytes())?,)* })
                }
            }
        }
    };
}
