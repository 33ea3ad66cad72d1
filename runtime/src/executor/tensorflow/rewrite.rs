//! What becomes of the GraphDef of an image before TensorFlow imports it.
//!
//! ```text
//! for a server      calls of functions are inlined before nodes are placed, and every loop is lowered
//! in this process   P/channel_0 = FIFOQueueV2   ──►   P/channel_0 = TfxChannel(P/channel_0/address), which is fed
//! ```
//!
//! An image is portable: any TensorFlow runs it. Linear in the graph.

use std::collections::HashSet;

use prost::Message;
use tfx_graphdef::{
    DataType, Registry,
    naming::{self, CANCELLABLE_ATTRIBUTE, LOWER_ATTRIBUTE},
    proto::{AttrValue, NodeDef, attr_value::Value},
};

use crate::{
    failure::Failure,
    image::{Direction, Image},
};

/// The attribute of a call by which TensorFlow puts the function in its place before it gives nodes to devices. Without it, a call runs on one server
/// and knows the devices of that one alone; whether TensorFlow's optimizer inlines it anyway depends on the size of the graph.
const INLINE_BEFORE_PLACEMENT: &str = "_lower_as_multi_device_function";

/// The operation of the shim that gives the graph a channel of the host's.
const CHANNEL: &str = "TfxChannel";

/// Operations that TensorFlow calls stateful for what they do, and which keep nothing from one run to the next. What the functions of the first few do, those
/// say themselves.
const KEEP_NOTHING: [&str; 11] = [
    "If",
    "Case",
    "While",
    "StatefulPartitionedCall",
    "QueueEnqueueV2",
    "QueueDequeueV2",
    CHANNEL,
    "Assert",
    "Print",
    "PrintV2",
    "Placeholder",
];

/// Nodes may go to any server, whatever function they are in.
pub(super) fn inlined_calls(image: &Image) -> Result<Vec<u8>, Failure> {
    let mut graph = image.graph()?.clone();
    let functions = graph
        .library
        .iter_mut()
        .flat_map(|library| &mut library.function);
    let nodes = functions.flat_map(|function| &mut function.node_def);
    for node in nodes.chain(&mut graph.node) {
        if matches!(
            node.op.as_str(),
            "PartitionedCall" | "StatefulPartitionedCall"
        ) {
            node.attr
                .insert(INLINE_BEFORE_PLACEMENT.to_owned(), value(Value::B(true)));
        }
        if node.attr.remove(CANCELLABLE_ATTRIBUTE).is_some() {
            let lowers = value(Value::B(true));
            node.attr.insert(LOWER_ATTRIBUTE.to_owned(), lowers);
        }
    }
    Ok(graph.encode_to_vec())
}

/// The channels of the program are the shim's; the host's ends of its queues are gone.
pub(super) fn direct_channels(image: &Image) -> Result<Vec<u8>, Failure> {
    let program = image.name.as_str();
    let mut queues = HashSet::new();
    let mut ends = HashSet::new();
    for channel in &image.channels {
        queues.insert(naming::channel_node(program, channel.id));
        ends.insert(naming::close_node(program, channel.id));
        match channel.direction {
            Direction::ToHost => _ = ends.insert(naming::receive_node(program, channel.id)),
            Direction::ToGraph => {
                ends.insert(naming::send_node(program, channel.id));
                ends.insert(naming::value_node(program, channel.id));
            }
        }
    }
    let mut graph = image.graph()?.clone();
    let nodes = std::mem::take(&mut graph.node);
    for node in nodes.into_iter().filter(|node| !ends.contains(&node.name)) {
        if !queues.contains(&node.name) {
            graph.node.push(node);
            continue;
        }
        let address = address_of(&node.name);
        graph.node.push(NodeDef {
            name: address.clone(),
            op: "Placeholder".to_owned(),
            attr: [(
                "dtype".to_owned(),
                value(Value::Type(DataType::DtInt64 as i32)),
            )]
            .into(),
            ..Default::default()
        });
        graph.node.push(NodeDef {
            name: node.name,
            op: CHANNEL.to_owned(),
            input: vec![address],
            device: node.device,
            ..Default::default()
        });
    }
    Ok(graph.encode_to_vec())
}

/// The node that is fed the address of a channel.
pub(super) fn address_of(channel: &str) -> String {
    format!("{channel}/address")
}

/// Whether a run leaves nothing behind in its session that a later one could see: no variable, no generator of random numbers, no table. Other programs of
/// the image have their own nodes at the top, which this one does not run.
pub(super) fn keeps_nothing(image: &Image) -> bool {
    let Ok(graph) = image.graph() else {
        return false;
    };
    let own = format!("{}/", image.name);
    let functions = graph.library.iter().flat_map(|library| &library.function);
    functions
        .flat_map(|function| &function.node_def)
        .chain(graph.node.iter().filter(|node| {
            let rest = node.name.strip_prefix(&own);
            // The queues become channels of one start.
            rest.is_some() && node.op != "FIFOQueueV2" && node.op != "QueueCloseV2"
        }))
        .all(|node| {
            KEEP_NOTHING.contains(&node.op.as_str())
                || Registry::get()
                    .lookup(&node.op)
                    .is_some_and(|definition| !definition.is_stateful)
        })
}

fn value(kind: Value) -> AttrValue {
    AttrValue { value: Some(kind) }
}
