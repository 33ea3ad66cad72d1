//! `tfx-bufferize-streams`: makes schedules of the parts of graphs that can run on several streams.
//!
//! ```text
//! graph @g(%x, %y) {               graph @g(%x, %y) {
//!   %a = MatMul(%x, %x)              %c = call @g.streams(%x, %y)
//!   %b = MatMul(%y, %y)              return %c
//!   %c = Add(%a, %b)       ──►     }
//!   return %c                      graph private @g.streams(%x, %y) {tfx.schedule = @g.schedule} {
//! }                                  %a = call @g.kernel(%x)
//!                                    %b = call @g.kernel_0(%y)
//!                                    %c = call @g.kernel_1(%a, %b)
//!                                    return %c
//!                                  }
//!                                  schedule @g.schedule(%s, %x read, %y read, %c write) {
//!                                    launch %s @g.kernel(%x read, %a write)   ...
//! ```
//!
//! [`tfx_graphdef_mlir::clusters`] finds the parts: operations without state whose tensors have
//! known shapes, loops and branches of these included. [`tfx_order::kernels()`] groups the
//! operations of a part into kernels, each a graph of its own, with the times that `times.rs`
//! estimates. A part gets a schedule if its kernels can overlap: if their longest path takes less
//! than all of them, by more than the start of a run on streams costs. An operation with a region
//! that has such a part inside is no part of another one, nor is a call of a graph that has.
//!
//! A part with operations at several places (`places.rs`) always gets a schedule. A copy between
//! places is a command of its own.
//!
//! A schedule has all commands of a device on one stream, in an order of the program, and a buffer
//! for each tensor that a kernel passes on: its last reader frees it. Arguments and results are
//! buffers of the caller. `tfx-assign-streams`, `tfx-insert-events` and `tfx-plan-memory` do the
//! rest.
//!
//! The graphs stay as they were otherwise: other executors run the outlined graph as a function.
//!
//! Cost: linear in the IR, apart from sorting the operations of a block, for each level of nested
//! parts.
//!
//! Not guaranteed: the times are estimates. A loop with parts in its body is executed by the graph,
//! which starts a run on streams in each iteration; kernels of two iterations do not overlap.

mod counters;
mod emit;
mod grouping;
mod stages;

use std::collections::{HashMap, HashSet};

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::Attribute;
use melior::ir::attribute::FlatSymbolRefAttribute;
use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::places::accelerator;
use tfx_dialects::schedules::{KERNEL, SCHEDULE};
use tfx_dialects::tensor;
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::clusters::{self, Analysis, Cluster, Compiler, Outliner, Size, Style};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Op, Value};

use crate::places::with_copies;
use crate::times::{DEVICE, HOST, Times};
use grouping::{Grouped, Grouper, HOME, Inner};

pub(crate) use emit::bytes;
pub(crate) use stages::{is_branch, is_loop, known_trips};

tfx_ir::options! {
    /// The options of `tfx-bufferize-streams`.
    pub struct BufferizeStreamsOptions {
        /// The time of a launch in nanoseconds: operations below share a kernel.
        launch: u64 = 3000,
        /// The time in nanoseconds that a schedule must be able to save.
        gain: u64 = 20000,
        /// Let loops of stages at several places be loops of schedules, for `tfx-pipeline`.
        pipelines: bool = false,
        /// Report each schedule with its kernels, and the times that are estimated.
        explain: bool = false,
    }
}

const SCHEDULES: Statistic = Statistic::new("schedules", "Schedules of parts of graphs");
const KERNELS: Statistic = Statistic::new("kernels", "Kernels of these schedules");

/// The pass `tfx-bufferize-streams`.
#[derive(Debug, Default)]
pub struct BufferizeStreams;

/// The compiler of parts: it has kernels for all operations on bytes.
pub(crate) struct Streams;

impl Compiler for Streams {
    const NAME: &'static str = "a schedule";
    const HAS_UNKNOWN_SIZES: bool = false;
    const UNITES: bool = true;
    const HAS_COPIES: bool = true;

    fn has_type(element: DataType) -> bool {
        emit::element_bytes(element).is_some()
    }

    fn check(op: tensor::Op<'_>) -> Result<(), String> {
        let mut values = op.op().operands().chain(op.op().results());
        match values.find(|value| bytes(value.ty()) == Some(0)) {
            Some(empty) => Err(format!("{} has no elements", empty.ty())),
            None => Ok(()),
        }
    }

    fn weight(_: tensor::Op<'_>) -> usize {
        1
    }

    fn is_profitable(size: Size) -> bool {
        size.operations > 1
    }
}

impl Pass for BufferizeStreams {
    type Options = BufferizeStreamsOptions;
    const NAME: &'static str = "TfxBufferizeStreams";
    const ARGUMENT: &'static str = "tfx-bufferize-streams";
    const DESCRIPTION: &'static str =
        "Make schedules of kernels of the parts of graphs that can run on several streams";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SCHEDULES, KERNELS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::scf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, BufferizeStreamsOptions>,
    ) -> PassResult {
        copies(module)
            .iter()
            .for_each(|copy| store_constants(copy.op()));
        let found = find_parts(module, cx.options())?;
        let calls = outline_kernels(module, found);
        outline_parts(module, calls, cx);
        for op in module.walk() {
            op.remove_attribute(HAS_CODE);
        }
        Ok(())
    }
}

/// Returns the copies of graphs without a schedule.
fn copies(module: Op<'_>) -> Vec<Copy<'_>> {
    let graphs = module.children().filter(|op| op.isa::<tensor::Graph>());
    let graphs = graphs.filter(|graph| graph.attribute(SCHEDULE).is_none());
    let ops = graphs.flat_map(|graph| graph.walk());
    ops.filter_map(Copy::cast).collect()
}

/// Lets operations compute the constants among the operands of an operation: kernels store them.
fn store_constants(op: Op<'_>) {
    for index in 0..op.num_operands() {
        store_constant(op, index);
    }
}

/// Lets an operation compute a constant among the operands of another one, and returns it.
fn store_constant(op: Op<'_>, index: usize) -> Option<Op<'_>> {
    let value = op.operand(index);
    if !is_constant(value) {
        return None;
    }
    let mut builder = Builder::before(op);
    let stored = tensor::Op::build(&mut builder, &[value.ty()], "Identity", &[value]);
    op.set_operand(index, stored.result(0));
    Some(stored.op())
}

fn is_constant(value: Value<'_>) -> bool {
    let producer = value.defining_op();
    producer.is_some_and(|op| op.isa::<tensor::Const>())
}

/// A part of a graph that gets a schedule.
struct Part<'a> {
    graph: Op<'a>,
    cluster: Cluster<'a>,
    commands: Grouped<'a>,
}

/// Finds the parts that are worth a schedule.
///
/// First, no operation with regions and no call is in a part. Then only those are excluded that
/// have a part inside. The larger parts that this finds exclude more operations, until there are no
/// more.
fn find_parts<'a>(
    module: Op<'a>,
    options: &BufferizeStreamsOptions,
) -> Result<Vec<Part<'a>>, Diagnostic<'a>> {
    const REASON: &str = "a schedule is inside of it";
    let is_nesting = |op: &Op<'a>| op.isa::<tensor::Call>() || op.num_regions() > 0;
    let graphs = module.collect(tensor::Graph::NAME);
    let inside = graphs.iter().flat_map(|graph| graph.walk().skip(1));
    let spread = with_copies(module);
    let mut control = match options.pipelines && !spread.is_empty() {
        true => {
            let analysis = Analysis::of_module::<Streams>(module, &HashMap::new());
            stages::find(module, &analysis, &spread, options.explain)?
        }
        false => HashMap::new(),
    };
    let at_home = counters::replicate(module, &mut control, options.explain);
    for op in module
        .walk()
        .filter(|op| control.contains_key(op))
        .collect::<Vec<_>>()
    {
        store_constants(op);
        let blocks = op.regions().filter_map(|region| region.entry());
        let ends = blocks.filter_map(|block| block.terminator());
        ends.collect::<Vec<_>>()
            .into_iter()
            .for_each(store_constants);
    }
    let is_controlled = |op: Op<'a>| {
        let mut around = std::iter::once(op).chain(op.ancestors());
        around.any(|around| control.contains_key(&around))
    };
    let all = inside.filter(|op| is_nesting(op) && !is_controlled(*op));
    let all = all.map(|op| (op, REASON.to_owned()));
    let mut excluded: HashMap<Op<'a>, String> = all.collect();
    let mut with_parts = HashMap::new();
    let mut copies = copies(module).into_iter();
    let has_accelerators = copies.any(|copy| accelerator(copy).is_some());
    // They are those of the operations, whatever is excluded.
    let mut times = None;
    loop {
        let analysis = Analysis::of_module::<Streams>(module, &excluded);
        let times = times.get_or_insert_with(|| {
            let on_device = has_accelerators.then(|| Times::of_module(&analysis, DEVICE));
            [
                Times::of_module(&analysis, HOST),
                on_device.unwrap_or_default(),
            ]
        });
        let mut parts = Vec::new();
        for graph in analysis.callers_first() {
            if graph.attribute(SCHEDULE).is_some() || graph.attribute(KERNEL).is_some() {
                continue;
            }
            let captures = Captures::of_graph(graph);
            let clusters = clusters::of_graph::<Streams>(graph, &analysis);
            let mut grouper = Grouper {
                captures: &captures,
                times,
                spread: &spread,
                control: &control,
                at_home: &at_home,
                options,
                places: HashMap::new(),
            };
            for cluster in clusters {
                let commands = grouper.group(&cluster.ops, HOME)?;
                let grouping = &commands.grouping;
                let gain = grouping.total().saturating_sub(grouping.longest_path);
                let is_worth_it = grouping.kernels.len() > 1 && gain >= options.gain;
                if commands.is_placed() || is_worth_it {
                    parts.push(Part {
                        graph,
                        cluster,
                        commands,
                    });
                }
            }
        }
        for op in enclosing(module, &analysis, &parts) {
            with_parts.insert(op, REASON.to_owned());
        }
        if with_parts.len() == excluded.len() {
            merge_others(module, &analysis, &parts);
            return Ok(parts);
        }
        excluded.clone_from(&with_parts);
    }
}

/// Returns the operations that directly enclose a part: those with the region, or the calls of the
/// graph.
fn enclosing<'a>(module: Op<'a>, analysis: &Analysis<'a>, parts: &[Part<'a>]) -> Vec<Op<'a>> {
    let parents = parts.iter().filter_map(|part| part.cluster.ops[0].parent());
    let parents: HashSet<Op<'a>> = parents.collect();
    let is_enclosing = |op: &Op<'a>| match op.isa::<tensor::Call>() {
        true => analysis
            .callee(*op)
            .is_some_and(|graph| parents.contains(&graph)),
        false => parents.contains(op) && !op.isa::<tensor::Graph>(),
    };
    module.walk().filter(is_enclosing).collect()
}

/// Replaces the copies that are in no part by their operands, and reports those that no part can
/// have.
fn merge_others<'a>(module: Op<'a>, analysis: &Analysis<'a>, parts: &[Part<'a>]) {
    let ops = parts.iter().flat_map(|part| {
        let nested = part.commands.inner.iter().flat_map(Inner::nested);
        let inside = nested.flat_map(|nested| &nested.cluster.ops);
        part.cluster.ops.iter().chain(inside)
    });
    let inside: HashSet<Op<'a>> = ops.copied().collect();
    let copies = copies(module).into_iter();
    for copy in copies.filter(|copy| !inside.contains(&copy.op())) {
        if let Some(obstacle) = analysis.obstacle(copy.op()) {
            let reason = &obstacle.reason;
            let message = format!("this copy has no effect, because it has no schedule: {reason}");
            diag::warning(copy.location(), message).emit();
        }
        copy.replace_with(&[copy.value()]);
    }
}

/// The commands of a part: the calls of its kernels, its copies, loops and branches.
struct Kernels<'a> {
    graph: Op<'a>,
    ops: Vec<Op<'a>>,
    commands: Grouped<'a>,
}

/// Outlines each kernel.
fn outline_kernels<'a>(module: Op<'a>, parts: Vec<Part<'a>>) -> Vec<Kernels<'a>> {
    let analysis = Analysis::of_module::<Streams>(module, &HashMap::new());
    let style = Style::Plain { suffix: "kernel" };
    let mut outliner = Outliner::new(module, &analysis, style);
    let mut last = HashMap::new();
    let mut all = Vec::new();
    for part in parts {
        let Part {
            graph,
            cluster,
            commands,
        } = part;
        let place = last.entry(graph).or_insert(graph);
        // The kernels of inner loops and branches before those of outer ones.
        let mut all_inner: Vec<&Inner<'a>> = commands.inner.iter().collect();
        let mut next = 0;
        while let Some(inner) = all_inner.get(next).copied() {
            all_inner.extend(inner.nested().flat_map(|nested| &nested.commands.inner));
            next += 1;
        }
        for inner in all_inner.into_iter().rev().flat_map(Inner::nested) {
            outline_commands(&mut outliner, graph, place, &inner.cluster, &inner.commands);
        }
        let ops = outline_commands(&mut outliner, graph, place, &cluster, &commands);
        all.push(Kernels {
            graph,
            ops,
            commands,
        });
    }
    all
}

/// Outlines each kernel of a block, and returns the commands in their order.
fn outline_commands<'a>(
    outliner: &mut Outliner<'_, 'a>,
    graph: Op<'a>,
    place: &mut Op<'a>,
    cluster: &Cluster<'a>,
    commands: &Grouped<'a>,
) -> Vec<Op<'a>> {
    // The operations of a part are consecutive: those of a kernel become so, too.
    let Some(end) = cluster.ops.last().and_then(|op| op.next()) else {
        return Vec::new();
    };
    let kernels = commands.grouping.kernels.iter();
    for number in kernels.clone().flatten() {
        cluster.ops[*number].move_before(end);
    }
    let mut inner = commands.inner.iter().peekable();
    let commands = kernels.map(|kernel| {
        let first = cluster.ops[kernel[0]];
        if first.isa::<Copy>() || inner.next_if(|inner| inner.op() == first).is_some() {
            return first;
        }
        let kernel = Cluster {
            ops: kernel.iter().map(|number| cluster.ops[*number]).collect(),
            size: Size::default(),
        };
        let outlined = outliner.outline(graph, place, &kernel);
        place.set_attribute(KERNEL, Attribute::unit(graph.context()));
        outlined.call.op()
    });
    commands.collect()
}

/// Outlines each part, whose operations are its commands now, and adds its schedule.
fn outline_parts<'a>(
    module: Op<'a>,
    parts: Vec<Kernels<'a>>,
    cx: &PassContext<'a, BufferizeStreamsOptions>,
) {
    let analysis = Analysis::of_module::<Streams>(module, &HashMap::new());
    let style = Style::Plain { suffix: "streams" };
    let mut outliner = Outliner::new(module, &analysis, style);
    let mut symbols = SymbolTable::new(module);
    let mut last = HashMap::new();
    for Kernels {
        graph,
        ops,
        commands,
    } in parts
    {
        let grouping = &commands.grouping;
        let place = last.entry(graph).or_insert(graph);
        let cluster = Cluster {
            ops,
            size: Size::default(),
        };
        let outlined = outliner.outline(graph, place, &cluster);
        let part = tensor::Graph::cast(*place).expect("an outlined part is a graph");
        let schedule = emit::schedule(part, &commands, &mut symbols)
            .expect("all values of a part have a known number of bytes");
        let symbol = FlatSymbolRefAttribute::new(cx.context(), schedule.sym_name());
        part.set_attribute(SCHEDULE, Attribute::from(symbol));
        *place = schedule.op();
        cx.count(SCHEDULES, 1);
        cx.count(KERNELS, commands.count() as u64);
        if cx.options().explain {
            let microseconds = |time: u64| time as f64 / 1000.0;
            let message = format!(
                "a schedule starts here: {} kernels that take {:.1} us, the longest path {:.1} us",
                commands.count(),
                microseconds(grouping.total()),
                microseconds(grouping.longest_path)
            );
            diag::remark(outlined.call.location(), message).emit();
        }
    }
}
