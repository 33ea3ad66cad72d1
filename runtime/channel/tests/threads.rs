//! The channel with system threads: many messages, spinning, and sleeping. Unlike the model, these
//! tests include time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tfx_channel::{Channel, Closed, Tried};

#[test]
fn capacities_are_kept() {
    for capacity in [1, 2, 3, 7, 8] {
        let channel = Channel::new(capacity);
        for round in 0..20 {
            for message in 0..capacity {
                assert_eq!(channel.try_send((round, message)), Tried::Done(()));
            }
            assert_eq!(
                channel.try_send((round, capacity)),
                Tried::MustWait((round, capacity))
            );
            for message in 0..capacity {
                assert_eq!(channel.try_receive(), Tried::Done((round, message)));
            }
            assert_eq!(channel.try_receive(), Tried::MustWait(()));
        }
    }
}

#[test]
fn a_closed_channel_delivers_its_messages_and_a_discarded_one_none() {
    let channel = Channel::new(4);
    assert_eq!(channel.send(1), Ok(()));
    assert_eq!(channel.send(2), Ok(()));
    channel.close();
    assert_eq!(channel.send(3), Err(Closed));
    assert_eq!(channel.receive(), Ok(1));
    channel.discard();
    assert_eq!(channel.receive(), Err(Closed));
}

/// Counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn remaining_messages_are_dropped_with_the_channel() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let channel = Channel::new(4);
    for _ in 0..6 {
        let _ = channel.try_send(Counted(Arc::clone(&dropped)));
    }
    assert_eq!(
        dropped.load(Ordering::Relaxed),
        2,
        "four are in the channel, two were returned"
    );
    drop(channel);
    assert_eq!(dropped.load(Ordering::Relaxed), 6);
}

/// Checks that each message is received once, and that the messages of a sender keep their order.
fn exchange(capacity: usize, senders: usize, receivers: usize, count: usize) {
    let channel = Arc::new(Channel::new(capacity));
    let sending: Vec<_> = (0..senders)
        .map(|sender| {
            let channel = Arc::clone(&channel);
            thread::spawn(move || {
                for number in 0..count {
                    assert_eq!(channel.send((sender, number)), Ok(()));
                    // Sometimes the other side has time to fall asleep.
                    if number % 1000 == 0 {
                        thread::sleep(Duration::from_micros(50));
                    }
                }
            })
        })
        .collect();
    let receiving: Vec<_> = (0..receivers)
        .map(|_| {
            let channel = Arc::clone(&channel);
            thread::spawn(move || {
                let mut seen = Vec::new();
                while let Ok(message) = channel.receive() {
                    seen.push(message);
                }
                seen
            })
        })
        .collect();
    for thread in sending {
        thread.join().expect("no panic");
    }
    channel.close();
    let mut all = Vec::new();
    for thread in receiving {
        let seen = thread.join().expect("no panic");
        for sender in 0..senders {
            let of_one = || seen.iter().filter(|message| message.0 == sender);
            assert!(of_one().zip(of_one().skip(1)).all(|(a, b)| a.1 < b.1));
        }
        all.extend(seen);
    }
    all.sort_unstable();
    let expected: Vec<_> = (0..senders)
        .flat_map(|sender| (0..count).map(move |number| (sender, number)))
        .collect();
    assert_eq!(all, expected);
}

#[test]
fn every_message_arrives_once() {
    exchange(1, 1, 1, 20_000);
    exchange(8, 1, 1, 100_000);
    exchange(1, 3, 2, 5_000);
    exchange(5, 2, 3, 20_000);
}

/// Waits of many lengths around the spin time.
#[test]
fn sleepers_are_woken() {
    let requests = Arc::new(Channel::new(1));
    let replies = Arc::new(Channel::new(1));
    let (echo_requests, echo_replies) = (Arc::clone(&requests), Arc::clone(&replies));
    let echo = thread::spawn(move || {
        while let Ok(message) = echo_requests.receive() {
            let until = Instant::now() + Duration::from_micros(message % 60);
            while Instant::now() < until {
                std::hint::spin_loop();
            }
            assert_eq!(echo_replies.send(message), Ok(()));
        }
    });
    for message in 0..5_000u64 {
        assert_eq!(requests.send(message), Ok(()));
        assert_eq!(replies.receive(), Ok(message));
    }
    requests.close();
    echo.join().expect("no panic");
}
