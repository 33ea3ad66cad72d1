//! The top-level nodes of one program, which the runtime feeds, fetches and runs.
//!
//! ```text
//! P/arg_0 ... ──────────┐
//! P/channel_0 ──────────┼─> P/call ──> P/result_0 ...
//!    ├─> P/channel_0/recv    (to_host)
//!    ├─> P/channel_0/send <── P/channel_0/value    (to_graph)
//!    └─> P/channel_0/close
//! ```
//!
//! `docs/program-image.md` specifies them. The cost is linear in arguments, results and channels.

use melior::ir::Type;
use tfx_graphdef::{
    DataType, GRAPH_DEF_VERSION, naming,
    proto::{FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, VersionDef},
};
use tfx_ir::{
    Op,
    diag::{self, Diagnostic},
};

use crate::{
    channels::{Channel, channels},
    node::{self, Attributes},
    types,
};

/// The types of the inputs and results of a program, and its channels.
pub(crate) struct Interface<'a> {
    pub(crate) inputs: Vec<Type<'a>>,
    pub(crate) results: Vec<Type<'a>>,
    pub(crate) channels: Vec<Channel<'a>>,
}

impl<'a> Interface<'a> {
    /// Returns the interface of a `tfx_tensor.graph`.
    pub(crate) fn of_graph(graph: Op<'a>) -> Self {
        let (inputs, results) = graph.signature();
        Self {
            inputs,
            results,
            channels: channels(graph),
        }
    }
}

/// Returns a GraphDef of these nodes and functions.
pub(crate) fn graph_def(node: Vec<NodeDef>, function: Vec<FunctionDef>) -> GraphDef {
    let library = FunctionDefLibrary {
        function,
        ..Default::default()
    };
    let versions = VersionDef {
        producer: GRAPH_DEF_VERSION,
        ..Default::default()
    };
    GraphDef {
        node,
        library: Some(library),
        versions: Some(versions),
        ..Default::default()
    }
}

/// Returns the top-level nodes of the program `name`, which is made from `source`.
///
/// # Errors
///
/// TensorFlow does not have an element type.
pub(crate) fn nodes<'a>(
    source: Op<'a>,
    name: &str,
    interface: &Interface<'a>,
) -> Result<Vec<NodeDef>, Diagnostic<'a>> {
    let mut program = Program {
        source,
        name,
        nodes: Vec::new(),
        operands: Vec::new(),
        inputs: Vec::new(),
    };
    for (index, &input) in interface.inputs.iter().enumerate() {
        program.argument(index, input)?;
    }
    for channel in &interface.channels {
        program.channel(channel)?;
    }
    let results = interface.results.iter();
    let results: Vec<_> = results
        .map(|&result| program.data_type(result))
        .collect::<Result<_, _>>()?;
    program.call(&results)?;
    Ok(program.nodes)
}

struct Program<'x, 'a> {
    source: Op<'a>,
    name: &'x str,
    nodes: Vec<NodeDef>,
    /// The data types of the operands of the call, and the nodes that produce them.
    operands: Vec<DataType>,
    inputs: Vec<String>,
}

impl<'a> Program<'_, 'a> {
    fn argument(&mut self, index: usize, r#type: Type<'a>) -> Result<(), Diagnostic<'a>> {
        let name = naming::argument_node(self.name, index);
        let data_type = self.placeholder(&name, r#type)?;
        self.operands.push(data_type);
        self.inputs.push(name);
        Ok(())
    }

    fn channel(&mut self, channel: &Channel<'a>) -> Result<(), Diagnostic<'a>> {
        let queue = naming::channel_node(self.name, channel.id);
        let data_type = self.data_type(channel.ty)?;
        let attributes = node::attributes([
            ("component_types", node::data_types(&[data_type])),
            ("capacity", node::integer(i64::from(channel.capacity))),
        ]);
        let resource = DataType::DtResource;
        self.push(&queue, "FIFOQueueV2", &[], &[resource], vec![], attributes)?;
        let inputs = vec![queue.clone()];
        let none = Attributes::new();
        if channel.to_host {
            let name = naming::receive_node(self.name, channel.id);
            let operation = "QueueDequeueV2";
            self.push(&name, operation, &[resource], &[data_type], inputs, none)?;
        } else {
            let value = naming::value_node(self.name, channel.id);
            self.placeholder(&value, channel.ty)?;
            let name = naming::send_node(self.name, channel.id);
            let operands = [resource, data_type];
            let inputs = vec![queue.clone(), value];
            self.push(&name, "QueueEnqueueV2", &operands, &[], inputs, none)?;
        }
        let attributes = node::attributes([("cancel_pending_enqueues", node::boolean(true))]);
        let name = naming::close_node(self.name, channel.id);
        let inputs = vec![queue.clone()];
        self.push(&name, "QueueCloseV2", &[resource], &[], inputs, attributes)?;
        self.operands.push(resource);
        self.inputs.push(queue);
        Ok(())
    }

    fn call(&mut self, results: &[DataType]) -> Result<(), Diagnostic<'a>> {
        let call = naming::call_node(self.name);
        let operands = std::mem::take(&mut self.operands);
        let inputs = std::mem::take(&mut self.inputs);
        let attributes = node::attributes([
            ("Tin", node::data_types(&operands)),
            ("Tout", node::data_types(results)),
            ("f", node::function(self.name)),
        ]);
        let operation = "StatefulPartitionedCall";
        self.push(&call, operation, &operands, results, inputs, attributes)?;
        for (index, &data_type) in results.iter().enumerate() {
            // The first result of a node is named without a number.
            let input = match index {
                0 => call.clone(),
                _ => format!("{call}:{index}"),
            };
            let name = naming::result_node(self.name, index);
            let types = [data_type];
            self.push(
                &name,
                "Identity",
                &types,
                &types,
                vec![input],
                Attributes::new(),
            )?;
        }
        Ok(())
    }

    fn placeholder(&mut self, name: &str, r#type: Type<'a>) -> Result<DataType, Diagnostic<'a>> {
        let data_type = self.data_type(r#type)?;
        let attributes = node::attributes([
            ("dtype", node::data_type(data_type)),
            ("shape", node::shape(types::shape(r#type))),
        ]);
        self.push(name, "Placeholder", &[], &[data_type], vec![], attributes)?;
        Ok(data_type)
    }

    fn push(
        &mut self,
        name: &str,
        operation: &str,
        operands: &[DataType],
        results: &[DataType],
        input: Vec<String>,
        attributes: Attributes,
    ) -> Result<(), Diagnostic<'a>> {
        let resolved = node::complete(operation, operands, results, attributes)
            .map_err(|error| diag::error(self.source.location(), error.to_string()))?;
        self.nodes.push(NodeDef {
            name: name.to_owned(),
            op: operation.to_owned(),
            input,
            attr: resolved.attributes,
            ..Default::default()
        });
        Ok(())
    }

    fn data_type(&self, r#type: Type<'a>) -> Result<DataType, Diagnostic<'a>> {
        types::expect_data_type(r#type)
            .map_err(|error| diag::error(self.source.location(), error.to_string()))
    }
}
