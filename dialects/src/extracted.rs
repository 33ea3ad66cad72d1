//! Extracted functions: functions whose host code is already split from their graphs.
//!
//! ```text
//!   func.func @main(%x: tensor<f32>) {
//!     %p = tfx_comm.start @main.graph(%x)      starts a graph: the transfers are decided
//!     scf.while ... { tfx_comm.recv ... }      structured: the protocol is proved of this form
//!     tfx_comm.finish %p
//!   }
//! ```
//!
//! `tfx-extract` produces such functions, and users write them. Protocol verification compares the
//! regions of host and graph, so a pass that takes the regions of the host apart, or merges values
//! in them, destroys the correspondence. Passes that prepare functions for extraction leave
//! extracted functions unchanged. Each function is considered separately, so a module may contain
//! both kinds.
//!
//! The code of a structured function that starts no graph does not show whether it is source.
//! `tfx-partition` marks the functions that it has processed with [`EXTRACTED`], so that a second
//! run of a pipeline leaves them unchanged. The mark has no meaning on a function of several
//! blocks: a function becomes source again if branches are added.

use melior::ir::Attribute;
use tfx_ir::Op;
use tfx_ir::ops::func;

use crate::comm;

/// The attribute of a structured host function without a graph that has been extracted.
pub const EXTRACTED: &str = "tfx.extracted";

/// Returns whether a function contains operations with regions.
pub fn has_control_flow(func: Op<'_>) -> bool {
    func.walk().skip(1).any(|op| op.num_regions() > 0)
}

/// Marks a function as extracted, unless it starts a graph, which shows the same.
pub fn mark_extracted(func: Op<'_>) {
    if !is_extracted(func) {
        func.set_attribute(EXTRACTED, Attribute::unit(func.context()));
    }
}

/// Returns whether a function is structured (each region, at any depth, has one block), and starts
/// a graph or has the mark.
///
/// Cost: linear in the function's operations.
pub fn is_extracted(func: Op<'_>) -> bool {
    let mut starts = func.attribute(EXTRACTED).is_some();
    for op in func.walk() {
        let is_structured = |op: Op<'_>| {
            let mut regions = op.regions().filter(|region| !region.is_empty());
            regions.all(|region| region.single_block().is_some())
        };
        if !is_structured(op) {
            return false;
        }
        starts |= op.isa::<comm::Start>();
    }
    starts && func.isa::<func::Func>()
}
