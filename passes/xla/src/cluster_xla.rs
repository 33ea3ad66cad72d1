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
//! [`tfx_graphdef_mlir::clusters`] finds and outlines the clusters of the operations that XLA
//! supports (`compiler.rs`); `report.rs` reports each loop that is not compiled, and the reason.
//!
//! A cluster is profitable if it has a loop or at least 64 operations (`compiler.rs`).
//! Clusters end at sends, so that code after a send in the program never delays the send.
//!
//! Callees are analyzed before their callers; a recursive graph is not compiled.
//!
//! Linear in the IR and in the values that regions capture, apart from sorting the operations of a
//! block.
//!
//! Not guaranteed: the same rounding of floats (XLA fuses operations; integers are the same), and
//! that a compiled loop can be cancelled: it runs to its end.

mod compiler;
mod report;

use std::collections::HashMap;

use tfx_graphdef_mlir::clusters::{self, Analysis, Outliner, Style};
use tfx_ir::{
    Op,
    pass::{Anchor, Pass, PassContext, PassResult, Statistic},
};

use compiler::Xla;

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
        let analysis = Analysis::of_module::<Xla>(module, &HashMap::new());
        let mut outliner = Outliner::new(module, &analysis, Style::Compiled);
        for graph in analysis.callers_first() {
            if outliner.erase_if_unused(graph) {
                continue;
            }
            let clusters = clusters::of_graph::<Xla>(graph, &analysis);
            let mut place = graph;
            let mut outlined = Vec::new();
            for cluster in &clusters {
                cx.count(CLUSTERS, 1);
                cx.count(COMPILED, cluster.size.operations as u64);
                outlined.push(outliner.outline(graph, &mut place, cluster));
            }
            report::report(graph, &analysis, &outlined, cx.options().explain);
        }
        Ok(())
    }
}
