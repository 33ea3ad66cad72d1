//! Scalars that share one message: finds the scalar that the sender packed for one that the
//! receiver unpacks.
//!
//! ```text
//!   sender, on the host    %t = tensor.from_elements %a, %b
//!           in the graph   %t = "Pack"(from_scalar %a, from_scalar %b)
//!   receiver, on the host  tensor.extract %t[1]                    is %b
//!             in the graph to_scalar of result 1 of "Unpack"(%t)   is %b
//! ```
//!
//! The host casts an `index` to `i64` and back; the graph reads it from a tensor of `i64`.

use melior::ir::TypeLike;
use melior::ir::r#type::IntegerType;
use tfx_dialects::{comm, tensor};
use tfx_ir::cast::Cast;
use tfx_ir::ops::arith;
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::{Definition, Op, Value};

/// Returns the value that was sent for `value`, if it is unpacked from a message. `sent` returns
/// the value that a receive receives.
pub(crate) fn source<'a>(
    value: Value<'a>,
    sent: impl Fn(comm::Recv<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    let source = sent_element(unpacked_scalar(uncast(value))?, sent)?;
    [source, uncast(source)]
        .into_iter()
        .find(|source| source.ty() == value.ty())
}

/// Returns the scalar that was sent for the one in `tensor`, if that is unpacked from a message.
pub(crate) fn in_tensor<'a>(
    tensor: Value<'a>,
    sent: impl Fn(comm::Recv<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    sent_element(unpacked_tensor(tensor)?, sent)
}

fn sent_element<'a>(
    (message, index): (Value<'a>, usize),
    sent: impl Fn(comm::Recv<'a>) -> Option<Value<'a>>,
) -> Option<Value<'a>> {
    let receive = comm::Recv::cast(message.defining_op()?)?;
    packed_scalar(sent(receive)?, index)
}

/// Returns the message from which a scalar is unpacked, and its index in it.
fn unpacked_scalar(value: Value<'_>) -> Option<(Value<'_>, usize)> {
    let op = value.defining_op()?;
    if let Some(op) = tensor::ToScalar::cast(op) {
        return unpacked_tensor(op.tensor());
    }
    let op = builtin_tensor::Extract::cast(op).filter(|op| op.indices().len() == 1)?;
    let index = op.indices().at(0).constant_int()?;
    Some((op.tensor(), usize::try_from(index).ok()?))
}

/// Returns the message from which a tensor of one scalar is unpacked, and its index in it.
fn unpacked_tensor(tensor: Value<'_>) -> Option<(Value<'_>, usize)> {
    let Definition::Result(op, index) = tensor.definition() else {
        return None;
    };
    Some((tensorflow(op, "Unpack")?.operands().at(0), index))
}

/// Returns the scalar that is packed into a message at an index.
fn packed_scalar(message: Value<'_>, index: usize) -> Option<Value<'_>> {
    let op = message.defining_op()?;
    if let Some(op) = builtin_tensor::FromElements::cast(op) {
        return op.elements().get(index);
    }
    let element = tensorflow(op, "Pack")?.operands().get(index)?;
    Some(tensor::FromScalar::cast(element.defining_op()?)?.scalar())
}

/// Returns a TensorFlow operation of this name, if it works on the first axis.
fn tensorflow<'a>(op: Op<'a>, name: &str) -> Option<tensor::Op<'a>> {
    tensor::Op::cast(op)
        .filter(|op| op.tf_name() == name && op.integer("axis").unwrap_or_default() == 0)
}

/// Returns the operand of a cast between `index` and `i64`, which is lossless; else the value.
fn uncast(value: Value<'_>) -> Value<'_> {
    const INDEX_BITS: u32 = 64;
    let is_wide = |value: Value<'_>| {
        let integer = IntegerType::cast(value.ty());
        value.ty().is_index() || integer.is_some_and(|integer| integer.width() == INDEX_BITS)
    };
    let cast = value.defining_op().and_then(arith::IndexCast::cast);
    cast.filter(|cast| is_wide(cast.in_()) && is_wide(cast.out()))
        .map_or(value, |cast| cast.in_())
}
