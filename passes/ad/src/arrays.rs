//! Derivatives of the operations on arrays.
//!
//! ```text
//!   forward                            tangents                      cotangents, backwards
//!   %a = array(%x, %y)                 array(%tx, %ty)               dx += da[0], dy += da[1]
//!   %a = array_fill %x, %n             array_fill %tx, %n            dx += the sum of da
//!   %b = array_set %x into %a[%i]      array_set %tx into %ta[%i]    dx += db[%i], da += db with zero
//!                                                                    at %i
//!   %x = array_get %a[%i]              array_get %ta[%i]             da[%i] += dx
//! ```
//!
//! The tangent of an array is an array of tangents of the same count. A read adds to one element of
//! *one* cotangent, which the loops around carry and which host code changes in place: a loop that
//! reads an array backwards takes as long as forwards.
//!
//! The zero of an array needs only its count if its elements are numbers or tensors of known shape;
//! otherwise it needs the array.
//!
//! Source: Paszke et al., "Getting to the Point", 2021, for reads as accumulation in place.
//!
//! Cost: constant for a read and a write; linear in the array for a zero and for a sum of arrays.

use melior::ir::{Type, TypeLike};
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::ops::scf;
use tfx_ir::{Builder, Op, Value};

use crate::values::{self, add, with_type};

/// Returns the type of the elements of an array; none for any other type.
pub(crate) fn element<'a>(ty: Type<'a>) -> Option<Type<'a>> {
    match host_type(ty) {
        Some(HostType::Array(element)) => Some(element),
        _ => None,
    }
}

/// Returns whether zeros of a type differ by their counts only.
pub(crate) fn is_counted(ty: Type<'_>) -> bool {
    element(ty).is_some_and(|element| match self::element(element) {
        Some(_) => false,
        None => !element.is_tensor() || values::is_static(element),
    })
}

/// An operation on arrays through which derivatives go.
#[derive(Clone, Copy)]
pub(crate) enum ArrayOp<'a> {
    Literal(host::Array<'a>),
    Fill(host::ArrayFill<'a>),
    Get(host::ArrayGet<'a>),
    Set(host::ArraySet<'a>),
}

impl<'a> ArrayOp<'a> {
    pub(crate) fn cast(op: Op<'a>) -> Option<Self> {
        Some(match HostOp::cast(op)? {
            HostOp::Array(op) => ArrayOp::Literal(op),
            HostOp::ArrayFill(op) => ArrayOp::Fill(op),
            HostOp::ArrayGet(op) => ArrayOp::Get(op),
            HostOp::ArraySet(op) => ArrayOp::Set(op),
            _ => return None,
        })
    }

    /// Builds the tangent of the result. `tangent` gives the tangent of an operand, and `clone` the
    /// clone of a value.
    pub(crate) fn push_forward(
        self,
        builder: &mut Builder<'a>,
        tangent: impl Fn(Value<'a>) -> Value<'a>,
        clone: impl Fn(Value<'a>) -> Value<'a>,
    ) -> Value<'a> {
        match self {
            ArrayOp::Literal(op) => {
                let elements: Vec<_> = op.elements().iter().map(tangent).collect();
                host::Array::build(builder, op.array().ty(), &elements).array()
            }
            ArrayOp::Fill(op) => {
                let (ty, count) = (op.array().ty(), clone(op.count()));
                host::ArrayFill::build(builder, ty, tangent(op.value()), count).array()
            }
            ArrayOp::Get(op) => {
                let index = clone(op.index());
                host::ArrayGet::build(builder, tangent(op.array()), index).element()
            }
            ArrayOp::Set(op) => {
                let (value, array) = (tangent(op.value()), tangent(op.array()));
                set(builder, value, array, clone(op.index()))
            }
        }
    }
}

/// Builds the zero of an array with `count` elements whose type [`is_counted`].
pub(crate) fn zeros<'a>(builder: &mut Builder<'a>, ty: Type<'a>, count: Value<'a>) -> Value<'a> {
    let element = element(ty).expect("the type of an array");
    let zero = values::number(builder, element, 0.0);
    let zero = zero.expect("elements of a known shape have one zero");
    host::ArrayFill::build(builder, ty, zero, count).array()
}

/// Builds the zero of an array.
pub(crate) fn zeros_like<'a>(builder: &mut Builder<'a>, array: Value<'a>) -> Value<'a> {
    if is_counted(array.ty()) {
        let count = host::ArrayCount::build(builder, array).count();
        return zeros(builder, array.ty(), count);
    }
    update(builder, array, |inside, element, _| {
        values::zero(inside, element.ty(), || element)
    })
}

/// Builds the sum of two arrays of the same count.
pub(crate) fn sum<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    update(builder, a, |inside, element, index| {
        let other = host::ArrayGet::build(inside, b, index).element();
        add_typed(inside, element, other)
    })
}

/// Builds the sum of the elements of an array. `zero` is the zero of an element.
pub(crate) fn sum_of_elements<'a>(
    builder: &mut Builder<'a>,
    array: Value<'a>,
    zero: Value<'a>,
) -> Value<'a> {
    each(builder, array, zero, |inside, sum, index| {
        let element = host::ArrayGet::build(inside, array, index).element();
        add_typed(inside, sum, element)
    })
}

/// Adds to an element of an array.
pub(crate) fn add_at<'a>(
    builder: &mut Builder<'a>,
    array: Value<'a>,
    index: Value<'a>,
    value: Value<'a>,
) -> Value<'a> {
    let old = host::ArrayGet::build(builder, array, index).element();
    let new = add_typed(builder, old, value);
    set(builder, new, array, index)
}

/// Replaces an element of an array.
pub(crate) fn set<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    array: Value<'a>,
    index: Value<'a>,
) -> Value<'a> {
    let ty = element(array.ty()).expect("the type of an array");
    let value = with_type(builder, value, ty);
    host::ArraySet::build(builder, value, array, index).result()
}

/// Adds values, with the type of the first one.
fn add_typed<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    add(builder, a, b, a.ty())
}

/// Replaces each element of an array by a function of it and its index.
fn update<'a>(
    builder: &mut Builder<'a>,
    array: Value<'a>,
    new: impl FnOnce(&mut Builder<'a>, Value<'a>, Value<'a>) -> Value<'a>,
) -> Value<'a> {
    each(builder, array, array, |inside, changed, index| {
        let element = host::ArrayGet::build(inside, changed, index).element();
        let element = new(inside, element, index);
        set(inside, element, changed, index)
    })
}

/// Builds a loop over the indices of an array that carries one value.
fn each<'a>(
    builder: &mut Builder<'a>,
    array: Value<'a>,
    init: Value<'a>,
    body: impl FnOnce(&mut Builder<'a>, Value<'a>, Value<'a>) -> Value<'a>,
) -> Value<'a> {
    let count = host::ArrayCount::build(builder, array).count();
    let body = |inside: &mut Builder<'a>, carried: &[Value<'a>], index| {
        vec![body(inside, carried[0], index)]
    };
    for_each_index(builder, count, &[init], body)[0]
}

/// Builds a loop over the indices below a count that carries values.
pub(crate) fn for_each_index<'a>(
    builder: &mut Builder<'a>,
    count: Value<'a>,
    inits: &[Value<'a>],
    body: impl FnOnce(&mut Builder<'a>, &[Value<'a>], Value<'a>) -> Vec<Value<'a>>,
) -> Vec<Value<'a>> {
    let location = builder.location();
    let [first, step] = [0, 1].map(|number| builder.constant_int(number, count.ty()));
    let types: Vec<_> = inits.iter().map(|init| init.ty()).collect();
    let loop_ = scf::For::build(builder, &types, first, count, step, inits);
    let arguments = std::iter::once(count.ty()).chain(types);
    let arguments: Vec<_> = arguments.map(|ty| (ty, location)).collect();
    let block = loop_.region().add_block(&arguments);
    let mut inside = Builder::at_end(block, location);
    let carried: Vec<_> = block.arguments().skip(1).collect();
    let next = body(&mut inside, &carried, block.argument(0));
    scf::Yield::build(&mut inside, &next);
    loop_.op().results().collect()
}

/// Builds arrays of `count` elements that are functions of the index. An element is unspecified
/// until it is set, and nothing reads it before.
pub(crate) fn generate<'a>(
    builder: &mut Builder<'a>,
    count: Value<'a>,
    types: &[Type<'a>],
    elements: impl FnOnce(&mut Builder<'a>, Value<'a>) -> Vec<Value<'a>>,
) -> Vec<Value<'a>> {
    let inits = types.iter().map(|ty| {
        let element = element(*ty).expect("the type of an array");
        let undefined = host::Undef::build(builder, element).result();
        host::ArrayFill::build(builder, *ty, undefined, count).array()
    });
    let inits: Vec<_> = inits.collect();
    for_each_index(builder, count, &inits, |inside, arrays, index| {
        let elements = elements(inside, index).into_iter().zip(arrays);
        let elements = elements
            .map(|(element, array)| host::ArraySet::build(inside, element, *array, index).result());
        elements.collect()
    })
}
