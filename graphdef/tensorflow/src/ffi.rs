//! All `unsafe` of this crate: the C API behind types that own what they point to.
//!
//! Contract:
//! * The declarations have the signatures of `c_api.h`, `tf_tensor.h`, `tf_tstring.h` and
//!   `eager/c_api.h`, which TensorFlow keeps compatible.
//! * The functions of `sys` panic while the library is not loaded. Every function here that calls
//!   one takes a [`TensorFlow`], or a value that was made from one.
//! * The library is never unloaded.
//! * Each wrapper owns one object and deletes it once, in its `Drop`. An [`Operation`] owns
//!   nothing; it is used only with the graph that its identifier names.
//! * Enumerations of `sys` are received only where all values of the C API are variants: `TF_Code`
//!   is (`absl::Status` maps other codes to `TF_UNKNOWN`), `TF_DataType` is not.
//!
//! [`Operation`]: graph::Operation

pub mod eager;
pub(crate) mod graph;
pub(crate) mod tensor;

use std::env;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;
use libloading::os::unix;
use tensorflow_sys_runtime as sys;

use crate::library::{LIBRARY, LoadError, find};

/// The code of a [`Status`].
pub use sys::TF_Code as Code;

/// TensorFlow's own switches, which it reads while it is loaded, with the values that keep it from
/// writing to stderr. The second one selects the plain kernels instead of oneDNN's. Those print a
/// line that no log level silences, and their results differ from those of the plain kernels.
const SWITCHES: [(&str, &str); 2] = [
    ("TF_CPP_MIN_LOG_LEVEL", "3"),
    ("TF_ENABLE_ONEDNN_OPTS", "0"),
];

/// The variable in which `sys` looks for the library's folder first.
const SYS_DIRECTORY_VARIABLE: &str = "TENSORFLOW_DIR";

/// Declares a table `Functions` of C functions, and `Functions::load`, which looks them up in a
/// library that is never unloaded. The signatures must be those of the library's headers.
#[macro_export]
macro_rules! c_functions {
    ($($name:ident = $symbol:literal: fn($($parameter:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl Functions {
            fn load(library: &'static ::libloading::Library) -> Result<Self, ::libloading::Error> {
                // SAFETY: the signatures are those of the headers; the pointers live as long as the
                // library, which is never unloaded.
                unsafe {
                    Ok(Functions { $($name: *library.get(concat!($symbol, "\0").as_bytes())?,)* })
                }
            }
        }
    };
}

c_functions! {
    // `sys` returns an enumeration that ends at `TF_UINT64`; TensorFlow has types after it.
    tensor_type = "TF_TensorType": fn(*const sys::TF_Tensor) -> c_int;
}

/// Proof that TensorFlow is loaded.
#[derive(Clone, Copy)]
pub struct TensorFlow {
    library: &'static Library,
    functions: &'static Functions,
}

impl TensorFlow {
    /// Loads the library at the first call; later calls return the same result.
    ///
    /// # Errors
    /// The library does not exist or cannot be loaded.
    pub fn load() -> Result<Self, LoadError> {
        static LOADED: OnceLock<Result<TensorFlow, LoadError>> = OnceLock::new();
        LOADED.get_or_init(load).clone()
    }

    /// Returns the version, as "2.21.0".
    pub fn version(self) -> &'static str {
        // SAFETY: the library's constant string.
        let version = unsafe { CStr::from_ptr(sys::TF_Version()) };
        version.to_str().unwrap_or_default()
    }
}

fn load() -> Result<TensorFlow, LoadError> {
    let failed = |error: libloading::Error| LoadError(error.to_string());
    for (variable, value) in SWITCHES {
        if env::var_os(variable).is_none() {
            set(variable, Some(OsStr::new(value)));
        }
    }
    let path = find();
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | binding()?;
    // SAFETY: loading runs the initializers of TensorFlow, as the user requests.
    let library = unsafe { unix::Library::open(Some(&path), flags) }.map_err(failed)?;
    let library = Library::from(library);
    let library: &Library = Box::leak(Box::new(library));
    let functions: &Functions = Box::leak(Box::new(Functions::load(library).map_err(failed)?));
    // `sys` has its own search, which finds another library or none where tfx finds this one. So it
    // is sent to this library, which it opens a second time.
    let folder = match path.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) => folder.to_owned(),
        None => library_of(functions.tensor_type as *const c_void)
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned(),
    };
    if !folder.join(LIBRARY).is_file() {
        return Err(LoadError(format!(
            "there is no {LIBRARY} in '{}', from which the dynamic loader loaded it",
            folder.display()
        )));
    }
    let before = env::var_os(SYS_DIRECTORY_VARIABLE);
    set(SYS_DIRECTORY_VARIABLE, Some(folder.as_os_str()));
    let loaded = sys::library::load();
    set(SYS_DIRECTORY_VARIABLE, before.as_deref());
    loaded.map_err(LoadError)?;
    Ok(TensorFlow { library, functions })
}

/// Returns how the symbols of TensorFlow are bound, as a flag of `dlopen`.
///
/// TensorFlow contains an LLVM. If the process exports another one, as tools do that are linked
/// with libLLVM.so, TensorFlow must prefer its own. It then also prefers the memory allocator of
/// the C library, while the C++ library, which it shares with the process, uses that of the
/// process.
fn binding() -> Result<libc::c_int, LoadError> {
    let Some(_) = exported(c"LLVMContextCreate") else {
        return Ok(0);
    };
    let allocator = exported(c"malloc").map(library_of);
    if allocator != exported(c"gnu_get_libc_version").map(library_of) {
        return Err(LoadError(
            "this process exports an LLVM and has its own memory allocator, but TensorFlow can \
             only be loaded next to one of them; 'make build' links tools without exporting LLVM"
                .to_owned(),
        ));
    }
    Ok(libc::RTLD_DEEPBIND)
}

/// Returns the address of a symbol that the program or one of its libraries exports.
fn exported(name: &CStr) -> Option<*const c_void> {
    // SAFETY: any name may be looked up.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// Sets an environment variable, or removes it.
fn set(variable: &str, value: Option<&OsStr>) {
    // SAFETY: Rust's own accesses to the environment are synchronized with this one. C code that
    // reads or changes the environment in another thread at the same time is not, as with every
    // `setenv`; this happens once in a process, before TensorFlow has threads.
    unsafe {
        match value {
            Some(value) => env::set_var(variable, value),
            None => env::remove_var(variable),
        }
    }
}

/// Returns the path of the library that has a function; empty if the dynamic loader does not know.
fn library_of(function: *const c_void) -> PathBuf {
    // SAFETY: a structure of pointers, for which zeros are valid.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be looked up; the result lives through the call.
    if unsafe { libc::dladdr(function, &mut found) } == 0 || found.dli_fname.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the path is the dynamic loader's, and lives as long as the library.
    let path = unsafe { CStr::from_ptr(found.dli_fname) };
    PathBuf::from(path.to_str().unwrap_or_default())
}

/// An error of TensorFlow.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// The kind of the error.
    pub code: Code,
    /// TensorFlow's message, with its names of nodes.
    pub message: String,
}

impl Status {
    /// An error that TensorFlow did not report.
    pub fn internal(message: impl Into<String>) -> Self {
        Status {
            code: Code::TF_INTERNAL,
            message: message.into(),
        }
    }
}

/// Calls `call` with a status to write to, and returns that status as a result.
fn with_status<R>(call: impl FnOnce(*mut sys::TF_Status) -> R) -> Result<R, Status> {
    // SAFETY: the status is created here, lives through the call, and its message is copied before
    // it is deleted.
    unsafe {
        let status = sys::TF_NewStatus();
        let result = call(status);
        let code = sys::TF_GetCode(status);
        let message = CStr::from_ptr(sys::TF_Message(status));
        let message = message.to_string_lossy().into_owned();
        sys::TF_DeleteStatus(status);
        if code == Code::TF_OK {
            Ok(result)
        } else {
            Err(Status { code, message })
        }
    }
}

/// Returns a name as a C string.
fn text(name: &str) -> Result<CString, Status> {
    CString::new(name).map_err(|_| Status::internal(format!("the name {name:?} has a zero byte")))
}
