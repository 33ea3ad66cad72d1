//! The channels of a graph, with the capacities that the runtime gives them.
//!
//! ```text
//! channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 4>]
//! ```

pub use tfx_dialects::channels::Channel;
use tfx_dialects::tensor;
use tfx_ir::Op;

/// The capacity of a channel without a declared one, for example because `tfx-verify-protocol`
/// found no bound.
///
/// It is large enough that a side that is a few iterations ahead does not stall, and small enough
/// that large tensors do not accumulate.
pub const DEFAULT_CAPACITY: u32 = 8;

/// Returns the channels of a `tfx_tensor.graph`, in the order of its declaration. Each capacity is
/// at least 1.
///
/// # Panics
///
/// If the operation does not verify.
pub fn channels(graph: Op<'_>) -> Vec<Channel<'_>> {
    let Some(declared) = tensor::Graph::cast(graph).and_then(tensor::Graph::channels) else {
        return Vec::new();
    };
    let channels = Channel::all(declared);
    let mut channels = channels.expect("a verified graph has #tfx_comm.channel attributes");
    for channel in &mut channels {
        if channel.capacity == 0 {
            channel.capacity = DEFAULT_CAPACITY;
        }
    }
    channels
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
            "tfx_tensor.graph @g() channels [
               #tfx_comm.channel<3, to_host, tensor<?x2x!tfx_tensor.string>>,
               #tfx_comm.channel<1, to_graph, index, capacity = 2>] {
               tfx_tensor.return
             }",
        );
        let read = channels(graph(&module, "g")).into_iter();
        let read: Vec<_> = read
            .map(|channel| channel.attribute().to_string())
            .collect();
        let first = "#tfx_comm.channel<3, to_host, tensor<?x2x!tfx_tensor.string>, capacity = 8>";
        let second = "#tfx_comm.channel<1, to_graph, index, capacity = 2>";
        assert_eq!(read, [first, second]);
    }
}
