//! Values that derivatives are made of: zeros, ones, sums, casts.

use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike};
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::ops::arith;
use tfx_ir::{Builder, Value};

use crate::{arrays, tapes};

/// Returns whether a type is a tensor with all its sizes known.
pub(crate) fn is_static(ty: Type<'_>) -> bool {
    types::sizes(ty).is_some_and(|sizes| sizes.iter().all(Option::is_some))
}

/// Builds a number of a type whose shape is known; none for an array, a tape, or a tensor of
/// unknown shape.
pub(crate) fn number<'a>(builder: &mut Builder<'a>, ty: Type<'a>, value: f64) -> Option<Value<'a>> {
    if arrays::element(ty).is_some() || tape_element(ty).is_some() {
        return None;
    }
    let element = types::element_type(ty);
    let number: Attribute<'a> = FloatAttribute::new(builder.context(), element, value).into();
    if !ty.is_tensor() {
        return Some(builder.constant(number, ty));
    }
    is_static(ty).then(|| {
        let splat = DenseElementsAttribute::splat(ty, number);
        tensor::Const::build(builder, ty, splat.into()).result()
    })
}

/// Builds zero of a differentiable type. `like` gives a value of the same shape; it is called for
/// an array, a tape, and a tensor of unknown shape only.
pub(crate) fn zero<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    like: impl FnOnce() -> Value<'a>,
) -> Value<'a> {
    match number(builder, ty, 0.0) {
        Some(zero) => zero,
        None if arrays::element(ty).is_some() => arrays::zeros_like(builder, like()),
        None if tape_element(ty).is_some() => tapes::zeros_like(builder, like()),
        None => tf(builder, "ZerosLike", &[like()], ty),
    }
}

/// Builds the sum of two cotangents of a value of type `ty`.
pub(crate) fn add<'a>(
    builder: &mut Builder<'a>,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    match ty.is_tensor() {
        _ if tape_element(ty).is_some() => tapes::sum(builder, a, b),
        true => tf(builder, "AddV2", &[a, b], ty),
        false if arrays::element(ty).is_some() => arrays::sum(builder, a, b),
        false => arith::AddF::build(builder, a, b).op().result(0),
    }
}

/// Returns a cotangent with the type `ty`. The type of a tensor may have another static shape.
pub(crate) fn with_type<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    match value.ty() == ty {
        true => value,
        false => tf(builder, "Identity", &[value], ty),
    }
}

/// Builds a TensorFlow operation with one result.
pub(crate) fn tf<'a>(
    builder: &mut Builder<'a>,
    name: &str,
    operands: &[Value<'a>],
    ty: Type<'a>,
) -> Value<'a> {
    tensor::Op::build(builder, &[ty], name, operands).result(0)
}

/// Returns the type of the counters of iterations.
pub(crate) fn counter_type<'a>(builder: &Builder<'a>) -> Type<'a> {
    /// No loop runs more often.
    const BITS: u32 = 64;
    IntegerType::new(builder.context(), BITS).into()
}

/// Builds a constant of the type of counters.
pub(crate) fn count<'a>(builder: &mut Builder<'a>, value: i64) -> Value<'a> {
    let ty = counter_type(builder);
    builder.constant_int(value, ty)
}

/// Builds a counter as an integer of another type.
pub(crate) fn convert_count<'a>(
    builder: &mut Builder<'a>,
    counter: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    let bits = |ty| IntegerType::try_from(ty).map(|ty| ty.width());
    match (bits(counter.ty()), bits(ty)) {
        (Ok(from), Ok(to)) if from == to => counter,
        (Ok(from), Ok(to)) if from < to => arith::ExtSI::build(builder, ty, counter).out(),
        (Ok(_), Ok(_)) => arith::TruncI::build(builder, ty, counter).out(),
        _ => arith::IndexCast::build(builder, ty, counter).out(),
    }
}

/// Builds an integer as a counter.
pub(crate) fn to_count<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let ty = counter_type(builder);
    convert_count(builder, value, ty)
}

/// Builds a constant tensor of rank 0 for axes and shapes.
pub(crate) fn integer<'a>(builder: &mut Builder<'a>, value: i64) -> Value<'a> {
    /// TensorFlow's default.
    const BITS: u32 = 32;
    let element: Type<'a> = IntegerType::new(builder.context(), BITS).into();
    let ty = types::tensor_of(builder.context(), Some(&[]), element);
    let number = IntegerAttribute::new(element, value).into();
    let splat = DenseElementsAttribute::splat(ty, number);
    tensor::Const::build(builder, ty, splat.into()).result()
}
