//! The streams under loom: all interleavings of their steps, and all values that the memory model
//! allows a load to see.
//!
//! This test compiles `src/stream.rs` with loom's atomics and locks: `sync` below has the interface
//! of `src/sync.rs`, and `workers` that of `src/workers.rs`. A waiting thread does not spin, so
//! each wait tests sleeping and waking. The bytes of commands are cells: loom fails if two threads
//! access one at the same time, or without an order, and on deadlocks.

#![allow(dead_code, unreachable_pub, reason = "the file belongs to a library")]

#[path = "../src/stream.rs"]
mod stream;

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use std::sync::PoisonError;

    pub(crate) const CAPACITY: usize = 1;

    pub(crate) fn spin(holds: impl Fn() -> bool) -> bool {
        holds()
    }
}

mod run {
    #[derive(Debug, PartialEq)]
    pub(crate) enum RunError {
        Thread(String),
        Failed,
    }
}

mod workers {
    pub(crate) fn run(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
        loom::thread::spawn(work);
        Ok(())
    }
}

use std::sync::Arc;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::model::Builder;
use run::RunError;
use stream::{Epoch, Job, Streams};

/// The maximal number of preemptions. Two find nearly all errors (Musuvathi and Qadeer, "Iterative
/// context bounding", 2007).
const PREEMPTIONS: usize = 2;

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.check(model);
}

/// A number that commands access without locks.
struct Bytes(UnsafeCell<u32>);

// SAFETY: loom checks that accesses are ordered.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn new() -> Arc<Self> {
        Arc::new(Self(UnsafeCell::new(0)))
    }

    fn set(&self, value: u32) {
        // SAFETY: loom has checked the access.
        self.0.with_mut(|number| unsafe { *number = value });
    }

    fn write(self: &Arc<Self>, value: u32) -> Job {
        let bytes = Arc::clone(self);
        Job::Run(Box::new(move || bytes.set(value)))
    }

    fn read(&self) -> u32 {
        // SAFETY: as above.
        self.0.with(|number| unsafe { *number })
    }

    fn expect(self: &Arc<Self>, value: u32) -> Job {
        let bytes = Arc::clone(self);
        Job::Run(Box::new(move || assert_eq!(bytes.read(), value)))
    }
}

fn started(count: usize) -> Arc<Streams> {
    let streams = Arc::new(Streams::new(count));
    let started = streams.start(|_, _| Duration::ZERO);
    assert_eq!(started, Ok(()));
    streams
}

fn end(streams: &Streams) {
    (0..streams.count()).for_each(|stream| streams.push(stream, Job::End));
    streams.join(None);
}

/// The ring holds one command, so the host waits for the stream.
#[test]
fn a_stream_executes_its_commands_in_order() {
    explore(|| {
        let (streams, bytes) = (started(1), Bytes::new());
        streams.push(0, bytes.write(1));
        streams.push(0, bytes.expect(1));
        streams.push(0, bytes.write(2));
        end(&streams);
        assert_eq!(bytes.read(), 2);
    });
}

#[test]
fn a_stream_that_waits_sees_what_the_other_wrote() {
    explore(|| {
        let (streams, bytes) = (started(2), Bytes::new());
        streams.push(0, bytes.write(1));
        streams.push(
            1,
            Job::Wait(Epoch {
                stream: 0,
                count: 1,
            }),
        );
        streams.push(1, bytes.expect(1));
        end(&streams);
    });
}

#[test]
fn the_host_that_waits_sees_what_a_stream_wrote() {
    explore(|| {
        let (streams, bytes) = (started(1), Bytes::new());
        streams.push(0, bytes.write(1));
        streams.wait(
            Epoch {
                stream: 0,
                count: 1,
            },
            None,
        );
        assert_eq!(bytes.read(), 1);
        end(&streams);
    });
}

/// A straight list: the thread of the caller executes a stream, without a ring.
#[test]
fn a_stream_of_the_caller_and_one_of_a_worker_wait_for_each_other() {
    explore(|| {
        let (streams, left, right) = (Arc::new(Streams::new(2)), Bytes::new(), Bytes::new());
        let (shared, written, awaited) =
            (Arc::clone(&streams), Arc::clone(&right), Arc::clone(&left));
        let worker = loom::thread::spawn(move || {
            written.set(2);
            shared.advance(1);
            shared.wait(
                Epoch {
                    stream: 0,
                    count: 1,
                },
                None,
            );
            assert_eq!(awaited.read(), 1);
        });
        left.set(1);
        streams.advance(0);
        streams.wait(
            Epoch {
                stream: 1,
                count: 1,
            },
            None,
        );
        assert_eq!(right.read(), 2);
        worker.join().expect("no panic");
    });
}

#[test]
fn a_failure_ends_the_run() {
    explore(|| {
        let streams = started(2);
        let failing = Arc::clone(&streams);
        streams.push(
            0,
            Job::Run(Box::new(move || failing.fail(RunError::Failed))),
        );
        streams.push(
            1,
            Job::Wait(Epoch {
                stream: 0,
                count: 1,
            }),
        );
        streams.push(
            1,
            Job::Run(Box::new(|| panic!("a command after the failure"))),
        );
        end(&streams);
        assert_eq!(streams.failure(), Some(RunError::Failed));
    });
}

/// The model finds what it is to find: a read without a wait.
#[test]
#[should_panic(expected = "Causality violation")]
fn a_missing_wait_is_found() {
    explore(|| {
        let (streams, bytes) = (started(2), Bytes::new());
        streams.push(0, bytes.write(1));
        let reader = Arc::clone(&bytes);
        streams.push(1, Job::Run(Box::new(move || assert_eq!(reader.read(), 1))));
        end(&streams);
    });
}
