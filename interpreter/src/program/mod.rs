//! A program of an image, prepared once and run any number of times.
//!
//! ```text
//! GraphDef --prepare--> bodies: one per function, each a list of steps over numbered slots --run--> results
//!             |   names to slots (prepare.rs)
//!             |   order of steps, last uses (schedule.rs)
//!             |   branches and loops as jumps (flatten.rs)
//!             +-- kernels
//! ```
//!
//! Preparation is linear in the nodes and edges of the functions that the program uses (times a
//! logarithm for the ready queue). Execution is iterative: calls, and branches and loops of
//! functions with several users, push frames on an explicit stack (`run.rs`), so neither the size
//! of a program nor its nesting uses the stack of the thread. A tensor is dropped, or overwritten
//! in place, at its last use.
//!
//! Limit: there is no parallelism within a graph. One thread runs one program.

mod flatten;
mod native;
#[cfg(test)]
mod ownership;
mod prepare;
mod rank;
mod run;
mod schedule;

pub use native::{NativeFunction, Natives, NoNatives};
pub use prepare::callees;
pub use run::truth;

use std::sync::Arc;

use crate::{kernels::Kernel, tensor::Tensor};

/// The channels to the host. The runtime implements it.
pub trait Channels: Sync {
    /// Sends a value on the channel at this position of the declaration; waits while it is full.
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Closed>;
    /// Receives a value from the channel at this position of the declaration; waits while it is
    /// empty.
    fn receive(&self, channel: usize) -> Result<Tensor, Closed>;
}

/// The channel was closed: the program is being cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the channel is closed")]
pub struct Closed;

/// The reason why a program cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PrepareError {
    /// The source location of the node, `file:line:col`, if the graph has it.
    pub location: Option<String>,
    /// The message.
    pub message: String,
}

/// The reason why a run ended without results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// It was cancelled, or a channel was closed.
    #[error("the program was cancelled")]
    Cancelled,
    /// A node failed.
    #[error("{message} (node {node}, operation {operation})")]
    Failed {
        /// The node's name.
        node: String,
        /// Its operation.
        operation: String,
        /// Its source location, `file:line:col`, if the graph has it.
        location: Option<String>,
        /// The message.
        message: String,
        /// The locations of the calls that contain it, innermost first.
        calls: Vec<String>,
    },
}

/// A program that is ready to run.
#[derive(Debug)]
pub struct Program {
    /// The functions, in the order of discovery.
    bodies: Vec<Body>,
    /// Inputs that are tensors.
    arguments: usize,
    /// The ids of the channels, in the order of the declaration.
    channels: Vec<i32>,
    /// The outputs of the program's function that are its results.
    results: Vec<usize>,
}

/// The program's own function among the bodies.
const MAIN: usize = 0;

/// A function: steps in execution order.
#[derive(Debug, Default)]
struct Body {
    parameters: usize,
    slots: usize,
    constants: Vec<Tensor>,
    steps: Vec<Step>,
    results: Vec<Operand>,
    /// It or a function that it runs draws random numbers: each step that runs it has its own
    /// generators.
    samples: bool,
}

/// The source of an input.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A slot; `last`: it has no later reader.
    Slot { slot: usize, last: bool },
    /// A constant of the body.
    Constant(usize),
}

/// A node.
#[derive(Debug)]
struct Step {
    action: Action,
    inputs: Box<[Operand]>,
    /// A slot for each output; `None` if it is not read.
    outputs: Box<[Option<usize>]>,
    /// The place in program order, in which steps may fail.
    rank: u32,
    node: Arc<NodeName>,
}

/// The description of a node in errors.
#[derive(Clone, Debug)]
struct NodeName {
    name: String,
    operation: String,
    location: Option<String>,
}

/// The action of a step.
#[derive(Debug)]
enum Action {
    Compute(Kernel),
    /// With the generator of this number.
    Sample {
        generator: usize,
        kernel: Kernel,
    },
    Send,
    Receive,
    Call {
        body: usize,
    },
    /// Calls native code, or the body if the code gives up.
    Native {
        code: Arc<dyn NativeFunction>,
        body: usize,
    },
    If {
        then: usize,
        otherwise: usize,
    },
    Case {
        branches: Box<[usize]>,
    },
    While {
        condition: usize,
        body: usize,
    },
    /// Jumps to a step.
    Jump {
        target: usize,
    },
    /// Jumps to a step if its input is false.
    Unless {
        target: usize,
    },
    /// Jumps to the step with the number of its input, or to the last one if there is none of that
    /// number.
    Select {
        targets: Vec<usize>,
    },
    /// Moves its inputs into its outputs: one after the other, or all at once if one would
    /// overwrite another.
    Move {
        in_order: bool,
    },
}

impl Action {
    /// The functions that it runs.
    fn bodies(&self) -> impl Iterator<Item = usize> {
        let (one, two, many) = match self {
            Action::Call { body } | Action::Native { body, .. } => (Some(*body), None, &[][..]),
            Action::If { then, otherwise } => (Some(*then), Some(*otherwise), &[][..]),
            Action::While { condition, body } => (Some(*condition), Some(*body), &[][..]),
            Action::Case { branches } => (None, None, &branches[..]),
            _ => (None, None, &[][..]),
        };
        one.into_iter().chain(two).chain(many.iter().copied())
    }
}

impl Program {
    /// The number of inputs.
    pub fn arguments(&self) -> usize {
        self.arguments
    }

    /// The number of results.
    pub fn results(&self) -> usize {
        self.results.len()
    }

    /// The ids of the channels; their positions are the arguments of [`Channels`].
    pub fn channels(&self) -> &[i32] {
        &self.channels
    }
}
