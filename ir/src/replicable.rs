//! What means the same in a graph as on the host: the operations that partition may move to either side or copy to both, and that a
//! function of tensor code alone may hold beside its tensor operations.
//!
//! ```text
//!   arith.addi : i32  ◄──── same value for every input ────►  TensorFlow's AddV2 on int32
//! ```
//!
//! `tfx-legalize-graph` turns the same operations into TensorFlow's, and says so with an error where it meets one that it does not know;
//! the two lists change together. What is left out is left out because TensorFlow differs:
//!
//! | not in the list | because |
//! |---|---|
//! | `divui`, `remui`, `shrui`, unsigned compares, `extui` of more than a bit, `uitofp`, `fptoui` | TensorFlow's signed kernels read the same bits as another number |
//! | `ceildivsi`, `floordivsi` | rounded as one operation here, as several there |
//! | shifts by a number that is not a constant, or not within the width | undefined here, defined there |
//! | `extsi`, `sitofp`, `index_cast` of one bit | a set bit is -1 here and 1 there |
//! | `trunci` to one bit | the low bit here, *is not zero* there |
//! | `cmpf` other than `oeq`, `ogt`, `oge`, `olt`, `ole`, `une` | with a NaN, TensorFlow has no single operation that agrees |
//! | `minimumf`, `maximumf`, `minnumf`, `maxnumf` | NaN and the sign of zero depend on TensorFlow's kernels |
//! | arithmetic on one bit other than `andi`, `ori`, `xori` | TensorFlow's booleans do not add |
//! | `remsi` of 8 or 16 bits | TensorFlow has no kernel for it |
//!
//! Division by zero, a shift out of range and a conversion out of range have no defined value on the host, so any behaviour of the graph
//! agrees. `math` functions agree up to the rounding of the libraries that compute them.

use crate::Op;
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
    let types = || op.operands().chain(op.results()).map(|value| value.ty());
    let operand = || Scalar::of(op.operand(0).ty());
    let result = || Scalar::of(op.result(0).ty());
    match op.name() {
        "arith.constant" => transferable(op.result(0).ty()),
        "tfx_tensor.const"
        | "tfx_tensor.from_scalar"
        | "tfx_tensor.to_scalar"
        | "tfx_host.undef" => types().all(transferable),
        "arith.select" => {
            Scalar::of(op.operand(0).ty()) == Some(Scalar::Int(1)) && types().all(transferable)
        }

        "arith.addi" | "arith.subi" | "arith.muli" | "arith.divsi" | "arith.maxsi"
        | "arith.minsi" | "math.absi" => {
            matches!(result(), Some(Scalar::Int(8..) | Scalar::Index))
        }
        "arith.remsi" => matches!(result(), Some(Scalar::Int(32..) | Scalar::Index)),
        "arith.andi" | "arith.ori" | "arith.xori" => {
            matches!(result(), Some(Scalar::Int(_) | Scalar::Index))
        }
        "arith.shli" | "arith.shrsi" => {
            matches!(result(), Some(Scalar::Int(8..))) && shifts_within_width(op)
        }
        "arith.cmpi" => match operand() {
            Some(Scalar::Int(1)) => is_one_of(op, &EQUALITY),
            Some(Scalar::Int(_) | Scalar::Index) => is_one_of(op, &SIGNED_COMPARES),
            _ => false,
        },

        "arith.addf" | "arith.subf" | "arith.mulf" | "arith.divf" | "arith.negf" | "math.absf"
        | "math.exp" | "math.log" | "math.sqrt" | "math.tanh" => {
            matches!(result(), Some(Scalar::Float))
        }
        "arith.cmpf" => matches!(operand(), Some(Scalar::Float)) && is_one_of(op, &FLOAT_COMPARES),

        "arith.extsi" | "arith.index_cast" => {
            matches!(
                (operand(), result()),
                (
                    Some(Scalar::Int(8..) | Scalar::Index),
                    Some(Scalar::Int(8..) | Scalar::Index)
                )
            )
        }
        // The selector of a switch; legalization reads the bits as an unsigned number first.
        "arith.index_castui" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(_)), Some(Scalar::Index))
        ),
        "arith.extui" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(1)), Some(Scalar::Int(_)))
        ),
        "arith.uitofp" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(1)), Some(Scalar::Float))
        ),
        "arith.trunci" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(_)), Some(Scalar::Int(8..)))
        ),
        "arith.sitofp" => matches!(
            (operand(), result()),
            (Some(Scalar::Int(8..)), Some(Scalar::Float))
        ),
        "arith.fptosi" => matches!(
            (operand(), result()),
            (Some(Scalar::Float), Some(Scalar::Int(8..)))
        ),
        "arith.extf" | "arith.truncf" => matches!(
            (operand(), result()),
            (Some(Scalar::Float), Some(Scalar::Float))
        ),
        _ => false,
    }
}

/// Whether values of a type can be in a graph and can cross: tensors, and the scalars that the runtime passes.
pub fn transferable(ty: Type<'_>) -> bool {
    ty.is_ranked_tensor() || ty.is_unranked_tensor() || Scalar::of(ty).is_some()
}

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
        let integer = IntegerType::try_from(ty).ok()?;
        (integer.is_signless() && matches!(integer.width(), 1 | 8 | 16 | 32 | 64))
            .then(|| Scalar::Int(integer.width()))
    }
}

/// `eq` and `ne`, by their number in `arith.cmpi`.
const EQUALITY: [i64; 2] = [0, 1];
/// Those, `slt`, `sle`, `sgt`, `sge`.
const SIGNED_COMPARES: [i64; 6] = [0, 1, 2, 3, 4, 5];
/// `oeq`, `ogt`, `oge`, `olt`, `ole`, `une`, by their number in `arith.cmpf`.
const FLOAT_COMPARES: [i64; 6] = [1, 2, 3, 4, 5, 13];

fn is_one_of(op: Op<'_>, predicates: &[i64]) -> bool {
    op.integer("predicate")
        .is_some_and(|predicate| predicates.contains(&predicate))
}

fn shifts_within_width(op: Op<'_>) -> bool {
    let amount = op
        .operand(1)
        .defining_op()
        .filter(|op| op.is("arith.constant"))
        .and_then(|op| op.integer("value"));
    let Some(Scalar::Int(width)) = Scalar::of(op.result(0).ty()) else {
        return false;
    };
    amount.is_some_and(|amount| (0..i64::from(width)).contains(&amount))
}
