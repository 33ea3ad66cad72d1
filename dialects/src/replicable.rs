//! The operations with the same meaning in a graph as on the host. Partition may compute them on
//! either side or on both, and a tensor-only function may contain them next to its tensor
//! operations.
//!
//! ```text
//!   arith.addi : i32  ◄──── same value for every input ────►  TensorFlow's AddV2 on int32
//! ```
//!
//! [`tfx_ir::scalar_ops`] lists the operations of `arith` and `math` with the sides that compute
//! each. `tfx-legalize-graph` translates those of both sides to TensorFlow, to several operations
//! if no single one agrees: unsigned numbers are bitcast, unordered comparisons test for NaN, a
//! quotient that does not fit its type fails as a division by zero does, and of two zeros
//! `maximumf` takes the positive one. Excluded because of their types:
//!
//! | not replicable | because |
//! |---|---|
//! | division and shifts of one bit | TensorFlow's booleans have neither |
//! | `fptosi`, `fptoui` to one bit | the range of one bit has no conversion |
//!
//! Some of these operations are not exact, as [`same_bits`] tells: TensorFlow flushes denormal
//! numbers to zero in its threads, the results of `math` depend on the library, and a conversion
//! out of range or a shift by more than the width has no defined value. If both sides compute such
//! a value, the two results may differ slightly. A *decision* that depends on such a value would
//! send the two programs on different paths, so only one side computes it.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use tfx_ir::Op;
use tfx_ir::cast::Cast;
use tfx_ir::ops::arith;
use tfx_ir::scalar_ops::{self, Form, Support};

use crate::derivatives::tape_element;
use crate::{ad, host, tensor};

/// The attribute of an eager operation: a `tfx_tensor.op` with computed attributes that the host
/// runs on its own, because only the host has their values.
pub const EAGER: &str = "eager";

/// Returns whether `op` is an eager operation, which the host runs outside of any graph.
pub fn is_eager(op: Op<'_>) -> bool {
    tensor::Op::cast(op).is_some_and(tensor::Op::eager)
}

/// Returns whether `op` has the same meaning on both sides.
pub fn replicable(op: Op<'_>) -> bool {
    match op.name() {
        tensor::Const::NAME | tensor::FromScalar::NAME | tensor::ToScalar::NAME => {
            return of_transferable_types(op);
        }
        host::Undef::NAME
        | ad::EmptyTape::NAME
        | ad::Push::NAME
        | ad::Pop::NAME
        | ad::TapeLength::NAME => {
            let mut values = op.operands().chain(op.results());
            return values.all(|value| exists_in_graph(value.ty()));
        }
        _ => {}
    }
    match scalar_ops::find(op.name()).map(|row| row.support) {
        Some(Support::Both(form)) => has_form(op, form) && rounds_to_nearest(op),
        _ => false,
    }
}

/// Returns whether a graph computes an operation of that form with these types.
fn has_form(op: Op<'_>, form: Form) -> bool {
    let operand = || Scalar::of(op.operand(0).ty());
    let result = || Scalar::of(op.result(0).ty());
    match form {
        Form::Constant => of_transferable_types(op),
        Form::Select => operand() == Some(Scalar::Int(1)) && of_transferable_types(op),
        Form::Integers(least) => result().is_some_and(|ty| ty.is_integer_of(least)),
        Form::IntegerComparison => operand().is_some_and(|ty| ty.is_integer_of(1)),
        Form::Floats => result() == Some(Scalar::Float),
        Form::FloatTest => operand() == Some(Scalar::Float),
        Form::IntegerCast => [operand(), result()]
            .iter()
            .all(|ty| ty.is_some_and(|ty| ty.is_integer_of(1))),
        Form::ToFloat => matches!(
            (operand(), result()),
            (Some(Scalar::Int(_)), Some(Scalar::Float))
        ),
        Form::ToInteger(least) => {
            operand() == Some(Scalar::Float)
                && result().is_some_and(|ty| ty != Scalar::Index && ty.is_integer_of(least))
        }
        Form::FloatCast => [operand(), result()] == [Some(Scalar::Float); 2],
        Form::Bitcast => [operand(), result()]
            .iter()
            .all(|ty| matches!(ty, Some(Scalar::Int(BITCAST_BITS..) | Scalar::Float))),
    }
}

/// The width from which TensorFlow has a kernel for each `Bitcast`.
const BITCAST_BITS: u32 = 32;

fn of_transferable_types(op: Op<'_>) -> bool {
    let mut types = op.operands().chain(op.results()).map(|value| value.ty());
    types.all(transferable)
}

/// The attribute of the rounding mode of a conversion.
const ROUNDING: &str = "roundingmode";
/// `to_nearest_even`.
const NEAREST_EVEN: i64 = 0;

/// Returns whether an operation rounds to the nearest number, the only mode that graphs and the
/// reference interpreter support.
pub fn rounds_to_nearest(op: Op<'_>) -> bool {
    op.attribute(ROUNDING).is_none() || op.integer(ROUNDING) == Some(NEAREST_EVEN)
}

/// Returns whether a replicable operation gives the same bits on both sides for every input, so
/// that both sides may make decisions that depend on it.
pub fn same_bits(op: Op<'_>) -> bool {
    match scalar_ops::arith_name(op.name()) {
        arith::ShLI::NAME | arith::ShRSI::NAME | arith::ShRUI::NAME => shifts_within_width(op),
        arith::Constant::NAME
        | tensor::Const::NAME
        | tensor::FromScalar::NAME
        | tensor::ToScalar::NAME
        | ad::EmptyTape::NAME
        | ad::Push::NAME
        | ad::Pop::NAME
        | ad::TapeLength::NAME
        | arith::Select::NAME
        | arith::SIToFP::NAME
        | arith::UIToFP::NAME
        | arith::Bitcast::NAME => true,
        host::Undef::NAME => false,
        _ => {
            let mut values = op.operands().chain(op.results());
            values.all(|value| Scalar::of(value.ty()) != Some(Scalar::Float))
        }
    }
}

/// Returns whether values of a type can be in a graph and can cross: tensors, and the scalars that
/// the runtime passes.
pub fn transferable(ty: Type<'_>) -> bool {
    ty.is_ranked_tensor() || ty.is_unranked_tensor() || Scalar::of(ty).is_some()
}

/// Returns whether values of a type can be in a graph: those that can cross, and tapes of such
/// values, which stay on the side that computes them.
pub fn exists_in_graph(ty: Type<'_>) -> bool {
    transferable(innermost_element(ty))
}

/// Returns the elements of the innermost of nested tapes, and any other type unchanged.
fn innermost_element(mut ty: Type<'_>) -> Type<'_> {
    while let Some(element) = tape_element(ty) {
        ty = element;
    }
    ty
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
    /// Returns whether it is an integer of at least `least` bits, or an index.
    fn is_integer_of(self, least: u32) -> bool {
        match self {
            Scalar::Int(width) => width >= least,
            Scalar::Index => true,
            Scalar::Float => false,
        }
    }

    fn of(ty: Type<'_>) -> Option<Scalar> {
        if ty.is_index() {
            return Some(Scalar::Index);
        }
        if ty.is_f32() || ty.is_f64() {
            return Some(Scalar::Float);
        }
        // Checked first, since a conversion that fails prints the type into its error.
        if !ty.is_integer() {
            return None;
        }
        let integer = IntegerType::cast(ty)?;
        (integer.is_signless() && matches!(integer.width(), 1 | 8 | 16 | 32 | 64))
            .then(|| Scalar::Int(integer.width()))
    }
}

fn shifts_within_width(op: Op<'_>) -> bool {
    let amount = op.operand(1).defining_op().and_then(arith::Constant::cast);
    let amount = amount.and_then(|constant| constant.integer(arith::Constant::VALUE_ATTR));
    let width = match Scalar::of(op.result(0).ty()) {
        Some(Scalar::Int(width)) => width,
        Some(Scalar::Index) => INDEX_BITS,
        _ => return false,
    };
    amount.is_some_and(|amount| (0..i64::from(width)).contains(&amount))
}
