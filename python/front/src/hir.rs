//! The program as a control-flow graph: one body for each function, before types.
//!
//! ```text
//!   for i in range(n):          b0:  t0 = n; t1 = range; t2 = t1(t0); t3 = iter t2; jump b1
//!       x = x * 2        ──>    b1:  t4 = has_next t3; branch t4 b2 b3
//!   return x                    b2:  i = item t3; t3 = advance t3; x = x * 2; jump b1
//!                               b3:  return x
//! ```
//!
//! Names are resolved to slots: the variables of the function, those that it captures, and
//! temporaries. Conditions are evaluated by branches. Values of any type are in slots; inference
//! (`infer.rs`) finds the types.

use std::collections::BTreeSet;
use std::sync::Arc;

use tfx_python_syntax::{BinaryOp, CompareOp, Function, Span, UnaryOp};

/// A variable or a temporary of a body.
pub(crate) type Slot = u32;
/// The index of a block of a body.
pub(crate) type BlockId = u32;
/// The index of a body of a program.
pub(crate) type FunctionId = usize;
/// The index of a file of a program.
pub(crate) type FileId = usize;

/// A function.
#[derive(Debug)]
pub(crate) struct Body {
    /// The source.
    pub function: Arc<Function>,
    /// The file of the source.
    pub file: FileId,
    /// The names of the slots; temporaries have none.
    pub slots: Vec<Option<String>>,
    /// The slots of the parameters: positional, rest, keyword-only.
    pub parameters: Vec<Slot>,
    /// The captured variables: the slot in the enclosing body, and that in this one.
    pub captures: Vec<(Slot, Slot)>,
    /// The blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// The slots that are live at the start of each block.
    pub live: Vec<BTreeSet<Slot>>,
}

/// A block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub instructions: Vec<Instruction>,
    pub end: End,
}

/// The end of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum End {
    /// No code reaches the end.
    #[default]
    Unreachable,
    Jump(BlockId),
    /// The condition is a boolean.
    Branch(Slot, BlockId, BlockId),
    Return(Slot, Span),
    Raise(Slot, Span),
}

/// An instruction with one result.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub result: Slot,
    pub kind: Kind,
    pub operands: Vec<Slot>,
    pub span: Span,
}

/// The kind of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Int(i64),
    /// An integer literal beyond 64 bits.
    HugeInt,
    Float(f64),
    Bool(bool),
    None,
    Ellipsis,
    Str(Arc<str>),
    /// A copy of a temporary, or an assignment.
    Copy,
    /// A read of a variable, which must be bound.
    Read,
    /// A global or a builtin.
    Global(String),
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// An augmented assignment.
    InPlace(BinaryOp),
    Compare(CompareOp),
    Truth,
    /// A tuple; the flags mark `*value`.
    Tuple(Vec<bool>),
    /// A list; the flags mark `*value`.
    List(Vec<bool>),
    Slice,
    Subscript,
    Attribute(String),
    /// A call of the first operand. The flags mark `*value` of the positional arguments; keywords
    /// follow.
    Call(Vec<bool>, Vec<String>),
    /// A function; the operands are its default values.
    Function(FunctionId),
    /// An iterator; `true` in a comprehension, whose loop is unrolled.
    Iter(bool),
    HasNext,
    Item,
    Advance,
    /// A list with one more element.
    Append,
    /// A tuple of the parts of an assignment: the number of names, and the starred one.
    Unpack(usize, Option<usize>),
    TupleGet(usize),
    /// A formatted value: the conversion; the operands are the value and the specification.
    Format(Option<char>),
    /// The concatenation of strings.
    Concat,
    /// Ends the program with an `AssertionError` if the first operand is false.
    Assert,
}
