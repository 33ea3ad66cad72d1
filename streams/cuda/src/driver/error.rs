//! Failed calls as values.

use std::path::PathBuf;

use thiserror::Error;

/// `CUDA_ERROR_INVALID_VALUE`.
const INVALID_VALUE: i32 = 1;

/// A call of the driver API that failed. An asynchronous command that fails is reported by a later
/// call.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{call} failed: {name} ({text})")]
pub struct CudaError {
    /// The function, without the suffix of its version.
    pub call: &'static str,
    /// The number of the error, `CUresult`.
    pub code: i32,
    /// Its name, such as `CUDA_ERROR_OUT_OF_MEMORY`.
    pub name: String,
    /// Its description, and the log of the compiler of PTX.
    pub text: String,
}

impl CudaError {
    /// Returns the error of a call that is not made, because its arguments are invalid.
    pub(crate) fn invalid(call: &'static str, text: &str) -> Self {
        Self {
            call,
            code: INVALID_VALUE,
            name: "CUDA_ERROR_INVALID_VALUE".to_string(),
            text: text.to_string(),
        }
    }
}

/// A driver that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LoadError {
    /// The library cannot be loaded.
    #[error(
        "{} cannot be loaded: {reason}: install the NVIDIA driver, or name the file of its library",
        file.display()
    )]
    Library {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The library has no function of a name.
    #[error("{} has no function {symbol}: a driver of CUDA 12 or later has it", file.display())]
    Symbol {
        /// The file.
        file: PathBuf,
        /// The function.
        symbol: &'static str,
    },
    /// There is no device.
    #[error("the NVIDIA driver is installed, but finds no device")]
    NoDevice,
    /// The driver cannot be initialized.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}
