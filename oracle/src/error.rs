//! Errors of an execution.

use std::fmt;

use tfx_graphdef::OperationError;
use tfx_interpreter::kernels::KernelError;
use tfx_interpreter::{PrepareError, TensorError};
use tfx_ir::Op;

/// The reason why an operation has no result, or why a value does not match its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// A value of another kind than an operation expects.
    pub(crate) fn expected(what: &str, found: &str) -> Self {
        Error(format!("expected {what}, got {found}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

macro_rules! from {
    ($($source:ty),*) => { $(
        impl From<$source> for Error {
            fn from(source: $source) -> Self {
                Error(source.to_string())
            }
        }
    )* };
}

from!(
    &str,
    String,
    TensorError,
    KernelError,
    OperationError,
    PrepareError
);

/// An operation that cannot be executed, and the reason.
#[derive(Clone, Debug)]
pub struct Failure<'a> {
    /// The operation.
    pub op: Op<'a>,
    /// The reason.
    pub error: Error,
}

impl<'a> Failure<'a> {
    pub(crate) fn new(op: Op<'a>, error: impl Into<Error>) -> Self {
        let error = error.into();
        Failure { op, error }
    }
}
