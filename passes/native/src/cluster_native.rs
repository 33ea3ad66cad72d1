//! `tfx-cluster-native`: outlines the code of graphs that can be compiled to machine code.
//!
//! ```text
//! graph @g {                          graph @g {
//!   %w = while (%i, %v) { ... }         %w = call @g.native(%n, %v) {pure}
//!   send %w to 0                ──►     send %w to 0
//! }                                   }
//!                                     graph private @g.native attributes {tfx.cluster} { while ... }
//! ```
//!
//! Compiled are operations on tensors of known ranks with a form in `operations.rs`, and the
//! branches, loops and calls that contain only these. The interpreter runs everything else,
//! channels included. The outlined graph is an ordinary graph, which every executor can run;
//! `tfx-lower-kernels` adds its code.
//!
//! A kernel of a schedule (`tfx-bufferize-streams`) is a cluster if all of it can be compiled; the
//! graph that calls the kernels has none.
//!
//! Graphs that are called only by clusters have no clusters of their own: the code of a cluster
//! contains that of its callees.
//!
//! [`tfx_graphdef_mlir::clusters`] finds and outlines the clusters. A cluster is profitable if it
//! has a loop, a product of matrices, a convolution, a pool, a function of rows, random numbers, a
//! cumulative sum, or at least three operations.
//!
//! Some operations have no form of their own: `expansions.rs` and `seeds.rs` replace them by others
//! first. Others are moved to the operations that need them (`place_repeated`), or out of loops
//! (`invariants.rs`).
//!
//! Sizes may be unknown, but not all can be planned (`lower_kernels/plan.rs`): some depend on the
//! elements of tensors. A cluster without a plan is undone, and the search starts again without the
//! operations that stand in its way, until it finds no new clusters.
//!
//! An interpreted loop updates the tensors that it carries in place, so no cluster does it.
//!
//! Not guaranteed: a second run leaves operations in the same order, if some clusters have no plan.
//!
//! Linear in the IR, apart from sorting the operations of a block, for each set of operations that
//! are found to stand in the way.

mod report;

use std::collections::{HashMap, HashSet};

use melior::ir::Attribute;
use tfx_dialects::native::CLUSTER;
use tfx_dialects::schedules::{KERNEL, SCHEDULE};
use tfx_dialects::{comm, tensor};
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::clusters::{self, Analysis, Compiler, Outlined, Outliner, Size, Style};
use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};

use crate::element::Element;
use crate::expansions;
use crate::invariants;
use crate::lower_kernels::plan::{self, NotPlanned, carried};
use crate::lower_kernels::tasks::TASK_COST;
use crate::operations::{self, Lowering, NotCompiled};
use crate::seeds;

tfx_ir::options! {
    /// The options of `tfx-cluster-native`.
    pub struct ClusterNativeOptions {
        /// Report each cluster with its size, and each operation that is not compiled with the
        /// reason.
        explain: bool = false,
    }
}

const CLUSTERS: Statistic = Statistic::new("clusters", "Clusters with native code");
const COMPILED: Statistic = Statistic::new("compiled", "Operations in the clusters");

/// The weight from which a cluster without loops is profitable: that of three small operations, or
/// of one that takes long. A call of compiled code creates its results, as an operation of the
/// interpreter does.
const PROFITABLE_WEIGHT: usize = 3;

/// `tfx-cluster-native`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct ClusterNative;

/// The compiler of this crate.
pub(crate) struct Native;

impl Compiler for Native {
    const NAME: &'static str = "native code";
    const HAS_UNKNOWN_SIZES: bool = true;

    fn has_type(element: DataType) -> bool {
        Element::of(element).is_some()
    }

    fn check(op: tensor::Op<'_>) -> Result<(), String> {
        operations::classify(op)
            .map(drop)
            .map_err(|NotCompiled(reason)| reason)
    }

    fn weight(op: tensor::Op<'_>) -> usize {
        match operations::classify(op) {
            Ok(
                Lowering::Product { .. }
                | Lowering::Convolution(_)
                | Lowering::Windowed(_)
                | Lowering::RowWise(_)
                | Lowering::Random(_)
                | Lowering::Scan(_),
            ) => PROFITABLE_WEIGHT,
            _ => 1,
        }
    }

    fn is_profitable(size: Size) -> bool {
        size.loops > 0 || size.weight >= PROFITABLE_WEIGHT
    }
}

impl Pass for ClusterNative {
    type Options = ClusterNativeOptions;
    const NAME: &'static str = "TfxClusterNative";
    const ARGUMENT: &'static str = "tfx-cluster-native";
    const DESCRIPTION: &'static str = "Outline clusters of graphs for native code";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[CLUSTERS, COMPILED];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, ClusterNativeOptions>,
    ) -> PassResult {
        expansions::expand(module);
        seeds::expose(module);
        operations::place_repeated(module);
        invariants::hoist(module);
        let mut excluded = HashMap::new();
        let mut reasons = HashMap::new();
        let mut all: Vec<(Op<'a>, Vec<Outlined<'a>>)> = Vec::new();
        let mut numbers = HashMap::new();
        let mut has_new = false;
        loop {
            let mut analysis = Analysis::of_module::<Native>(module, &excluded);
            interpret_updates(module, &mut analysis);
            let style = Style::Plain { suffix: "native" };
            let mut outliner = Outliner::new(module, &analysis, style);
            let mut run = started(module);
            let mut is_done = true;
            for graph in analysis.callers_first() {
                let is_run = !graph.is_private()
                    || graph.symbol_name().is_some_and(|name| run.contains(name));
                if graph.attribute(CLUSTER).is_some() || !is_run {
                    continue;
                }
                let calls = || graph.walk().filter_map(tensor::Call::cast);
                // Its calls are launches of kernels.
                if graph.attribute(SCHEDULE).is_some() {
                    run.extend(calls().map(tensor::Call::callee));
                    continue;
                }
                if graph.attribute(KERNEL).is_some() && compile_kernel(graph, &analysis) {
                    cx.count(CLUSTERS, 1);
                    cx.count(COMPILED, analysis.size(graph).operations as u64);
                    has_new = true;
                    continue;
                }
                let clusters = clusters::of_graph::<Native>(graph, &analysis);
                let mut place = graph;
                let number = *numbers.entry(graph).or_insert_with(|| {
                    all.push((graph, Vec::new()));
                    all.len() - 1
                });
                for cluster in &clusters {
                    let last = place;
                    let cluster = outliner.outline(graph, &mut place, cluster);
                    match plan::plan(place, analysis.graphs(), TASK_COST) {
                        Ok(_) => {
                            place.set_attribute(CLUSTER, Attribute::unit(graph.context()));
                            all[number].1.push(cluster);
                            has_new = true;
                        }
                        Err(NotPlanned { reason, at }) => {
                            // Without an operation to exclude, there is nothing to try again.
                            is_done &= at.is_empty();
                            excluded.extend(at.into_iter().map(|op| (op, reason.clone())));
                            outliner.undo(cluster);
                            place = last;
                        }
                    }
                }
                run.extend(calls().map(tensor::Call::callee));
            }
            // An operation that stood in the way of a cluster may be in a smaller one.
            if is_done && has_new && !excluded.is_empty() {
                reasons.extend(excluded.drain());
                has_new = false;
                continue;
            }
            if is_done {
                for (graph, outlined) in &all {
                    for cluster in outlined {
                        cx.count(CLUSTERS, 1);
                        cx.count(COMPILED, cluster.size.operations as u64);
                    }
                    if cx.options().explain {
                        report::report(*graph, &analysis, outlined, &reasons);
                    }
                }
                return Ok(());
            }
        }
    }
}

/// Marks a kernel of a schedule as a cluster if all of it can be compiled, however small. Returns
/// whether it can.
fn compile_kernel<'a>(graph: Op<'a>, analysis: &Analysis<'a>) -> bool {
    let is_compiled =
        analysis.compiles(graph) && plan::plan(graph, analysis.graphs(), TASK_COST).is_ok();
    if is_compiled {
        graph.set_attribute(CLUSTER, Attribute::unit(graph.context()));
    }
    is_compiled
}

/// Leaves updates in place of the tensors that interpreted loops carry to the interpreter: the call
/// of a cluster would copy the whole tensor in each iteration.
fn interpret_updates<'a>(module: Op<'a>, analysis: &mut Analysis<'a>) {
    const REASON: &str = "it changes a tensor in place, which an interpreted loop carries";
    // Outer loops first: an inner one may be interpreted because of them.
    for op in module.walk().filter(|op| op.isa::<tensor::While>()) {
        if !analysis.compiles(op) {
            for update in carried::updates(op) {
                analysis.exclude(update, REASON);
            }
        }
    }
}

/// Returns the symbols of the graphs that the host starts.
fn started(module: Op<'_>) -> HashSet<&str> {
    let starts = module.walk().filter_map(comm::Start::cast);
    starts.map(comm::Start::graph).collect()
}
