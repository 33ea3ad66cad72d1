//! Messages in a ring of slots, for any number of senders and receivers.
//!
//! ```text
//!   position     3       4       5       6         capacity 4: position 6 is in slot 2
//!   stamp      2*3+1   2*4+1   2*5     2*6         2p: free for position p;  2p+1: holds its message
//!                ^head           ^tail             a receiver stores 2(p + capacity)
//! ```
//!
//! A sender reads the stamp of the slot at the tail. If the slot is free, the sender claims the
//! position by advancing the tail, writes the message, and sets the stamp, which publishes the slot
//! to receivers. Receivers do the same at the head. (D. Vyukov, "Bounded MPMC queue", 2010;
//! crossbeam's `ArrayQueue`.)
//!
//! Contract of the unsafe code: the thread that claims a position has exclusive access to its slot
//! until it sets the stamp.
//!
//! The lowest bit of the tail ends sending, that of the head ends receiving. A claim compares and
//! advances the same word, so no message is accepted after the ring is closed.

use std::mem::MaybeUninit;

use crate::sync::{AtomicBool, AtomicUsize, Ordering::*, UnsafeCell};

/// The bit of head and tail that ends the operation. The other bits are the position.
const CLOSED: usize = 1;
/// The distance of two positions in head and tail.
const NEXT: usize = 2;

/// One slot. The alignment separates slots, because one thread reads a slot while another one
/// writes the next.
#[repr(align(128))]
struct Slot<T> {
    stamp: AtomicUsize,
    message: UnsafeCell<MaybeUninit<T>>,
}

/// Separates the data of senders from that of receivers by two cache lines, since processors fetch
/// lines in pairs.
#[repr(align(128))]
struct CachePadded<T>(T);

pub(crate) struct Ring<T> {
    tail: CachePadded<AtomicUsize>,
    head: CachePadded<AtomicUsize>,
    /// The tail is closed, or about to be. A waiting receiver reads this flag, which is rarely
    /// written, instead of the tail, which senders write.
    is_closing: AtomicBool,
    slots: Box<[Slot<T>]>,
}

// SAFETY: a message moves from one thread to another, and only one thread uses it at a time.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: as above, by the contract of slots.
unsafe impl<T: Send> Sync for Ring<T> {}

/// The result of adding a message.
pub(crate) enum Put<T> {
    Done,
    Full(T),
    Closed(T),
}

/// The result of removing a message.
pub(crate) enum Taken<T> {
    Message(T),
    Empty,
    Closed,
}

/// The stamp of a slot that is free for a position.
fn free(position: usize) -> usize {
    position * 2
}

/// The stamp of a slot with the message of a position.
fn full(position: usize) -> usize {
    position * 2 + 1
}

impl<T> Ring<T> {
    /// Creates an empty ring with a capacity of at least 1.
    pub(crate) fn new(capacity: usize) -> Self {
        let slot = |position| Slot {
            stamp: AtomicUsize::new(free(position)),
            message: UnsafeCell::new(MaybeUninit::uninit()),
        };
        Ring {
            tail: CachePadded(AtomicUsize::new(0)),
            head: CachePadded(AtomicUsize::new(0)),
            is_closing: AtomicBool::new(false),
            slots: (0..capacity.max(1)).map(slot).collect(),
        }
    }

    #[inline]
    fn slot(&self, position: usize) -> &Slot<T> {
        &self.slots[position % self.slots.len()]
    }

    /// Adds a message at the tail.
    #[inline]
    pub(crate) fn put(&self, message: T) -> Put<T> {
        let mut tail = self.tail.0.load(Relaxed);
        loop {
            if tail & CLOSED != 0 {
                return Put::Closed(message);
            }
            let position = tail / NEXT;
            let slot = self.slot(position);
            let stamp = slot.stamp.load(Acquire);
            if stamp < free(position) {
                return Put::Full(message);
            }
            if stamp > free(position) {
                // Another sender was faster.
                tail = self.tail.0.load(Relaxed);
                continue;
            }
            match self
                .tail
                .0
                .compare_exchange(tail, tail + NEXT, AcqRel, Relaxed)
            {
                Err(now) => tail = now,
                Ok(_) => {
                    // SAFETY: this thread has claimed the position, and its slot is empty by the
                    // stamp.
                    slot.message
                        .with_mut(|cell| unsafe { (*cell).write(message) });
                    slot.stamp.store(full(position), Release);
                    return Put::Done;
                }
            }
        }
    }

    /// Removes the message at the head.
    #[inline]
    pub(crate) fn take(&self) -> Taken<T> {
        let mut head = self.head.0.load(Relaxed);
        loop {
            if head & CLOSED != 0 {
                return Taken::Closed;
            }
            let position = head / NEXT;
            let slot = self.slot(position);
            let stamp = slot.stamp.load(Acquire);
            if stamp < full(position) {
                return if self.ends_at(position) {
                    Taken::Closed
                } else {
                    Taken::Empty
                };
            }
            if stamp > full(position) {
                // Another receiver was faster.
                head = self.head.0.load(Relaxed);
                continue;
            }
            match self
                .head
                .0
                .compare_exchange(head, head + NEXT, AcqRel, Relaxed)
            {
                Err(now) => head = now,
                Ok(_) => {
                    // SAFETY: this thread has claimed the position, and its slot holds a message by
                    // the stamp.
                    let message = slot
                        .message
                        .with_mut(|cell| unsafe { (*cell).assume_init_read() });
                    slot.stamp.store(free(position + self.slots.len()), Release);
                    return Taken::Message(message);
                }
            }
        }
    }

    /// Returns whether the result of `put` would not be `Full`.
    pub(crate) fn can_put(&self) -> bool {
        let tail = self.tail.0.load(Relaxed);
        tail & CLOSED != 0 || self.slot(tail / NEXT).stamp.load(Acquire) >= free(tail / NEXT)
    }

    /// Returns whether the result of `take` would not be `Empty`.
    pub(crate) fn can_take(&self) -> bool {
        let head = self.head.0.load(Relaxed);
        let position = head / NEXT;
        head & CLOSED != 0
            || self.slot(position).stamp.load(Acquire) >= full(position)
            || self.ends_at(position)
    }

    /// Returns whether the ring is closed at this position. A closed tail does not move. If a
    /// sender has claimed the position, its message will follow.
    fn ends_at(&self, position: usize) -> bool {
        self.is_closing.load(Acquire) && self.tail.0.load(Acquire) == position * NEXT + CLOSED
    }

    /// Ends adding. The messages in the ring can still be removed.
    pub(crate) fn close(&self) {
        self.tail.0.fetch_or(CLOSED, AcqRel);
        self.is_closing.store(true, Release);
    }

    /// Ends adding and removing.
    pub(crate) fn discard(&self) {
        self.close();
        self.head.0.fetch_or(CLOSED, AcqRel);
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        let head = self.head.0.load(Acquire) / NEXT;
        let tail = self.tail.0.load(Acquire) / NEXT;
        for position in head..tail {
            // SAFETY: no other thread uses the ring, so each claimed position was written, and
            // those from the head on were not read.
            self.slot(position)
                .message
                .with_mut(|cell| unsafe { (*cell).assume_init_drop() });
        }
    }
}
