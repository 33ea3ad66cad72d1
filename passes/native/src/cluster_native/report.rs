//! The remarks about clusters, and about operations that are not compiled.

use tfx_graphdef_mlir::clusters::{Analysis, Outlined};
use tfx_ir::{Op, diag};

/// Reports on one graph.
pub(super) fn report<'a>(graph: Op<'a>, analysis: &Analysis<'a>, outlined: &[Outlined<'a>]) {
    outlined.iter().for_each(cluster);
    for op in graph
        .walk()
        .filter(|op| *op != graph && op.num_regions() == 0)
    {
        if !analysis.is_outlined(op)
            && let Some(obstacle) = analysis.obstacle(op)
            && obstacle.location == op.location()
        {
            let message = format!("not compiled to native code: {}", obstacle.reason);
            diag::remark(op.location(), message).emit();
        }
    }
}

fn cluster(outlined: &Outlined<'_>) {
    let loops = match outlined.size.loops {
        0 => String::new(),
        1 => "one loop, ".to_owned(),
        loops => format!("{loops} loops, "),
    };
    let message = format!(
        "a cluster of native code starts here: {loops}{} operations",
        outlined.size.operations
    );
    diag::remark(outlined.call.location(), message).emit();
}
