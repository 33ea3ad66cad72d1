//! `tfx-place`: decides at which place each operation of a graph runs.
//!
//! ```text
//!   %n = Range(0, 8, 1)                    %n = Range(0, 8, 1)
//!   %a = Add(%x, %n)                       %a = Add(%x, %n)
//!   %b = copy %a from <cpu> to <cpu:1>     %b = copy %a from <cpu> to <cpu:1>
//!   %c = Mul(%b, %n)                 ──►   %m = Range(0, 8, 1)
//!                                          %c = Mul(%b, %m)
//! ```
//!
//! The copies of a graph determine the places ([`Places`]); a value that is used at another place
//! than its own is an error, so that no transfer is implicit. What is computed of constants alone,
//! and small values of arguments, are computed at each place that uses them.
//!
//! With `merge`, all places are one: each copy is replaced by its operand. This is for executors
//! without places.
//!
//! Cost: nearly linear in the IR.
//!
//! Not guaranteed: a balance of the devices. The program decides which stages there are.

use std::collections::BTreeMap;

use melior::dialect::DialectRegistry;
use tfx_dialects::comm::Copy;
use tfx_dialects::places::{Place, accelerator};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::captures::Captures;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Mapping, Op, Region};

use crate::places::{Places, users, with_copies};

tfx_ir::options! {
    /// The options of `tfx-place`.
    pub struct PlaceOptions {
        /// Let all operations run at one place: erase the copies.
        merge: bool = false,
        /// Report the number of operations at each place.
        explain: bool = false,
    }
}

const COPIES: Statistic = Statistic::new("copies", "Copies from one place to another");
const REPEATED: Statistic =
    Statistic::new("repeated", "Operations that are repeated at another place");

/// The pass `tfx-place`.
#[derive(Debug, Default)]
pub struct PlaceGraphs;

impl Pass for PlaceGraphs {
    type Options = PlaceOptions;
    const NAME: &'static str = "TfxPlace";
    const ARGUMENT: &'static str = "tfx-place";
    const DESCRIPTION: &'static str =
        "Decide at which place each operation of a graph runs, and check the copies between places";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[COPIES, REPEATED];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, PlaceOptions>) -> PassResult {
        let copies: Vec<Copy<'a>> = module.walk().filter_map(Copy::cast).collect();
        if cx.options().merge {
            warn_of_devices(&copies);
            for copy in copies {
                copy.replace_with(&[copy.value()]);
            }
            return Ok(());
        }
        cx.count(COPIES, copies.len() as u64);
        let spread = with_copies(module);
        let graphs = module.children().filter(|op| op.isa::<tensor::Graph>());
        let mut errors = Diagnostics::default();
        for graph in graphs.filter(|graph| spread.contains(graph)) {
            let captures = Captures::of_graph(graph);
            let outer = graph.walk().filter(|op| spread.contains(op));
            let blocks = outer.flat_map(|op| op.regions().flat_map(Region::blocks));
            let mut counts = BTreeMap::new();
            for block in blocks.collect::<Vec<_>>() {
                match Places::of_block(block, &captures, &spread) {
                    Ok(places) => cx.count(REPEATED, repeat(block, places, &mut counts)),
                    Err(error) => errors.push(error),
                }
            }
            if cx.options().explain {
                explain(graph, &counts);
            }
        }
        errors.finish()?;
        Ok(())
    }
}

/// Warns of the first copy that names a device that is not used then.
fn warn_of_devices(copies: &[Copy<'_>]) {
    let mut named = copies
        .iter()
        .filter_map(|copy| Some((copy, accelerator(*copy)?)));
    if let Some((copy, device)) = named.next() {
        let message = format!("{device} is not used: without streams, graphs run at one place");
        let note = "ask for streams, such as by '--streams 1' of tfxc";
        let warning = diag::warning(copy.location(), message);
        warning.note(copy.location(), note).emit();
    }
}

/// Clones repeatable operations for each place after the first one. Returns the number of clones,
/// and adds the operations of each place to `counts`.
fn repeat<'a>(
    block: Block<'a>,
    mut places: Places<'a>,
    counts: &mut BTreeMap<Place<'a>, usize>,
) -> u64 {
    let repeatable = block.ops().filter(|op| places.is_repeatable(*op));
    let repeatable: Vec<Op<'a>> = repeatable.collect();
    let mut clones = 0;
    for op in repeatable.into_iter().rev() {
        let mut at: Vec<(Option<Place<'a>>, Op<'a>)> = Vec::new();
        for user in users(op) {
            let place = places.of_operands(user);
            let known = at.iter().find(|(other, _)| *other == place);
            let own = match known {
                Some(&(_, own)) => own,
                None => {
                    let own = match at.is_empty() {
                        true => op,
                        false => {
                            clones += 1;
                            Builder::after(op).clone_op(op, &mut Mapping::default())
                        }
                    };
                    places.set(own, place);
                    at.push((place, own));
                    own
                }
            };
            for (from, to) in op.results().zip(own.results()) {
                if from != to {
                    user.replace_operand(from, to);
                }
            }
        }
    }
    for op in block.ops() {
        if let Some(place) = places.of(op).filter(|_| !op.isa::<Copy>()) {
            *counts.entry(place).or_default() += 1;
        }
    }
    clones
}

fn explain(graph: Op<'_>, counts: &BTreeMap<Place<'_>, usize>) {
    let texts = counts
        .iter()
        .map(|(place, count)| format!("{count} at {place}"));
    let texts: Vec<String> = texts.collect();
    if !texts.is_empty() {
        let message = format!("operations of this graph: {}", texts.join(", "));
        diag::remark(graph.location(), message).emit();
    }
}
