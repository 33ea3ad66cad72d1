//! Cloning operations and regions, and inlining.
//!
//! ```text
//!   mapping: %a -> %x            %r = op %a            %s = op %x
//!                         clone  ───────────►          mapping: %r -> %s
//! ```
//!
//! A [`Mapping`] maps values, blocks and operations to those of the clone. Cloning looks up
//! operands in it and adds the new values, so that a clone uses the results of earlier clones.

use std::ffi::c_void;

use melior::ir::Type;

use crate::{Block, Builder, Op, Region, Value, ffi};

/// A map from values, blocks and operations to those of a clone.
#[derive(Debug)]
pub struct Mapping<'a> {
    raw: *mut c_void,
    _values: std::marker::PhantomData<&'a ()>,
}

impl Default for Mapping<'_> {
    fn default() -> Self {
        Self {
            raw: ffi::mapping_create(),
            _values: std::marker::PhantomData,
        }
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        ffi::mapping_destroy(self.raw);
    }
}

impl<'a> Mapping<'a> {
    /// Creates an empty mapping.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps `from` to `to`.
    pub fn map(&mut self, from: Value<'a>, to: Value<'a>) {
        ffi::mapping_map_value(self.raw, from.raw(), to.raw());
    }

    /// Maps `from` to `to`.
    pub fn map_block(&mut self, from: Block<'a>, to: Block<'a>) {
        ffi::mapping_map_block(self.raw, from.raw(), to.raw());
    }

    /// Returns the value that `value` is mapped to.
    pub fn get(&self, value: Value<'a>) -> Option<Value<'a>> {
        ffi::option_value(ffi::mapping_value(self.raw, value.raw()))
    }

    /// Returns the value that `value` is mapped to, or `value`.
    pub fn get_or_same(&self, value: Value<'a>) -> Value<'a> {
        self.get(value).unwrap_or(value)
    }

    /// Returns the block that `block` is mapped to.
    pub fn block(&self, block: Block<'a>) -> Option<Block<'a>> {
        ffi::option_block(ffi::mapping_block(self.raw, block.raw()))
    }

    /// Returns the clone of `op`, if it was cloned with this mapping.
    pub fn op(&self, op: Op<'a>) -> Option<Op<'a>> {
        ffi::option_op(ffi::mapping_op(self.raw, op.raw()))
    }
}

impl<'a> Builder<'a> {
    /// Clones `op` and the operations inside to the insertion point.
    pub fn clone_op(&mut self, op: Op<'a>, mapping: &mut Mapping<'a>) -> Op<'a> {
        self.insert(ffi::op(ffi::op_clone(op.raw(), mapping.raw, true)))
    }

    /// Clones `op` with empty regions to the insertion point.
    pub fn clone_without_regions(&mut self, op: Op<'a>, mapping: &mut Mapping<'a>) -> Op<'a> {
        self.insert(ffi::op(ffi::op_clone(op.raw(), mapping.raw, false)))
    }
}

impl<'a> Op<'a> {
    /// Replaces types in the results, block arguments and attributes of it and of those inside: the
    /// first type of each pair becomes the second, also inside of other types, outer types first.
    /// Operands are results of other operations, so no operation inside may use a value from
    /// outside whose type changes.
    pub fn replace_types(self, map: &[(Type<'a>, Type<'a>)]) {
        if !map.is_empty() {
            ffi::op_replace_types(self.raw(), map);
        }
    }
}

/// Returns `ty` with the first type of each pair replaced by the second, outer types first.
pub fn replace_types<'a>(ty: Type<'a>, map: &[(Type<'a>, Type<'a>)]) -> Type<'a> {
    ffi::replace_type(ty, map)
}

impl<'a> Region<'a> {
    /// Clones all blocks to the end of `target`.
    pub fn clone_into(self, target: Region<'a>, mapping: &mut Mapping<'a>) {
        ffi::region_clone_into(self.raw(), target.raw(), ffi::NULL_BLOCK, mapping.raw);
    }

    /// Clones all blocks before `position`, in any region.
    pub fn clone_before(self, position: Block<'a>, mapping: &mut Mapping<'a>) {
        let target = position
            .region()
            .expect("blocks are copied before one that is in a region");
        ffi::region_clone_into(self.raw(), target.raw(), position.raw(), mapping.raw);
    }

    /// Moves the operations of a region with one block before `position`, with `values` for the
    /// block's arguments, and returns the operands of the terminator. The terminator and the block
    /// are erased; the region is empty afterwards.
    pub fn inline_before(self, position: Op<'a>, values: &[Value<'a>]) -> Vec<Value<'a>> {
        let block = self
            .single_block()
            .expect("a region that is inlined has one block");
        assert_eq!(
            values.len(),
            block.num_arguments(),
            "a region is inlined with a value for each argument"
        );
        for (argument, value) in block.arguments().zip(values) {
            argument.replace_all_uses_with(*value);
        }
        let results = match block.terminator() {
            Some(terminator) => {
                let operands = terminator.operands().collect();
                terminator.erase();
                operands
            }
            None => Vec::new(),
        };
        block.splice_before(position);
        block.erase();
        results
    }
}
