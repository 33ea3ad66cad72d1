//! The lowering of operations of `arith`, `math` and `index` that upstream's conversions do not
//! support or lower differently.
//!
//! ```text
//!   arith.maximumf %a, %b   llvm.intr.maximum     upstream's comparison ignores the signs of zeros
//!   arith.maxnumf %a, %b    the one that is not NaN, else llvm.intr.maximum
//!   math.clampf             llvm.intr.minimum, then llvm.intr.maximum
//!   math.expm1, log1p       expm1, log1p of C     upstream's are inexact near 0 and lose its sign
//!   math.isinf, isnormal    llvm.intr.is.fpclass
//!   math.ipowi : index      math.ipowi : i64      upstream supports powers of integers only
//!   index.add, ...          arith.addi, ...       divisions of both dialects get the same checks
//! ```
//!
//! `divisions.rs` adds checks for operations that may have no value. Upstream's conversions lower
//! all others.

use melior::ir::Type;
use melior::ir::TypeLike;
use melior::ir::r#type::IntegerType;
use tfx_graphdef_mlir::types;
use tfx_ir::ops::arith::{self, ArithOp, CmpFPredicate};
use tfx_ir::ops::llvm_intrinsics::{IsFPClass, Maximum, Minimum};
use tfx_ir::ops::math::{self, MathOp};
use tfx_ir::{Builder, Op, Value, scalar_ops};

use crate::calls::Calls;
use crate::divisions;
use crate::globals::Field;

/// The bits of `llvm.is.fpclass` for infinities of both signs.
const INFINITE: u32 = 0x204;
/// The bits of `llvm.is.fpclass` for normal numbers of both signs.
const NORMAL: u32 = 0x108;

impl<'a> Calls<'a> {
    /// Replaces an operation on scalars by operations that upstream lowers with the same meaning.
    pub(crate) fn scalar(&mut self, op: Op<'a>) {
        let op = as_arith(op);
        self.check_value(op);
        let value = match ArithOp::cast(op) {
            Some(op) => arith_value(op),
            None => MathOp::cast(op).and_then(|op| self.math_value(op)),
        };
        if let Some(value) = value {
            op.replace_with(&[value]);
        }
    }

    fn math_value(&mut self, op: MathOp<'a>) -> Option<Value<'a>> {
        let builder = &mut Builder::before(op.op());
        Some(match op {
            MathOp::ClampF(op) => {
                let capped = minimum(builder, op.value(), op.max());
                maximum(builder, capped, op.min())
            }
            MathOp::ExpM1(op) => self.library(builder, op.operand(), "expm1", "expm1f"),
            MathOp::Log1p(op) => self.library(builder, op.operand(), "log1p", "log1pf"),
            MathOp::IPowI(op) if op.lhs().ty().is_index() => {
                let (base, exponent) = (as_i64(builder, op.lhs()), as_i64(builder, op.rhs()));
                let power = math::IPowI::build(builder, base, exponent).result();
                arith::IndexCast::build(builder, op.result().ty(), power).out()
            }
            MathOp::FPowI(op) if op.rhs().ty().is_index() => {
                let exponent = as_i64(builder, op.rhs());
                math::FPowI::build(builder, op.lhs(), exponent).result()
            }
            MathOp::IsInf(op) => is_class(builder, op.operand(), INFINITE),
            MathOp::IsNormal(op) => is_class(builder, op.operand(), NORMAL),
            _ => return None,
        })
    }

    /// Checks that an operation has a value, if it may have none.
    fn check_value(&mut self, op: Op<'a>) {
        for (condition, message) in divisions::guard(op) {
            let text = Field::Address(self.globals.shared_bytes(message.as_bytes().to_vec()));
            let location = self.location(op);
            let mut builder = Builder::before(op);
            let text = self.address(&mut builder, &text);
            let size = self.integer(&mut builder, 64, message.len() as i64);
            self.call(
                &mut builder,
                "tfx_check",
                &[condition, text, size, location],
            );
        }
    }

    /// Calls a function of C's mathematical library by its name for `f64` or for `f32`.
    fn library(
        &mut self,
        builder: &mut Builder<'a>,
        operand: Value<'a>,
        double: &'static str,
        single: &'static str,
    ) -> Value<'a> {
        let name = match operand.ty().is_f64() {
            true => double,
            false => single,
        };
        self.call_value(builder, name, &[operand])
    }
}

fn arith_value(op: ArithOp<'_>) -> Option<Value<'_>> {
    let builder = &mut Builder::before(op.op());
    Some(match op {
        ArithOp::MaximumF(op) => maximum(builder, op.lhs(), op.rhs()),
        ArithOp::MinimumF(op) => minimum(builder, op.lhs(), op.rhs()),
        ArithOp::MaxNumF(op) => number_or(builder, maximum, op.lhs(), op.rhs()),
        ArithOp::MinNumF(op) => number_or(builder, minimum, op.lhs(), op.rhs()),
        _ => return None,
    })
}

/// Replaces an operation of `index` by the operation of `arith` with the same meaning.
fn as_arith<'a>(op: Op<'a>) -> Op<'a> {
    let name = scalar_ops::arith_name(op.name());
    if op.is(name) {
        return op;
    }
    let operands: Vec<_> = op.operands().collect();
    let mut builder = Builder::before(op);
    let new = builder.op(name).operands(&operands);
    let new = new.results(&op.result_types()).build();
    op.replace_with(&new.results().collect::<Vec<_>>());
    new
}

fn maximum<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    Maximum::build(builder, a, b).res()
}

fn minimum<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    Minimum::build(builder, a, b).res()
}

/// Returns the extremum of two floats; the other one if one is NaN.
fn number_or<'a>(
    builder: &mut Builder<'a>,
    extremum: fn(&mut Builder<'a>, Value<'a>, Value<'a>) -> Value<'a>,
    a: Value<'a>,
    b: Value<'a>,
) -> Value<'a> {
    let both = extremum(builder, a, b);
    let no_b = is_nan(builder, b);
    let with_a = arith::Select::build(builder, no_b, a, both).result();
    let no_a = is_nan(builder, a);
    arith::Select::build(builder, no_a, b, with_a).result()
}

fn is_nan<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    arith::CmpF::build(builder, CmpFPredicate::Uno, value, value).result()
}

fn is_class<'a>(builder: &mut Builder<'a>, value: Value<'a>, class: u32) -> Value<'a> {
    let boolean: Type<'a> = IntegerType::new(builder.context(), 1).into();
    IsFPClass::build(builder, boolean, value, class).res()
}

/// Returns an index as an integer of the same width.
fn as_i64<'a>(builder: &mut Builder<'a>, index: Value<'a>) -> Value<'a> {
    let integer = IntegerType::new(builder.context(), types::INDEX_BITS).into();
    arith::IndexCast::build(builder, integer, index).out()
}
