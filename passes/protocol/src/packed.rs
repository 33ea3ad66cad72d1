//! Scalars that cross in one message: which scalar of the sender one of the receiver is.
//!
//! ```text
//!   host:  %t = tensor.from_elements %a, %b         graph:  "Pack"(from_scalar %a, from_scalar %b)       the sender
//!          tensor.extract %t[1]                             to_scalar of result 1 of "Unpack"(%t)        the receiver has %b
//! ```
//!
//! An `index` is cast to `i64` and back on the host, and is read from a tensor of `i64` in the graph.

use melior::ir::TypeLike;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::arith;
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::{Definition, Op, Value};

/// The value that was sent for `value`, if it was taken out of a message of several. `sent` says what a receive is given.
pub(crate) fn source<'a>(
    value: Value<'a>,
    sent: impl Fn(Op<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    let source = sent_in(taken_out(uncast(value))?, sent)?;
    [source, uncast(source)]
        .into_iter()
        .find(|source| source.ty() == value.ty())
}

/// The scalar that was sent for the one in `tensor`, if that was taken out of a message of several.
pub(crate) fn in_tensor<'a>(
    tensor: Value<'a>,
    sent: impl Fn(Op<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    sent_in(unpacked(tensor)?, sent)
}

/// What the sender put into a message at a place.
fn sent_in<'a>(
    (message, place): (Value<'a>, usize),
    sent: impl Fn(Op<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    let receive = message.defining_op().filter(|op| op.isa::<comm::Recv>())?;
    put_in(sent(receive)?, place)
}

/// The message that a scalar is taken out of, and the place that it has there.
fn taken_out(value: Value<'_>) -> Option<(Value<'_>, usize)> {
    let op = value.defining_op()?;
    match op.name() {
        builtin_tensor::Extract::NAME if op.num_operands() == 2 => {
            let index = op.operand(1).defining_op()?.constant_value()?;
            let index = IntegerAttribute::try_from(index).ok()?;
            Some((op.operand(0), usize::try_from(index.value()).ok()?))
        }
        tensor::ToScalar::NAME => unpacked(op.operand(0)),
        _ => None,
    }
}

/// The message that a tensor of one scalar is taken out of, and the place that it has there.
fn unpacked(tensor: Value<'_>) -> Option<(Value<'_>, usize)> {
    let Definition::Result(unpack, place) = tensor.definition() else {
        return None;
    };
    is_operation(unpack, "Unpack").then(|| (unpack.operand(0), place))
}

/// The scalar that is put into a message at a place.
fn put_in(message: Value<'_>, place: usize) -> Option<Value<'_>> {
    let op = message.defining_op()?;
    if place >= op.num_operands() {
        return None;
    }
    let element = op.operand(place);
    match op.name() {
        builtin_tensor::FromElements::NAME => Some(element),
        tensor::Op::NAME if is_operation(op, "Pack") => {
            let scalar = element.defining_op()?;
            scalar
                .isa::<tensor::FromScalar>()
                .then(|| scalar.operand(0))
        }
        _ => None,
    }
}

/// An operation of TensorFlow's on the only axis of a message.
fn is_operation(op: Op<'_>, name: &str) -> bool {
    op.isa::<tensor::Op>()
        && op.string("tf_name") == Some(name)
        && op.integer("axis").unwrap_or_default() == 0
}

/// What is cast between `index` and `i64`, which lose nothing to each other.
fn uncast(value: Value<'_>) -> Value<'_> {
    const INDEX_BITS: u32 = 64;
    let is_wide = |value: Value<'_>| {
        let integer = IntegerType::try_from(value.ty());
        value.ty().is_index() || integer.is_ok_and(|integer| integer.width() == INDEX_BITS)
    };
    let cast = value.defining_op().filter(|op| {
        op.isa::<arith::IndexCast>() && is_wide(op.operand(0)) && is_wide(op.result(0))
    });
    cast.map_or(value, |cast| cast.operand(0))
}
