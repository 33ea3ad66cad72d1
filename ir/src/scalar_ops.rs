//! The table of all operations of `arith` and `math`: the sides that compute each, and its
//! translation to TensorFlow.
//!
//! ```text
//!   arith.addi ──find──► Both(Integers from 1 bit)      replicable.rs: partition may put it on either side
//!                        │                              tfx-legalize-graph: AddV2
//!                        └────────────────────────────► tfx-lower-host, the reference interpreter
//!   math.cbrt  ──find──► Host("has no cube root")       the host computes it, and sends what a graph needs of it
//!   arith.scaling_extf ► Refused("...")                 tfx-check-host: an error at its place
//! ```
//!
//! The table is the contract between the four that compute scalars: the reference interpreter,
//! compiled host code, the embedded executor and TensorFlow. `ir/tests/scalar_ops.rs` compares it
//! with the registered operations, so an operation that upstream adds fails a test until it has a
//! row. `tools/tfxc/tests/scalars.rs` runs each row on edge cases with all four.
//!
//! Scalars have the types of [`is_host_scalar`] on the host, and fewer types in a graph: see
//! `replicable.rs`. Operations of `index` are those of `arith` under other names: [`arith_name`]. A
//! lookup is a binary search.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

use crate::cast::Cast;
use crate::ops::{arith, index, math};

/// The sides that compute a scalar operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The host and a graph, for types of this form.
    Both(Form),
    /// The host alone, for this reason, which continues "TensorFlow ...".
    Host(&'static str),
    /// Neither side, for this reason, which is a sentence.
    Refused(&'static str),
}

/// The types for which a graph computes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One type that a graph supports, tensors included.
    Constant,
    /// A condition, and two values of a type that a graph supports, tensors included.
    Select,
    /// The result is an integer of at least this many bits, or an `index`.
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
    /// From a float to an integer of at least this many bits.
    ToInteger(u32),
    /// Between floats.
    FloatCast,
    /// Between types of 32 and 64 bits.
    Bitcast,
}

/// The translation of an operation to TensorFlow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translation {
    /// One operation of TensorFlow, for every type.
    Same(&'static str),
    /// One operation of TensorFlow, for all types but booleans.
    Numbers(&'static str),
    /// Several operations.
    Several,
}

/// An operation of `arith` or `math`.
#[derive(Clone, Copy, Debug)]
pub struct ScalarOp {
    /// The full name.
    pub name: &'static str,
    /// The sides that compute it.
    pub support: Support,
    /// The translation; not used if only the host computes it.
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

/// The least width for which TensorFlow has arithmetic: one bit is a boolean there.
const BYTE: u32 = 8;
const TWO_RESULTS: &str = "has no operation with both results";
const NO_SCALING: &str = "scaling conversions are between small floats, which host code does not have; use graph operations";

/// All operations, by name.
pub const OPERATIONS: &[ScalarOp] = &[
    row(arith::AddF::NAME, Both(Floats), Same("AddV2")),
    row(arith::AddI::NAME, Both(Integers(1)), Numbers("AddV2")),
    row(arith::AddUIExtended::NAME, Host(TWO_RESULTS), Several),
    row(arith::AndI::NAME, Both(Integers(1)), Numbers("BitwiseAnd")),
    row(arith::Bitcast::NAME, Both(Bitcast), Several),
    row(arith::CeilDivSI::NAME, Both(Integers(BYTE)), Several),
    row(arith::CeilDivUI::NAME, Both(Integers(BYTE)), Several),
    row(arith::CmpF::NAME, Both(FloatTest), Several),
    row(arith::CmpI::NAME, Both(IntegerComparison), Several),
    row(arith::Constant::NAME, Both(Form::Constant), Several),
    row(arith::DivF::NAME, Both(Floats), Same("RealDiv")),
    row(
        arith::DivSI::NAME,
        Both(Integers(BYTE)),
        Numbers("TruncateDiv"),
    ),
    row(arith::DivUI::NAME, Both(Integers(BYTE)), Several),
    row(arith::ExtF::NAME, Both(FloatCast), Several),
    row(arith::ExtSI::NAME, Both(IntegerCast), Several),
    row(arith::ExtUI::NAME, Both(IntegerCast), Several),
    row(
        arith::FloorDivSI::NAME,
        Both(Integers(BYTE)),
        Numbers("FloorDiv"),
    ),
    row(arith::FPToSI::NAME, Both(ToInteger(BYTE)), Several),
    row(arith::FPToUI::NAME, Both(ToInteger(BYTE)), Several),
    row(arith::IndexCast::NAME, Both(IntegerCast), Several),
    row(arith::IndexCastUI::NAME, Both(IntegerCast), Several),
    row(arith::MaximumF::NAME, Both(Floats), Several),
    row(arith::MaxNumF::NAME, Both(Floats), Several),
    row(arith::MaxSI::NAME, Both(Integers(1)), Numbers("Maximum")),
    row(arith::MaxUI::NAME, Both(Integers(1)), Several),
    row(arith::MinimumF::NAME, Both(Floats), Several),
    row(arith::MinNumF::NAME, Both(Floats), Several),
    row(arith::MinSI::NAME, Both(Integers(1)), Numbers("Minimum")),
    row(arith::MinUI::NAME, Both(Integers(1)), Several),
    row(arith::MulF::NAME, Both(Floats), Same("Mul")),
    row(arith::MulI::NAME, Both(Integers(1)), Numbers("Mul")),
    row(arith::MulSIExtended::NAME, Host(TWO_RESULTS), Several),
    row(arith::MulUIExtended::NAME, Host(TWO_RESULTS), Several),
    row(arith::NegF::NAME, Both(Floats), Same("Neg")),
    row(arith::OrI::NAME, Both(Integers(1)), Numbers("BitwiseOr")),
    row(arith::RemF::NAME, Both(Floats), Same("TruncateMod")),
    row(arith::RemSI::NAME, Both(Integers(BYTE)), Several),
    row(arith::RemUI::NAME, Both(Integers(BYTE)), Several),
    row(arith::ScalingExtF::NAME, Refused(NO_SCALING), Several),
    row(arith::ScalingTruncF::NAME, Refused(NO_SCALING), Several),
    row(arith::Select::NAME, Both(Form::Select), Several),
    row(
        arith::ShLI::NAME,
        Both(Integers(BYTE)),
        Numbers("LeftShift"),
    ),
    row(
        arith::ShRSI::NAME,
        Both(Integers(BYTE)),
        Numbers("RightShift"),
    ),
    row(arith::ShRUI::NAME, Both(Integers(BYTE)), Several),
    row(arith::SIToFP::NAME, Both(ToFloat), Several),
    row(arith::SubF::NAME, Both(Floats), Same("Sub")),
    row(arith::SubI::NAME, Both(Integers(1)), Numbers("Sub")),
    row(arith::TruncF::NAME, Both(FloatCast), Several),
    row(arith::TruncI::NAME, Both(IntegerCast), Several),
    row(arith::UIToFP::NAME, Both(ToFloat), Several),
    row(arith::XOrI::NAME, Both(Integers(1)), Numbers("BitwiseXor")),
    row(math::AbsF::NAME, Both(Floats), Same("Abs")),
    row(math::AbsI::NAME, Both(Integers(BYTE)), Same("Abs")),
    row(math::Acos::NAME, Both(Floats), Same("Acos")),
    row(math::Acosh::NAME, Both(Floats), Same("Acosh")),
    row(math::Asin::NAME, Both(Floats), Same("Asin")),
    row(math::Asinh::NAME, Both(Floats), Same("Asinh")),
    row(math::Atan::NAME, Both(Floats), Same("Atan")),
    row(math::Atan2::NAME, Both(Floats), Same("Atan2")),
    row(math::Atanh::NAME, Both(Floats), Same("Atanh")),
    row(math::Cbrt::NAME, Host("has no cube root"), Several),
    row(math::Ceil::NAME, Both(Floats), Same("Ceil")),
    row(math::ClampF::NAME, Both(Floats), Several),
    row(math::CopySign::NAME, Both(Floats), Several),
    row(math::Cos::NAME, Both(Floats), Same("Cos")),
    row(math::Cosh::NAME, Both(Floats), Same("Cosh")),
    row(math::CountLeadingZeros::NAME, Both(Integers(BYTE)), Several),
    row(math::CtPop::NAME, Both(Integers(BYTE)), Several),
    row(
        math::CountTrailingZeros::NAME,
        Both(Integers(BYTE)),
        Several,
    ),
    row(math::Erf::NAME, Both(Floats), Several),
    row(math::Erfc::NAME, Both(Floats), Same("Erfc")),
    row(math::Exp::NAME, Both(Floats), Same("Exp")),
    row(math::Exp2::NAME, Both(Floats), Several),
    row(math::ExpM1::NAME, Both(Floats), Same("Expm1")),
    row(math::Floor::NAME, Both(Floats), Same("Floor")),
    row(
        math::Fma::NAME,
        Host("rounds a product before it adds to it"),
        Several,
    ),
    row(
        math::FPowI::NAME,
        Host("has no powers of floats to integers"),
        Several,
    ),
    row(
        math::IPowI::NAME,
        Host("has no powers of integers to negative integers"),
        Several,
    ),
    row(math::IsFinite::NAME, Both(FloatTest), Same("IsFinite")),
    row(math::IsInf::NAME, Both(FloatTest), Same("IsInf")),
    row(math::IsNaN::NAME, Both(FloatTest), Same("IsNan")),
    row(math::IsNormal::NAME, Both(FloatTest), Several),
    row(math::Log::NAME, Both(Floats), Same("Log")),
    row(math::Log10::NAME, Both(Floats), Several),
    row(math::Log1p::NAME, Both(Floats), Same("Log1p")),
    row(math::Log2::NAME, Both(Floats), Several),
    row(math::PowF::NAME, Both(Floats), Same("Pow")),
    row(math::Round::NAME, Both(Floats), Several),
    row(math::RoundEven::NAME, Both(Floats), Same("Rint")),
    row(math::Rsqrt::NAME, Both(Floats), Same("Rsqrt")),
    row(math::Sin::NAME, Both(Floats), Same("Sin")),
    row(math::Sincos::NAME, Host(TWO_RESULTS), Several),
    row(math::Sinh::NAME, Both(Floats), Same("Sinh")),
    row(math::Sqrt::NAME, Both(Floats), Same("Sqrt")),
    row(math::Tan::NAME, Both(Floats), Same("Tan")),
    row(math::Tanh::NAME, Both(Floats), Same("Tanh")),
    row(math::Trunc::NAME, Both(Floats), Several),
];

/// Returns the row of an operation of `arith` or `math`, or of one of `index` that `arith` has.
pub fn find(name: &str) -> Option<&'static ScalarOp> {
    let name = arith_name(name);
    let position = OPERATIONS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    Some(&OPERATIONS[position])
}

/// The operations of `index` that `arith` has, by name.
pub const INDEX_OPERATIONS: &[(&str, &str)] = &[
    (index::Add::NAME, arith::AddI::NAME),
    (index::And::NAME, arith::AndI::NAME),
    (index::CeilDivS::NAME, arith::CeilDivSI::NAME),
    (index::CeilDivU::NAME, arith::CeilDivUI::NAME),
    (index::DivS::NAME, arith::DivSI::NAME),
    (index::DivU::NAME, arith::DivUI::NAME),
    (index::FloorDivS::NAME, arith::FloorDivSI::NAME),
    (index::MaxS::NAME, arith::MaxSI::NAME),
    (index::MaxU::NAME, arith::MaxUI::NAME),
    (index::MinS::NAME, arith::MinSI::NAME),
    (index::MinU::NAME, arith::MinUI::NAME),
    (index::Mul::NAME, arith::MulI::NAME),
    (index::Or::NAME, arith::OrI::NAME),
    (index::RemS::NAME, arith::RemSI::NAME),
    (index::RemU::NAME, arith::RemUI::NAME),
    (index::Shl::NAME, arith::ShLI::NAME),
    (index::ShrS::NAME, arith::ShRSI::NAME),
    (index::ShrU::NAME, arith::ShRUI::NAME),
    (index::Sub::NAME, arith::SubI::NAME),
    (index::XOr::NAME, arith::XOrI::NAME),
];

/// Returns the operation of `arith` that does the same as an operation of `index`; any other name
/// unchanged.
pub fn arith_name(name: &str) -> &str {
    if !name.starts_with("index.") {
        return name;
    }
    match INDEX_OPERATIONS.binary_search_by(|(index, _)| (*index).cmp(name)) {
        Ok(position) => INDEX_OPERATIONS[position].1,
        Err(_) => name,
    }
}

/// The widest integer of host code: the width of a register, and of the reference interpreter's
/// integers.
const WIDEST: u32 = 64;

/// Returns whether host code and the reference interpreter support scalars of a type.
pub fn is_host_scalar(ty: Type<'_>) -> bool {
    if ty.is_index() || ty.is_f32() || ty.is_f64() {
        return true;
    }
    IntegerType::cast(ty).is_some_and(|ty| ty.is_signless() && (1..=WIDEST).contains(&ty.width()))
}
