//! The top-level nodes of one program: what the runtime feeds, fetches and runs.
//!
//! ```text
//! P/arg_0 ... ──────────┐
//! P/channel_0 ──────────┼─> P/call ──> P/result_0 ...
//!    ├─> P/channel_0/recv    (to_host)
//!    ├─> P/channel_0/send <── P/channel_0/value    (to_graph)
//!    └─> P/channel_0/close
//! ```
//!
//! `docs/program-image.md` has the table. Linear in arguments, results and channels.

use melior::ir::Type;
use tfx_graphdef::{DataType, naming, proto::NodeDef};
use tfx_ir::{
    Op,
    diag::{self, Diag},
};

use crate::{
    channels::{Channel, Direction, channels},
    node::{self, Attributes},
    types,
};

/// What a program takes and gives.
pub(crate) struct Interface<'a> {
    pub(crate) inputs: Vec<Type<'a>>,
    pub(crate) results: Vec<Type<'a>>,
    pub(crate) channels: Vec<Channel<'a>>,
}

impl<'a> Interface<'a> {
    /// That of a `tfx_tensor.graph`.
    pub(crate) fn of_graph(graph: Op<'a>) -> Self {
        let (inputs, results) = graph.signature();
        Self {
            inputs,
            results,
            channels: channels(graph),
        }
    }
}

/// The top-level nodes of the program called `name`, which comes from an operation.
///
/// # Errors
///
/// An element type that TensorFlow does not have.
pub(crate) fn nodes<'a>(
    source: Op<'a>,
    name: &str,
    interface: &Interface<'a>,
) -> Result<Vec<NodeDef>, Diag<'a>> {
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
    let results = interface
        .results
        .iter()
        .map(|&result| program.data_type(result))
        .collect::<Result<Vec<_>, _>>()?;
    program.call(&results)?;
    Ok(program.nodes)
}

struct Program<'x, 'a> {
    source: Op<'a>,
    name: &'x str,
    nodes: Vec<NodeDef>,
    /// What the call takes: data types, and the nodes that they come from.
    operands: Vec<DataType>,
    inputs: Vec<String>,
}

impl<'a> Program<'_, 'a> {
    fn argument(&mut self, index: usize, r#type: Type<'a>) -> Result<(), Diag<'a>> {
        let name = naming::argument_node(self.name, index);
        let data_type = self.placeholder(name.clone(), r#type)?;
        self.operands.push(data_type);
        self.inputs.push(name);
        Ok(())
    }

    fn channel(&mut self, channel: &Channel<'a>) -> Result<(), Diag<'a>> {
        let queue = naming::channel_node(self.name, channel.id);
        let data_type = self.data_type(channel.r#type)?;
        let attributes = node::attributes([
            ("component_types", node::data_types(&[data_type])),
            ("capacity", node::integer(i64::from(channel.capacity))),
        ]);
        self.push(
            queue.clone(),
            "FIFOQueueV2",
            &[],
            &[DataType::DtResource],
            vec![],
            attributes,
        )?;
        match channel.direction {
            Direction::ToHost => {
                let name = naming::receive_node(self.name, channel.id);
                self.push(
                    name,
                    "QueueDequeueV2",
                    &[DataType::DtResource],
                    &[data_type],
                    vec![queue.clone()],
                    Attributes::new(),
                )?;
            }
            Direction::ToGraph => {
                let value = naming::value_node(self.name, channel.id);
                self.placeholder(value.clone(), channel.r#type)?;
                let name = naming::send_node(self.name, channel.id);
                let inputs = vec![queue.clone(), value];
                self.push(
                    name,
                    "QueueEnqueueV2",
                    &[DataType::DtResource, data_type],
                    &[],
                    inputs,
                    Attributes::new(),
                )?;
            }
        }
        let attributes = node::attributes([("cancel_pending_enqueues", node::boolean(true))]);
        let close = naming::close_node(self.name, channel.id);
        self.push(
            close,
            "QueueCloseV2",
            &[DataType::DtResource],
            &[],
            vec![queue.clone()],
            attributes,
        )?;
        self.operands.push(DataType::DtResource);
        self.inputs.push(queue);
        Ok(())
    }

    fn call(&mut self, results: &[DataType]) -> Result<(), Diag<'a>> {
        let call = naming::call_node(self.name);
        let operands = std::mem::take(&mut self.operands);
        let inputs = std::mem::take(&mut self.inputs);
        let attributes = node::attributes([
            ("Tin", node::data_types(&operands)),
            ("Tout", node::data_types(results)),
            ("f", node::function(self.name)),
        ]);
        self.push(
            call.clone(),
            "StatefulPartitionedCall",
            &operands,
            results,
            inputs,
            attributes,
        )?;
        for (index, &data_type) in results.iter().enumerate() {
            // The first result of a node is named without a number.
            let input = if index == 0 {
                call.clone()
            } else {
                format!("{call}:{index}")
            };
            let name = naming::result_node(self.name, index);
            self.push(
                name,
                "Identity",
                &[data_type],
                &[data_type],
                vec![input],
                Attributes::new(),
            )?;
        }
        Ok(())
    }

    fn placeholder(&mut self, name: String, r#type: Type<'a>) -> Result<DataType, Diag<'a>> {
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
        name: String,
        operation: &str,
        operands: &[DataType],
        results: &[DataType],
        input: Vec<String>,
        attributes: Attributes,
    ) -> Result<(), Diag<'a>> {
        let resolved = node::complete(operation, operands, results, attributes)
            .map_err(|error| diag::error(self.source.location(), error.to_string()))?;
        self.nodes.push(NodeDef {
            name,
            op: operation.to_owned(),
            input,
            attr: resolved.attributes,
            ..Default::default()
        });
        Ok(())
    }

    fn data_type(&self, r#type: Type<'a>) -> Result<DataType, Diag<'a>> {
        types::data_type(r#type).ok_or_else(|| {
            let message = format!(
                "TensorFlow has no element type {}",
                types::element_type(r#type)
            );
            diag::error(self.source.location(), message)
        })
    }
}
