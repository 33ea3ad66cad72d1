//! The channels of a graph, as it declares them.
//!
//! ```text
//! channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 4>]
//! ```

use melior::ir::Type;
use tfx_dialects::channels as declared;
use tfx_ir::Op;

/// How many messages may be in flight where the graph does not say, as for a channel of which `tfx-verify-protocol` found no bound: enough that a host which runs ahead of its graph (or behind it) by
/// a few trips of a loop does not stall, few enough that large tensors do not pile up.
pub const DEFAULT_CAPACITY: u32 = 8;

/// Which way messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The graph sends, the host receives.
    ToHost,
    /// The host sends, the graph receives.
    ToGraph,
}

/// A channel of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Channel<'a> {
    /// Its number, unique in the graph.
    pub id: u32,
    /// Which way messages go.
    pub direction: Direction,
    /// The type of a message: a tensor, or a scalar.
    pub r#type: Type<'a>,
    /// How many messages may be in flight; at least 1.
    pub capacity: u32,
}

/// The channels of a `tfx_tensor.graph`, in the order of its declaration.
///
/// # Panics
///
/// If the operation does not verify.
pub fn channels<'a>(graph: Op<'a>) -> Vec<Channel<'a>> {
    let Some(attribute) = graph.attribute("channels") else {
        return Vec::new();
    };
    declared::Channel::all(attribute)
        .expect("a verified graph has #tfx_comm.channel attributes")
        .into_iter()
        .map(|channel| Channel {
            id: channel.id,
            direction: match channel.to_host {
                true => Direction::ToHost,
                false => Direction::ToGraph,
            },
            r#type: channel.ty,
            capacity: match channel.capacity {
                0 => DEFAULT_CAPACITY,
                capacity => capacity,
            },
        })
        .collect()
}

/// The channel that a send or a receive uses.
///
/// # Panics
///
/// If the operation does not verify.
pub fn channel_of(op: Op) -> u32 {
    op.integer("channel")
        .and_then(|id| u32::try_from(id).ok())
        .expect("a verified send or receive names its channel")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{context, graph, parse};

    #[test]
    fn channels_are_read() {
        let context = context();
        let module = parse(
            &context,
            "tfx_tensor.graph @g() channels [#tfx_comm.channel<3, to_host, tensor<?x2x!tfx_tensor.string>>,
                                             #tfx_comm.channel<1, to_graph, index, capacity = 2>] {
               tfx_tensor.return
             }",
        );
        let found = channels(graph(&module, "g"));
        let expected = [
            (
                3,
                Direction::ToHost,
                "tensor<?x2x!tfx_tensor.string>",
                DEFAULT_CAPACITY,
            ),
            (1, Direction::ToGraph, "index", 2),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|channel| {
                (
                    channel.id,
                    channel.direction,
                    channel.r#type.to_string(),
                    channel.capacity,
                )
            })
            .collect();
        assert_eq!(
            found,
            expected.map(|(id, direction, r#type, capacity)| (
                id,
                direction,
                r#type.to_owned(),
                capacity
            ))
        );
    }
}
