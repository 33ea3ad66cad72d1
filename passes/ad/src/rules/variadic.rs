//! The rules of operations whose number of operands or whose types a rule in IR cannot express.
//!
//! | operation | cotangent of an operand |
//! |---|---|
//! | `tfx_tensor.from_scalar`, `tfx_tensor.to_scalar` | the other conversion |
//! | `arith.select` | selected, or zero |
//! | `Cast` | cast back |
//! | `AddN`, `IdentityN` | that of the result |
//! | `Concat`, `ConcatV2`, `Pack` | a slice of that of the result |
//! | `Unpack`, `Split`, `SplitV` | those of the results, put together |
//! | `DynamicStitch` | the rows of that of the result |
//! | `Einsum` | another `Einsum`: `einsum.rs` |
//! | `tfx_ad.push`, `tfx_ad.pop` | the tape of cotangents is popped, or pushed to |

use melior::ir::{Type, TypeLike};
use tfx_dialects::{ad, comm, tensor};
use tfx_graphdef_mlir::types::{self, element_type};
use tfx_ir::Op;
use tfx_ir::ops::arith;

use crate::activity::carries;
use crate::rules::einsum;
use crate::rules::instantiate::{Cotangents, Instance};
use crate::rules::library::name;
use crate::tangent::is_differentiable;
use crate::values::{self, integer, tf, with_type};

/// The rule of an operation.
#[derive(Clone, Copy)]
pub(crate) enum Variadic {
    FromScalar,
    ToScalar,
    ToHost,
    ToAccelerator,
    Copy,
    Select,
    Cast,
    Sum,
    EachItsOwn,
    ConcatV2,
    Concat,
    Pack,
    Unpack,
    Split,
    SplitV,
    DynamicStitch,
    Einsum,
    Push,
    Pop,
}

/// The rules by the name of the operation.
pub(crate) const NAMES: [(&str, Variadic); 22] = [
    (tensor::FromScalar::NAME, Variadic::FromScalar),
    (tensor::ToScalar::NAME, Variadic::ToScalar),
    (comm::ToHost::NAME, Variadic::ToHost),
    (comm::ToAccelerator::NAME, Variadic::ToAccelerator),
    (comm::Copy::NAME, Variadic::Copy),
    (arith::Select::NAME, Variadic::Select),
    (arith::ExtF::NAME, Variadic::Cast),
    (arith::TruncF::NAME, Variadic::Cast),
    ("Cast", Variadic::Cast),
    ("AddN", Variadic::Sum),
    ("IdentityN", Variadic::EachItsOwn),
    ("Concat", Variadic::Concat),
    ("ConcatV2", Variadic::ConcatV2),
    ("Pack", Variadic::Pack),
    ("Unpack", Variadic::Unpack),
    ("Split", Variadic::Split),
    ("SplitV", Variadic::SplitV),
    ("DynamicStitch", Variadic::DynamicStitch),
    ("ParallelDynamicStitch", Variadic::DynamicStitch),
    ("Einsum", Variadic::Einsum),
    (ad::Push::NAME, Variadic::Push),
    (ad::Pop::NAME, Variadic::Pop),
];

fn variadic(op: Op<'_>) -> Option<Variadic> {
    let name = name(op);
    let mut rules = NAMES.iter();
    rules
        .find(|(known, _)| *known == name)
        .map(|(_, rule)| *rule)
}

/// Returns whether a result depends on an operand; none if the operation has no rule here.
pub(crate) fn has_derivative(op: Op<'_>, operand: usize) -> Option<bool> {
    let ty = op.operand(operand).ty();
    variadic(op).map(|rule| match rule {
        // Closures and objects are selected, too.
        Variadic::Select => carries(ty),
        _ => is_differentiable(ty),
    })
}

/// Applies the rule of an operation; none if it has none here.
pub(crate) fn apply<'a>(instance: &mut Instance<'_, 'a>) -> Option<Cotangents<'a>> {
    let rule = variadic(instance.op)?;
    if let Variadic::Einsum = rule {
        return einsum::apply(instance);
    }
    let wanted = instance.wanted;
    let each = |value| wanted.iter().map(|&index| (index, value)).collect();
    Some(match rule {
        Variadic::FromScalar => {
            let (dz, ty) = (instance.cotangent(0), instance.op.operand(0).ty());
            each(tensor::ToScalar::build(instance.builder, ty, dz).result())
        }
        Variadic::ToScalar => {
            let dz = instance.cotangent(0);
            each(
                tensor::FromScalar::build(instance.builder, dz)
                    .op()
                    .result(0),
            )
        }
        // The cotangent is copied in the other direction, as intentionally.
        Variadic::ToHost => {
            let dz = instance.cotangent(0);
            each(comm::ToAccelerator::build(instance.builder, dz).result())
        }
        Variadic::ToAccelerator => {
            let dz = instance.cotangent(0);
            each(comm::ToHost::build(instance.builder, dz).result())
        }
        // So is one from place to place.
        Variadic::Copy => {
            let copy = comm::Copy::cast(instance.op)?;
            let dz = instance.cotangent(0);
            let (source, destination) = (copy.destination(), copy.source());
            each(comm::Copy::build(instance.builder, dz, source, destination).result())
        }
        Variadic::Select => select(instance),
        Variadic::Cast => cast(instance),
        Variadic::Sum => each(instance.cotangent(0)),
        Variadic::EachItsOwn => {
            let has = |index: &usize| Some((*index, instance.cotangents[*index]?));
            wanted.iter().filter_map(has).collect()
        }
        Variadic::Einsum => unreachable!("handled above"),
        Variadic::Concat => concat(instance, 0, 1),
        Variadic::ConcatV2 => concat(instance, instance.op.num_operands() - 1, 0),
        Variadic::Pack => {
            let dz = instance.cotangent(0);
            let types: Vec<_> = instance.op.operands().map(|operand| operand.ty()).collect();
            let parts = like(instance, "Unpack", &[dz], &types);
            wanted
                .iter()
                .map(|&index| (index, parts.result(index)))
                .collect()
        }
        Variadic::Unpack => {
            let parts: Vec<_> = (0..instance.op.num_results())
                .map(|result| instance.cotangent(result))
                .collect();
            let ty = instance.op.operand(0).ty();
            vec![(0, like(instance, "Pack", &parts, &[ty]).result(0))]
        }
        Variadic::Split => split(instance, 1, 0),
        Variadic::SplitV => split(instance, 0, 2),
        Variadic::DynamicStitch => {
            let dz = instance.cotangent(0);
            let zero = integer(instance.builder, 0);
            let count = instance.op.num_operands() / 2;
            let mut cotangents = Vec::new();
            for &index in wanted {
                let indices = instance.primal.value(instance.op.operand(index - count));
                let ty = instance.op.operand(index).ty();
                let rows = tf(instance.builder, "GatherV2", &[dz, indices, zero], ty);
                cotangents.push((index, rows));
            }
            cotangents
        }
        Variadic::Push => {
            let dz = instance.cotangent(0);
            let value = instance.op.operand(0);
            let pop = ad::Pop::build(instance.builder, dz.ty(), value.ty(), dz);
            vec![(1, pop.rest()), (0, pop.value())]
        }
        Variadic::Pop => {
            let (rest, value) = (instance.cotangent(0), instance.cotangent(1));
            let value = with_type(instance.builder, value, instance.op.result(1).ty());
            each(ad::Push::build(instance.builder, value, rest).result())
        }
    })
}

/// Builds an operation with the axis of the differentiated one.
fn like<'a>(
    instance: &mut Instance<'_, 'a>,
    name: &str,
    operands: &[tfx_ir::Value<'a>],
    types: &[Type<'a>],
) -> Op<'a> {
    const AXIS: &str = "axis";
    let op = tensor::Op::build(instance.builder, types, name, operands).op();
    if let Some(axis) = instance.op.attribute(AXIS) {
        op.set_attribute(AXIS, axis);
    }
    op
}

fn select<'a>(instance: &mut Instance<'_, 'a>) -> Cotangents<'a> {
    let dz = instance.cotangent(0);
    let condition = instance.primal.value(instance.op.operand(0));
    let zero = values::zero(instance.builder, dz.ty(), || dz);
    let mut cotangents = Vec::new();
    for &index in instance.wanted {
        let (if_true, if_false) = match index {
            1 => (dz, zero),
            _ => (zero, dz),
        };
        let select = arith::Select::build(instance.builder, condition, if_true, if_false);
        cotangents.push((index, select.op().result(0)));
    }
    cotangents
}

/// A conversion between floats. A conversion from or to an integer has no derivative.
fn cast<'a>(instance: &mut Instance<'_, 'a>) -> Cotangents<'a> {
    let (dz, ty) = (instance.cotangent(0), instance.op.operand(0).ty());
    if ty.is_tensor() {
        return vec![(0, tf(instance.builder, "Cast", &[dz], ty))];
    }
    let name = match instance.op.name() {
        arith::ExtF::NAME => arith::TruncF::NAME,
        _ => arith::ExtF::NAME,
    };
    vec![(0, instance.builder.op(name).operand(dz).result(ty).value())]
}

/// Returns the only cotangent of the operand `value` that was split along the axis of an operand.
fn split<'a>(instance: &mut Instance<'_, 'a>, value: usize, axis: usize) -> Cotangents<'a> {
    let results = 0..instance.op.num_results();
    let mut parts: Vec<_> = results.map(|result| instance.cotangent(result)).collect();
    parts.push(instance.primal.value(instance.op.operand(axis)));
    let ty = instance.op.operand(value).ty();
    vec![(value, tf(instance.builder, "ConcatV2", &parts, ty))]
}

/// Returns slices of the cotangent for the operands from `first` on, without the axis.
fn concat<'a>(instance: &mut Instance<'_, 'a>, axis: usize, first: usize) -> Cotangents<'a> {
    let dz = instance.cotangent(0);
    let axis = instance.primal.value(instance.op.operand(axis));
    let parts = first..first + instance.op.num_operands() - 1;
    let shapes: Vec<_> = parts.map(|index| instance.shape_of(index)).collect();
    let i32 = element_type(shapes[0].ty());
    let axis_type = types::tensor_of(instance.builder.context(), Some(&[]), i32);
    let axis = match element_type(axis.ty()) == i32 {
        true => axis,
        false => tf(instance.builder, "Cast", &[axis], axis_type),
    };
    let operands: Vec<_> = std::iter::once(axis)
        .chain(shapes.iter().copied())
        .collect();
    let types: Vec<_> = shapes.iter().map(|shape| shape.ty()).collect();
    let offsets = tensor::Op::build(instance.builder, &types, "ConcatOffset", &operands);
    let mut cotangents = Vec::new();
    for &index in instance.wanted {
        let ty = instance.op.operand(index).ty();
        let operands = [dz, offsets.result(index - first), shapes[index - first]];
        cotangents.push((index, tf(instance.builder, "Slice", &operands, ty)));
    }
    cotangents
}
