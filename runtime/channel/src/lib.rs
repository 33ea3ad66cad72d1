//! A bounded channel between threads of one process: no lock and no allocation where nobody has to wait.
//!
//! ```text
//!   ring.rs      messages in a ring of numbered slots                 no lock
//!   bell.rs      sleeping until the other side has done something     a lock, only where a thread sleeps or is woken
//!   channel.rs   send and receive: try, spin for a moment, sleep; close and discard
//!   sync.rs      the atomics and locks of the standard library, by the names that `tests/model.rs` gives to loom's
//! ```
//!
//! Both executors of the runtime have their own kind of channel; this is the one of the embedded executor. That it loses no message, hands none over
//! twice, and lets nobody sleep for ever is checked by `tests/model.rs`, which compiles these very files with loom's atomics in place of the
//! standard library's.
//!
//! Two threads that are both awake hand a message over in about 100 ns; `tfx-bench runtime` measures it.

mod bell;
mod channel;
mod ring;
mod sync;

pub use channel::{Channel, Closed, Tried};
