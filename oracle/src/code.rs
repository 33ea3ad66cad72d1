//! Translated functions: instructions on numbered registers.

use std::rc::Rc;

use melior::ir::Type;
use smallvec::SmallVec;
use tfx_interpreter::Tensor;
use tfx_interpreter::kernels::Kernel;
use tfx_ir::Op;

use crate::computed::Template;
use crate::scalar::Compute;
use crate::value::{FunctionId, Number, Value};

pub(crate) type Register = u32;

/// A function, ready to run.
pub(crate) struct Code<'a> {
    pub(crate) instructions: Vec<Instruction<'a>>,
    pub(crate) registers: usize,
    pub(crate) parameters: Vec<Register>,
}

/// An operation.
pub(crate) struct Instruction<'a> {
    pub(crate) op: Op<'a>,
    pub(crate) action: Action<'a>,
    pub(crate) operands: SmallVec<[Register; 3]>,
    pub(crate) results: SmallVec<[Register; 1]>,
}

/// Moves all registers at once, and then continues at an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Jump {
    pub(crate) moves: Box<[(Register, Register)]>,
    /// Registers that receive the payload of the enum that is switched on.
    pub(crate) payload: Box<[Register]>,
    /// A label, and its instruction once all are known.
    pub(crate) to: usize,
}

/// The action of an instruction.
pub(crate) enum Action<'a> {
    Constant(Value<'a>),
    /// Not called with undefined operands: its results are then undefined.
    Compute(Compute<'a>),
    /// A tensor of scalars of a type. An undefined scalar may have any value; the others are
    /// unchanged.
    Message(Number, Compute<'a>),
    Select,
    Copy,
    /// A copy that has no derivative.
    Stop,
    Kernel(Kernel),
    /// Puts the last operand into a list of tensors. If it is undefined, this tensor is put there:
    /// the other elements are unchanged.
    IntoList(Kernel, Tensor),
    /// A tensor operation with computed attributes.
    Computed(Box<Template<'a>>),

    Jump(Jump),
    /// Selected by the number of the first operand, or the tag of an enum; the last one if out of
    /// range.
    Switch(Box<[(u64, Jump)]>, Jump),
    Return,
    Unreachable,

    Call(FunctionId),
    Foreign(Foreign<'a>),
    Apply,
    /// Opens a queue of the results of a function.
    Prefetch(FunctionId),
    /// Calls the function of a queue.
    Next,
    Close,
    DynamicCall(&'a str),

    Print(&'a str, Box<[Option<Number>]>),
    /// A message, or a format for the values after the condition.
    Assert(&'a str, Box<[Option<Number>]>),
    /// A message, or a format for the values.
    Abort(&'a str, Box<[Option<Number>]>),

    Variable,
    Load,
    Store,
    /// A reference to a part.
    Part(usize),
    /// A reference to a field of an object.
    Member(usize),

    List,
    Element(usize),
    Insert(usize),
    Case(usize),
    Tag,
    Payload(usize),
    ArrayGet,
    ArrayCount,
    /// An array with another element.
    ArraySet,
    /// An array of equal elements.
    ArrayFill,
    /// A value on a tape.
    Push,
    /// The rest of a tape, and its last value.
    Pop,
    /// The number of values on a tape.
    TapeLength,
    Closure(FunctionId),
    New(Type<'a>),
    Erase(Type<'a>),

    Start(FunctionId, Box<[Option<Number>]>),
    /// On a channel; on the host's side the last operand is the program.
    Send {
        channel: u32,
        on_host: bool,
        number: Option<Number>,
    },
    Receive {
        channel: u32,
        on_host: bool,
        ty: Type<'a>,
    },
    Finish(Box<[Type<'a>]>),
    Terminate,
}

/// A call of a foreign function.
pub(crate) struct Foreign<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Box<[Option<Number>]>,
    pub(crate) results: Rc<[Type<'a>]>,
}
