//! The channel under loom: all interleavings of its steps, and all values that the memory model
//! allows a load to see.
//!
//! This test compiles the files of the crate with loom's atomics, locks and cells: `sync` below has
//! the interface of `src/sync.rs`. A waiting thread does not spin, so each wait tests sleeping and
//! waking. loom fails on deadlocks, on concurrent uses of a cell, and on values that are not freed.

#![allow(dead_code, unreachable_pub, reason = "the files belong to a library")]

#[path = "../src/bell.rs"]
mod bell;
#[path = "../src/channel.rs"]
mod channel;
#[path = "../src/ring.rs"]
mod ring;

mod sync {
    pub(crate) use loom::sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering, fence},
    };

    pub(crate) struct Spin;

    impl Spin {
        pub(crate) fn new() -> Self {
            Spin
        }

        pub(crate) fn again(&mut self) -> bool {
            false
        }
    }

    pub(crate) struct UnsafeCell<T>(loom::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            UnsafeCell(loom::cell::UnsafeCell::new(value))
        }

        pub(crate) fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
            self.0.with_mut(body)
        }
    }
}

use channel::{Channel, Closed, Tried};
use loom::{model::Builder, sync::Arc, thread};

/// The maximal number of preemptions of models with three threads, whose interleavings are too
/// many. Two find nearly all errors (Musuvathi and Qadeer, "Iterative context bounding", 2007).
const PREEMPTIONS: usize = 2;

fn explore(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(model);
}

/// A message that loom tracks: the model fails if it is not dropped.
type Message = Arc<u32>;

fn channel(capacity: usize) -> Arc<Channel<Message>> {
    Arc::new(Channel::new(capacity))
}

fn send(channel: &Channel<Message>, value: u32) -> Result<(), Closed> {
    channel.send(Arc::new(value))
}

fn receive(channel: &Channel<Message>) -> Result<u32, Closed> {
    channel.receive().map(|message| *message)
}

/// A sender that waits while the channel is full, a receiver that waits for messages, and the end.
fn pipe(capacity: usize, count: u32) {
    let channel = channel(capacity);
    let shared = Arc::clone(&channel);
    let sender = thread::spawn(move || {
        for value in 0..count {
            assert_eq!(send(&shared, value), Ok(()));
        }
        shared.close();
    });
    for value in 0..count {
        assert_eq!(receive(&channel), Ok(value));
    }
    assert_eq!(receive(&channel), Err(Closed));
    assert_eq!(send(&channel, 0), Err(Closed));
    sender.join().expect("no panic");
}

#[test]
fn one_slot_keeps_the_order() {
    explore(Some(PREEMPTIONS + 1), || pipe(1, 3));
}

#[test]
fn two_slots_keep_the_order() {
    explore(Some(PREEMPTIONS + 1), || pipe(2, 3));
}

#[test]
fn one_message_and_the_end_in_all_interleavings() {
    explore(None, || pipe(1, 1));
}

/// Round trips through two channels, as in a loop of a program and its host.
#[test]
fn round_trips() {
    explore(Some(PREEMPTIONS), || {
        let (request, reply) = (channel(1), channel(1));
        let shared = (Arc::clone(&request), Arc::clone(&reply));
        let host = thread::spawn(move || {
            for _ in 0..2 {
                let value = receive(&shared.0).expect("a request");
                assert_eq!(send(&shared.1, value + 10), Ok(()));
            }
        });
        for value in 0..2 {
            assert_eq!(send(&request, value), Ok(()));
            assert_eq!(receive(&reply), Ok(value + 10));
        }
        host.join().expect("no panic");
    });
}

#[test]
fn two_senders_share_one_slot() {
    explore(Some(PREEMPTIONS), || {
        let channel = channel(1);
        let senders: Vec<_> = [1, 2]
            .map(|value| {
                let shared = Arc::clone(&channel);
                thread::spawn(move || assert_eq!(send(&shared, value), Ok(())))
            })
            .into();
        let (first, second) = (receive(&channel), receive(&channel));
        assert!(matches!((first, second), (Ok(1), Ok(2)) | (Ok(2), Ok(1))));
        for sender in senders {
            sender.join().expect("no panic");
        }
    });
}

#[test]
fn two_receivers_share_two_messages() {
    explore(Some(PREEMPTIONS), || {
        let channel = channel(2);
        let receivers: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&channel);
                thread::spawn(move || receive(&shared).expect("one for each"))
            })
            .collect();
        assert_eq!(send(&channel, 1), Ok(()));
        assert_eq!(send(&channel, 2), Ok(()));
        let mut seen: Vec<u32> = receivers
            .into_iter()
            .map(|receiver| receiver.join().expect("no panic"))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    });
}

/// Exactly the accepted messages are received.
#[test]
fn closing_loses_no_accepted_message() {
    explore(Some(PREEMPTIONS), || {
        let channel = channel(2);
        let shared = Arc::clone(&channel);
        let sender = thread::spawn(move || {
            (1..=2)
                .take_while(|&value| send(&shared, value).is_ok())
                .count()
        });
        let closer = Arc::clone(&channel);
        let closer = thread::spawn(move || closer.close());
        let mut received = 0;
        while let Ok(value) = receive(&channel) {
            received += 1;
            assert_eq!(value, received);
        }
        closer.join().expect("no panic");
        assert_eq!(sender.join().expect("no panic"), received as usize);
    });
}

#[test]
fn discarding_wakes_a_receiver() {
    explore(None, || {
        let channel = channel(1);
        let shared = Arc::clone(&channel);
        let receiver = thread::spawn(move || receive(&shared));
        channel.discard();
        assert_eq!(receiver.join().expect("no panic"), Err(Closed));
    });
}

/// The sender waits; its messages are dropped with the channel, or with the failed send.
#[test]
fn discarding_wakes_a_sender() {
    explore(None, || {
        let channel = channel(1);
        let shared = Arc::clone(&channel);
        let sender = thread::spawn(move || (send(&shared, 1), send(&shared, 2)));
        channel.discard();
        assert_eq!(sender.join().expect("no panic").1, Err(Closed));
        assert!(matches!(channel.try_receive(), Tried::Closed));
    });
}

/// A receiver discards the channel while the sender writes: the message is dropped once.
#[test]
fn a_message_in_flight_is_dropped_once() {
    explore(None, || {
        let channel = channel(1);
        let shared = Arc::clone(&channel);
        let sender = thread::spawn(move || {
            let _ = shared.try_send(Arc::new(1));
        });
        let _ = channel.try_receive();
        channel.discard();
        drop(channel);
        sender.join().expect("no panic");
    });
}
