//! The diagnostics about compiled clusters, and about loops that are not compiled.
//!
//! ```text
//! warning    nothing of a graph is compiled, with the obstacles
//! remark     a loop without channels that is not compiled, with the obstacle
//! remark     (explain) each cluster, and each operation that is not compiled
//! ```

use std::collections::HashSet;

use tfx_dialects::tensor;
use tfx_graphdef_mlir::clusters::{Analysis, Outlined};
use tfx_ir::{Op, diag};

/// The number of obstacles that a warning lists.
const MOST_NOTES: usize = 5;

/// Reports on one graph.
pub(super) fn report<'a>(
    graph: Op<'a>,
    analysis: &Analysis<'a>,
    outlined: &[Outlined<'a>],
    explain: bool,
) {
    if outlined.is_empty() && !graph.is_private() {
        nothing(graph, analysis);
    }
    if explain {
        outlined.iter().for_each(cluster);
        operations(graph, analysis);
    } else if !outlined.is_empty() {
        loops(graph, analysis);
    }
}

fn nothing<'a>(graph: Op<'a>, analysis: &Analysis<'a>) {
    let message = "XLA compiles nothing of this graph: it has neither a loop that can be compiled nor a large enough cluster";
    let mut warning = diag::warning(graph.location(), message);
    let mut reported = HashSet::new();
    for op in graph
        .walk()
        .filter(|op| *op != graph && op.num_regions() == 0)
    {
        if let Some(obstacle) = analysis.obstacle(op)
            && reported.len() < MOST_NOTES
            && reported.insert((obstacle.location.to_string(), obstacle.reason.as_str()))
        {
            warning = warning.note(
                obstacle.location,
                format!("not compiled: {}", obstacle.reason),
            );
        }
    }
    warning.emit();
}

fn cluster(outlined: &Outlined<'_>) {
    let loops = match outlined.size.loops {
        0 => String::new(),
        1 => "one loop, ".to_owned(),
        loops => format!("{loops} loops, "),
    };
    let message = format!(
        "XLA compiles a cluster that starts here: {loops}{} operations",
        outlined.size.operations
    );
    diag::remark(outlined.call.location(), message).emit();
}

fn operations<'a>(graph: Op<'a>, analysis: &Analysis<'a>) {
    for op in graph.walk().filter(|op| *op != graph) {
        if let Some(obstacle) = analysis.obstacle(op)
            && obstacle.location == op.location()
            && op.num_regions() == 0
        {
            diag::remark(op.location(), format!("not compiled: {}", obstacle.reason)).emit();
        }
    }
}

/// Reports the loops with an obstacle other than a channel.
fn loops<'a>(graph: Op<'a>, analysis: &Analysis<'a>) {
    for op in graph.walk().filter_map(tensor::While::cast) {
        if let Some(obstacle) = analysis.obstacle(op.op())
            && !obstacle.is_channel
        {
            diag::remark(op.location(), "XLA does not compile this loop")
                .note(
                    obstacle.location,
                    format!("not compiled: {}", obstacle.reason),
                )
                .emit();
        }
    }
}
