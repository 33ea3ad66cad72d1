//! Operations without a kernel, as foreign functions that TensorFlow runs.
//!
//! ```text
//!   tfx_tensor.op "Einsum"(%a)   ──►   func.call @kernel.7(%a)   ──►   TensorFlow, eagerly
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use melior::ir::r#type::FunctionType;
use prost::Message;
use tfx_dialects::tensor;
use tfx_graphdef::Registry;
use tfx_graphdef::proto::{AttrValue, NodeDef, attr_value};
use tfx_graphdef_mlir::eager;
use tfx_interpreter::kernels;
use tfx_interpreter::{DType, Tensor};
use tfx_ir::diag::Collector;
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op};
use tfx_oracle::{Error, World};
use tfx_tensorflow::{Graph, Input, Session, Status, Tensor as Theirs, TensorFlow, eager::Context};

/// The prefix of functions that run an operation.
const KERNEL: &str = "kernel.";

/// TensorFlow, if it is there.
pub(crate) struct Kernels(Result<(TensorFlow, Context), String>);

impl Kernels {
    pub(crate) fn load() -> Self {
        let load = || {
            let tensorflow = TensorFlow::load().map_err(|error| error.to_string())?;
            let context = Context::new(tensorflow).map_err(|error| error.to_string())?;
            Ok((tensorflow, context))
        };
        Kernels(load())
    }

    /// Returns whether an operation without a kernel can run.
    pub(crate) fn are_there(&self) -> bool {
        self.0.is_ok()
    }

    /// Returns TensorFlow's gradients of an operation: of its results at the positions of `seeds`,
    /// with respect to the operands `wrt`. None if TensorFlow is not there, or if its C API has no
    /// gradient of the operation.
    pub(crate) fn gradients(
        &self,
        node: &NodeDef,
        inputs: &[Tensor],
        seeds: &[(usize, Tensor)],
        wrt: &[usize],
    ) -> Result<Option<Vec<Option<Tensor>>>, String> {
        let Ok((tensorflow, _)) = &self.0 else {
            return Ok(None);
        };
        let message = |status: Status| status.to_string();
        let graph = Arc::new(Graph::new(*tensorflow));
        let placeholder = |name: String, tensor: &Tensor| {
            let ty = AttrValue {
                value: Some(attr_value::Value::Type(tensor.dtype().tensorflow())),
            };
            let attributes = [("dtype", ty.encode_to_vec())];
            graph.add("Placeholder", &name, &[], &attributes)
        };
        let add = |prefix: &str, tensors: Vec<&Tensor>| {
            let tensors = tensors.into_iter().enumerate();
            let nodes = tensors.map(|(index, one)| placeholder(format!("{prefix}{index}"), one));
            nodes.collect::<Result<Vec<_>, _>>().map_err(message)
        };
        let operands = add("x", inputs.iter().collect())?;
        let given = add("dy", seeds.iter().map(|(_, seed)| seed).collect())?;
        let definition = Registry::get().lookup(&node.op).expect("a known operation");
        let mut rest = &operands[..];
        let mut arguments = Vec::new();
        for input in &definition.input_arg {
            let count = match (input.number_attr.as_str(), input.type_list_attr.as_str()) {
                ("", "") => None,
                ("", list) => match node.attr.get(list).and_then(|it| it.value.as_ref()) {
                    Some(attr_value::Value::List(list)) => Some(list.r#type.len()),
                    _ => Some(0),
                },
                (number, _) => match node.attr.get(number).and_then(|it| it.value.as_ref()) {
                    Some(attr_value::Value::I(count)) => Some(*count as usize),
                    _ => Some(0),
                },
            };
            let (own, others) = rest.split_at(count.unwrap_or(1));
            arguments.push(match count {
                None => Input::Single(&own[0]),
                Some(_) => Input::List(own),
            });
            rest = others;
        }
        // The number of a list is that of its operands.
        let is_number = |name: &str| definition.input_arg.iter().any(|it| it.number_attr == name);
        let attributes = definition.attr.iter().filter_map(|attribute| {
            let value = node.attr.get(&attribute.name)?;
            let name = attribute.name.as_str();
            (!is_number(name)).then(|| (name, value.encode_to_vec()))
        });
        let attributes: Vec<_> = attributes.collect();
        let op = graph
            .add(&node.op, "op", &arguments, &attributes)
            .map_err(message)?;
        let of: Vec<_> = seeds.iter().map(|(result, _)| (op, *result)).collect();
        let with: Vec<_> = wrt.iter().map(|&index| operands[index]).collect();
        // Some gradients there build nodes that do not fit axes of 64 bits.
        let Ok(gradients) = graph.add_gradients(&of, &with, &given) else {
            return Ok(None);
        };
        let session = Session::new(Arc::clone(&graph), None, &[]).map_err(message)?;
        let values = inputs.iter().chain(seeds.iter().map(|(_, seed)| seed));
        let values = values.map(|value| lend(*tensorflow, value));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        let nodes = operands.iter().chain(&given).copied();
        let feeds: Vec<_> = nodes.zip(&values).collect();
        let fetches: Vec<_> = gradients.iter().flatten().copied().collect();
        let found = match fetches.is_empty() {
            true => Vec::new(),
            false => session.run(&feeds, &fetches, &[]).map_err(message)?,
        };
        let mut found = found.iter().map(ours);
        let all = gradients
            .iter()
            .map(|it| it.and_then(|_| found.next()).transpose());
        all.collect::<Result<_, _>>().map(Some)
    }

    fn run(&self, node: &NodeDef, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
        let (tensorflow, context) = self.0.as_ref().map_err(Clone::clone)?;
        let tensors = inputs.iter().map(|tensor| lend(*tensorflow, tensor));
        let tensors: Vec<_> = tensors.collect::<Result<_, _>>()?;
        // One by one, even those of a list, since all attributes are given: TensorFlow derives a
        // wrong length from two lists of the same length.
        let arguments: Vec<_> = tensors.iter().map(Input::Single).collect();
        let definition = Registry::get().lookup(&node.op).expect("a known operation");
        let attributes = definition.attr.iter().filter_map(|attribute| {
            let value = node.attr.get(&attribute.name)?;
            Some((attribute.name.as_str(), value.encode_to_vec()))
        });
        let attributes: Vec<_> = attributes.collect();
        let results = context.run(&node.op, &arguments, &attributes);
        let results = results.map_err(|error| format!("{}: {error}", node.op))?;
        results.iter().map(ours).collect()
    }
}

fn lend(tensorflow: TensorFlow, tensor: &Tensor) -> Result<Theirs, String> {
    let sizes: Vec<_> = tensor.shape().iter().map(|&size| size as i64).collect();
    let (dtype, bytes) = (tensor.dtype().tensorflow(), tensor.bytes().to_vec());
    Theirs::lend(tensorflow, dtype, &sizes, bytes).map_err(|error| error.to_string())
}

fn ours(result: &Theirs) -> Result<Tensor, String> {
    let dtype = DType::from_tensorflow(result.data_type()).ok_or("an unknown type")?;
    let tensor = Tensor::from_bytes(dtype, &result.sizes(), result.bytes());
    tensor.map_err(|error| error.to_string())
}

/// The reason why an example fails.
#[derive(Debug)]
pub(crate) enum Problem {
    /// An operation has no kernel, and TensorFlow is not there.
    NoKernel(String),
    /// Anything else.
    Wrong(String),
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Problem::Wrong(message)
    }
}

/// The foreign functions of a program.
pub(crate) struct Foreign<'k> {
    kernels: &'k Kernels,
    nodes: BTreeMap<String, NodeDef>,
}

impl<'k> Foreign<'k> {
    /// Replaces the operations without a kernel by calls of foreign functions.
    pub(crate) fn replace(module: Op<'_>, kernels: &'k Kernels) -> Result<Self, Problem> {
        let mut nodes = BTreeMap::new();
        let body = module.region(0).entry().expect("a module has a block");
        let ops: Vec<_> = module.walk().filter(|op| op.isa::<tensor::Op>()).collect();
        for op in ops {
            let node = node(op)?;
            if let Ok(Some(_)) = kernels::build(&node) {
                continue;
            }
            if !kernels.are_there() {
                return Err(Problem::NoKernel(node.op));
            }
            let name = format!("{KERNEL}{}", nodes.len());
            let operands: Vec<_> = op.operands().collect();
            let from: Vec<_> = operands.iter().map(|operand| operand.ty()).collect();
            let to = op.result_types();
            let ty = FunctionType::new(op.context(), &from, &to);
            Builder::at_end(body, op.location()).func(&name, ty, true);
            let call = func::Call::build(&mut Builder::before(op), &to, &name, &operands);
            let results: Vec<_> = call.results().collect();
            op.replace_with(&results);
            nodes.insert(name, node);
        }
        let foreign = Foreign { kernels, nodes };
        Ok(foreign)
    }
}

impl World for Foreign<'_> {
    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        let node = self
            .nodes
            .get(name)
            .ok_or("no other functions are foreign")?;
        self.kernels.run(node, &arguments).map_err(Error::from)
    }
}

/// Returns the node of an operation.
pub(crate) fn node(op: Op<'_>) -> Result<NodeDef, String> {
    let collector = Collector::new(op.context());
    let template = eager::template(op, "program").map_err(|error| {
        error.emit();
        let errors: Vec<_> = collector.take().iter().map(ToString::to_string).collect();
        format!("{} of {op}", errors.join(", "))
    })?;
    let functions = template
        .library
        .into_iter()
        .flat_map(|library| library.function);
    let node = functions.flat_map(|function| function.node_def).next();
    Ok(node.expect("a template has one node"))
}
