//! Every operation of `arith` and `math`, once: who computes it, and what it is called in TensorFlow.
//!
//! ```text
//!   arith.addi ──find──► Both(Integers from 1 bit)      replicable.rs: partition may put it on either side
//!                        │                              tfx-legalize-graph: AddV2
//!                        └────────────────────────────► tfx-lower-host, the reference interpreter
//!   math.cbrt  ──find──► Host("has no cube root")       the host computes it, and sends what a graph needs of it
//!   arith.scaling_extf ► Refused("...")                 tfx-check-host: an error at its place
//! ```
//!
//! The table is the contract between the four who compute scalars: the reference interpreter, compiled host code, the embedded executor
//! and TensorFlow. `ir/tests/scalar_ops.rs` compares it with what the dialects register, so an operation that upstream adds fails a test until it
//! has a row; `tools/tfxc/tests/scalars.rs` runs each row on edge cases with all four.
//!
//! Scalars have the types of [`is_host_scalar`] on the host, and fewer of them in a graph: see `replicable.rs`.
//! Operations of `index` are those of `arith` under other names: [`arith_name`]. Cost of a look-up: a binary search.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

use crate::cast::Cast;

/// Who computes an operation on scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The host and a graph, where the types are of this form.
    Both(Form),
    /// The host alone, for this reason: it goes on after "TensorFlow".
    Host(&'static str),
    /// Nobody, for this reason: a sentence on its own.
    Refused(&'static str),
}

/// The types for which a graph computes an operation as the host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One type that can be in a graph, tensors included.
    Constant,
    /// A condition, and two values of a type that can be in a graph, tensors included.
    Select,
    /// The result is an integer of at least so many bits, or an `index`.
    Integers(u32),
    /// The operands are integers or `index`.
    IntegerComparison,
    /// The result is a float.
    Floats,
    /// The operands are floats.
    FloatTest,
    /// Between integers and `index`.
    IntegerCast,
    /// From an integer to a float.
    ToFloat,
    /// From a float to an integer of at least so many bits.
    ToInteger(u32),
    /// Between floats.
    FloatCast,
    /// Between types of 32 and 64 bits.
    Bitcast,
}

/// How a graph computes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translation {
    /// By the operation of TensorFlow with this name, for every type.
    Same(&'static str),
    /// By the operation of TensorFlow with this name, for all but booleans.
    Numbers(&'static str),
    /// By several operations.
    Several,
}

/// An operation of `arith` or `math`.
#[derive(Clone, Copy, Debug)]
pub struct ScalarOp {
    /// Its full name.
    pub name: &'static str,
    /// Who computes it.
    pub support: Support,
    /// How a graph does; of no meaning where only the host computes it.
    pub translation: Translation,
}

use Form::{
    Bitcast, FloatCast, FloatTest, Floats, IntegerCast, IntegerComparison, Integers, ToFloat,
    ToInteger,
};
use Support::{Both, Host, Refused};
use Translation::{Numbers, Same, Several};

const fn row(name: &'static str, support: Support, translation: Translation) -> ScalarOp {
    ScalarOp {
        name,
        support,
        translation,
    }
}

/// The width from which TensorFlow has arithmetic: one bit is a boolean there.
const BYTE: u32 = 8;
const TWO_RESULTS: &str = "has no operation with both results";
const NO_SCALING: &str = "scaling conversions are between small floats, which host code does not have; use graph operations";

/// All operations, by name.
pub const OPERATIONS: &[ScalarOp] = &[
    row("arith.addf", Both(Floats), Same("AddV2")),
    row("arith.addi", Both(Integers(1)), Numbers("AddV2")),
    row("arith.addui_extended", Host(TWO_RESULTS), Several),
    row("arith.andi", Both(Integers(1)), Numbers("BitwiseAnd")),
    row("arith.bitcast", Both(Bitcast), Several),
    row("arith.ceildivsi", Both(Integers(BYTE)), Several),
    row("arith.ceildivui", Both(Integers(BYTE)), Several),
    row("arith.cmpf", Both(FloatTest), Several),
    row("arith.cmpi", Both(IntegerComparison), Several),
    row("arith.constant", Both(Form::Constant), Several),
    row("arith.divf", Both(Floats), Same("RealDiv")),
    row("arith.divsi", Both(Integers(BYTE)), Numbers("TruncateDiv")),
    row("arith.divui", Both(Integers(BYTE)), Several),
    row("arith.extf", Both(FloatCast), Several),
    row("arith.extsi", Both(IntegerCast), Several),
    row("arith.extui", Both(IntegerCast), Several),
    row(
        "arith.floordivsi",
        Both(Integers(BYTE)),
        Numbers("FloorDiv"),
    ),
    row("arith.fptosi", Both(ToInteger(BYTE)), Several),
    row("arith.fptoui", Both(ToInteger(BYTE)), Several),
    row("arith.index_cast", Both(IntegerCast), Several),
    row("arith.index_castui", Both(IntegerCast), Several),
    row("arith.maximumf", Both(Floats), Several),
    row("arith.maxnumf", Both(Floats), Several),
    row("arith.maxsi", Both(Integers(1)), Numbers("Maximum")),
    row("arith.maxui", Both(Integers(1)), Several),
    row("arith.minimumf", Both(Floats), Several),
    row("arith.minnumf", Both(Floats), Several),
    row("arith.minsi", Both(Integers(1)), Numbers("Minimum")),
    row("arith.minui", Both(Integers(1)), Several),
    row("arith.mulf", Both(Floats), Same("Mul")),
    row("arith.muli", Both(Integers(1)), Numbers("Mul")),
    row("arith.mulsi_extended", Host(TWO_RESULTS), Several),
    row("arith.mului_extended", Host(TWO_RESULTS), Several),
    row("arith.negf", Both(Floats), Same("Neg")),
    row("arith.ori", Both(Integers(1)), Numbers("BitwiseOr")),
    row("arith.remf", Both(Floats), Same("TruncateMod")),
    row("arith.remsi", Both(Integers(BYTE)), Several),
    row("arith.remui", Both(Integers(BYTE)), Several),
    row("arith.scaling_extf", Refused(NO_SCALING), Several),
    row("arith.scaling_truncf", Refused(NO_SCALING), Several),
    row("arith.select", Both(Form::Select), Several),
    row("arith.shli", Both(Integers(BYTE)), Numbers("LeftShift")),
    row("arith.shrsi", Both(Integers(BYTE)), Numbers("RightShift")),
    row("arith.shrui", Both(Integers(BYTE)), Several),
    row("arith.sitofp", Both(ToFloat), Several),
    row("arith.subf", Both(Floats), Same("Sub")),
    row("arith.subi", Both(Integers(1)), Numbers("Sub")),
    row("arith.truncf", Both(FloatCast), Several),
    row("arith.trunci", Both(IntegerCast), Several),
    row("arith.uitofp", Both(ToFloat), Several),
    row("arith.xori", Both(Integers(1)), Numbers("BitwiseXor")),
    row("math.absf", Both(Floats), Same("Abs")),
    row("math.absi", Both(Integers(BYTE)), Same("Abs")),
    row("math.acos", Both(Floats), Same("Acos")),
    row("math.acosh", Both(Floats), Same("Acosh")),
    row("math.asin", Both(Floats), Same("Asin")),
    row("math.asinh", Both(Floats), Same("Asinh")),
    row("math.atan", Both(Floats), Same("Atan")),
    row("math.atan2", Both(Floats), Same("Atan2")),
    row("math.atanh", Both(Floats), Same("Atanh")),
    row("math.cbrt", Host("has no cube root"), Several),
    row("math.ceil", Both(Floats), Same("Ceil")),
    row("math.clampf", Both(Floats), Several),
    row("math.copysign", Both(Floats), Several),
    row("math.cos", Both(Floats), Same("Cos")),
    row("math.cosh", Both(Floats), Same("Cosh")),
    row("math.ctlz", Both(Integers(BYTE)), Several),
    row("math.ctpop", Both(Integers(BYTE)), Several),
    row("math.cttz", Both(Integers(BYTE)), Several),
    row("math.erf", Both(Floats), Several),
    row("math.erfc", Both(Floats), Same("Erfc")),
    row("math.exp", Both(Floats), Same("Exp")),
    row("math.exp2", Both(Floats), Several),
    row("math.expm1", Both(Floats), Same("Expm1")),
    row("math.floor", Both(Floats), Same("Floor")),
    row(
        "math.fma",
        Host("rounds a product before it adds to it"),
        Several,
    ),
    row(
        "math.fpowi",
        Host("has no powers of floats to integers"),
        Several,
    ),
    row(
        "math.ipowi",
        Host("has no powers of integers to negative integers"),
        Several,
    ),
    row("math.isfinite", Both(FloatTest), Same("IsFinite")),
    row("math.isinf", Both(FloatTest), Same("IsInf")),
    row("math.isnan", Both(FloatTest), Same("IsNan")),
    row("math.isnormal", Both(FloatTest), Several),
    row("math.log", Both(Floats), Same("Log")),
    row("math.log10", Both(Floats), Several),
    row("math.log1p", Both(Floats), Same("Log1p")),
    row("math.log2", Both(Floats), Several),
    row("math.powf", Both(Floats), Same("Pow")),
    row("math.round", Both(Floats), Several),
    row("math.roundeven", Both(Floats), Same("Rint")),
    row("math.rsqrt", Both(Floats), Same("Rsqrt")),
    row("math.sin", Both(Floats), Same("Sin")),
    row("math.sincos", Host(TWO_RESULTS), Several),
    row("math.sinh", Both(Floats), Same("Sinh")),
    row("math.sqrt", Both(Floats), Same("Sqrt")),
    row("math.tan", Both(Floats), Same("Tan")),
    row("math.tanh", Both(Floats), Same("Tanh")),
    row("math.trunc", Both(Floats), Several),
];

/// The row of an operation, which may also be one of `index` that `arith` has.
pub fn find(name: &str) -> Option<&'static ScalarOp> {
    let name = arith_name(name);
    let position = OPERATIONS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    Some(&OPERATIONS[position])
}

/// The operations of `index` that `arith` has, by name.
pub const INDEX_OPERATIONS: &[(&str, &str)] = &[
    ("index.add", "arith.addi"),
    ("index.and", "arith.andi"),
    ("index.ceildivs", "arith.ceildivsi"),
    ("index.ceildivu", "arith.ceildivui"),
    ("index.divs", "arith.divsi"),
    ("index.divu", "arith.divui"),
    ("index.floordivs", "arith.floordivsi"),
    ("index.maxs", "arith.maxsi"),
    ("index.maxu", "arith.maxui"),
    ("index.mins", "arith.minsi"),
    ("index.minu", "arith.minui"),
    ("index.mul", "arith.muli"),
    ("index.or", "arith.ori"),
    ("index.rems", "arith.remsi"),
    ("index.remu", "arith.remui"),
    ("index.shl", "arith.shli"),
    ("index.shrs", "arith.shrsi"),
    ("index.shru", "arith.shrui"),
    ("index.sub", "arith.subi"),
    ("index.xor", "arith.xori"),
];

/// The operation of `arith` that an operation of `index` is on values of that type; any other name as it is.
pub fn arith_name(name: &str) -> &str {
    if !name.starts_with("index.") {
        return name;
    }
    match INDEX_OPERATIONS.binary_search_by(|(index, _)| (*index).cmp(name)) {
        Ok(position) => INDEX_OPERATIONS[position].1,
        Err(_) => name,
    }
}

/// The widest integer of host code: what registers hold, and the reference interpreter computes with.
const WIDEST: u32 = 64;

/// Whether host code, and its reference interpreter, computes with scalars of a type.
pub fn is_host_scalar(ty: Type<'_>) -> bool {
    if ty.is_index() || ty.is_f32() || ty.is_f64() {
        return true;
    }
    IntegerType::cast(ty).is_some_and(|ty| ty.is_signless() && (1..=WIDEST).contains(&ty.width()))
}
