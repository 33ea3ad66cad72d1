//! Rewrites of an image's GraphDef before TensorFlow imports it.
//!
//! ```text
//! for a server      function calls are inlined before nodes are placed, and every loop is lowered
//! in this process   P/channel_0 = FIFOQueueV2  ──►  P/channel_0 = TfxChannel(P/channel_0/address)
//! ```
//!
//! The address is a placeholder that each start feeds. The image itself is portable: any TensorFlow
//! runs it. Linear in the graph.

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

/// The attribute of a call with which TensorFlow inlines the function before it assigns nodes to
/// devices. Without it, a call runs on one server and sees the devices of that server alone, unless
/// TensorFlow's optimizer inlines it, which depends on the size of the graph.
const INLINE_BEFORE_PLACEMENT: &str = "_lower_as_multi_device_function";

/// The operation of the shim that makes a channel of the host available to the graph.
const CHANNEL: &str = "TfxChannel";

/// Operations that TensorFlow declares stateful because of their effects, but that keep no state
/// between runs. The nodes of the functions that they call are checked themselves.
const STATELESS: [&str; 11] = [
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

/// Returns the GraphDef for a server: nodes of functions may be placed on any server of the
/// cluster.
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

/// Returns the GraphDef with channels of the shim in place of queues, and without the host's ends
/// of the queues.
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

/// Returns the name of the node that is fed the address of a channel.
pub(super) fn address_of(channel: &str) -> String {
    format!("{channel}/address")
}

/// Returns whether a run leaves no state in its session that a later run could see: no variable, no
/// random number generator, no table. Other programs of the image have top-level nodes of their
/// own, which this program does not run.
pub(super) fn is_stateless(image: &Image) -> bool {
    let Ok(graph) = image.graph() else {
        return false;
    };
    let own = format!("{}/", image.name);
    let functions = graph.library.iter().flat_map(|library| &library.function);
    functions
        .flat_map(|function| &function.node_def)
        .chain(graph.node.iter().filter(|node| {
            let rest = node.name.strip_prefix(&own);
            // Channels of one start replace the queues.
            rest.is_some() && node.op != "FIFOQueueV2" && node.op != "QueueCloseV2"
        }))
        .all(|node| {
            STATELESS.contains(&node.op.as_str())
                || Registry::get()
                    .lookup(&node.op)
                    .is_some_and(|definition| !definition.is_stateful)
        })
}

fn value(kind: Value) -> AttrValue {
    AttrValue { value: Some(kind) }
}
