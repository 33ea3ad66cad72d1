//! The channel under loom: every order of its steps, and every value that the memory model lets a load see.
//!
//! The files of the crate are compiled here with loom's atomics, locks and cells: `sync` below has the face of `src/sync.rs`. A waiting thread is put to
//! sleep at once, so that sleeping and waking are what is tried. loom itself fails a test where threads wait for each other for ever, where a
//! cell is used by two threads at once, and where something that is counted is not freed.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "the files are those of a library"
)]

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

    pub(crate) struct Patience;

    impl Patience {
        pub(crate) fn new() -> Self {
            Patience
        }

        pub(crate) fn wait(&mut self) -> bool {
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

/// Preemptions to try where three threads meet: nearly all errors show with two (Musuvathi and Qadeer, "Iterative context bounding", 2007), and all orders of
/// three threads are too many.
const PREEMPTIONS: usize = 2;

fn explore(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(model);
}

/// A message that loom counts: one that is never dropped fails the model.
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

/// A sender that waits for room, a receiver that waits for messages, and the end.
fn pipe(capacity: usize, count: u32) {
    let channel = channel(capacity);
    let theirs = Arc::clone(&channel);
    let sender = thread::spawn(move || {
        for value in 0..count {
            assert_eq!(send(&theirs, value), Ok(()));
        }
        theirs.close();
    });
    for value in 0..count {
        assert_eq!(receive(&channel), Ok(value));
    }
    assert_eq!(receive(&channel), Err(Closed));
    assert_eq!(send(&channel, 0), Err(Closed));
    sender.join().expect("no panic");
}

#[test]
fn messages_come_in_order_through_one_slot() {
    explore(Some(PREEMPTIONS + 1), || pipe(1, 3));
}

#[test]
fn messages_come_in_order_through_two_slots() {
    explore(Some(PREEMPTIONS + 1), || pipe(2, 3));
}

#[test]
fn every_order_of_one_message_and_the_end_is_right() {
    explore(None, || pipe(1, 1));
}

/// One round trip through two channels, as a program and a host function make it in each trip of a loop.
#[test]
fn a_question_is_answered() {
    explore(Some(PREEMPTIONS), || {
        let (question, answer) = (channel(1), channel(1));
        let theirs = (Arc::clone(&question), Arc::clone(&answer));
        let host = thread::spawn(move || {
            for _ in 0..2 {
                let asked = receive(&theirs.0).expect("a question");
                assert_eq!(send(&theirs.1, asked + 10), Ok(()));
            }
        });
        for asked in 0..2 {
            assert_eq!(send(&question, asked), Ok(()));
            assert_eq!(receive(&answer), Ok(asked + 10));
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
                let theirs = Arc::clone(&channel);
                thread::spawn(move || assert_eq!(send(&theirs, value), Ok(())))
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
fn two_receivers_share_what_is_there() {
    explore(Some(PREEMPTIONS), || {
        let channel = channel(2);
        let receivers: Vec<_> = (0..2)
            .map(|_| {
                let theirs = Arc::clone(&channel);
                thread::spawn(move || receive(&theirs).expect("one for each"))
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

/// What was accepted is received, what was refused is not: nothing is lost between.
#[test]
fn closing_loses_nothing_that_was_accepted() {
    explore(Some(PREEMPTIONS), || {
        let channel = channel(2);
        let theirs = Arc::clone(&channel);
        let sender = thread::spawn(move || {
            (1..=2)
                .take_while(|&value| send(&theirs, value).is_ok())
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
        let theirs = Arc::clone(&channel);
        let receiver = thread::spawn(move || receive(&theirs));
        channel.discard();
        assert_eq!(receiver.join().expect("no panic"), Err(Closed));
    });
}

/// The sender waits for room; its messages are dropped with the channel, or with the attempt.
#[test]
fn discarding_wakes_a_sender() {
    explore(None, || {
        let channel = channel(1);
        let theirs = Arc::clone(&channel);
        let sender = thread::spawn(move || (send(&theirs, 1), send(&theirs, 2)));
        channel.discard();
        assert_eq!(sender.join().expect("no panic").1, Err(Closed));
        assert!(matches!(channel.try_receive(), Tried::Closed));
    });
}

/// A receiver that discards while the sender writes: the message is dropped once.
#[test]
fn a_message_on_its_way_is_dropped_once() {
    explore(None, || {
        let channel = channel(1);
        let theirs = Arc::clone(&channel);
        let sender = thread::spawn(move || {
            let _ = theirs.try_send(Arc::new(1));
        });
        let _ = channel.try_receive();
        channel.discard();
        drop(channel);
        sender.join().expect("no panic");
    });
}
