//! The reasons why a list is not executed, or not to its end.

use thiserror::Error;

use crate::driver::{BlasError, CudaError};
use crate::product::ProductError;

/// A list that cannot be executed, or a run that failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// A call of the driver failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The machine has fewer devices than the schedule uses.
    #[error("the schedule uses CUDA device {ordinal}, and the number of devices is {found}")]
    Devices {
        /// The ordinal of a device.
        ordinal: u32,
        /// The number of devices.
        found: u32,
    },
    /// The options name fewer devices than the schedule has.
    #[error("the schedule has {needed} CUDA devices, but {named} are named")]
    Ordinals {
        /// The number of CUDA devices of the schedule.
        needed: usize,
        /// The number of ordinals in the options.
        named: usize,
    },
    /// A kernel is not registered.
    #[error(
        "the kernel '{0}' is not registered for the device of its stream: add it to the kernels"
    )]
    Kernel(String),
    /// A kernel launches an entry that no module has.
    #[error("the kernel '{kernel}' launches '{entry}', which no module has")]
    Entry {
        /// The kernel.
        kernel: String,
        /// The name of the entry.
        entry: String,
    },
    /// A kernel passes an operand that its command does not have.
    #[error("the kernel '{kernel}' passes operand {operand}, but a command has {found}")]
    Operand {
        /// The kernel.
        kernel: String,
        /// The number of the operand.
        operand: usize,
        /// The number of operands of the command.
        found: usize,
    },
    /// A launch has more threads than a grid.
    #[error("the kernel '{kernel}' has {threads} threads, more than a grid")]
    Threads {
        /// The kernel.
        kernel: String,
        /// The number of threads.
        threads: u64,
    },
    /// A kernel has a product that cannot be computed.
    #[error("the kernel '{kernel}' is damaged: {error}")]
    Product {
        /// The kernel.
        kernel: String,
        /// The reason.
        error: ProductError,
    },
    /// cuBLAS did not compute a product of a kernel.
    #[error("the product of the kernel '{kernel}' failed: {error}")]
    Blas {
        /// The kernel.
        kernel: String,
        /// The reason.
        error: BlasError,
    },
    /// An external root is in the memory of a device.
    #[error(
        "external root {0} is in the memory of a device, but the caller's memory is of the host"
    )]
    DeviceRoot(usize),
    /// The memory of the caller does not match the buffers of the schedule.
    #[error("expected {expected} buffers of the sizes of the schedule, got {got}")]
    Memory {
        /// The number of external roots of the entry part.
        expected: usize,
        /// The number of buffers, or of those before the first with another size.
        got: usize,
    },
    /// A kernel of the host failed.
    #[error("the kernel '{kernel}' failed: {reason}")]
    Failed {
        /// Its name.
        kernel: String,
        /// The reason that it has returned.
        reason: String,
    },
    /// A kernel of the host panicked.
    #[error("the kernel '{0}' panicked")]
    Panicked(String),
    /// A command writes memory of the caller that is only read.
    #[error("command {0} writes memory of the caller that is only read")]
    ReadOnly(u32),
    /// The caller has cancelled the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// The list has a form that this executor does not run.
    #[error("this executor does not run {0}")]
    Unsupported(&'static str),
}
