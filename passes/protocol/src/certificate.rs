//! The protocol certificate: an attribute of the graph that records what was proved of its
//! channels, for readers and later passes.
//!
//! ```mlir
//! tfx_comm.protocol = [{channels = ["0 holds 1", "1 holds 1", "2 can grow"], host = @train,
//!                       order = ["body: while 0", "while 0 body: 0 to_host, 1 to_graph, if 1",
//!                                "if 1 then: 2 to_host"]}]
//! ```
//!
//! There is one entry for each start of the graph. `order` has a line for each region with
//! messages: the messages and the control flow, in an order that both sides can follow, with a
//! number for each pair of structured operations. `channels` has the maximal occupancy of each
//! channel, whatever its capacity. The attribute consists of builtin attributes, so it needs no
//! parser.

use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute, StringAttribute};
use rustc_hash::FxHashMap;
use tfx_dialects::channels::Channel;
use tfx_ir::ops::{Structured, func};

use crate::schedule::{Action, Schedule, UNBOUNDED};

/// The attribute's name.
pub(crate) const PROTOCOL: &str = "tfx_comm.protocol";

/// Returns the entry for one start of a graph in `host`.
pub(crate) fn entry<'a>(
    host: func::Func<'a>,
    schedule: &Schedule<'a>,
    channels: &[Channel<'a>],
    bounds: &FxHashMap<u32, u64>,
) -> Attribute<'a> {
    let context = host.context();
    let strings = |texts: Vec<String>| {
        let texts: Vec<Attribute<'a>> = texts
            .iter()
            .map(|text| StringAttribute::new(context, text).into())
            .collect();
        ArrayAttribute::new(context, &texts).to_string()
    };
    let occupancy = channels
        .iter()
        .map(|channel| match bounds.get(&channel.id) {
            Some(&UNBOUNDED) => format!("{} can grow", channel.id),
            Some(bound) => format!("{} holds {bound}", channel.id),
            None => format!("{} is not used", channel.id),
        });
    let text = format!(
        "{{channels = {}, host = {}, order = {}}}",
        strings(occupancy.collect()),
        FlatSymbolRefAttribute::new(context, host.sym_name()),
        strings(order(schedule)),
    );
    Attribute::parse(context, &text).unwrap_or_else(|| panic!("'{text}' does not parse"))
}

/// Returns a line for each region with actions, in program order.
fn order(schedule: &Schedule<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut todo = vec![(0, "body".to_owned())];
    while let Some((region, name)) = todo.pop() {
        let mut words = Vec::new();
        let first = todo.len();
        for &action in &schedule.regions[region].order {
            words.push(match action {
                Action::Message(channel, receiver) => format!("{channel} to_{receiver}"),
                Action::Pair(id) => {
                    let pair = &schedule.pairs[id];
                    let (name, regions) = names(pair.host, id);
                    todo.extend(pair.regions.iter().copied().zip(regions));
                    name
                }
            });
        }
        todo[first..].reverse();
        if !words.is_empty() {
            lines.push(format!("{name}: {}", words.join(", ")));
        }
    }
    lines
}

/// Returns the name of a pair, such as `if 3`, and the names of its regions.
fn names(op: Structured<'_>, pair: usize) -> (String, Vec<String>) {
    let words = |regions: &[&str]| regions.iter().map(|&region| region.to_owned()).collect();
    let (kind, regions): (_, Vec<String>) = match op {
        Structured::If(_) => ("if", words(&["then", "else"])),
        Structured::While(_) => ("while", words(&["condition", "body"])),
        Structured::For(_) => ("for", words(&["body"])),
        Structured::Switch(op) => {
            let cases = op.cases().into_iter().map(|case| format!("case {case}"));
            let default = std::iter::once("default".to_owned());
            ("switch", default.chain(cases).collect())
        }
    };
    let name = format!("{kind} {pair}");
    let regions = regions.iter().map(|region| format!("{name} {region}"));
    let regions = regions.collect();
    (name, regions)
}
