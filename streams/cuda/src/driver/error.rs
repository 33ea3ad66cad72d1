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

/// `CUBLAS_STATUS_INVALID_VALUE`.
const BLAS_INVALID_VALUE: i32 = 7;

/// The names of the statuses of cuBLAS, `cublasStatus_t`.
const STATUSES: [(i32, &str); 9] = [
    (1, "CUBLAS_STATUS_NOT_INITIALIZED"),
    (3, "CUBLAS_STATUS_ALLOC_FAILED"),
    (BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"),
    (8, "CUBLAS_STATUS_ARCH_MISMATCH"),
    (11, "CUBLAS_STATUS_MAPPING_ERROR"),
    (13, "CUBLAS_STATUS_EXECUTION_FAILED"),
    (14, "CUBLAS_STATUS_INTERNAL_ERROR"),
    (15, "CUBLAS_STATUS_NOT_SUPPORTED"),
    (16, "CUBLAS_STATUS_LICENSE_ERROR"),
];

/// A product that cuBLAS does not compute.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BlasError {
    /// A call of cuBLAS failed.
    #[error("{call} failed: {name} ({text})")]
    Status {
        /// The function, without the suffix of its version.
        call: &'static str,
        /// The number of the status, `cublasStatus_t`.
        code: i32,
        /// Its name, such as `CUBLAS_STATUS_ALLOC_FAILED`.
        name: String,
        /// Its description.
        text: String,
    },
    /// A call of the driver failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

impl BlasError {
    /// Returns the error of a call with a status.
    pub(super) fn status(call: &'static str, code: i32, text: String) -> Self {
        let known = STATUSES.iter().find(|(status, _)| *status == code);
        let name = known.map_or_else(|| format!("status {code}"), |(_, name)| (*name).to_string());
        Self::Status {
            call,
            code,
            name,
            text,
        }
    }

    /// Returns the error of a call that is not made, because its arguments are invalid.
    pub(super) fn invalid(call: &'static str, text: &str) -> Self {
        Self::status(call, BLAS_INVALID_VALUE, text.to_string())
    }
}

/// A library of cuBLAS that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BlasLoadError {
    /// The library cannot be loaded.
    #[error("{} cannot be loaded: {reason}", file.display())]
    Library {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The library has no function of a name.
    #[error("{} has no function {symbol}: cuBLAS of CUDA 11.5 or later has it", file.display())]
    Symbol {
        /// The file.
        file: PathBuf,
        /// The function.
        symbol: &'static str,
    },
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
