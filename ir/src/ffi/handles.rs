//! Handles: creation, queries, and conversion to and from those of melior.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};
use std::sync::{LazyLock, Mutex, PoisonError};

use melior::ir::{
    Attribute, BlockLike, BlockRef, Location, OperationRef, RegionLike, RegionRef, Type, TypeLike,
    Value as MeliorValue, ValueLike, operation::OperationLike,
};
use melior::{Context, ContextRef};
use mlir_sys::*;

use super::declarations::*;
use crate::{Block, Op, Region, Value};

macro_rules! handle {
    ($name:ident, $raw:ident, $from:ident, $option:ident) => {
        impl<'a> $name<'a> {
            #[inline]
            pub(crate) fn raw(self) -> $raw {
                $raw {
                    ptr: self.0.as_ptr() as *mut _,
                }
            }
        }
        // C takes handles from a slice of them: both are one pointer.
        const _: () = assert!(size_of::<$name<'_>>() == size_of::<$raw>());
        /// Converts a handle that MLIR promises not to be null.
        #[inline]
        pub(crate) fn $from<'a>(raw: $raw) -> $name<'a> {
            $option(raw).expect("MLIR promises a handle that is not null")
        }
        #[inline]
        pub(crate) fn $option<'a>(raw: $raw) -> Option<$name<'a>> {
            NonNull::new(raw.ptr as *mut c_void).map(|pointer| $name(pointer, PhantomData))
        }
    };
}
handle!(Op, MlirOperation, op, option_op);
handle!(Block, MlirBlock, block, option_block);
handle!(Region, MlirRegion, region, option_region);
handle!(Value, MlirValue, value, option_value);

pub(crate) const NULL_OP: MlirOperation = MlirOperation { ptr: null_mut() };
pub(crate) const NULL_BLOCK: MlirBlock = MlirBlock { ptr: null_mut() };

/// Wraps C functions that are safe on live handles under the contract of this module.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $target:ident;)*) => { $(
        #[inline]
        pub(crate) fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: the arguments are live handles, by the contract of this module; the C
            // function reads them during the call only.
            unsafe { $target($($argument),*) }
        }
    )* };
}

calls! {
    op_name(op: MlirOperation) -> MlirIdentifier = mlirOperationGetName;
    op_location(op: MlirOperation) -> MlirLocation = mlirOperationGetLocation;
    op_set_location(op: MlirOperation, location: MlirLocation) = mlirOperationSetLocation;
    op_context(op: MlirOperation) -> MlirContext = mlirOperationGetContext;
    op_block(op: MlirOperation) -> MlirBlock = mlirOperationGetBlock;
    op_parent(op: MlirOperation) -> MlirOperation = mlirOperationGetParentOperation;
    op_next(op: MlirOperation) -> MlirOperation = mlirOperationGetNextInBlock;
    op_prev(op: MlirOperation) -> MlirOperation = tfxOperationGetPrevInBlock;
    op_num_regions(op: MlirOperation) -> isize = mlirOperationGetNumRegions;
    op_region(op: MlirOperation, index: isize) -> MlirRegion = mlirOperationGetRegion;
    op_num_operands(op: MlirOperation) -> isize = mlirOperationGetNumOperands;
    op_operand(op: MlirOperation, index: isize) -> MlirValue = mlirOperationGetOperand;
    op_set_operand(op: MlirOperation, index: isize, value: MlirValue) = mlirOperationSetOperand;
    op_num_results(op: MlirOperation) -> isize = mlirOperationGetNumResults;
    op_result(op: MlirOperation, index: isize) -> MlirValue = mlirOperationGetResult;
    op_num_successors(op: MlirOperation) -> isize = mlirOperationGetNumSuccessors;
    op_successor(op: MlirOperation, index: isize) -> MlirBlock = mlirOperationGetSuccessor;
    op_set_successor(op: MlirOperation, index: isize, block: MlirBlock) = mlirOperationSetSuccessor;
    op_verify(op: MlirOperation) -> bool = mlirOperationVerify;
    op_is_before(op: MlirOperation, other: MlirOperation) -> bool = mlirOperationIsBeforeInBlock;
    op_move_before(op: MlirOperation, other: MlirOperation) = mlirOperationMoveBefore;
    op_move_after(op: MlirOperation, other: MlirOperation) = mlirOperationMoveAfter;
    op_remove(op: MlirOperation) = mlirOperationRemoveFromParent;
    op_destroy(op: MlirOperation) = mlirOperationDestroy;
    op_drop_references(op: MlirOperation) = tfxOperationDropAllReferences;
    op_replace_uses_of(op: MlirOperation, from: MlirValue, to: MlirValue) = mlirOperationReplaceUsesOfWith;
    op_has_trait(op: MlirOperation, kind: i32) -> bool = tfxOperationHasTrait;
    op_is_pure(op: MlirOperation) -> bool = tfxOperationIsPure;
    op_is_trivially_dead(op: MlirOperation) -> bool = tfxOperationIsTriviallyDead;
    op_would_be_trivially_dead(op: MlirOperation) -> bool = tfxOperationWouldBeTriviallyDead;
    op_is_speculatable(op: MlirOperation) -> bool = tfxOperationIsSpeculatable;
    op_effects(op: MlirOperation) -> i32 = tfxOperationEffects;
    op_attribute_dictionary(op: MlirOperation) -> MlirAttribute = tfxOperationAttributes;
    op_constant_value(op: MlirOperation) -> MlirAttribute = tfxOperationConstantValue;
    op_successor_operands(op: MlirOperation, successor: isize) -> SuccessorOperands = tfxSuccessorOperands;
    op_erase_successor_operand(op: MlirOperation, successor: isize, position: isize) = tfxSuccessorOperandsErase;

    block_parent_region(block: MlirBlock) -> MlirRegion = mlirBlockGetParentRegion;
    block_parent_op(block: MlirBlock) -> MlirOperation = mlirBlockGetParentOperation;
    block_next(block: MlirBlock) -> MlirBlock = mlirBlockGetNextInRegion;
    block_prev(block: MlirBlock) -> MlirBlock = tfxBlockGetPrevInRegion;
    block_first_op(block: MlirBlock) -> MlirOperation = mlirBlockGetFirstOperation;
    block_last_op(block: MlirBlock) -> MlirOperation = tfxBlockGetLastOperation;
    block_terminator(block: MlirBlock) -> MlirOperation = mlirBlockGetTerminator;
    block_num_arguments(block: MlirBlock) -> isize = mlirBlockGetNumArguments;
    block_argument(block: MlirBlock, index: isize) -> MlirValue = mlirBlockGetArgument;
    block_add_argument(block: MlirBlock, ty: MlirType, location: MlirLocation) -> MlirValue
        = mlirBlockAddArgument;
    block_erase_argument(block: MlirBlock, index: u32) = mlirBlockEraseArgument;
    block_append_op(block: MlirBlock, op: MlirOperation) = mlirBlockAppendOwnedOperation;
    block_insert_op_before(block: MlirBlock, before: MlirOperation, op: MlirOperation)
        = mlirBlockInsertOwnedOperationBefore;
    block_insert_op_after(block: MlirBlock, after: MlirOperation, op: MlirOperation)
        = mlirBlockInsertOwnedOperationAfter;
    block_detach(block: MlirBlock) = mlirBlockDetach;
    block_destroy(block: MlirBlock) = mlirBlockDestroy;
    block_drop_references(block: MlirBlock) = tfxBlockDropAllReferences;
    block_split(block: MlirBlock, op: MlirOperation) -> MlirBlock = tfxBlockSplit;
    block_splice(target: MlirBlock, before: MlirOperation, source: MlirBlock, first: MlirOperation, last: MlirOperation)
        = tfxBlockSplice;

    region_create() -> MlirRegion = mlirRegionCreate;
    region_first_block(region: MlirRegion) -> MlirBlock = mlirRegionGetFirstBlock;
    region_last_block(region: MlirRegion) -> MlirBlock = tfxRegionGetLastBlock;
    region_parent_op(region: MlirRegion) -> MlirOperation = tfxRegionGetParentOperation;
    region_number(region: MlirRegion) -> isize = tfxRegionGetNumber;
    region_append(region: MlirRegion, block: MlirBlock) = mlirRegionAppendOwnedBlock;
    region_insert_before(region: MlirRegion, before: MlirBlock, block: MlirBlock) = mlirRegionInsertOwnedBlockBefore;
    region_insert_after(region: MlirRegion, after: MlirBlock, block: MlirBlock) = mlirRegionInsertOwnedBlockAfter;
    region_splice(target: MlirRegion, before: MlirBlock, source: MlirRegion) = tfxRegionSplice;

    value_type(value: MlirValue) -> MlirType = mlirValueGetType;
    value_set_type(value: MlirValue, ty: MlirType) = mlirValueSetType;
    value_location(value: MlirValue) -> MlirLocation = mlirValueGetLocation;
    value_is_argument(value: MlirValue) -> bool = mlirValueIsABlockArgument;
    value_argument_owner(value: MlirValue) -> MlirBlock = mlirBlockArgumentGetOwner;
    value_argument_number(value: MlirValue) -> isize = mlirBlockArgumentGetArgNumber;
    value_result_owner(value: MlirValue) -> MlirOperation = mlirOpResultGetOwner;
    value_result_number(value: MlirValue) -> isize = mlirOpResultGetResultNumber;
    value_first_use(value: MlirValue) -> MlirOpOperand = mlirValueGetFirstUse;
    value_replace_all_uses(value: MlirValue, with: MlirValue) = mlirValueReplaceAllUsesOfWith;
    use_owner(operand: MlirOpOperand) -> MlirOperation = mlirOpOperandGetOwner;
    use_number(operand: MlirOpOperand) -> u32 = mlirOpOperandGetOperandNumber;
    use_next(operand: MlirOpOperand) -> MlirOpOperand = mlirOpOperandGetNextUse;

    mapping_create() -> *mut c_void = tfxMappingCreate;
    mapping_destroy(mapping: *mut c_void) = tfxMappingDestroy;
    mapping_map_value(mapping: *mut c_void, from: MlirValue, to: MlirValue) = tfxMappingMapValue;
    mapping_map_block(mapping: *mut c_void, from: MlirBlock, to: MlirBlock) = tfxMappingMapBlock;
    mapping_value(mapping: *mut c_void, from: MlirValue) -> MlirValue = tfxMappingLookupValue;
    mapping_block(mapping: *mut c_void, from: MlirBlock) -> MlirBlock = tfxMappingLookupBlock;
    mapping_op(mapping: *mut c_void, from: MlirOperation) -> MlirOperation = tfxMappingLookupOperation;
    op_clone(op: MlirOperation, mapping: *mut c_void, with_regions: bool) -> MlirOperation = tfxOperationClone;
    region_clone_into(source: MlirRegion, target: MlirRegion, before: MlirBlock, mapping: *mut c_void)
        = tfxRegionCloneInto;
}

// Between this crate's handles and melior's.

macro_rules! melior {
    ($name:ident, $theirs:ident, $like:ident, $from:ident) => {
        impl<'a> From<$name<'a>> for $theirs<'a, 'a> {
            fn from(ours: $name<'a>) -> Self {
                // SAFETY: a live handle.
                unsafe { $theirs::from_raw(ours.raw()) }
            }
        }
        impl<'c: 'a, 'a> From<$theirs<'c, 'a>> for $name<'a> {
            fn from(theirs: $theirs<'c, 'a>) -> Self {
                $from($like::to_raw(&theirs))
            }
        }
    };
}
melior!(Op, OperationRef, OperationLike, op);
melior!(Block, BlockRef, BlockLike, block);
melior!(Region, RegionRef, RegionLike, region);
melior!(Value, MeliorValue, ValueLike, value);

#[inline]
pub(crate) fn ty<'a>(raw: MlirType) -> Type<'a> {
    // SAFETY: types live as long as their context, which outlives every handle.
    unsafe { Type::from_raw(raw) }
}

#[inline]
pub(crate) fn location<'a>(raw: MlirLocation) -> Location<'a> {
    // SAFETY: as for types.
    unsafe { Location::from_raw(raw) }
}

/// Converts an attribute that MLIR promises not to be null.
pub(crate) fn attribute<'a>(raw: MlirAttribute) -> Attribute<'a> {
    option_attribute(raw).expect("MLIR gave a null attribute where it has none")
}

pub(crate) fn option_attribute<'a>(raw: MlirAttribute) -> Option<Attribute<'a>> {
    // SAFETY: as for types; null is turned into `None`.
    unsafe { Attribute::from_option_raw(raw) }
}

/// Returns a context as the reference that melior's constructors require.
///
/// melior has no owned-or-borrowed context, and its `ContextRef::to_ref` refers to the `ContextRef`
/// itself; so one such small object per context is never freed.
pub(crate) fn context<'a>(raw: MlirContext) -> &'a Context {
    struct Entry(&'static ContextRef<'static>);
    // SAFETY: a context is used from several threads, as MLIR itself does.
    unsafe impl Send for Entry {}
    static CONTEXTS: LazyLock<Mutex<HashMap<usize, Entry>>> = LazyLock::new(Default::default);
    thread_local! {
        static LAST: Cell<(usize, Option<&'static ContextRef<'static>>)> = const { Cell::new((0, None)) };
    }

    let key = raw.ptr as usize;
    let reference = match LAST.get() {
        (last, Some(reference)) if last == key => reference,
        _ => {
            let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the raw context comes from a live handle. After it is destroyed the entry is
            // unused until another context gets the same address, for which it is right again.
            let new = || Entry(Box::leak(Box::new(unsafe { ContextRef::from_raw(raw) })));
            let reference = contexts.entry(key).or_insert_with(new).0;
            LAST.set((key, Some(reference)));
            reference
        }
    };
    // SAFETY: the reference is to the leaked object above; the caller's lifetime is within the
    // context's.
    unsafe { reference.to_ref() }
}

pub(crate) fn context_of_location(location: Location<'_>) -> &Context {
    // SAFETY: a live location.
    context(unsafe { mlirLocationGetContext(location.to_raw()) })
}

pub(crate) fn context_of_type(ty: Type<'_>) -> &Context {
    // SAFETY: a live type.
    context(unsafe { mlirTypeGetContext(ty.to_raw()) })
}
