//! What `print-plan` says: of each value, at its place, where it is made and how it gets to the other side.

use tfx_ir::diag;

use crate::demand::{Demand, Side};
use crate::function::{Def, ValueId};
use crate::place::Plan;
use crate::read::Source;

/// Emits a remark for each value that either side has.
pub(crate) fn print_plan(source: &Source<'_>, demand: &Demand<'_>, plan: &Plan) {
    let mut channels = vec![None; source.values.len()];
    for (channel, crossing) in plan.crossings.iter().enumerate() {
        channels[crossing.value.index()] = Some((channel, crossing.receiver));
    }
    let mut results = vec![false; source.values.len()];
    plan.results
        .iter()
        .for_each(|result| results[result.index()] = true);

    for value in source.function.value_ids() {
        let mark = match channels[value.index()] {
            Some((channel, Side::Host)) => format!("sent to the host on channel {channel}"),
            Some((channel, Side::Graph)) => format!("sent to the graph on channel {channel}"),
            None if results[value.index()] => "result of the graph".to_owned(),
            None => match mark_without_channel(demand, plan, value) {
                Some(mark) => mark.to_owned(),
                None => continue,
            },
        };
        let called = match source.function[value].def {
            Def::Result(op, _) => source.graph_calls.get(&op),
            Def::Argument(..) => None,
        };
        let called = called.map_or(String::new(), |callee| {
            format!(", by a call of the graph function '@{}'", callee.function)
        });
        let value = source.values[value.index()];
        let message = format!("{mark}: {}{called}", value.ty());
        diag::remark(value.location(), message).emit();
    }
}

fn mark_without_channel(demand: &Demand<'_>, plan: &Plan, value: ValueId) -> Option<&'static str> {
    if plan.inputs.binary_search(&value).is_ok() {
        return Some("input of the graph");
    }
    match (
        demand.is_made(Side::Host, value),
        demand.is_made(Side::Graph, value),
    ) {
        (true, true) => Some("replicated on both sides"),
        (true, false) => Some("on the host"),
        (false, true) => Some("in the graph"),
        (false, false) => None,
    }
}
