//! Attributes of loops as operations in the loops.
//!
//! ```text
//!   scf.for .. { .. } {tfx_ad.checkpoint = #tfx_ad.checkpoint<auto>}
//!       ──►  scf.for .. { tfx_ad.checkpointed <auto> .. }
//! ```
//!
//! On the way to flat functions, loops become blocks and loops again, without their attributes. An
//! operation with an effect stays in its loop. The attribute of a function marks each loop in its
//! body without an own attribute: operations, and cycles of blocks at the target of each edge that
//! goes back in a depth-first search.
//!
//! Cost: linear in the function.

use melior::ir::{Attribute, Location};
use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_dialects::derivatives::{CHECKPOINT, Scheme};
use tfx_ir::ops::Structured;
use tfx_ir::{Block, Builder, Op, Region};

/// Marks the loops of a function.
pub(crate) fn mark(function: Op<'_>) {
    let of_function = function.attribute(CHECKPOINT);
    function.remove_attribute(CHECKPOINT);
    let loops = function.walk().filter_map(Structured::cast);
    for loop_ in loops.filter(|it| it.is_loop()).collect::<Vec<_>>() {
        let own = loop_.op().attribute(CHECKPOINT);
        let body = loop_.op().region(0).entry();
        if let (Some(scheme), Some(body)) = (own.or(of_function), body) {
            add(body, scheme, loop_.op().location());
        }
        loop_.op().remove_attribute(CHECKPOINT);
    }
    if let Some(scheme) = of_function {
        let regions: Vec<_> = function.walk().flat_map(|op| op.regions()).collect();
        for header in regions.into_iter().flat_map(headers) {
            let first = header.first().expect("a block has a terminator");
            add(header, scheme, first.location());
        }
    }
}

/// Marks the loop at `location` with the block.
fn add<'a>(block: Block<'a>, scheme: Attribute<'a>, location: Location<'a>) {
    if Scheme::read(scheme).is_some_and(|scheme| scheme != Scheme::None) {
        ad::Checkpointed::build(&mut Builder::at_start(block, location), scheme);
    }
}

fn successors(block: Block<'_>) -> std::vec::IntoIter<Block<'_>> {
    block.successors().collect::<Vec<_>>().into_iter()
}

/// Returns the targets of the edges that go back in a depth-first search of a region, in the order
/// in which they are found.
fn headers(region: Region<'_>) -> Vec<Block<'_>> {
    let mut headers = Vec::new();
    let (mut seen, mut open) = (FxHashSet::default(), FxHashSet::default());
    let mut found = FxHashSet::default();
    let mut stack: Vec<(Block<'_>, std::vec::IntoIter<Block<'_>>)> = Vec::new();
    if let Some(entry) = region.entry() {
        seen.insert(entry);
        open.insert(entry);
        stack.push((entry, successors(entry)));
    }
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if open.contains(&next) => {
                if found.insert(next) {
                    headers.push(next);
                }
            }
            Some(next) => {
                if seen.insert(next) {
                    open.insert(next);
                    stack.push((next, successors(next)));
                }
            }
            None => {
                open.remove(block);
                stack.pop();
            }
        }
    }
    headers
}
