//! What means the same in a graph as on the host: the operations that partition may move to either side or copy to both, and that a
//! function of tensor code alone may hold beside its tensor operations.
//!
//! ```text
//!   arith.addi : i32  ◄──── same value for every input ────►  TensorFlow's AddV2 on int32
//! ```
//!
//! `tfx-legalize-graph` turns the same operations into TensorFlow's, and says so with an error where it meets one that it does not know;
//! the two lists change together. Where no single operation of TensorFlow agrees, it uses several: unsigned numbers are bitcast, unordered
//! comparisons ask for what is no number, a quotient that does not fit its type fails as a division by zero does. What is left out:
//!
//! | not in the list | because |
//! |---|---|
//! | division of one bit | TensorFlow's booleans do not divide |
//! | `fptosi`, `fptoui` to one bit | the range of one bit has no conversion |
//! | `math` that some executor has no kernel for | it would run on one executor and not on the other |
//! | `minimumf`, `maximumf`, `minnumf`, `maxnumf` | of two zeros, TensorFlow takes the first, whatever their signs |
//! | `math.fma` | rounded once here, twice there |
//! | `addui_extended` and others with two results | TensorFlow has no carry |
//!
//! Some of the list do the same only up to what the machine and its libraries add: [`same_bits`] says which do not. TensorFlow flushes
//! denormal numbers to zero in its threads, `math` functions round as their library does, and a conversion out of range or a shift by more
//! than the width has no defined value. A value that is made twice of such an operation differs a little between the sides, as any
//! two libraries do; a *decision* that is made twice of it would send the two programs different ways, so partition makes it once.

use crate::Op;
use crate::cast::Cast;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

/// The attribute of a `tfx_tensor.op` with computed attributes that the host runs by itself, because only it has their values.
pub const EAGER: &str = "eager";

/// Whether `op` is a TensorFlow operation that runs by itself on the host, and in no graph.
pub fn is_eager(op: Op<'_>) -> bool {
    op.is("tfx_tensor.op") && op.attribute(EAGER).is_some()
}

/// Whether `op` has the same meaning on both sides.
pub fn replicable(op: Op<'_>) -> bool {
    let mut types = op.operands().chain(op.results()).map(|value| value.ty());
    let operand = || Scalar::of(op.operand(0).ty());
    let result = || Scalar::of(op.result(0).ty());
    match op.name() {
        "arith.constant" => transferable(op.result(0).ty()),
        "tfx_tensor.const"
        | "tfx_tensor.from_scalar"
        | "tfx_tensor.to_scalar"
        | "tfx_host.undef" => types.all(transferable),
        "arith.select" => {
            Scalar::of(op.operand(0).ty()) == Some(Scalar::Int(1)) && types.all(transferable)
        }

        "arith.addi" | "arith.subi" | "arith.muli" | "arith.maxsi" | "arith.minsi"
        | "arith.maxui" | "arith.minui" | "arith.andi" | "arith.ori" | "arith.xori" => {
            matches!(result(), Some(Scalar::Int(_) | Scalar::Index))
        }
        "arith.divsi" | "arith.divui" | "arith.remsi" | "arith.remui" | "arith.floordivsi"
        | "arith.ceildivsi" | "arith.ceildivui" | "arith.shli" | "arith.shrsi" | "arith.shrui"
        | "math.absi" => matches!(result(), Some(Scalar::Int(8..) | Scalar::Index)),
        "arith.cmpi" => matches!(operand(), Some(Scalar::Int(_) | Scalar::Index)),

        "arith.addf" | "arith.subf" | "arith.mulf" | "arith.divf" | "arith.remf" | "arith.negf" => {
            matches!(result(), Some(Scalar::Float))
        }
        name if MATH.contains(&name) => matches!(result(), Some(Scalar::Float)),
        "arith.cmpf" => matches!(operand(), Some(Scalar::Float)),

        "arith.extsi" | "arith.extui" | "arith.trunci" | "arith.index_cast"
        | "arith.index_castui" => matches!(
            (operand(), result()),
            (
                Some(Scalar::Int(_) | Scalar::Index),
                Some(Scalar::Int(_) | Scalar::Index)
            )
        ),
        "arith.sitofp" | "arith.uitofp" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(_)), Some(Scalar::Float))
        ),
        "arith.fptosi" | "arith.fptoui" => matches!(
            (operand(), result()),
            (Some(Scalar::Float), Some(Scalar::Int(8..)))
        ),
        "arith.extf" | "arith.truncf" => matches!(
            (operand(), result()),
            (Some(Scalar::Float), Some(Scalar::Float))
        ),
        "arith.bitcast" => matches!(
            (operand(), result()),
            (
                Some(Scalar::Int(32..) | Scalar::Float),
                Some(Scalar::Int(32..) | Scalar::Float)
            )
        ),
        _ => false,
    }
}

/// The functions of `math` from floats to a float that both executors have.
const MATH: [&str; 25] = [
    "math.absf",
    "math.acos",
    "math.asin",
    "math.atan",
    "math.atan2",
    "math.ceil",
    "math.cos",
    "math.cosh",
    "math.exp",
    "math.exp2",
    "math.expm1",
    "math.floor",
    "math.log",
    "math.log10",
    "math.log1p",
    "math.log2",
    "math.powf",
    "math.roundeven",
    "math.rsqrt",
    "math.sin",
    "math.sinh",
    "math.sqrt",
    "math.tan",
    "math.tanh",
    "math.trunc",
];

/// Whether a replicable operation gives the same bits on both sides for every input, so that both may decide by it. See the module for
/// those that do not.
pub fn same_bits(op: Op<'_>) -> bool {
    match op.name() {
        "arith.shli" | "arith.shrsi" | "arith.shrui" => shifts_within_width(op),
        "arith.constant"
        | "tfx_tensor.const"
        | "tfx_tensor.from_scalar"
        | "tfx_tensor.to_scalar"
        | "arith.select"
        | "arith.sitofp"
        | "arith.uitofp"
        | "arith.bitcast" => true,
        "tfx_host.undef" => false,
        _ => {
            let mut values = op.operands().chain(op.results());
            values.all(|value| Scalar::of(value.ty()) != Some(Scalar::Float))
        }
    }
}

/// Whether values of a type can be in a graph and can cross: tensors, and the scalars that the runtime passes.
pub fn transferable(ty: Type<'_>) -> bool {
    ty.is_ranked_tensor() || ty.is_unranked_tensor() || Scalar::of(ty).is_some()
}

/// The bits of an index in a graph, and on each host that is compiled for.
const INDEX_BITS: u32 = 64;

/// A scalar type that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    /// A signless integer, with its width.
    Int(u32),
    /// 64 bits in a graph.
    Index,
    /// `f32` or `f64`.
    Float,
}

impl Scalar {
    fn of(ty: Type<'_>) -> Option<Scalar> {
        if ty.is_index() {
            return Some(Scalar::Index);
        }
        if ty.is_f32() || ty.is_f64() {
            return Some(Scalar::Float);
        }
        // Asked first, since a conversion that fails prints the type into its error.
        if !ty.is_integer() {
            return None;
        }
        let integer = IntegerType::cast(ty)?;
        (integer.is_signless() && matches!(integer.width(), 1 | 8 | 16 | 32 | 64))
            .then(|| Scalar::Int(integer.width()))
    }
}

fn shifts_within_width(op: Op<'_>) -> bool {
    let amount = op
        .operand(1)
        .defining_op()
        .filter(|op| op.is("arith.constant"))
        .and_then(|op| op.integer("value"));
    let width = match Scalar::of(op.result(0).ty()) {
        Some(Scalar::Int(width)) => width,
        Some(Scalar::Index) => INDEX_BITS,
        _ => return false,
    };
    amount.is_some_and(|amount| (0..i64::from(width)).contains(&amount))
}
