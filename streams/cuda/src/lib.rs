//! Command lists on CUDA devices.
//!
//! ```text
//!   Verified + DeviceKernels ──► Executable ──run──► Issuer ──► Driver (libcuda.so.1), Blas
//!                                  │ Session: streams, memory, events, graph     │
//!                                  └─ kept for the next run                      ▼
//!                                                                            devices
//! ```
//!
//! [`Executable`] executes a verified list ([`tfx_commands::Verified`]): the host thread issues its
//! commands on streams of the driver API, which is loaded at run time, so that programs start on
//! machines without a device. A list without loops, branches, calls and work of the host
//! is captured as a graph once, and replayed. [`trace`] proves after the fact that the calls that
//! were made have no race.
//!
//! **Memory.** Memory of the caller is pageable, and no asynchronous command touches it: each of
//! its buffers has a *mirror* in pinned memory. The host fills the mirror before the first command
//! that uses it, and copies what is written back when all commands are complete. Pageable memory of
//! the list itself is pinned, too.
//!
//! **Products of matrices.** A launch that says which product it is runs by cuBLAS, if the options
//! have the library, and else by its PTX entry. Each session has a handle for each device and a
//! workspace for each stream, which exist from its first product on.
//!
//! **Streams of a CPU** in a list that also has devices: the host thread executes their commands
//! when it issues them, after it has waited for the events that the stream waits for. So they do
//! not overlap with each other.
//!
//! **Times.** [`RunOptions::spans`] gets the times of the commands of a run, which the driver
//! measures between events around each command.
//!
//! **Cost.** A run allocates no memory of devices once a run of the same executable has ended; a
//! replay is one call, and copies of the caller's memory from and to the mirrors.
//!
//! ```no_run
//! use tfx_commands::{Memory, Verified};
//! use tfx_cuda::{DeviceKernels, Executable, Options, RunOptions, driver::Driver};
//!
//! # type Outcome = Result<(), Box<dyn std::error::Error>>;
//! # fn example(verified: Verified, kernels: &DeviceKernels) -> Outcome {
//! let driver = Driver::load(None)?;
//! let executable = Executable::new(verified, kernels, &driver, &Options::default())?;
//! let (input, mut output) = ([1u8; 64], [0u8; 64]);
//! let mut memory = [Memory::Read(&input), Memory::Write(&mut output)];
//! executable.run(&mut memory, &mut RunOptions::default())?;
//! # Ok(())
//! # }
//! ```
//!
//! **Not guaranteed.** PTX kernels are trusted: one that accesses other memory than its operands is
//! found by the device at best. A product of cuBLAS is rounded in another order than by its entry.
//! A replay cannot be cancelled before it is complete.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "calls of the driver API and of cuBLAS")]
pub mod driver;
mod error;
mod events;
mod executable;
mod host;
mod issue;
mod kernels;
mod lifetimes;
mod memory;
mod plan;
mod product;
mod products;
mod replay;
mod session;
mod spans;
pub mod trace;

pub use error::Error;
pub use executable::{Counts, Executable, Options, RunOptions};
pub use kernels::{DeviceKernels, HostKernel, Launch, LaunchOperand, PtxKernel};
pub use product::{Matrix, Product, ProductElement, ProductError};
pub use spans::{Arrow, Span, Spans};
