//! Functions that extraction is done with: their host code is split from their graphs.
//!
//! ```text
//!   func.func @main(%x: tensor<f32>) {
//!     %p = tfx_comm.start @main.graph(%x)      starts a graph: what crosses is decided
//!     scf.while ... { tfx_comm.recv ... }      structured: what was proved of it, or will be, is this form
//!     tfx_comm.finish %p
//!   }
//! ```
//!
//! `tfx-extract` writes such functions, and so do people. Host and graph are proved to agree by
//! comparing their regions, so a pass that takes the host's regions apart, or merges what they
//! compute, destroys the correspondence. Passes that prepare functions for extraction leave these
//! as they are; each function is judged by itself, so a module may have both kinds.
//!
//! A structured function that starts no graph may be source or not: nothing in it tells.
//! `tfx-partition` marks those that it has looked at with [`EXTRACTED`], so that a second run of a
//! pipeline leaves these as they are, too. The mark says nothing of a function of several blocks:
//! whoever writes branches into a function makes it source again.

use melior::ir::Attribute;
use tfx_ir::Op;
use tfx_ir::ops::func;

use crate::comm;

/// The attribute of a structured host function without a graph that extraction is done with.
pub const EXTRACTED: &str = "tfx.extracted";

/// Returns whether a function has operations with regions, which could be taken apart.
pub fn has_control_flow(func: Op<'_>) -> bool {
    func.walk().skip(1).any(|op| op.num_regions() > 0)
}

/// Marks a function that extraction is done with, if nothing else tells: it starts no graph.
pub fn mark_extracted(func: Op<'_>) {
    if !is_extracted(func) {
        func.set_attribute(EXTRACTED, Attribute::unit(func.context()));
    }
}

/// Returns whether a function is structured (each region of it, and of what is inside, has one
/// block), and starts a graph or has the mark.
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
