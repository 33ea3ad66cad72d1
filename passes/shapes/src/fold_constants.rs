//! `tfx-fold-constants`: computes integers of graphs at compile time.
//!
//! ```text
//! %s = Shape(%x : [4, 2])                %s = const {4, 2}
//! %n = Max(50, Range(0, 0, 1))     ──►   %n = const 50
//! %y = Transpose(%x, InvertPermutation({1, 0}))     ──►   %y = Transpose(%x, {1, 0})
//! ```
//!
//! Graphs of other programs compute shapes, axes and bounds of loops that are the same in each run.
//! Code for a known axis is better than code for any axis, or the only one there is. The values are
//! those that shape inference knows, which computes them by the kernels of the embedded executor.
//! Types are refined as by `tfx-infer-shapes`. Operations that nothing needs afterwards are erased.
//!
//! Linear in the IR. Tensors of more than 508 elements, and floats, are not computed.

use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};

use crate::infer_shapes::fold;

const CONSTANTS: Statistic = Statistic::new("constants", "Values that became constants");

/// `tfx-fold-constants`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct FoldConstants;

impl Pass for FoldConstants {
    type Options = ();
    const NAME: &'static str = "TfxFoldConstants";
    const ARGUMENT: &'static str = "tfx-fold-constants";
    const DESCRIPTION: &'static str = "Compute integers of graphs at compile time";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[CONSTANTS];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        cx.count(CONSTANTS, fold(module)?);
        Ok(())
    }
}
