//! Clusters: the parts of graphs that a compiler turns into code, outlined into graphs of their
//! own.
//!
//! ```text
//! analysis.rs   each operation: the compiler supports it and those inside, or the first obstacle
//! grouping.rs   each block: operations that can run together without an operation between them
//! outline.rs    each profitable cluster: a function and its call
//! ```
//!
//! A [`Compiler`] states which operations it supports. Clusters end at sends, so that code after a
//! send in the program never delays the send. Callees are analyzed before their callers; a
//! recursive graph is not compiled.
//!
//! Linear in the IR and in the values that regions capture, apart from sorting the operations of a
//! block.

mod analysis;
mod grouping;
mod outline;

use tfx_ir::{Block, Op, Region};

pub use analysis::{Analysis, Compiler, Obstacle, Size};
pub use grouping::Cluster;
pub use outline::{Outlined, Outliner, Style};

use crate::captures::Captures;

/// Returns the profitable clusters of all blocks of a graph that are not within a cluster, outer
/// blocks first. Reorders the operations of blocks with profitable clusters.
pub fn of_graph<'a, C: Compiler>(graph: Op<'a>, analysis: &Analysis<'a>) -> Vec<Cluster<'a>> {
    let captures = Captures::of_graph(graph);
    let mut clusters = Vec::new();
    let mut blocks: Vec<Block<'a>> = graph.regions().flat_map(Region::blocks).collect();
    while let Some(block) = blocks.pop() {
        clusters.extend(grouping::of_block::<C>(block, analysis, &captures));
        let others = block.ops().filter(|&op| !analysis.compiles(op));
        blocks.extend(others.flat_map(|op| op.regions().flat_map(Region::blocks)));
    }
    clusters.retain(|cluster| C::is_profitable(cluster.size));
    clusters
}
