//! Proofs about the calls that were made.
//!
//! ```text
//!   calls of the driver ──► trace: a line of JSON each ──► Schedule ──► tfx_schedule::check
//! ```
//!
//! The executor is not verified, so it might leave a wait out that the list has. A trace of the
//! calls, as `tfx-fake-cuda` writes it, is a schedule again: streams, events, memory with its
//! lifetime, copies, fills and launches. The checker proves that it has no race and no use after
//! free, for all timings.
//!
//! | call | in the schedule |
//! |---|---|
//! | `cuMemAlloc`, `cuMemHostAlloc`, and their releases | a root with a lifetime |
//! | copies, fills, launches | commands; a [`Table`] has the accesses of kernels |
//! | products of cuBLAS | commands that also work in the workspace of their handle |
//! | `cuEventRecord`, `cuStreamWaitEvent` | records and waits; each record is an event of its own |
//! | `cuStreamSynchronize` and others, queries that succeed | the host waits |
//! | captured calls, `cuGraphLaunch` | these calls on streams of the graph, between two events |
//!
//! Calls that failed have no effect. Accesses of the host itself to pinned memory are not in a
//! trace, and so not checked. Cost: linear in the trace, but captured calls count at each launch of
//! their graph.

mod call;
mod convert;

use std::collections::BTreeMap;

use tfx_commands::Use;
use tfx_schedule::{BuildError, Report, Schedule, check};
use thiserror::Error;

use call::Call;

/// The accesses of kernels: for each entry, the use of the memory at each parameter, and its bytes.
pub type Table = BTreeMap<String, Vec<(Use, u64)>>;

/// A trace that is not one of correct calls.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TraceError {
    /// A line is not a call.
    #[error("line {line} is not a call: {reason}")]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A call has no field of a name.
    #[error("the call in line {line} has no field '{field}'")]
    Field {
        /// The line.
        line: usize,
        /// The name of the field.
        field: &'static str,
    },
    /// A call uses memory that no call has allocated.
    #[error("the call in line {line} uses {bytes} bytes at {address:#x}, which are not allocated")]
    Address {
        /// The line.
        line: usize,
        /// The address.
        address: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// A call uses a stream, event or graph that no call has created.
    #[error("the call in line {line} uses {handle:#x}, which no call has created")]
    Handle {
        /// The line.
        line: usize,
        /// The handle.
        handle: u64,
    },
    /// A kernel is not in the table.
    #[error("the kernel '{kernel}' in line {line} is not in the table")]
    Kernel {
        /// The line.
        line: usize,
        /// The name of the entry.
        kernel: String,
    },
    /// A captured stream waits for an event that is not captured.
    #[error("the call in line {line} waits in a capture for an event of no capture")]
    Capture {
        /// The line.
        line: usize,
    },
    /// The schedule is malformed.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// A sequence of calls of the driver.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    calls: Vec<Call>,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// A line is not a call.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let lines = text.lines().enumerate();
        let calls = lines.map(|(index, line)| Call::parse(index + 1, line));
        Ok(Self {
            calls: calls.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the number of calls.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether there is no call.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the positions of the calls of a function that succeeded.
    pub fn positions(&self, function: &str) -> Vec<usize> {
        let calls = self.calls.iter().enumerate();
        let found = calls.filter(|(_, call)| call.call == function && call.result == 0);
        found.map(|(position, _)| position).collect()
    }

    /// Returns the trace without the call at a position.
    #[must_use]
    pub fn without(&self, position: usize) -> Self {
        let mut trace = self.clone();
        if position < trace.calls.len() {
            trace.calls.remove(position);
        }
        trace
    }

    /// Returns the schedule of the calls. The place of each command names its call.
    ///
    /// # Errors
    ///
    /// A call uses what does not exist, or a kernel is not in the table.
    pub fn schedule(&self, table: &Table) -> Result<Schedule<String>, TraceError> {
        convert::schedule(&self.calls, table)
    }

    /// Checks the schedule of the calls.
    ///
    /// # Errors
    ///
    /// As for [`Trace::schedule`].
    pub fn check(&self, table: &Table) -> Result<Report, TraceError> {
        Ok(check(&self.schedule(table)?))
    }
}
