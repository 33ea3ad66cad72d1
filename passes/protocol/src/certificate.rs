//! The certificate: what was proved of a graph's channels, on the graph, for a reader and for passes that come later.
//!
//! ```mlir
//! tfx_comm.protocol = [{channels = ["0 holds 1", "1 holds 1", "2 can grow"], host = @train,
//!                       order = ["body: while 0", "while 0 body: 0 to_host, 1 to_graph, if 1", "if 1 then: 2 to_host"]}]
//! ```
//!
//! There is one entry for each place that starts the graph. `order` has a line for each region in which something crosses: the messages and the control flow
//! in one order that both sides can take, with a number for each pair of region operations. `channels` says for each channel how many messages it can
//! hold at most, whatever room it has. It is made of builtin attributes alone, so that it needs no parser of its own.

use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute, StringAttribute};
use rustc_hash::FxHashMap;
use tfx_dialects::channels::Channel;
use tfx_ir::Op;
use tfx_ir::ops::scf;

use crate::bounds::GROWS;
use crate::lists::cases;
use crate::meet::{Meeting, Proved};

/// The attribute's name.
pub(crate) const PROTOCOL: &str = "tfx_comm.protocol";

/// The entry for one start of a graph in `host`.
pub(crate) fn entry<'a>(
    host: Op<'a>,
    meeting: &Meeting<'a>,
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
    let held = channels
        .iter()
        .map(|channel| match bounds.get(&channel.id) {
            Some(&GROWS) => format!("{} can grow", channel.id),
            Some(bound) => format!("{} holds {bound}", channel.id),
            None => format!("{} is not used", channel.id),
        });
    let name = host.symbol_name().unwrap_or_default();
    let text = format!(
        "{{channels = {}, host = {}, order = {}}}",
        strings(held.collect()),
        FlatSymbolRefAttribute::new(context, name),
        strings(order(meeting)),
    );
    Attribute::parse(context, &text).unwrap_or_else(|| panic!("'{text}' does not parse"))
}

/// A line for each scene in which something happens, in the order of the program.
fn order(meeting: &Meeting<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut todo = vec![(0, "body".to_owned())];
    while let Some((scene, name)) = todo.pop() {
        let mut words = Vec::new();
        let first = todo.len();
        for &proved in &meeting.scenes[scene].order {
            words.push(match proved {
                Proved::ToHost(channel) => format!("{channel} to_host"),
                Proved::ToGraph(channel) => format!("{channel} to_graph"),
                Proved::Pair(pair) => {
                    let regions = regions(meeting.pairs[pair].host, pair);
                    todo.extend(meeting.pairs[pair].scenes.iter().copied().zip(regions));
                    control(meeting.pairs[pair].host, pair)
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

/// The name of a pair, such as `if 3`.
fn control(op: Op<'_>, pair: usize) -> String {
    let kind = match op.name() {
        scf::If::NAME => "if",
        scf::IndexSwitch::NAME => "switch",
        scf::While::NAME => "while",
        _ => "for",
    };
    format!("{kind} {pair}")
}

/// The names of its regions.
fn regions(op: Op<'_>, pair: usize) -> Vec<String> {
    let control = control(op, pair);
    match op.name() {
        scf::If::NAME => vec![format!("{control} then"), format!("{control} else")],
        scf::While::NAME => vec![format!("{control} condition"), format!("{control} body")],
        scf::IndexSwitch::NAME => {
            let cases = cases(op).into_iter();
            let cases = cases.map(|case| format!("{control} case {case}"));
            std::iter::once(format!("{control} default"))
                .chain(cases)
                .collect()
        }
        _ => vec![format!("{control} body")],
    }
}
