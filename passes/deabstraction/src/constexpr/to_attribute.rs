//! Constants as attributes, in the form of the source.
//!
//! ```text
//!   3 : i32                          3 : i64            TensorFlow's integers have 64 bits
//!   array of 1, 2, 2, 1              [1, 2, 2, 1]
//!   array of 2, 3, for a value       dense<[2, 3]> : tensor<2xi64>
//! ```

use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::operations::{DEVICE_ATTRIBUTE, NAME_ATTRIBUTE};
use tfx_graphdef_mlir::types::{element_type, sizes};
use tfx_ir::{Builder, Op};

use super::pool::{Constant, Outcome, Pool, ReasonId};
use tfx_ir::scalars::integer;

const VALUE: &str = "value";

/// Returns a constant as the attribute `name` of an operation.
pub(super) fn to_attribute<'a>(
    outcome: Outcome<'a>,
    op: Op<'a>,
    name: &str,
    pool: &mut Pool<'a>,
) -> Result<Attribute<'a>, ReasonId> {
    if op.string(NAME_ATTRIBUTE) == Some("Const") && name == VALUE {
        return tensor(outcome, op, pool);
    }
    let list = match outcome? {
        Constant::List(list) => list,
        _ => return scalar(outcome, op, pool),
    };
    let elements = pool.elements(list);
    let mut attributes = Vec::with_capacity(elements.len());
    for element in elements.iter() {
        attributes.push(match element {
            // A shape in a list of shapes.
            Ok(Constant::List(sizes)) => {
                let sizes = pool.elements(*sizes);
                let sizes: Result<Vec<_>, _> =
                    sizes.iter().map(|size| scalar(*size, op, pool)).collect();
                ArrayAttribute::new(op.context(), &sizes?).into()
            }
            _ => scalar(*element, op, pool)?,
        });
    }
    Ok(ArrayAttribute::new(op.context(), &attributes).into())
}

fn scalar<'a>(
    outcome: Outcome<'a>,
    op: Op<'a>,
    pool: &mut Pool<'a>,
) -> Result<Attribute<'a>, ReasonId> {
    let Constant::Scalar(attribute) = outcome? else {
        let because = "TensorFlow has no attributes of this kind";
        return Err(pool.culprit(op.location(), because, "this attribute"));
    };
    // A boolean is an integer of one bit, and stays one.
    let wide: Type<'a> = IntegerType::new(op.context(), i64::BITS).into();
    Ok(match integer(attribute) {
        Some(number) if !attribute.is_bool() => IntegerAttribute::new(wide, number).into(),
        _ => attribute,
    })
}

/// Returns the value of `Const`: the elements of an array, or one scalar, in the operation's
/// element type.
fn tensor<'a>(
    outcome: Outcome<'a>,
    op: Op<'a>,
    pool: &mut Pool<'a>,
) -> Result<Attribute<'a>, ReasonId> {
    let (elements, is_list) = match outcome? {
        Constant::List(list) => (pool.elements(list).to_vec(), true),
        _ => (vec![outcome], false),
    };
    let mut attributes = Vec::with_capacity(elements.len());
    for element in elements {
        match element? {
            Constant::Scalar(attribute) => attributes.push(attribute),
            _ => {
                let because = "expected the elements of a tensor as one array of scalars";
                return Err(pool.culprit(op.location(), because, "this tensor"));
            }
        }
    }
    let ty = op.results().next().map(|result| result.ty());
    let ty = ty.unwrap_or_else(|| attributes[0].r#type());
    dense(op.context(), ty, &attributes, is_list)
        .map_err(|error| pool.culprit(op.location(), error.to_string(), "this tensor"))
}

/// The reason why a value is not one of the type of a tensor.
#[derive(Debug, thiserror::Error)]
pub(super) enum DenseError<'a> {
    #[error("an element of the value does not fit the element type {0}")]
    Element(Type<'a>),
    #[error("the value has {0} elements, but its type is {1}")]
    Count(u64, Type<'a>),
    #[error("{0}")]
    Other(melior::Error),
}

/// Returns a tensor for a result of type `ty`: with these elements, or, if it is not a list, filled
/// with one value.
pub(super) fn dense<'a>(
    context: &'a Context,
    ty: Type<'a>,
    elements: &[Attribute<'a>],
    is_list: bool,
) -> Result<Attribute<'a>, DenseError<'a>> {
    let element = element_type(ty);
    let elements = elements.iter();
    let converted = elements.map(|attribute| converted(context, *attribute, element));
    let converted: Option<Vec<_>> = converted.collect();
    let converted = converted.ok_or(DenseError::Element(element))?;
    let size: Option<u64> = sizes(ty).and_then(|sizes| {
        let known: Option<Vec<u64>> = sizes.into_iter().collect();
        known.map(|sizes| sizes.into_iter().fold(1, u64::saturating_mul))
    });
    let flat = |sizes: &[u64]| Type::from(RankedTensorType::new(sizes, element, None));
    let count = converted.len() as u64;
    let ty = match size {
        Some(size) if is_list && size != count => return Err(DenseError::Count(count, ty)),
        Some(_) => ty,
        None if is_list => flat(&[count]),
        None => flat(&[]),
    };
    let dense = match converted[..] {
        [one] if !is_list => DenseElementsAttribute::splat(ty, one),
        _ => DenseElementsAttribute::new(ty, &converted).map_err(DenseError::Other)?,
    };
    Ok(dense.into())
}

/// Converts a number to another type, if the value is unchanged.
fn converted<'a>(
    context: &'a Context,
    attribute: Attribute<'a>,
    element: Type<'a>,
) -> Option<Attribute<'a>> {
    if attribute.r#type() == element {
        return Some(attribute);
    }
    if let Ok(float) = FloatAttribute::try_from(attribute) {
        let is_float =
            element.is_f16() || element.is_bf16() || element.is_f32() || element.is_f64();
        return is_float.then(|| FloatAttribute::new(context, element, float.value()).into());
    }
    let number = integer(attribute)?;
    let width = IntegerType::try_from(element).ok()?.width();
    let fits =
        width >= i64::BITS || (-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&number);
    fits.then(|| IntegerAttribute::new(element, number).into())
}

/// Replaces `Const` with a value of its result's type by the dialect's own constant.
pub(super) fn make_constant(op: Op<'_>) {
    let is_const = op.string(NAME_ATTRIBUTE) == Some("Const") && op.num_results() == 1;
    let Some(value) = op.attribute(VALUE) else {
        return;
    };
    if !is_const || op.attribute(DEVICE_ATTRIBUTE).is_some() || value.r#type() != op.result(0).ty()
    {
        return;
    }
    let constant = tensor::Const::build(&mut Builder::before(op), op.result(0).ty(), value);
    op.replace_with(&[constant.result()]);
}
