//! Checks the declaration of a graph's channels, and both sides against it.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::channels::Channel;
use tfx_dialects::{comm, tensor};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};

use crate::events::{Event, ListId, Projection, Side};

/// The runtime counts messages in 32 signed bits (`TfxChannel` of the program image, TensorFlow's
/// `FIFOQueueV2`).
const MAX_CAPACITY: u32 = i32::MAX as u32;

/// Returns the channels of a graph, in the order of the declaration.
pub(crate) fn declared<'a>(graph: tensor::Graph<'a>) -> Result<Vec<Channel<'a>>, Diagnostic<'a>> {
    let error = |message: String| diag::error(graph.location(), message);
    let Some(attribute) = graph.channels() else {
        return Ok(Vec::new());
    };
    let channels = Channel::all(attribute)
        .ok_or_else(|| error("expected an array of #tfx_comm.channel in 'channels'".to_owned()))?;
    let mut ids = FxHashSet::default();
    for Channel { id, capacity, .. } in &channels {
        if !ids.insert(id) {
            return Err(error(format!("channel {id} is declared twice")));
        }
        if *capacity > MAX_CAPACITY {
            let message = format!(
                "channel {id} has a capacity of {capacity}, but the maximum is {MAX_CAPACITY}"
            );
            let note = "omit the capacity; it is inferred";
            return Err(error(message).note(graph.location(), note));
        }
    }
    Ok(channels)
}

/// Checks each send and receive of one side against the declaration.
pub(crate) fn check<'a>(
    projection: &Projection<'a>,
    list: ListId,
    side: Side,
    channels: &[Channel<'a>],
    graph: tensor::Graph<'a>,
) -> Result<(), Diagnostic<'a>> {
    let by_id = channels.iter().map(|channel| (channel.id, *channel));
    let by_id: FxHashMap<u32, Channel<'a>> = by_id.collect();
    let mut lists = vec![list];
    while let Some(list) = lists.pop() {
        for event in &projection.lists[list].events {
            let (op, id, ty, receiver) = match *event {
                Event::Send(op, id) => (op.op(), id, op.value().ty(), side.other()),
                Event::Receive(op, id) => (op.op(), id, op.value().ty(), side),
                Event::Region(region) => {
                    lists.extend(projection.regions[region].lists.iter().flatten());
                    continue;
                }
                Event::Finish(_) | Event::Terminate(_) => continue,
            };
            let message = match by_id.get(&id) {
                None => format!("channel {id} is not declared by the graph"),
                Some(channel) if channel.to_host != (receiver == Side::Host) => {
                    format!(
                        "channel {id} has the opposite direction, to_{}",
                        receiver.other()
                    )
                }
                Some(channel) if channel.ty != ty => format!(
                    "expected a value of type {} on channel {id}, got {ty}",
                    channel.ty
                ),
                Some(_) => continue,
            };
            return Err(diag::error(op.location(), message)
                .note(graph.location(), "the graph declares its channels here"));
        }
    }
    Ok(())
}

/// Checks the types of the inputs and results of a program.
pub(crate) fn check_signature<'a>(
    start: comm::Start<'a>,
    graph: tensor::Graph<'a>,
) -> Result<(), Diagnostic<'a>> {
    let (inputs, results) = graph.signature();
    let error = |op: Op<'a>, what: &str| {
        let name = graph.sym_name();
        let message = format!("the types of the {what} differ from those of the graph '@{name}'");
        Err(diag::error(op.location(), message).note(graph.location(), "declared here"))
    };
    if !start.inputs().iter().map(|input| input.ty()).eq(inputs) {
        return error(start.op(), "inputs");
    }
    let ends = start.program().uses().map(|found| found.owner);
    for finish in ends.filter_map(comm::Finish::cast) {
        if finish.result_types() != results {
            return error(finish.op(), "results");
        }
    }
    let returned = graph.body().terminator().and_then(tensor::Return::cast);
    match returned {
        Some(end) if end.values().iter().map(|value| value.ty()).eq(results) => Ok(()),
        Some(end) => error(end.op(), "results"),
        None => error(graph.op(), "results"),
    }
}
