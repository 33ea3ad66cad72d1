//! The rules of operations whose number of operands or whose types a rule in IR cannot express.
//!
//! | operation | cotangent of an operand |
//! |---|---|
//! | `tfx_tensor.from_scalar`, `tfx_tensor.to_scalar` | the other conversion |
//! | `arith.select` | selected, or zero |
//! | `Cast` | cast back |
//! | `AddN`, `IdentityN` | that of the result |
//! | `ConcatV2`, `Pack`, `Unpack`, `Split` | a slice of that of the result, or all of them |
//! | `tfx_ad.push`, `tfx_ad.pop` | the tape of cotangents is popped, or pushed to |

use melior::ir::{Type, TypeLike};
use tfx_dialects::{ad, tensor};
use tfx_graphdef_mlir::types::{self, element_type};
use tfx_ir::Op;
use tfx_ir::ops::arith;

use crate::rules::instantiate::{Cotangents, Instance};
use crate::rules::library::name;
use crate::tangent::is_differentiable;
use crate::values::{self, tf};

/// The rule of an operation.
#[derive(Clone, Copy)]
enum Variadic {
    FromScalar,
    ToScalar,
    Select,
    Cast,
    Sum,
    EachItsOwn,
    Concat,
    Pack,
    Unpack,
    Split,
    Push,
    Pop,
}

fn variadic(op: Op<'_>) -> Option<Variadic> {
    Some(match name(op) {
        tensor::FromScalar::NAME => Variadic::FromScalar,
        tensor::ToScalar::NAME => Variadic::ToScalar,
        arith::Select::NAME => Variadic::Select,
        arith::ExtF::NAME | arith::TruncF::NAME | "Cast" => Variadic::Cast,
        "AddN" => Variadic::Sum,
        "IdentityN" => Variadic::EachItsOwn,
        "ConcatV2" => Variadic::Concat,
        "Pack" => Variadic::Pack,
        "Unpack" => Variadic::Unpack,
        "Split" => Variadic::Split,
        ad::Push::NAME => Variadic::Push,
        ad::Pop::NAME => Variadic::Pop,
        _ => return None,
    })
}

/// Returns whether a result depends on an operand; none if the operation has no rule here.
pub(crate) fn has_derivative(op: Op<'_>, operand: usize) -> Option<bool> {
    variadic(op).map(|_| is_differentiable(op.operand(operand).ty()))
}

/// Applies the rule of an operation; none if it has none here.
pub(crate) fn apply<'a>(instance: &mut Instance<'_, 'a>) -> Option<Cotangents<'a>> {
    let rule = variadic(instance.op)?;
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
        Variadic::Select => select(instance),
        Variadic::Cast => cast(instance),
        Variadic::Sum => each(instance.cotangent(0)),
        Variadic::EachItsOwn => {
            let has = |index: &usize| Some((*index, instance.cotangents[*index]?));
            wanted.iter().filter_map(has).collect()
        }
        Variadic::Concat => concat(instance),
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
        Variadic::Split => {
            let mut parts: Vec<_> = (0..instance.op.num_results())
                .map(|result| instance.cotangent(result))
                .collect();
            parts.push(instance.primal.value(instance.op.operand(0)));
            let ty = instance.op.operand(1).ty();
            vec![(1, tf(instance.builder, "ConcatV2", &parts, ty))]
        }
        Variadic::Push => {
            let dz = instance.cotangent(0);
            let value = instance.op.operand(0);
            let pop = ad::Pop::build(instance.builder, dz.ty(), value.ty(), dz);
            vec![(1, pop.rest()), (0, pop.value())]
        }
        Variadic::Pop => {
            let (rest, value) = (instance.cotangent(0), instance.cotangent(1));
            each(ad::Push::build(instance.builder, value, rest).result())
        }
    })
}

/// Builds an operation with the attributes of the differentiated one.
fn like<'a>(
    instance: &mut Instance<'_, 'a>,
    name: &str,
    operands: &[tfx_ir::Value<'a>],
    types: &[Type<'a>],
) -> Op<'a> {
    let op = tensor::Op::build(instance.builder, types, name, operands).op();
    for (name, value) in instance.op.attributes() {
        if name != tensor::Op::TF_NAME_ATTR {
            op.set_attribute(name, value);
        }
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

fn concat<'a>(instance: &mut Instance<'_, 'a>) -> Cotangents<'a> {
    let dz = instance.cotangent(0);
    let parts = instance.op.num_operands() - 1;
    let axis = instance.primal.value(instance.op.operand(parts));
    let shapes: Vec<_> = (0..parts).map(|index| instance.shape_of(index)).collect();
    let i32 = element_type(shapes[0].ty());
    let axis_type = types::tensor_of(instance.builder.context(), Some(&[]), i32);
    let axis = match axis.ty() == axis_type {
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
        let operands = [dz, offsets.result(index), shapes[index]];
        cotangents.push((index, tf(instance.builder, "Slice", &operands, ty)));
    }
    cotangents
}
