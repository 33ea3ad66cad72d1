//! The code of kernels for devices: launches of entries.
//!
//! ```text
//! graph ──plan.rs──► steps ──launches.rs──► launches, each with an entry and its parameters
//!                              ├─ products.rs ──► those that cuBLAS may compute
//!                              └─ entries.rs, convolution.rs ──► PTX
//! ```
//!
//! `tfx-lower-gpu` has the parts that concern schedules.

mod convolution;
mod entries;
mod launches;
mod products;

use std::collections::HashMap;

use tfx_ir::Op;

use super::memory;
use super::plan::{self, NotPlanned};

pub(crate) use entries::Entries;
pub(crate) use launches::{Launches, SCRATCH_ALIGNMENT};

/// Returns graphs by their names.
pub(crate) fn by_symbol<'a>(graphs: &[Op<'a>]) -> HashMap<&'a str, Op<'a>> {
    let graphs = graphs.iter().copied();
    let named = graphs.filter_map(|graph| Some((graph.symbol_name()?, graph)));
    named.collect()
}

/// Plans a kernel, and adds its entries.
pub(crate) fn compile<'a>(
    graph: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
    entries: &mut Entries,
) -> Result<Launches, NotPlanned<'a>> {
    let failed = |reason: String| NotPlanned {
        reason,
        at: Vec::new(),
    };
    let plan = plan::plan_launches(graph, graphs)?;
    let layout = memory::layout(&plan).map_err(|error| failed(error.to_string()))?;
    Launches::of_plan(&plan, &layout, entries).map_err(|reason| failed(reason.to_owned()))
}
