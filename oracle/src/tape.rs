//! Tapes: persistent stacks of values.
//!
//! ```text
//!   longer ──► value ──► value ──► value
//!                          ▲
//!   %tape ─────────────────┘                 a push shares the tape that it extends
//! ```
//!
//! Cost: constant for each push and pop. A tape of any length is dropped in a loop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::counts::Kept;
use crate::error::Error;
use crate::value::Value;

/// A stack of values. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Tape<'a>(Option<Rc<Node<'a>>>);

#[derive(Debug)]
struct Node<'a> {
    value: Value<'a>,
    rest: Tape<'a>,
    /// The number of values, with this one.
    length: u64,
    /// The bytes of all values, if the run is counted.
    bytes: Cell<u64>,
    /// Until the value is popped, if the run is counted.
    kept: RefCell<Option<Kept>>,
}

impl<'a> Tape<'a> {
    /// Returns the tape with one more value.
    pub(crate) fn push(&self, value: Value<'a>) -> Self {
        let (rest, length) = (self.clone(), self.length() + 1);
        Tape(Some(Rc::new(Node {
            value,
            rest,
            length,
            bytes: Cell::default(),
            kept: RefCell::default(),
        })))
    }

    /// Counts the last value, which was just pushed.
    pub(crate) fn keep(&self, kept: Kept) {
        if let Some(node) = &self.0 {
            node.bytes.set(node.rest.bytes() + kept.bytes());
            node.kept.replace(Some(kept));
        }
    }

    /// Returns the counted bytes of all values.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.bytes.get())
    }

    /// Returns the number of values.
    pub(crate) fn length(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// Returns the tape without its last value, and that value.
    pub(crate) fn pop(&self) -> Result<(Self, Value<'a>), Error> {
        match &self.0 {
            Some(node) => {
                node.kept.take();
                Ok((node.rest.clone(), node.value.clone()))
            }
            None => Err("a value is popped from an empty tape".into()),
        }
    }
}

impl Drop for Tape<'_> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.rest.0.take();
        }
    }
}
