//! The errors of parsing and of runs.

use thiserror::Error;

/// An access of memory that does not exist.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("no memory is there")]
pub struct Fault;

/// A text that is not a module of the subset.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {refusal}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: u32,
    /// The reason.
    pub refusal: Refusal,
}

/// The reason why a text is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The text has another token than the grammar allows.
    #[error("expected {expected}, found '{found}'")]
    Syntax {
        /// The tokens that are allowed.
        expected: &'static str,
        /// The token.
        found: String,
    },
    /// An instruction is not in the subset, or does not exist for its types.
    #[error("the instruction '{0}' is not in the subset")]
    Instruction(String),
    /// The instruction set does not define the bits of a result.
    #[error("the bits that '{0}' computes are not defined: use a variant that rounds")]
    Approximate(String),
    /// An assembler may contract an operation without a rounding mode.
    #[error("'{0}' may be contracted with another operation: write it with .rn")]
    Contraction(String),
    /// A directive is not in the subset.
    #[error("the directive '{0}' is not in the subset")]
    Directive(String),
    /// A name is not declared.
    #[error("'{0}' is not declared, or not of a kind that is allowed here")]
    Unknown(String),
    /// A name is declared twice, or differently.
    #[error("'{0}' is declared twice, with differences")]
    Duplicate(String),
    /// An operand has another width than the type of its instruction.
    #[error("the operand '{operand}' does not have {bits} bits")]
    Width {
        /// The operand.
        operand: String,
        /// The width of the type, 1 for predicates.
        bits: u32,
    },
    /// An address is not in the state space, or is beyond the variable that it names.
    #[error("'{0}' is not an address in the state space of the access")]
    Address(String),
    /// The arguments of a call are not those of the function.
    #[error("the arguments of the call are not those of '{0}'")]
    Call(String),
    /// A function is called, but has no body.
    #[error("the function '{0}' has no body in this module")]
    Undefined(String),
    /// Something is larger than a limit.
    #[error("more than {limit} {unit}")]
    TooLarge {
        /// The limit.
        limit: u64,
        /// The things that are counted.
        unit: &'static str,
    },
}

/// A run that failed. The memory has then any content.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// The kernel is one of another module.
    #[error("the kernel '{0}' is not one of this module")]
    Entry(String),
    /// The parameters have another size.
    #[error("the kernel takes {expected} bytes of parameters, got {got}")]
    Parameters {
        /// The size that the kernel declares, in bytes.
        expected: usize,
        /// The size of the bytes that are passed.
        got: usize,
    },
    /// A grid or block is empty, or larger than the hardware or the kernel allows.
    #[error("the grid {grid:?} of blocks {block:?} is empty or too large")]
    Grid {
        /// The number of blocks in each dimension.
        grid: [u32; 3],
        /// The number of threads of a block in each dimension.
        block: [u32; 3],
    },
    /// An instruction failed.
    #[error("'{kernel}', line {line}, block {block:?}, thread {thread:?}: {cause}")]
    Thread {
        /// The kernel.
        kernel: String,
        /// The line of the instruction, counted from 1.
        line: u32,
        /// The indices of the block.
        block: [u32; 3],
        /// The indices of the thread in its block.
        thread: [u32; 3],
        /// The reason.
        cause: Cause,
    },
}

/// The reason why an instruction failed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A load of memory that does not exist.
    #[error("a load of {bytes} bytes at {address:#x}, where no memory is")]
    Load {
        /// The address in the state space of the instruction.
        address: u64,
        /// The size of the access.
        bytes: usize,
    },
    /// A store to memory that does not exist, or that is only read.
    #[error("a store of {bytes} bytes at {address:#x}, where no writable memory is")]
    Store {
        /// The address in the state space of the instruction.
        address: u64,
        /// The size of the access.
        bytes: usize,
    },
    /// An access whose address is not a multiple of its size.
    #[error("an access of {bytes} bytes at {address:#x}, which is not a multiple of its size")]
    Misaligned {
        /// The address in the state space of the instruction.
        address: u64,
        /// The size of the access.
        bytes: usize,
    },
    /// A generic address is converted to a state space that it is not in.
    #[error("the generic address {0:#x} is not in the state space")]
    Space(u64),
    /// An integer is divided by zero.
    #[error("an integer is divided by zero")]
    DivisionByZero,
    /// The least integer is divided by -1.
    #[error("the least integer is divided by -1")]
    DivisionOverflow,
    /// The instruction `trap`.
    #[error("the kernel executes 'trap'")]
    Trap,
    /// The index of a jump table is beyond its end.
    #[error("the index {index} of a jump table with {targets} targets")]
    Branch {
        /// The index.
        index: u32,
        /// The number of targets.
        targets: usize,
    },
    /// Calls are nested too deeply.
    #[error("calls need more registers, parameters or local memory than a thread has")]
    Stack,
    /// The thread executes too many instructions.
    #[error("the thread executes more than {0} instructions")]
    Instructions(u64),
    /// Threads of a block wait at a barrier that others do not reach.
    #[error("the thread waits at a barrier that other threads of its block do not reach")]
    Barrier,
}
