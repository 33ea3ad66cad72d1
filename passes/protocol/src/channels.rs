//! The channels that a graph declares, and whether what both sides do on them is what is declared.

use melior::ir::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::channels::Channel;
use tfx_dialects::{comm, tensor};
use tfx_ir::Op;

use crate::lists::{Item, Projection};
use crate::reject::Reject;

/// The runtime counts messages in 32 signed bits (`TfxChannel` of the program image, TensorFlow's `FIFOQueueV2`).
pub(crate) const MAX_CAPACITY: u32 = i32::MAX as u32;

fn direction(channel: &Channel<'_>) -> &'static str {
    if channel.to_host {
        "to_host"
    } else {
        "to_graph"
    }
}

/// Reads the channels of a graph, in the order of the declaration.
pub(crate) fn declared<'a>(graph: Op<'a>) -> Result<Vec<Channel<'a>>, Reject<'a>> {
    let Some(attribute) = graph.attribute("channels") else {
        return Ok(Vec::new());
    };
    let channels = Channel::all(attribute).ok_or_else(|| {
        Reject::new(
            graph.location(),
            "this graph declares something that is no #tfx_comm.channel",
        )
    })?;
    let mut ids = FxHashSet::default();
    for channel in &channels {
        let id = channel.id;
        if !ids.insert(id) {
            let message = format!("this graph declares channel {id} twice");
            return Err(Reject::new(graph.location(), message));
        }
        if channel.capacity > MAX_CAPACITY {
            let message = format!(
                "channel {id} has a capacity of {}, but the runtime counts to {MAX_CAPACITY}",
                channel.capacity
            );
            return Err(Reject::new(graph.location(), message)
                .note(graph.location(), "leave the capacity away: it is derived"));
        }
    }
    Ok(channels)
}

/// Checks each send and receive of one side against the declaration.
pub(crate) fn check<'a>(
    projection: &Projection<'a>,
    list: usize,
    on_host: bool,
    channels: &[Channel<'a>],
    graph: Op<'a>,
) -> Result<(), Reject<'a>> {
    let by_id: FxHashMap<u32, &Channel<'a>> = channels
        .iter()
        .map(|channel| (channel.id, channel))
        .collect();
    let mut lists = vec![list];
    while let Some(list) = lists.pop() {
        for item in &projection.lists[list].items {
            match *item {
                Item::Send(op, id) => {
                    check_one(op, id, op.operand(0).ty(), !on_host, &by_id, graph)?;
                }
                Item::Receive(op, id) => {
                    check_one(op, id, op.result(0).ty(), on_host, &by_id, graph)?;
                }
                Item::Region(region) => {
                    lists.extend(projection.regions[region].lists.iter().flatten())
                }
                Item::Finish(_) | Item::Stop(_) => {}
            }
        }
    }
    Ok(())
}

fn check_one<'a>(
    op: Op<'a>,
    id: u32,
    ty: Type<'a>,
    to_host: bool,
    channels: &FxHashMap<u32, &Channel<'a>>,
    graph: Op<'a>,
) -> Result<(), Reject<'a>> {
    let message = match channels.get(&id) {
        None => format!("this uses channel {id}, which the graph does not declare"),
        Some(channel) if channel.to_host != to_host => format!(
            "this uses channel {id} against its direction, which is {}",
            direction(channel)
        ),
        Some(channel) if channel.ty != ty => {
            format!(
                "a value of type {ty} is on channel {id}, which carries {}",
                channel.ty
            )
        }
        Some(_) => return Ok(()),
    };
    Err(Reject::new(op.location(), message)
        .note(graph.location(), "the graph declares its channels here"))
}

/// Checks what a program is given at its start and gives at its end.
pub(crate) fn check_ends<'a>(start: Op<'a>, graph: Op<'a>) -> Result<(), Reject<'a>> {
    let (inputs, results) = graph.signature();
    let types: Vec<Type<'a>> = start.operands().map(|operand| operand.ty()).collect();
    let differs = |op: Op<'a>, what: &str| {
        let name = graph.symbol_name().unwrap_or_default();
        let message = format!("the {what} here are not those of the graph '@{name}'");
        Err(Reject::new(op.location(), message).note(graph.location(), "declared here"))
    };
    if types != inputs {
        return differs(start, "inputs");
    }
    let ends = start.result(0).uses().map(|found| found.owner);
    for finish in ends.filter(|op| op.isa::<comm::Finish>()) {
        if finish.result_types() != results {
            return differs(finish, "results");
        }
    }
    let returned = graph.region(0).entry().and_then(|block| block.last());
    match returned.filter(|op| op.isa::<tensor::Return>()) {
        Some(end) if end.operands().map(|value| value.ty()).eq(results) => Ok(()),
        Some(end) => differs(end, "results"),
        None => differs(graph, "results"),
    }
}
