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
//! Preparing is linear in the nodes and edges of the functions that the program uses (times a logarithm for the ready queue).
//! Running is iterative: calls, and branches and loops of functions that others run too, push frames on a stack of the machine's own (`run.rs`), so neither
//! the size of a program nor its nesting uses the stack of the thread. A tensor is dropped, or overwritten in place, at its last use.
//!
//! Not promised: parallelism within a graph. One thread runs one program.

mod flatten;
mod prepare;
mod run;
mod schedule;

pub use prepare::callees;
pub use run::truth;

use std::sync::Arc;

use crate::{kernels::Kernel, tensor::Tensor};

/// How a graph meets its host. The runtime supplies it.
pub trait Channels: Sync {
    /// Puts a value into the channel at this position of the declaration; waits while it is full.
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Closed>;
    /// Takes a value out of the channel at this position of the declaration; waits while it is empty.
    fn receive(&self, channel: usize) -> Result<Tensor, Closed>;
}

/// The channel was closed: the program is being cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the channel is closed")]
pub struct Closed;

/// Why a program cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PrepareError {
    /// The node's source place, `file:line:col`, if the graph says it.
    pub location: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// Why a run ended without results.
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
        /// Its source place, `file:line:col`, if the graph says it.
        location: Option<String>,
        /// What is wrong.
        message: String,
        /// The places of the calls that it is in, the innermost first.
        calls: Vec<String>,
    },
}

/// A program that is ready to run.
#[derive(Debug)]
pub struct Program {
    /// The functions, by the order in which they were found.
    bodies: Vec<Body>,
    /// Inputs that are tensors.
    arguments: usize,
    /// The ids of the channels, in the order of the declaration.
    channels: Vec<i32>,
    /// Which outputs of the program's function are its results.
    results: Vec<usize>,
}

/// The program's own function among the bodies.
const MAIN: usize = 0;

/// A function: steps in the order in which they run.
#[derive(Debug, Default)]
struct Body {
    parameters: usize,
    slots: usize,
    constants: Vec<Tensor>,
    steps: Vec<Step>,
    results: Vec<Operand>,
    /// It or a function that it runs draws random numbers: each step that runs it has generators of its own.
    samples: bool,
}

/// Where an input comes from.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A slot; `last`: nobody reads it after this.
    Slot { slot: usize, last: bool },
    /// A constant of the body.
    Constant(usize),
}

/// One node.
#[derive(Debug)]
struct Step {
    action: Action,
    inputs: Box<[Operand]>,
    /// A slot per output; `None` where nobody reads it.
    outputs: Box<[Option<usize>]>,
    node: Arc<NodeName>,
}

/// What errors say about a node.
#[derive(Clone, Debug)]
struct NodeName {
    name: String,
    operation: String,
    location: Option<String>,
}

/// What a step does.
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
    /// Goes to a step.
    Jump {
        target: usize,
    },
    /// Goes to a step if its input is not true.
    Unless {
        target: usize,
    },
    /// Goes to the step that its input numbers, or, where there is none of that number, to the last one.
    Select {
        targets: Vec<usize>,
    },
    /// Puts its inputs into its outputs: one after the other, or, where one would overwrite another, all at once.
    Move {
        in_order: bool,
    },
}

impl Action {
    /// The functions that it runs.
    fn bodies(&self) -> impl Iterator<Item = usize> {
        let (one, two, many) = match self {
            Action::Call { body } => (Some(*body), None, &[][..]),
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

    /// The ids of the channels; their positions are what [`Channels`] is called with.
    pub fn channels(&self) -> &[i32] {
        &self.channels
    }
}
