//! The remarks about clusters, and about operations that are not compiled.

use std::collections::HashMap;

use tfx_dialects::tensor;
use tfx_graphdef_mlir::clusters::{Analysis, Outlined};
use tfx_ir::{Op, diag};

/// Reports on one graph. `reasons` are those of operations that stood in the way of larger
/// clusters.
pub(super) fn report<'a>(
    graph: Op<'a>,
    analysis: &Analysis<'a>,
    outlined: &[Outlined<'a>],
    reasons: &HashMap<Op<'a>, String>,
) {
    outlined.iter().for_each(cluster);
    let ops = graph.walk().filter(|op| *op != graph);
    for op in ops.filter(|op| op.num_regions() == 0 && !analysis.is_outlined(*op)) {
        let reason = match analysis.obstacle(op) {
            Some(obstacle) if obstacle.location == op.location() => &obstacle.reason,
            Some(_) => continue,
            None if !op.isa::<tensor::Op>() => continue,
            None => reasons.get(&op).map_or(FEW, |reason| reason),
        };
        let message = format!("not compiled to native code: {reason}");
        diag::remark(op.location(), message).emit();
    }
}

/// The reason for an operation that could be compiled.
const FEW: &str = "too few operations next to it can be compiled for a call to be worth it";

fn cluster(outlined: &Outlined<'_>) {
    let loops = match outlined.size.loops {
        0 => String::new(),
        1 => "one loop, ".to_owned(),
        loops => format!("{loops} loops, "),
    };
    let operations = match outlined.size.operations {
        1 => "one operation".to_owned(),
        operations => format!("{operations} operations"),
    };
    let message = format!("a cluster of native code starts here: {loops}{operations}");
    diag::remark(outlined.call.location(), message).emit();
}
