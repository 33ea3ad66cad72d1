//! A bounded channel between threads of one process, without locks and allocations unless a thread
//! waits.
//!
//! ```text
//!   ring.rs      messages in a ring of numbered slots        no lock
//!   bell.rs      sleep until the other side makes progress   a lock, only to sleep and to wake
//!   channel.rs   send and receive: try, spin, sleep; close and discard
//!   sync.rs      atomics and locks of the standard library; `tests/model.rs` substitutes loom's
//! ```
//!
//! This is the channel of the embedded executor. `tests/model.rs` compiles these files with loom's
//! atomics, and checks that no message is lost or duplicated and that no thread sleeps
//! indefinitely.
//!
//! A message between two awake threads takes about 100 ns; `tfx-bench runtime` measures it.

#![deny(unsafe_code)]

mod bell;
mod channel;
#[allow(unsafe_code, reason = "the module states its contract")]
mod ring;
mod sync;

pub use channel::{Channel, Closed, Tried};
