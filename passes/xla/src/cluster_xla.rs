//! `tfx-cluster-xla`: outlines the code that XLA can compile into compiled functions.
//!
//! ```text
//! graph @g {                          graph @g {
//!   %w = while (%i, %v) { ... }         %w = call @g.compiled(%n, %v) {compiled, pure}
//!   send %w to 0                ──►     send %w to 0
//! }                                   }
//!                                     graph private @g.compiled { while ... }
//! ```
//!
//! TensorFlow executes a loop node by node, which costs microseconds for each operation of each
//! iteration; a compiled loop is machine code. XLA compiles neither channels nor state nor unknown
//! shapes, so the pass compiles the largest clusters without these.
//!
//! # Algorithm
//!
//! ```text
//! analysis.rs   each operation: XLA compiles it and those inside, or the first obstacle
//! clusters.rs   each block: operations that can run together without an operation between them
//! outline.rs    each profitable cluster: a function and its call
//! report.rs     each loop that is not compiled, and the reason
//! ```
//!
//! A cluster is profitable if it has a loop or at least 64 operations (`clusters.rs`).
//! Clusters end at sends, so that code after a send in the program never delays the send.
//!
//! Callees are analyzed before their callers; a recursive graph is not compiled.
//!
//! Linear in the IR and in the values that regions capture, apart from sorting the operations of a
//! block.
//!
//! Not guaranteed: the same rounding of floats (XLA fuses operations; integers are the same), and
//! that a compiled loop can be cancelled: it runs to its end.

mod analysis;
mod clusters;
mod outline;
mod report;

use tfx_graphdef_mlir::captures::Captures;
use tfx_ir::{
    Block, Op, Region,
    pass::{Anchor, Pass, PassContext, PassResult, Statistic},
};

use analysis::Analysis;
use clusters::Cluster;
use outline::Outliner;

tfx_ir::options! {
    /// The options of `tfx-cluster-xla`.
    pub struct ClusterXlaOptions {
        /// Report each cluster with its size, and each operation that is not compiled with the
        /// reason.
        explain: bool = false,
    }
}

const CLUSTERS: Statistic = Statistic::new("clusters", "Clusters that XLA compiles");
const COMPILED: Statistic = Statistic::new("compiled", "Operations in the clusters");

/// `tfx-cluster-xla`: see the documentation of the module.
#[derive(Default)]
pub struct ClusterXla;

impl Pass for ClusterXla {
    type Options = ClusterXlaOptions;
    const NAME: &'static str = "TfxClusterXla";
    const ARGUMENT: &'static str = "tfx-cluster-xla";
    const DESCRIPTION: &'static str = "Outline clusters of graphs for compilation by XLA";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[CLUSTERS, COMPILED];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ClusterXlaOptions>) -> PassResult {
        let analysis = Analysis::of_module(module);
        let mut outliner = Outliner::new(module, &analysis);
        for graph in analysis.callers_first() {
            if outliner.erase_if_unused(graph) {
                continue;
            }
            let clusters = clusters_of(graph, &analysis);
            let mut place = graph;
            let mut outlined = Vec::new();
            for cluster in clusters.iter().filter(|cluster| cluster.is_profitable()) {
                cx.count(CLUSTERS, 1);
                cx.count(COMPILED, cluster.size.operations as u64);
                outlined.push(outliner.outline(graph, &mut place, cluster));
            }
            report::report(graph, &analysis, &outlined, cx.options().explain);
        }
        Ok(())
    }
}

/// Returns the clusters of all blocks of a graph that are not within a cluster, outer blocks first.
fn clusters_of<'a>(graph: Op<'a>, analysis: &Analysis<'a>) -> Vec<Cluster<'a>> {
    let captures = Captures::of_graph(graph);
    let mut clusters = Vec::new();
    let mut blocks: Vec<Block<'a>> = graph.regions().flat_map(Region::blocks).collect();
    while let Some(block) = blocks.pop() {
        clusters.extend(clusters::of_block(block, analysis, &captures));
        let others = block.ops().filter(|&op| !analysis.compiles(op));
        blocks.extend(others.flat_map(|op| op.regions().flat_map(Region::blocks)));
    }
    clusters
}
