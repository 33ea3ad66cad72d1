//! `tfx-cluster-xla`: what XLA can compile becomes calls of compiled functions.
//!
//! ```text
//! tfx_tensor.graph @train.graph {                    tfx_tensor.graph @train.graph {
//!   %w = while (%i, %v) { ... } do { ... }             %w = call @train.graph.compiled(%n, %v) {compiled, pure}
//!   send %w to 0                               ──►     send %w to 0
//! }                                                  }
//!                                                    tfx_tensor.graph private @train.graph.compiled { while ... }
//! ```
//!
//! A loop that TensorFlow runs node by node costs microseconds for each operation of each trip; compiled, it is machine code. XLA compiles neither channels nor
//! state nor shapes that it does not know, so a program is compiled in pieces: the largest ones that hold none of that.
//!
//! # Algorithm
//!
//! ```text
//! judge.rs       each operation: whether XLA compiles it with all inside, or the first thing in the way      data of tfx_graphdef::xla
//! group.rs       each block: what can run together without waiting for something between                     levels, union-find
//! outline.rs     each piece that is worth it: a function and its call
//! report.rs      each loop that is not compiled, and why
//! ```
//!
//! A piece is worth it if it has a loop or at least [`ENOUGH_OPERATIONS`] operations. What sends, and nothing that it waits for, is held up by what comes after it in the
//! program: pieces end there.
//!
//! Graphs that others call are judged before those that call them; a graph that calls itself, over others or not, is not compiled.
//!
//! Linear in the IR and in the values that regions take from outside, but for sorting the operations of a block.
//!
//! Not promised: the same rounding (XLA fuses operations; integers are the same), nor that a compiled loop can be cancelled: it ends first.

mod group;
mod judge;
mod outline;
mod report;

use tfx_graphdef_mlir::captures::Captures;
use tfx_ir::{
    Block, Op,
    pass::{Anchor, Pass, PassContext, PassFailed, Statistic},
};

use judge::Judge;
use outline::Outliner;

/// A call of compiled code costs tens of microseconds, in which TensorFlow runs about this many small operations by itself: the call looks for the code by the
/// shapes of its arguments, and makes tensors of the results.
pub(crate) const ENOUGH_OPERATIONS: usize = 64;

tfx_ir::options! {
    /// What `tfx-cluster-xla` takes.
    pub struct ClusterXlaOptions {
        /// Whether to say of each operation that is not compiled why it is not, and of each piece that is what is in it.
        explain: bool = false,
    }
}

const CLUSTERS: Statistic = Statistic {
    name: "clusters",
    description: "Pieces of graphs that XLA compiles",
};
const COMPILED: Statistic = Statistic {
    name: "compiled",
    description: "Operations in them",
};

/// See the documentation of this module.
#[derive(Default)]
pub struct ClusterXla;

impl Pass for ClusterXla {
    type Options = ClusterXlaOptions;
    const NAME: &'static str = "TfxClusterXla";
    const ARGUMENT: &'static str = "tfx-cluster-xla";
    const DESCRIPTION: &'static str = "Have XLA compile what it can of each graph";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[CLUSTERS, COMPILED];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, ClusterXlaOptions>,
    ) -> Result<(), PassFailed> {
        let judge = Judge::of_module(module);
        let mut outliner = Outliner::new(module, &judge);
        for graph in judge.callers_first() {
            if outliner.erase_if_unused(graph) {
                continue;
            }
            let pieces = pieces_of(graph, &judge);
            let mut place = graph;
            let mut made = Vec::new();
            for piece in pieces.iter().filter(|piece| piece.is_worth_it()) {
                cx.count(CLUSTERS, 1);
                cx.count(COMPILED, piece.weight.operations as u64);
                made.push(outliner.outline(graph, &mut place, piece));
            }
            report::report(graph, &judge, &made, cx.options().explain);
        }
        Ok(())
    }
}

const GRAPH: &str = "tfx_tensor.graph";

/// The pieces of all blocks of a graph that are not compiled as part of another, outer ones first.
fn pieces_of<'a>(graph: Op<'a>, judge: &Judge<'a>) -> Vec<group::Piece<'a>> {
    let captures = Captures::of_graph(graph);
    let mut pieces = Vec::new();
    let mut blocks: Vec<Block<'a>> = graph.regions().flat_map(|region| region.blocks()).collect();
    while let Some(block) = blocks.pop() {
        pieces.extend(group::pieces(block, judge, &captures));
        let outside = block.ops().filter(|&op| !judge.compiles(op));
        blocks.extend(outside.flat_map(|op| op.regions().flat_map(|region| region.blocks())));
    }
    pieces
}
