//! Modules as data: the form that is executed.
//!
//! ```text
//!   frame of a function:
//!   slot 0..12      12            13            14        15..
//!   %tid..%nctaid   local base    param base    sink      registers and constants
//! ```
//!
//! An operand is the index of a slot, also if it is a constant, a special register or the start of
//! the memory of the frame: a new frame is a copy of [`Function::initial`]. So no instruction
//! distinguishes the kinds of its operands. A register holds its bits, extended with zeros; a
//! predicate is 0 or 1.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// The index of a slot in the frame of a function.
pub(crate) type Slot = u32;

/// The first slots: `%tid`, `%ntid`, `%ctaid` and `%nctaid`, three dimensions each.
pub(crate) const SPECIAL: usize = 12;
/// The slot with the address of the frame's local variables, in the local space.
pub(crate) const LOCAL_BASE: Slot = 12;
/// The slot with the address of the frame's parameters, in the parameter space.
pub(crate) const PARAM_BASE: Slot = 13;
/// The slot for results that are written to `_`.
pub(crate) const SINK: Slot = 14;
/// The number of slots before those of registers and constants.
pub(crate) const RESERVED: usize = 15;

/// A type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Predicate,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
}

impl Type {
    /// Returns the type with a name such as `u32`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "pred" => Self::Predicate,
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    /// Returns the width in bits, 1 for predicates.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::B8 | Self::U8 | Self::S8 => 8,
            Self::B16 | Self::U16 | Self::S16 => 16,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 64,
        }
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// Returns whether values of the type are bits without a meaning.
    pub(crate) fn is_bits(self) -> bool {
        matches!(self, Self::B8 | Self::B16 | Self::B32 | Self::B64)
    }
}

/// Returns the low bits of a value.
pub(crate) fn low(value: u64, bits: u32) -> u64 {
    match bits {
        64.. => value,
        _ => value & ((1 << bits) - 1),
    }
}

/// Returns the low bits of a value, as a signed integer.
pub(crate) fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (value << unused).cast_signed() >> unused
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// An operation with one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Neg,
    Abs,
    /// The number of bits that are 1.
    Ones,
    /// The number of zeros before the highest 1.
    LeadingZeros,
    ReverseBits,
    Sqrt,
    Reciprocal,
}

/// An operation with two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    /// The low half of a product, or a product of floating-point numbers.
    Mul,
    /// The high half of a product.
    MulHigh,
    /// The product in twice the width.
    MulWide,
    Div,
    Rem,
    /// The minimum, or the operand that is not a NaN.
    Min,
    Max,
    /// The minimum, or a NaN if an operand is one.
    MinNan,
    MaxNan,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    /// The second source with the sign of the first.
    CopySign,
}

/// An operation with three sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ternary {
    /// `a * b + c`: the low half for integers, rounded once for floating-point numbers.
    MulAdd,
    MulHighAdd,
    MulWideAdd,
    /// The field of `a` of `c` bits at `b`.
    Extract,
    /// The bytes of `a` and `b` that the digits of `c` select.
    Permute,
    /// The upper half of `b:a` shifted to the left by `c`, modulo 32.
    FunnelLeft,
    /// The same, by at most 32.
    FunnelLeftClamp,
    /// The lower half of `b:a` shifted to the right by `c`, modulo 32.
    FunnelRight,
    /// The same, by at most 32.
    FunnelRightClamp,
}

/// A comparison. Those whose names start with `U` are also true if an operand is a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    UEq,
    UNe,
    ULt,
    ULe,
    UGt,
    UGe,
    /// No operand is a NaN.
    Number,
    /// An operand is a NaN.
    Nan,
}

/// The rounding of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// None: the result is exact.
    Exact,
    /// To the nearest number of the format, or the even one of two.
    Nearest,
    /// To the nearest integer, or the even one of two.
    NearestInteger,
    Truncate,
    Floor,
    Ceil,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: Type,
    pub(crate) from: Type,
    pub(crate) rounding: Rounding,
    /// Integers are clamped to the range of the result.
    pub(crate) saturates: bool,
    /// The width of the register of the result, in bits.
    pub(crate) register: u8,
}

/// The address of an access: the content of a slot, plus an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) space: Space,
    pub(crate) base: Slot,
    pub(crate) offset: i32,
}

/// An access of a vector. Unused elements have the slot [`SINK`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    pub(crate) count: u8,
    pub(crate) ty: Type,
    /// The widths of the registers, in bits.
    pub(crate) registers: [u8; 4],
    pub(crate) slots: [Slot; 4],
}

/// Bytes that are copied between the parameters of two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// The offset in the frame of the caller.
    pub(crate) caller: u32,
    /// The offset in the frame of the function that is called.
    pub(crate) callee: u32,
    pub(crate) bytes: u32,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) function: u32,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) result: Option<Argument>,
}

/// An instruction. `d` is the slot of the result. Targets are indices of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Move {
        d: Slot,
        a: Slot,
    },
    Unary {
        op: Unary,
        ty: Type,
        d: Slot,
        a: Slot,
    },
    Binary {
        op: Binary,
        ty: Type,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ternary {
        op: Ternary,
        ty: Type,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    /// Inserts the low bits of `field` into `base`, at the position `start`.
    Insert {
        ty: Type,
        d: Slot,
        /// The slots of `field`, `base`, `start` and the number of bits.
        sources: Box<[Slot; 4]>,
    },
    Compare {
        op: Comparison,
        ty: Type,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Select {
        d: Slot,
        a: Slot,
        b: Slot,
        predicate: Slot,
    },
    Convert {
        conversion: Conversion,
        d: Slot,
        a: Slot,
    },
    /// Concatenates elements, from the lowest bits to the highest.
    Pack {
        d: Slot,
        elements: Box<Vector>,
    },
    Unpack {
        a: Slot,
        elements: Box<Vector>,
    },
    ToGeneric {
        space: Space,
        d: Slot,
        a: Slot,
    },
    FromGeneric {
        space: Space,
        d: Slot,
        a: Slot,
    },
    Load {
        address: Address,
        ty: Type,
        /// The width of the register, in bits.
        register: u8,
        d: Slot,
    },
    Store {
        address: Address,
        ty: Type,
        a: Slot,
    },
    LoadVector {
        address: Address,
        elements: Box<Vector>,
    },
    StoreVector {
        address: Address,
        elements: Box<Vector>,
    },
    Branch {
        target: u32,
    },
    /// Branches if the predicate has this value.
    BranchIf {
        predicate: Slot,
        value: bool,
        target: u32,
    },
    BranchTable {
        index: Slot,
        table: u32,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier {
        id: u8,
    },
}

/// A parameter of a function, or a variable of the parameter space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The offset in the frame's parameters, in bytes.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    pub(crate) align: u32,
}

/// A function or kernel.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_entry: bool,
    pub(crate) is_defined: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<Parameter>,
    pub(crate) ops: Vec<Op>,
    /// The line of each instruction.
    pub(crate) lines: Vec<u32>,
    pub(crate) tables: Vec<Vec<u32>>,
    /// The slots of a new frame.
    pub(crate) initial: Vec<u64>,
    /// The size of all parameters of a frame, also those of calls.
    pub(crate) param_bytes: u32,
    pub(crate) local_bytes: u32,
    /// The numbers of threads of a block that the kernel requires.
    pub(crate) required: Option<[u32; 3]>,
    /// The largest number of threads of a block.
    pub(crate) threads: Option<u64>,
}

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) name: String,
    pub(crate) function: u32,
    pub(crate) sizes: Vec<usize>,
    pub(crate) offsets: Vec<usize>,
}

impl Entry {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the size of each parameter, in bytes.
    pub fn parameter_bytes(&self) -> &[usize] {
        &self.sizes
    }

    /// Returns the offset of each parameter in the packed parameters, in bytes: the next multiple
    /// of its alignment, which is its size, or for arrays what the kernel declares.
    pub fn parameter_offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Returns the size of the packed parameters, in bytes.
    pub(crate) fn size(&self) -> usize {
        let last = self.offsets.last().zip(self.sizes.last());
        last.map_or(0, |(offset, size)| offset + size)
    }
}

/// A module. Its variables in the global space keep their content from one run to the next. If it
/// has such variables, only one thread at a time runs a kernel of the module.
#[derive(Debug)]
pub struct Module {
    pub(crate) functions: Vec<Function>,
    pub(crate) entries: Vec<Entry>,
    /// The indices of the kernels, by name.
    pub(crate) names: BTreeMap<String, usize>,
    /// The variables in the global space, if there are any. Runs lock them.
    pub(crate) global: Option<Mutex<Vec<u8>>>,
    pub(crate) constant: Vec<u8>,
    /// The size of the variables in the shared space, in bytes.
    pub(crate) shared_bytes: usize,
}

impl Module {
    /// Returns the kernel with a name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.names.get(name).map(|&index| &self.entries[index])
    }

    /// Returns the kernels, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }
}
