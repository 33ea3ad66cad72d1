//! Tensor operations, graphs, and messages between a graph and its host.

use tfx_dialects::{comm, tensor};
use tfx_graphdef::proto::{AttrValue, NodeDef, attr_value};
use tfx_graphdef_mlir::{operations, tensors, types};
use tfx_interpreter::kernels;
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::{Op, Value as IrValue};

use super::{Ending, Fault, Translation};
use crate::code::Action;
use crate::computed::Template;
use crate::scalar;
use crate::value::{Number, Value};

impl<'a> Translation<'_, 'a> {
    pub(super) fn graph(
        &mut self,
        op: Op<'a>,
        ending: Ending<'a>,
    ) -> Result<Option<Action<'a>>, Fault<'a>> {
        let on_host = |values: usize| op.num_operands() > values;
        let channel = || op.integer("channel").unwrap_or_default() as u32;
        Ok(Some(match op.name() {
            tensor::Op::NAME => return self.kernel(op),
            tensor::Const::NAME => self.constant(op)?,
            tensor::FromScalar::NAME => {
                let number = self.number(op.operand(0));
                Action::Compute(Box::new(move |values| {
                    let tensor = values[0].to_tensor(number);
                    let tensor = tensor.ok_or("no tensor holds such a scalar")?;
                    Ok([Value::Tensor(tensor)].into_iter().collect())
                }))
            }
            tensor::ToScalar::NAME => {
                let number = self.number(op.result(0));
                Action::Compute(Box::new(move |values| match (&values[0], number) {
                    (Value::Tensor(tensor), Some(number)) => {
                        Ok([Value::of_tensor(tensor, number)?].into_iter().collect())
                    }
                    _ => Err("a tensor is wanted".to_owned()),
                }))
            }
            tensor::If::NAME => {
                let cases = vec![(0, op.region(1).entry())];
                self.choice(op, cases, op.region(0).entry());
                return Ok(None);
            }
            tensor::Case::NAME => {
                let last = op.num_regions() - 1;
                let region = |index: usize| op.region(index).entry();
                let cases = (0..last).map(|index| (index as u64, region(index)));
                self.choice(op, cases.collect(), region(last));
                return Ok(None);
            }
            tensor::While::NAME => {
                self.repeat(op);
                return Ok(None);
            }
            tensor::Yield::NAME => {
                self.end(op, ending);
                return Ok(None);
            }
            tensor::Return::NAME => Action::Return,
            tensor::Call::NAME => Action::Call(self.callee(op, "callee")?),
            comm::ToHost::NAME | comm::ToAccelerator::NAME => Action::Copy,
            comm::Start::NAME => Action::Start(self.callee(op, "graph")?, self.numbers(op)),
            comm::Send::NAME => Action::Send {
                channel: channel(),
                on_host: on_host(1),
                number: self.number(op.operand(0)),
            },
            comm::Recv::NAME => Action::Receive {
                channel: channel(),
                on_host: on_host(0),
                ty: op.result(0).ty(),
            },
            comm::Finish::NAME => Action::Finish(self.result_types(op)),
            comm::Terminate::NAME => Action::Terminate,
            _ => return Ok(None),
        }))
    }

    pub(super) fn constant(&self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let value = op
            .attribute("value")
            .ok_or_else(|| self.fault(op, "it has no value"))?;
        let tensor = tensors::tensor(value).map_err(|why| self.fault(op, why.to_string()))?;
        let mut node = NodeDef {
            op: "Const".to_owned(),
            ..NodeDef::default()
        };
        let value = AttrValue {
            value: Some(attr_value::Value::tensor(tensor)),
        };
        node.attr.insert("value".to_owned(), value);
        let tensor = kernels::constant(&node).map_err(|why| self.fault(op, why.to_string()))?;
        Ok(Action::Constant(Value::Tensor(tensor)))
    }

    /// Returns the action of an operation of TensorFlow; none if its instructions are emitted
    /// already.
    fn kernel(&mut self, op: Op<'a>) -> Result<Option<Action<'a>>, Fault<'a>> {
        let (_, computed) = operations::split_operands(op);
        if !computed.is_empty() {
            let template = Template::new(op, |ty| self.concrete(ty));
            let template = template.map_err(|why| self.fault(op, why))?;
            return Ok(Some(Action::Computed(template.into())));
        }
        let name = op.string(operations::NAME_ATTRIBUTE).unwrap_or_default();
        let resolved = operations::resolve_op_as(op, &str::to_owned, |ty| self.concrete(ty))
            .map_err(|fault| self.fault(op, fault.message))?;
        let node = NodeDef {
            op: name.to_owned(),
            attr: resolved.attributes,
            ..NodeDef::default()
        };
        if name == "Const" {
            let tensor = kernels::constant(&node).map_err(|why| self.fault(op, why.to_string()))?;
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
            Ok(Some(kernel)) => Ok(Some(Action::Kernel(kernel))),
            Ok(None) => Err(self.fault(
                op,
                format!("the reference interpreter has no kernel for the operation {name}"),
            )),
            Err(why) => Err(self.fault(op, why.to_string())),
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
