//! The program of a single eager operation, without its computed attributes.
//!
//! ```text
//! tfx_tensor.op "OneHot"(%i, %d, %a, %b) computed(axis = %n : i64) {eager}
//!
//! P/arg_0 ... P/arg_3 ──> P/call ──> P/result_0     library: P(arg_0 ... arg_3) = OneHot {T, TI}
//!                                                            without `axis`
//! ```
//!
//! The runtime adds the missing attributes, checks them against the registry, and runs the result
//! like any other program: `docs/program-image.md`, section 7. The cost is linear in the operands,
//! results and attributes.

use tfx_graphdef::{naming, proto::GraphDef};
use tfx_ir::{
    Op, Value,
    diag::{self, Diagnostic},
};

use crate::{
    effects::{Effect, own_effect},
    function::{argument, function_def},
    node,
    operations::{resolve_op, split_operands},
    program::{self, Interface},
};

/// Returns the GraphDef of a program `name` that runs one operation. The node lacks the computed
/// attributes.
///
/// # Errors
///
/// The operation does not match the registry.
pub fn template<'a>(op: Op<'a>, name: &str) -> Result<GraphDef, Diagnostic<'a>> {
    let resolved = resolve_op(op, &naming::program_name)
        .map_err(|error| diag::error(op.location(), error.message))?;
    let (tensors, _) = split_operands(op);
    let interface = Interface {
        inputs: tensors.iter().map(|value| value.ty()).collect(),
        results: op.results().map(Value::ty).collect(),
        channels: Vec::new(),
    };
    let inputs: Vec<_> = (0..tensors.len()).map(naming::function_argument).collect();
    let arguments = inputs.iter().zip(&resolved.operands);
    let arguments = arguments.map(|(name, &data_type)| argument(name, data_type));
    let node = node::node(&resolved, op, inputs.clone(), str::to_owned);
    let results = (0..).zip(&resolved.results).map(|(index, &data_type)| {
        let result = argument(&naming::function_result(index), data_type);
        (result, node::reference(&node, &resolved, index))
    });
    let effect = own_effect(op);
    let ordered = (effect == Effect::Ordered).then(|| node.name.clone());
    let is_stateful = effect != Effect::Pure;
    let (arguments, results) = (arguments.collect(), results.collect());
    let function = function_def(name, arguments, results, vec![node], ordered, is_stateful);
    let nodes = program::nodes(op, name, &interface)?;
    Ok(program::graph_def(nodes, vec![function]))
}
