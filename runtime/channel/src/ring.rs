//! Messages in a ring of slots, for any number of senders and receivers.
//!
//! ```text
//!   position     3       4       5       6         capacity 4: position 6 lies in slot 2
//!   stamp      2*3+1   2*4+1   2*5     2*6         2p: free for the message of position p;  2p+1: holds it
//!                ^head           ^tail             a receiver leaves 2(p + capacity)
//! ```
//!
//! A sender reads the stamp of the slot at the tail. If the slot is free for it, the sender claims the position by moving the tail, writes the message, and
//! sets the stamp, which hands the slot to a receiver; receivers do the same at the head. (D. Vyukov, "Bounded MPMC queue", 2010; crossbeam's
//! `ArrayQueue`.) Whoever claims a position is alone with its slot until it sets the stamp: that is the contract of the unsafe code here, all
//! of which is in this file.
//!
//! The lowest bit of the tail says that the ring takes nothing more, that of the head that it gives nothing more. As they are in the word that a claim
//! moves, there is no message that was accepted after the ring was closed.

use std::mem::MaybeUninit;

use crate::sync::{AtomicBool, AtomicUsize, Ordering::*, UnsafeCell};

/// Of head and tail: nothing more from here on. Positions are counted above it.
const CLOSED: usize = 1;
const NEXT: usize = 2;

/// One slot. Slots lie apart as head and tail do: the next one is being written while this one is read.
#[repr(align(128))]
struct Slot<T> {
    stamp: AtomicUsize,
    message: UnsafeCell<MaybeUninit<T>>,
}

/// Keeps what senders write apart from what receivers write: two lines, since processors fetch lines in pairs.
#[repr(align(128))]
struct Apart<T>(T);

pub(crate) struct Ring<T> {
    tail: Apart<AtomicUsize>,
    head: Apart<AtomicUsize>,
    /// Whether the tail may be closed. A receiver that waits reads this, which does not change, and not the tail, which senders want for themselves.
    is_closing: AtomicBool,
    slots: Box<[Slot<T>]>,
}

// SAFETY: a message goes from one thread to another, and is never used by two of them.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: as above; slots are used by who claimed them alone.
unsafe impl<T: Send> Sync for Ring<T> {}

/// What came of putting a message in.
pub(crate) enum Put<T> {
    Done,
    Full(T),
    Closed(T),
}

/// What came of taking a message out.
pub(crate) enum Taken<T> {
    Message(T),
    Empty,
    Closed,
}

fn free(position: usize) -> usize {
    position * 2
}

fn full(position: usize) -> usize {
    position * 2 + 1
}

impl<T> Ring<T> {
    /// An empty ring; `capacity` is at least 1.
    pub(crate) fn new(capacity: usize) -> Self {
        let slot = |position| Slot {
            stamp: AtomicUsize::new(free(position)),
            message: UnsafeCell::new(MaybeUninit::uninit()),
        };
        Ring {
            tail: Apart(AtomicUsize::new(0)),
            head: Apart(AtomicUsize::new(0)),
            is_closing: AtomicBool::new(false),
            slots: (0..capacity.max(1)).map(slot).collect(),
        }
    }

    #[inline]
    fn slot(&self, position: usize) -> &Slot<T> {
        &self.slots[position % self.slots.len()]
    }

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
                    // SAFETY: this position is claimed here, and the stamp said that its slot is empty.
                    slot.message
                        .with_mut(|cell| unsafe { (*cell).write(message) });
                    slot.stamp.store(full(position), Release);
                    return Put::Done;
                }
            }
        }
    }

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
                    // SAFETY: this position is claimed here, and the stamp said that its slot holds a message.
                    let message = slot
                        .message
                        .with_mut(|cell| unsafe { (*cell).assume_init_read() });
                    slot.stamp.store(free(position + self.slots.len()), Release);
                    return Taken::Message(message);
                }
            }
        }
    }

    /// Whether `put` would not say that the ring is full.
    pub(crate) fn can_put(&self) -> bool {
        let tail = self.tail.0.load(Relaxed);
        tail & CLOSED != 0 || self.slot(tail / NEXT).stamp.load(Acquire) >= free(tail / NEXT)
    }

    /// Whether `take` would not say that the ring is empty.
    pub(crate) fn can_take(&self) -> bool {
        let head = self.head.0.load(Relaxed);
        let position = head / NEXT;
        head & CLOSED != 0
            || self.slot(position).stamp.load(Acquire) >= full(position)
            || self.ends_at(position)
    }

    /// Whether no message of this position will come. A closed tail stays where it is: if a sender has claimed the position, its message will come.
    fn ends_at(&self, position: usize) -> bool {
        self.is_closing.load(Acquire) && self.tail.0.load(Acquire) == position * NEXT + CLOSED
    }

    /// Takes nothing more from now on; what is in it can still be taken out.
    pub(crate) fn close(&self) {
        self.tail.0.fetch_or(CLOSED, AcqRel);
        self.is_closing.store(true, Release);
    }

    /// Gives nothing more from now on, either.
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
            // SAFETY: nobody else has the ring any more, so every claimed position was written, and those from the head on were not read.
            self.slot(position)
                .message
                .with_mut(|cell| unsafe { (*cell).assume_init_drop() });
        }
    }
}
