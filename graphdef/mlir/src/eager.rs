//! An eager operation as a program of its own, with holes for the attributes that are computed.
//!
//! ```text
//! tfx_tensor.op "OneHot"(%i, %d, %a, %b) computed(axis = %n : i64) {eager}
//!
//! P/arg_0 ... P/arg_3 ──> P/call ──> P/result_0          library: P(arg_0 ... arg_3) = OneHot {T = .., TI = ..}, without `axis`
//! ```
//!
//! The runtime adds the missing attributes, checks them as the registry wants, and runs what comes out as any other program:
//! `docs/program-image.md`, section 7. Linear in the operands, results and attributes.

use tfx_graphdef::{
    GRAPH_DEF_VERSION, naming,
    proto::{FunctionDef, FunctionDefLibrary, GraphDef, OpDef, VersionDef},
};
use tfx_ir::{
    Op, Value,
    diag::{self, Diag},
};

use crate::{
    effects::{Effect, own_effect},
    function::{EFFECTS_OUTPUT, argument},
    node,
    operations::{DEVICE_ATTRIBUTE, resolve_op, split_operands},
    program::{self, Interface},
};

/// The GraphDef of a program, called `name`, that runs one operation. The node lacks the attributes that are computed.
///
/// # Errors
///
/// What is wrong with the operation.
pub fn template<'a>(op: Op<'a>, name: &str) -> Result<GraphDef, Diag<'a>> {
    let resolved = resolve_op(op, &naming::program_name)
        .map_err(|fault| diag::error(op.location(), fault.message))?;
    let (tensors, _) = split_operands(op);
    let interface = Interface {
        inputs: tensors.iter().map(|value| value.ty()).collect(),
        results: op.results().map(Value::ty).collect(),
        channels: Vec::new(),
    };
    let inputs: Vec<_> = (0..tensors.len()).map(naming::function_argument).collect();
    let results: Vec<_> = (0..op.num_results()).map(naming::function_result).collect();
    let arguments = |names: &[String], types: &[_]| {
        let pairs = names.iter().zip(types);
        pairs
            .map(|(name, &data_type)| argument(name, data_type))
            .collect()
    };
    let mut node = node::node(&resolved, op, inputs.clone(), str::to_owned);
    node.device = op.string(DEVICE_ATTRIBUTE).unwrap_or_default().to_owned();
    let output = |index| {
        let (output, position) = resolved
            .result_name(index)
            .expect("a node has all results of its operation");
        format!("{}:{output}:{position}", node.name)
    };
    let effect = own_effect(op);
    let effects: Vec<_> = (effect == Effect::Ordered)
        .then(|| EFFECTS_OUTPUT.to_owned())
        .into_iter()
        .collect();
    let function = FunctionDef {
        signature: Some(OpDef {
            name: name.to_owned(),
            input_arg: arguments(&inputs, &resolved.operands),
            output_arg: arguments(&results, &resolved.results),
            control_output: effects.clone(),
            is_stateful: effect != Effect::Pure,
            ..Default::default()
        }),
        ret: (0..)
            .zip(results)
            .map(|(index, result)| (result, output(index)))
            .collect(),
        control_ret: effects
            .into_iter()
            .map(|output| (output, node.name.clone()))
            .collect(),
        node_def: vec![node],
        ..Default::default()
    };
    Ok(GraphDef {
        node: program::nodes(op, name, &interface)?,
        library: Some(FunctionDefLibrary {
            function: vec![function],
            ..Default::default()
        }),
        versions: Some(VersionDef {
            producer: GRAPH_DEF_VERSION,
            ..Default::default()
        }),
        ..Default::default()
    })
}
