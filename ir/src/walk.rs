//! Walks over all operations inside of an operation, without recursion.
//!
//! ```text
//!   module ─┬─ func a ─┬─ x      walk:      module, a, x, y, b, z
//!           │          └─ y      walk_post: x, y, a, z, b, module
//!           └─ func b ─── z
//! ```
//!
//! A walk follows the pointers of the tree of regions, blocks and operations, so it needs no
//! memory. Cost: about 0.1 µs per operation.

use crate::{Block, Op, Region};

impl<'a> Op<'a> {
    /// Returns an iterator over this operation and those inside, in pre-order. The last operation
    /// returned may be changed but not erased or moved; [`Walk::skip_regions`] skips the operations
    /// inside of it.
    pub fn walk(self) -> Walk<'a> {
        Walk {
            root: self,
            next: Some(self),
            skip: false,
            last: None,
        }
    }

    /// Returns an iterator over the operations directly inside. The last operation returned may be
    /// changed but not erased or moved.
    pub fn children(self) -> impl Iterator<Item = Op<'a>> {
        self.regions()
            .flat_map(Region::blocks)
            .flat_map(|block| block.ops())
    }

    /// Returns an iterator over this operation and those inside, in post-order. The last operation
    /// returned may be erased.
    pub fn walk_post(self) -> impl Iterator<Item = Op<'a>> {
        let mut next = Some(deepest_first(self));
        std::iter::from_fn(move || {
            let op = next?;
            next = if op == self {
                None
            } else {
                Some(after_post(op))
            };
            Some(op)
        })
    }

    /// Collects this operation and those inside, if they have the name.
    pub fn collect(self, name: &str) -> Vec<Op<'a>> {
        self.walk().filter(|op| op.is(name)).collect()
    }
}

/// The iterator of [`Op::walk`].
pub struct Walk<'a> {
    root: Op<'a>,
    next: Option<Op<'a>>,
    last: Option<Op<'a>>,
    skip: bool,
}

impl Walk<'_> {
    /// Skips the operations inside of the last operation returned.
    pub fn skip_regions(&mut self) {
        self.skip = true;
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Op<'a>;
    fn next(&mut self) -> Option<Op<'a>> {
        // The walk advances late, so that the caller may add regions to the last operation, or skip
        // them.
        if let Some(last) = self.last.take() {
            let inside = if self.skip { None } else { first_inside(last) };
            self.skip = false;
            self.next = inside.or_else(|| after(last, self.root));
        }
        self.last = self.next.take();
        self.last
    }
}

/// Returns the first operation of the first block that has one.
fn first_inside(op: Op<'_>) -> Option<Op<'_>> {
    op.regions()
        .find_map(|region| region.entry().and_then(first_from))
}

/// Returns the first operation of `block` or of the blocks after it in its region.
fn first_from(block: Block<'_>) -> Option<Op<'_>> {
    std::iter::successors(Some(block), |block| block.next()).find_map(Block::first)
}

/// Returns the next operation that is neither inside of `op` nor outside of `root`.
fn after<'a>(mut op: Op<'a>, root: Op<'a>) -> Option<Op<'a>> {
    while op != root {
        if let Some(next) = next_sibling(op) {
            return Some(next);
        }
        op = op.parent()?;
    }
    None
}

/// Returns the next operation of the same parent: in the block, the blocks after it, or the regions
/// after it.
fn next_sibling(op: Op<'_>) -> Option<Op<'_>> {
    let block = op.block()?;
    let in_region = || op.next().or_else(|| block.next().and_then(first_from));
    in_region().or_else(|| {
        let (parent, region) = (op.parent()?, block.region()?);
        // Most operations have one region, so its index is not needed.
        if parent.num_regions() == 1 {
            return None;
        }
        parent
            .regions()
            .skip(region.number() + 1)
            .find_map(|region| region.entry().and_then(first_from))
    })
}

fn deepest_first(mut op: Op<'_>) -> Op<'_> {
    while let Some(inside) = first_inside(op) {
        op = inside;
    }
    op
}

fn after_post(op: Op<'_>) -> Op<'_> {
    match next_sibling(op) {
        Some(next) => deepest_first(next),
        None => op.parent().expect("the walk ends at its root"),
    }
}
