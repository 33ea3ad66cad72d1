//! Tensor operations, graphs, and messages between a graph and its host.

use melior::ir::{Attribute, Type};
use tfx_dialects::comm::CommOp;
use tfx_dialects::tensor::{self, TensorOp};
use tfx_graphdef::proto::{AttrValue, NodeDef, attr_value};
use tfx_graphdef_mlir::{operations, tensors, types};
use tfx_interpreter::Tensor;
use tfx_interpreter::kernels::{self, Kernel};
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::{Op, Region, Value as IrValue};

use super::{Ending, Translation};
use crate::code::Action;
use crate::computed::{Template, no_kernel};
use crate::error::Failure;
use crate::scalar;
use crate::value::{NO_TENSOR, Number, Value};

/// The operations that put their last operand into a list of tensors.
const INTO_LIST: [&str; 2] = ["TensorListPushBack", "TensorListSetItem"];

impl<'a> Translation<'_, 'a> {
    pub(super) fn graph(
        &mut self,
        op: Op<'a>,
        ending: Ending<'a>,
    ) -> Result<Option<Action<'a>>, Failure<'a>> {
        if let Some(comm) = CommOp::cast(op) {
            return Ok(Some(self.communication(comm)?));
        }
        match TensorOp::cast(op) {
            Some(TensorOp::Op(view)) => return self.kernel(view),
            Some(TensorOp::Const(view)) => return self.constant(op, view.value()).map(Some),
            Some(TensorOp::FromScalar(view)) => {
                let number = self.number(view.scalar());
                return Ok(Some(Action::Compute(Box::new(move |values| {
                    let tensor = values[0].to_tensor(number).ok_or(NO_TENSOR)?;
                    Ok([Value::Tensor(tensor)].into_iter().collect())
                }))));
            }
            Some(TensorOp::ToScalar(view)) => {
                let number = self.number(view.result());
                return Ok(Some(Action::Compute(Box::new(move |values| {
                    let scalar = Value::of_tensor(values[0].tensor()?, number.ok_or(NO_TENSOR)?)?;
                    Ok([scalar].into_iter().collect())
                }))));
            }
            Some(TensorOp::If(view)) => {
                let cases = vec![(0, view.else_region().entry())];
                self.choice(op, cases, view.then_region().entry());
            }
            Some(TensorOp::Case(view)) => {
                let mut regions: Vec<_> = view.branches().map(Region::entry).collect();
                let last = regions.pop().flatten();
                self.choice(op, (0..).zip(regions).collect(), last);
            }
            Some(TensorOp::While(_)) => self.repeat(op),
            Some(TensorOp::Yield(_)) => self.end(op, ending),
            Some(TensorOp::Return(_)) => return Ok(Some(Action::Return)),
            Some(TensorOp::Call(view)) => {
                return Ok(Some(Action::Call(self.callee(op, view.callee())?)));
            }
            Some(TensorOp::Graph(_)) | None => {}
        }
        Ok(None)
    }

    fn communication(&self, comm: CommOp<'a>) -> Result<Action<'a>, Failure<'a>> {
        let op = comm.op();
        Ok(match comm {
            CommOp::ToHost(_) | CommOp::ToAccelerator(_) | CommOp::Copy(_) => Action::Copy,
            CommOp::Start(view) => Action::Start(self.callee(op, view.graph())?, self.numbers(op)),
            CommOp::Send(view) => Action::Send {
                channel: view.channel(),
                on_host: view.program().is_some(),
                number: self.number(view.value()),
            },
            CommOp::Recv(view) => Action::Receive {
                channel: view.channel(),
                on_host: view.program().is_some(),
                ty: view.value().ty(),
            },
            CommOp::Finish(_) => Action::Finish(self.result_types(op)),
            CommOp::Terminate(_) => Action::Terminate,
        })
    }

    pub(super) fn constant(
        &self,
        op: Op<'a>,
        value: Attribute<'a>,
    ) -> Result<Action<'a>, Failure<'a>> {
        let tensor = tensors::tensor(value);
        let tensor = tensor.map_err(|error| Failure::new(op, error.to_string()))?;
        let mut node = NodeDef {
            op: "Const".to_owned(),
            ..NodeDef::default()
        };
        let value = AttrValue {
            value: Some(attr_value::Value::tensor(tensor)),
        };
        node.attr.insert("value".to_owned(), value);
        let tensor = kernels::constant(&node).map_err(|why| Failure::new(op, why))?;
        Ok(Action::Constant(Value::Tensor(tensor)))
    }

    /// Returns the action of an operation of TensorFlow; none if its instructions are emitted
    /// already.
    fn kernel(&mut self, view: tensor::Op<'a>) -> Result<Option<Action<'a>>, Failure<'a>> {
        let op = view.op();
        let (_, computed) = operations::split_operands(op);
        if !computed.is_empty() {
            let template = Template::new(op, |ty| self.concrete(ty));
            let template = template.map_err(|why| Failure::new(op, why))?;
            return Ok(Some(Action::Computed(template.into())));
        }
        let name = view.tf_name();
        let resolved = operations::resolve_op_as(op, &str::to_owned, |ty| self.concrete(ty))
            .map_err(|error| Failure::new(op, error.message))?;
        let node = NodeDef {
            op: name.to_owned(),
            attr: resolved.attributes,
            ..NodeDef::default()
        };
        if name == "Const" {
            let tensor = kernels::constant(&node).map_err(|why| Failure::new(op, why))?;
            return Ok(Some(Action::Constant(Value::Tensor(tensor))));
        }
        if self.functional(op, &node)? {
            return Ok(None);
        }
        // The unselected operand may be undefined.
        if name == "SelectV2" && is_scalar(op.operand(0)) {
            let [one, other] = [1, 2].map(|index| op.operand(index).ty());
            if one == other && one == op.result(0).ty() {
                return Ok(Some(Action::Select));
            }
        }
        if name == "Pack"
            && let Some(first) = op.operands().next()
            && is_scalar(first)
            && let Some(number) = Number::of(types::element_type(first.ty()))
        {
            return Ok(Some(scalars_in(number, vec![op.num_operands()])));
        }
        match kernels::build(&node) {
            Ok(Some(kernel)) => Ok(Some(match INTO_LIST.contains(&name) {
                true => self.insertion(op, kernel),
                false => Action::Kernel(kernel),
            })),
            Ok(None) => Err(Failure::new(op, no_kernel(name))),
            Err(why) => Err(Failure::new(op, why)),
        }
    }

    /// The action of an operation that puts its last operand into a list.
    fn insertion(&self, op: Op<'a>, kernel: Kernel) -> Action<'a> {
        let element = op.operands().last().map(|value| self.concrete(value.ty()));
        match element.and_then(any_tensor) {
            Some(any) => Action::IntoList(kernel, any),
            None => Action::Kernel(kernel),
        }
    }

    /// Scalars in a tensor, as in the messages of `tfx-pack-scalars`.
    pub(super) fn message(&self, op: Op<'a>) -> Option<Action<'a>> {
        match op.name() {
            builtin_tensor::FromElements::NAME => {
                let number = self.number(op.operands().next()?)?;
                let sizes = types::sizes(op.result(0).ty())?;
                let shape: Option<Vec<_>> =
                    sizes.into_iter().map(|size| Some(size? as usize)).collect();
                let shape = shape?;
                Some(scalars_in(number, shape))
            }
            builtin_tensor::Extract::NAME => {
                let number = self.number(op.result(0))?;
                Some(Action::Compute(Box::new(move |values| {
                    let element = values[0].element(&values[1..], number)?;
                    Ok([element].into_iter().collect())
                })))
            }
            _ => None,
        }
    }
}

/// Returns a tensor of unlikely elements, for one that may have any value; `None` if its elements
/// are no scalars. Unknown sizes are 1.
fn any_tensor(ty: Type<'_>) -> Option<Tensor> {
    let number = Number::of(types::element_type(ty))?;
    let sizes = types::sizes(ty).unwrap_or_default();
    let shape: Vec<_> = sizes
        .iter()
        .map(|size| size.unwrap_or(1) as usize)
        .collect();
    let elements = vec![number.any(); shape.iter().product()];
    match Value::of_scalars(&elements, number, &shape).ok()? {
        Value::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// Returns whether a tensor has rank 0.
fn is_scalar(value: IrValue<'_>) -> bool {
    types::sizes(value.ty()).is_some_and(|sizes| sizes.is_empty())
}

/// A message of scalars.
fn scalars_in<'a>(number: Number, shape: Vec<usize>) -> Action<'a> {
    let pack: scalar::Compute<'a> = Box::new(move |values| {
        let tensor = Value::of_scalars(values, number, &shape)?;
        Ok([tensor].into_iter().collect())
    });
    Action::Message(number, pack)
}
