//! The border to C and C++: every `unsafe` of this crate is here.
//!
//! The contract that makes the safe functions below safe is the one in the crate's documentation: a handle
//! ([`crate::Op`], [`crate::Block`], [`crate::Region`], [`crate::Value`]) is not used after what it stands for was
//! erased, and lives no longer than its context. Handles come only from MLIR, so they are never dangling at birth, and
//! never null where the wrapper says so. Bounds are checked by the callers of this module.
//!
//! Callbacks from C++ into Rust catch panics: unwinding through C++ frames is undefined.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CString, OsString, c_char, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null, null_mut};
use std::sync::{LazyLock, Mutex, PoisonError};

use melior::dialect::DialectRegistry;
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Location, Module, OperationRef, RegionLike,
    RegionRef, Type, TypeLike, Value as MeliorValue, ValueLike, operation::OperationLike,
};
use melior::{Context, ContextRef};
use mlir_sys::*;

use crate::diag::Severity;
use crate::opt::Tool;
use crate::options::{OptionKind, OptionSpec, Options};
use crate::pass::{Pass, PassContext};
use crate::{Block, Op, Region, Value};

// ---------------------------------------------------------------------------------------------------------------------
// The C++ half, as `cpp/bridge.h` declares it.

#[repr(C)]
struct TfxPassOption {
    name: MlirStringRef,
    description: MlirStringRef,
    default_value: MlirStringRef,
    kind: i32,
}

type ConfigureFn = unsafe extern "C" fn(
    *mut c_void,
    *const MlirStringRef,
    isize,
    MlirStringCallback,
    *mut c_void,
) -> bool;

#[repr(C)]
struct TfxPassTable {
    name: MlirStringRef,
    argument: MlirStringRef,
    description: MlirStringRef,
    anchor: MlirStringRef,
    options: *const TfxPassOption,
    num_options: isize,
    create: unsafe extern "C" fn() -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    dependent_dialects: unsafe extern "C" fn(MlirDialectRegistry),
    configure: ConfigureFn,
    run: unsafe extern "C" fn(*mut c_void, MlirOperation) -> bool,
}

/// Where the operands of one successor are; see `BranchOpInterface`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuccessorOperands {
    pub(crate) is_branch: bool,
    pub(crate) produced: isize,
    pub(crate) first: isize,
    pub(crate) count: isize,
}

unsafe extern "C" {
    fn tfxRegisterPass(table: *const TfxPassTable);
    fn tfxRegistryAppend(target: MlirDialectRegistry, source: MlirDialectRegistry);
    fn tfxRegisterPipeline(name: MlirStringRef, description: MlirStringRef, text: MlirStringRef);
    fn tfxIsPassRegistered(argument: MlirStringRef) -> bool;
    fn tfxRunPipeline(
        op: MlirOperation,
        text: MlirStringRef,
        verify: bool,
        error: MlirStringCallback,
        data: *mut c_void,
    ) -> bool;
    fn tfxPrintPipeline(
        text: MlirStringRef,
        print: MlirStringCallback,
        print_data: *mut c_void,
        error: MlirStringCallback,
        error_data: *mut c_void,
    ) -> bool;
    fn tfxEmitDiagnostic(
        location: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        num_notes: isize,
        note_locations: *const MlirLocation,
        note_messages: *const MlirStringRef,
    );
    fn tfxSourcePrinterCreate(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
        print: MlirStringCallback,
        data: *mut c_void,
    ) -> *mut c_void;
    fn tfxSourcePrinterDestroy(printer: *mut c_void);
    fn tfxParseModule(context: MlirContext, text: MlirStringRef, name: MlirStringRef)
    -> MlirModule;
    fn tfxOperationGetPrevInBlock(op: MlirOperation) -> MlirOperation;
    fn tfxBlockGetPrevInRegion(block: MlirBlock) -> MlirBlock;
    fn tfxBlockGetLastOperation(block: MlirBlock) -> MlirOperation;
    fn tfxRegionGetLastBlock(region: MlirRegion) -> MlirBlock;
    fn tfxRegionGetParentOperation(region: MlirRegion) -> MlirOperation;
    fn tfxRegionGetNumber(region: MlirRegion) -> isize;
    fn tfxBlockForEachPredecessor(
        block: MlirBlock,
        visit: unsafe extern "C" fn(*mut c_void, MlirOperation, isize),
        data: *mut c_void,
    );
    fn tfxBlockSplice(
        target: MlirBlock,
        before: MlirOperation,
        source: MlirBlock,
        first: MlirOperation,
        last: MlirOperation,
    );
    fn tfxRegionSplice(target: MlirRegion, before: MlirBlock, source: MlirRegion);
    fn tfxBlockSplit(block: MlirBlock, op: MlirOperation) -> MlirBlock;
    fn tfxBlockDropAllReferences(block: MlirBlock);
    fn tfxOperationDropAllReferences(op: MlirOperation);
    fn tfxMappingCreate() -> *mut c_void;
    fn tfxMappingDestroy(mapping: *mut c_void);
    fn tfxMappingMapValue(mapping: *mut c_void, from: MlirValue, to: MlirValue);
    fn tfxMappingMapBlock(mapping: *mut c_void, from: MlirBlock, to: MlirBlock);
    fn tfxMappingLookupValue(mapping: *mut c_void, from: MlirValue) -> MlirValue;
    fn tfxMappingLookupBlock(mapping: *mut c_void, from: MlirBlock) -> MlirBlock;
    fn tfxMappingLookupOperation(mapping: *mut c_void, from: MlirOperation) -> MlirOperation;
    fn tfxOperationClone(
        op: MlirOperation,
        mapping: *mut c_void,
        with_regions: bool,
    ) -> MlirOperation;
    fn tfxRegionCloneInto(
        source: MlirRegion,
        target: MlirRegion,
        before: MlirBlock,
        mapping: *mut c_void,
    );
    fn tfxSuccessorOperands(op: MlirOperation, successor: isize) -> SuccessorOperands;
    fn tfxSuccessorOperandsAppend(
        op: MlirOperation,
        successor: isize,
        n: isize,
        values: *const MlirValue,
    );
    fn tfxSuccessorOperandsErase(op: MlirOperation, successor: isize, index: isize);
    fn tfxOperationHasTrait(op: MlirOperation, kind: i32) -> bool;
    fn tfxOperationIsPure(op: MlirOperation) -> bool;
    fn tfxOperationIsTriviallyDead(op: MlirOperation) -> bool;
    fn tfxOperationWouldBeTriviallyDead(op: MlirOperation) -> bool;
    fn tfxOperationIsSpeculatable(op: MlirOperation) -> bool;
    fn tfxOperationEffects(op: MlirOperation) -> i32;
    fn tfxOperationConstantValue(op: MlirOperation) -> MlirAttribute;
    fn tfxOptMain(
        num_arguments: i32,
        arguments: *mut *const c_char,
        register_dialects: unsafe extern "C" fn(MlirDialectRegistry, *mut c_void),
        register_passes: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> i32;
    fn tfxOperationFold(
        op: MlirOperation,
        operands: *const MlirAttribute,
        attributes: *mut MlirAttribute,
        values: *mut MlirValue,
    ) -> bool;
}

// ---------------------------------------------------------------------------------------------------------------------
// Handles.

macro_rules! handle {
    ($name:ident, $raw:ident, $from:ident, $option:ident) => {
        impl<'a> $name<'a> {
            pub(crate) fn raw(self) -> $raw {
                $raw {
                    ptr: self.0.as_ptr() as *mut _,
                }
            }
        }
        /// A handle that MLIR promised not to be null.
        pub(crate) fn $from<'a>(raw: $raw) -> $name<'a> {
            $option(raw).expect("MLIR gave a null handle where it has none")
        }
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
            // SAFETY: the arguments are live handles, by the contract of this module; the C function reads them during
            // the call only.
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
    op_num_attributes(op: MlirOperation) -> isize = mlirOperationGetNumAttributes;
    op_attribute_at(op: MlirOperation, index: isize) -> MlirNamedAttribute = mlirOperationGetAttribute;
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
    op_constant_value(op: MlirOperation) -> MlirAttribute = tfxOperationConstantValue;
    op_successor_operands(op: MlirOperation, successor: isize) -> SuccessorOperands = tfxSuccessorOperands;
    op_erase_successor_operand(op: MlirOperation, successor: isize, index: isize) = tfxSuccessorOperandsErase;

    block_parent_region(block: MlirBlock) -> MlirRegion = mlirBlockGetParentRegion;
    block_parent_op(block: MlirBlock) -> MlirOperation = mlirBlockGetParentOperation;
    block_next(block: MlirBlock) -> MlirBlock = mlirBlockGetNextInRegion;
    block_prev(block: MlirBlock) -> MlirBlock = tfxBlockGetPrevInRegion;
    block_first_op(block: MlirBlock) -> MlirOperation = mlirBlockGetFirstOperation;
    block_last_op(block: MlirBlock) -> MlirOperation = tfxBlockGetLastOperation;
    block_terminator(block: MlirBlock) -> MlirOperation = mlirBlockGetTerminator;
    block_num_arguments(block: MlirBlock) -> isize = mlirBlockGetNumArguments;
    block_argument(block: MlirBlock, index: isize) -> MlirValue = mlirBlockGetArgument;
    block_insert_argument(block: MlirBlock, index: isize, ty: MlirType, location: MlirLocation) -> MlirValue
        = mlirBlockInsertArgument;
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

// ---------------------------------------------------------------------------------------------------------------------
// Between this crate's handles and melior's.

impl<'a> From<Op<'a>> for OperationRef<'a, 'a> {
    fn from(op: Op<'a>) -> Self {
        // SAFETY: a live operation.
        unsafe { OperationRef::from_raw(op.raw()) }
    }
}
impl<'c: 'a, 'a> From<OperationRef<'c, 'a>> for Op<'a> {
    fn from(op: OperationRef<'c, 'a>) -> Self {
        self::op(OperationLike::to_raw(&op))
    }
}
impl<'a> From<Block<'a>> for BlockRef<'a, 'a> {
    fn from(block: Block<'a>) -> Self {
        // SAFETY: a live block.
        unsafe { BlockRef::from_raw(block.raw()) }
    }
}
impl<'c: 'a, 'a> From<BlockRef<'c, 'a>> for Block<'a> {
    fn from(block: BlockRef<'c, 'a>) -> Self {
        self::block(BlockLike::to_raw(&block))
    }
}
impl<'a> From<Region<'a>> for RegionRef<'a, 'a> {
    fn from(region: Region<'a>) -> Self {
        // SAFETY: a live region.
        unsafe { RegionRef::from_raw(region.raw()) }
    }
}
impl<'c: 'a, 'a> From<RegionRef<'c, 'a>> for Region<'a> {
    fn from(region: RegionRef<'c, 'a>) -> Self {
        self::region(RegionLike::to_raw(&region))
    }
}
impl<'a> From<Value<'a>> for MeliorValue<'a, 'a> {
    fn from(value: Value<'a>) -> Self {
        // SAFETY: a live value.
        unsafe { MeliorValue::from_raw(value.raw()) }
    }
}
impl<'c: 'a, 'a> From<MeliorValue<'c, 'a>> for Value<'a> {
    fn from(value: MeliorValue<'c, 'a>) -> Self {
        self::value(value.to_raw())
    }
}

pub(crate) fn ty<'a>(raw: MlirType) -> Type<'a> {
    // SAFETY: types live as long as their context, which outlives every handle.
    unsafe { Type::from_raw(raw) }
}

pub(crate) fn location<'a>(raw: MlirLocation) -> Location<'a> {
    // SAFETY: as for types.
    unsafe { Location::from_raw(raw) }
}

pub(crate) fn option_attribute<'a>(raw: MlirAttribute) -> Option<Attribute<'a>> {
    // SAFETY: as for types; null is turned into `None`.
    unsafe { Attribute::from_option_raw(raw) }
}

/// The context behind a raw one, as the reference that melior's constructors ask for.
///
/// melior has no owned-or-borrowed context, and its `ContextRef::to_ref` refers to the `ContextRef` itself; so one
/// such small object per context is kept for ever.
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
            // SAFETY: the raw context comes from a live handle. After it is destroyed the entry is unused until
            // another context gets the same address, for which it is right again.
            let new = || Entry(Box::leak(Box::new(unsafe { ContextRef::from_raw(raw) })));
            let reference = contexts.entry(key).or_insert_with(new).0;
            LAST.set((key, Some(reference)));
            reference
        }
    };
    // SAFETY: the reference is to the leaked object above; the caller's lifetime is within the context's.
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

// ---------------------------------------------------------------------------------------------------------------------
// Strings and printing.

pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr() as *const c_char,
        length: text.len(),
    }
}

/// The bytes of a C string reference, valid for as long as its owner: a context for identifiers and attributes.
fn bytes<'a>(text: MlirStringRef) -> &'a [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: MLIR's string references have a valid pointer and length, and live in the context (for callers that
    // return them) or during the callback.
    unsafe { std::slice::from_raw_parts(text.data as *const u8, text.length) }
}

/// Text that is UTF-8 but where a user's file has other bytes; those become an empty string.
fn str<'a>(text: MlirStringRef) -> &'a str {
    std::str::from_utf8(bytes(text)).unwrap_or_default()
}

pub(crate) fn identifier<'a>(identifier: MlirIdentifier) -> &'a str {
    // SAFETY: a live identifier.
    str(unsafe { mlirIdentifierStr(identifier) })
}

unsafe extern "C" fn append(text: MlirStringRef, data: *mut c_void) {
    // SAFETY: `data` is the `Vec<u8>` of `collect`, alive during the call.
    let buffer = unsafe { &mut *(data as *mut Vec<u8>) };
    buffer.extend_from_slice(bytes(text));
}

/// Collects what a printing function of the C API writes.
fn collect<R>(print: impl FnOnce(MlirStringCallback, *mut c_void) -> R) -> (R, String) {
    let mut buffer = Vec::<u8>::new();
    let result = print(Some(append), &mut buffer as *mut _ as *mut c_void);
    (result, String::from_utf8_lossy(&buffer).into_owned())
}

pub(crate) fn print_op(op: MlirOperation) -> String {
    // SAFETY: a live operation; the callback gets the buffer of `collect`.
    collect(|callback, data| unsafe { mlirOperationPrint(op, callback, data) }).1
}

pub(crate) fn print_value(value: MlirValue) -> String {
    // SAFETY: as above.
    collect(|callback, data| unsafe { mlirValuePrint(value, callback, data) }).1
}

// ---------------------------------------------------------------------------------------------------------------------
// Attributes by name.

pub(crate) fn op_attribute<'a>(op: MlirOperation, name: &str) -> Option<Attribute<'a>> {
    // SAFETY: a live operation; the name is read during the call.
    option_attribute(unsafe { mlirOperationGetAttributeByName(op, string_ref(name)) })
}

pub(crate) fn op_attributes<'a>(op: MlirOperation) -> Vec<(&'a str, Attribute<'a>)> {
    let named = (0..op_num_attributes(op)).map(|index| op_attribute_at(op, index));
    named
        .filter_map(|named| Some((identifier(named.name), option_attribute(named.attribute)?)))
        .collect()
}

pub(crate) fn op_set_attribute(op: MlirOperation, name: &str, attribute: Attribute) {
    // SAFETY: as above; the attribute is not null.
    unsafe { mlirOperationSetAttributeByName(op, string_ref(name), attribute.to_raw()) }
}

pub(crate) fn op_remove_attribute(op: MlirOperation, name: &str) -> bool {
    // SAFETY: as above.
    unsafe { mlirOperationRemoveAttributeByName(op, string_ref(name)) }
}

pub(crate) fn string_attribute_value<'a>(attribute: Attribute<'a>) -> Option<&'a str> {
    // SAFETY: the kind is checked before the value is read; string attributes live in the context.
    unsafe {
        mlirAttributeIsAString(attribute.to_raw())
            .then(|| str(mlirStringAttrGetValue(attribute.to_raw())))
    }
}

pub(crate) fn symbol_attribute_value<'a>(attribute: Attribute<'a>) -> Option<&'a str> {
    // SAFETY: as above.
    unsafe {
        mlirAttributeIsASymbolRef(attribute.to_raw())
            .then(|| str(mlirSymbolRefAttrGetRootReference(attribute.to_raw())))
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Locations.

/// Fused without metadata: melior cannot spell the null attribute.
pub(crate) fn fused_location<'a>(context: &'a Context, locations: &[Location<'a>]) -> Location<'a> {
    let raw: Vec<MlirLocation> = locations.iter().map(|location| location.to_raw()).collect();
    let none = MlirAttribute { ptr: null() };
    // SAFETY: live locations; null metadata means none.
    location(unsafe {
        mlirLocationFusedGet(context.to_raw(), raw.len() as isize, raw.as_ptr(), none)
    })
}

/// All parts of a fused location at once; melior copies all of them for each.
pub(crate) fn fused_locations(fused: Location<'_>) -> Vec<Location<'_>> {
    assert!(fused.is_fused(), "only a fused location has parts");
    let mut raw = vec![fused.to_raw(); fused.fused_num_locations()];
    // SAFETY: there is room for all parts.
    unsafe { mlirLocationFusedGetLocations(fused.to_raw(), raw.as_mut_ptr()) };
    raw.into_iter().map(location).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Making operations, blocks and modules.

/// What an operation is made of.
pub(crate) struct NewOp<'x, 'a> {
    pub(crate) name: &'x str,
    pub(crate) location: Location<'a>,
    pub(crate) context: &'a Context,
    pub(crate) operands: &'x [Value<'a>],
    /// `None`: let the operation infer them.
    pub(crate) results: Option<&'x [Type<'a>]>,
    pub(crate) attributes: &'x [(String, Attribute<'a>)],
    pub(crate) successors: &'x [Block<'a>],
    pub(crate) regions: usize,
}

/// Makes a detached operation; `None` if its result types cannot be inferred (MLIR has said why).
pub(crate) fn create_op(new: NewOp<'_, '_>) -> Option<MlirOperation> {
    let operands: Vec<MlirValue> = new.operands.iter().map(|value| value.raw()).collect();
    let results: Vec<MlirType> = new
        .results
        .unwrap_or_default()
        .iter()
        .map(|ty| ty.to_raw())
        .collect();
    let successors: Vec<MlirBlock> = new.successors.iter().map(|block| block.raw()).collect();
    let regions: Vec<MlirRegion> = (0..new.regions).map(|_| region_create()).collect();
    // SAFETY: handles are live, the arrays outlive the state, the new regions are handed over to it.
    let raw = unsafe {
        let attributes: Vec<MlirNamedAttribute> = (new.attributes.iter())
            .map(|(name, attribute)| {
                let name = mlirIdentifierGet(new.context.to_raw(), string_ref(name));
                mlirNamedAttributeGet(name, attribute.to_raw())
            })
            .collect();
        let mut state = mlirOperationStateGet(string_ref(new.name), new.location.to_raw());
        mlirOperationStateAddOperands(&mut state, operands.len() as isize, operands.as_ptr());
        mlirOperationStateAddAttributes(&mut state, attributes.len() as isize, attributes.as_ptr());
        mlirOperationStateAddSuccessors(&mut state, successors.len() as isize, successors.as_ptr());
        mlirOperationStateAddOwnedRegions(&mut state, regions.len() as isize, regions.as_ptr());
        match new.results {
            Some(_) => {
                mlirOperationStateAddResults(&mut state, results.len() as isize, results.as_ptr())
            }
            None => mlirOperationStateEnableResultTypeInference(&mut state),
        }
        mlirOperationCreate(&mut state)
    };
    (!raw.ptr.is_null()).then_some(raw)
}

pub(crate) fn create_block(arguments: &[(Type, Location)]) -> MlirBlock {
    let types: Vec<MlirType> = arguments.iter().map(|(ty, _)| ty.to_raw()).collect();
    let locations: Vec<MlirLocation> = arguments
        .iter()
        .map(|(_, location)| location.to_raw())
        .collect();
    // SAFETY: both arrays have as many elements as is said.
    unsafe { mlirBlockCreate(arguments.len() as isize, types.as_ptr(), locations.as_ptr()) }
}

pub(crate) fn parse_module<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    // SAFETY: both strings are read during the call; the result is owned by the caller if not null.
    unsafe {
        Module::from_option_raw(tfxParseModule(
            context.to_raw(),
            string_ref(text),
            string_ref(name),
        ))
    }
}

pub(crate) fn set_operands(op: MlirOperation, operands: &[Value]) {
    let raw: Vec<MlirValue> = operands.iter().map(|value| value.raw()).collect();
    // SAFETY: live handles; the array is copied by the call.
    unsafe { mlirOperationSetOperands(op, raw.len() as isize, raw.as_ptr()) }
}

pub(crate) fn append_successor_operands(op: MlirOperation, successor: usize, values: &[Value]) {
    let raw: Vec<MlirValue> = values.iter().map(|value| value.raw()).collect();
    // SAFETY: live handles; the caller checked that the operation is a branch.
    unsafe { tfxSuccessorOperandsAppend(op, successor as isize, raw.len() as isize, raw.as_ptr()) }
}

/// The terminators that branch to `block`, each with the number of the successor.
pub(crate) fn predecessors<'a>(block: MlirBlock) -> Vec<(Op<'a>, usize)> {
    unsafe extern "C" fn push(data: *mut c_void, terminator: MlirOperation, index: isize) {
        // SAFETY: `data` is the vector below.
        let list = unsafe { &mut *(data as *mut Vec<(MlirOperation, usize)>) };
        list.push((terminator, index as usize));
    }
    let mut list = Vec::<(MlirOperation, usize)>::new();
    // SAFETY: a live block; the callback gets the vector.
    unsafe { tfxBlockForEachPredecessor(block, push, &mut list as *mut _ as *mut c_void) }
    list.into_iter()
        .map(|(terminator, index)| (op(terminator), index))
        .collect()
}

/// Folds an operation; per result an attribute or a value.
pub(crate) fn fold<'a>(
    op: Op<'a>,
    operands: &[Option<Attribute<'a>>],
) -> Option<Vec<(Option<Attribute<'a>>, Option<Value<'a>>)>> {
    assert_eq!(
        operands.len(),
        op.num_operands(),
        "one constant or none for each operand"
    );
    let nothing = MlirAttribute { ptr: null() };
    let inputs: Vec<MlirAttribute> = operands
        .iter()
        .map(|a| a.map_or(nothing, |a| a.to_raw()))
        .collect();
    let mut attributes = vec![nothing; op.num_results()];
    let mut values = vec![MlirValue { ptr: null() }; op.num_results()];
    // SAFETY: the arrays have an element for each operand and each result.
    let folded = unsafe {
        tfxOperationFold(
            op.raw(),
            inputs.as_ptr(),
            attributes.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    folded.then(|| {
        let pairs = attributes.into_iter().zip(values);
        pairs
            .map(|(attribute, value)| (option_attribute(attribute), option_value(value)))
            .collect()
    })
}

// ---------------------------------------------------------------------------------------------------------------------
// Diagnostics.

pub(crate) fn emit(
    location: Location,
    severity: Severity,
    message: &str,
    notes: &[(Location, String)],
) {
    let severity = match severity {
        Severity::Error => MlirDiagnosticSeverity_MlirDiagnosticError,
        Severity::Warning => MlirDiagnosticSeverity_MlirDiagnosticWarning,
        Severity::Note => MlirDiagnosticSeverity_MlirDiagnosticNote,
        Severity::Remark => MlirDiagnosticSeverity_MlirDiagnosticRemark,
    };
    let locations: Vec<MlirLocation> = notes
        .iter()
        .map(|(location, _)| location.to_raw())
        .collect();
    let messages: Vec<MlirStringRef> = notes
        .iter()
        .map(|(_, message)| string_ref(message))
        .collect();
    // SAFETY: live locations; the engine copies all text before it returns.
    unsafe {
        tfxEmitDiagnostic(
            location.to_raw(),
            severity as i32,
            string_ref(message),
            notes.len() as isize,
            locations.as_ptr(),
            messages.as_ptr(),
        )
    }
}

/// Text that C++ appends to; boxed, it stays in place.
#[derive(Default)]
struct Buffer(Vec<u8>);

/// Owns a `SourceMgrDiagnosticHandler` and the text that it printed, if it keeps that.
pub(crate) struct SourcePrinter {
    printer: *mut c_void,
    text: Option<Box<Buffer>>,
}

impl SourcePrinter {
    pub(crate) fn new(context: &Context, name: &str, text: &str, keep: bool) -> Self {
        let mut buffer = keep.then(Box::<Buffer>::default);
        let (callback, data): (MlirStringCallback, *mut c_void) = match &mut buffer {
            Some(buffer) => (Some(append), &mut buffer.0 as *mut Vec<u8> as *mut c_void),
            None => (None, null_mut()),
        };
        // SAFETY: name and text are copied; the buffer is boxed, so it stays in place until `drop`, which destroys
        // the printer before it. MLIR calls the handler under a lock.
        let printer = unsafe {
            tfxSourcePrinterCreate(
                context.to_raw(),
                string_ref(name),
                string_ref(text),
                callback,
                data,
            )
        };
        Self {
            printer,
            text: buffer,
        }
    }

    /// Ends the printing and gives the text.
    pub(crate) fn finish(mut self) -> String {
        self.destroy();
        self.text.take().map_or_else(String::new, |text| {
            String::from_utf8_lossy(&text.0).into_owned()
        })
    }

    fn destroy(&mut self) {
        if !self.printer.is_null() {
            // SAFETY: made by `new`, destroyed once.
            unsafe { tfxSourcePrinterDestroy(self.printer) };
            self.printer = null_mut();
        }
    }
}

impl Drop for SourcePrinter {
    fn drop(&mut self) {
        self.destroy();
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Passes and pipelines.

/// Gives the pass `P` to MLIR's registry.
pub(crate) fn register_pass<P: Pass>() {
    let specs = P::Options::specs();
    let options: Vec<TfxPassOption> = specs.iter().map(pass_option).collect();
    let table = TfxPassTable {
        name: string_ref(P::NAME),
        argument: string_ref(P::ARGUMENT),
        description: string_ref(P::DESCRIPTION),
        anchor: string_ref(P::ANCHOR.op_name()),
        options: options.as_ptr(),
        num_options: options.len() as isize,
        create: create_state::<P>,
        destroy: destroy_state::<P>,
        dependent_dialects: dependent_dialects::<P>,
        configure: configure::<P>,
        run: run::<P>,
    };
    // SAFETY: the table's strings are copied by the call; the callbacks are valid for ever.
    unsafe { tfxRegisterPass(&table) }
}

fn pass_option(spec: &OptionSpec) -> TfxPassOption {
    TfxPassOption {
        name: string_ref(spec.name),
        description: string_ref(&spec.help),
        default_value: string_ref(&spec.default),
        kind: match spec.kind {
            OptionKind::Text => 0,
            OptionKind::Flag => 1,
            OptionKind::List => 2,
        },
    }
}

/// One instance of a pass: MLIR clones passes for threads, and each clone has its own.
struct State<P: Pass> {
    pass: P,
    options: P::Options,
}

unsafe extern "C" fn create_state<P: Pass>() -> *mut c_void {
    let state = State::<P> {
        pass: P::default(),
        options: P::Options::default(),
    };
    Box::into_raw(Box::new(state)) as *mut c_void
}

unsafe extern "C" fn destroy_state<P: Pass>(state: *mut c_void) {
    // SAFETY: made by `create_state` for the same `P`, and destroyed once, by ~RustPass.
    drop(unsafe { Box::from_raw(state as *mut State<P>) });
}

unsafe extern "C" fn dependent_dialects<P: Pass>(target: MlirDialectRegistry) {
    let registry = DialectRegistry::new();
    P::dialects(&registry);
    // SAFETY: both registries are live; the entries are copied.
    unsafe { tfxRegistryAppend(target, registry.to_raw()) }
}

unsafe extern "C" fn configure<P: Pass>(
    state: *mut c_void,
    values: *const MlirStringRef,
    num_values: isize,
    error: MlirStringCallback,
    error_data: *mut c_void,
) -> bool {
    // SAFETY: the state is of `P` and used by one thread at a time; there are `num_values` values, alive during the
    // call.
    let (state, values) = unsafe {
        let values = if num_values == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(values, num_values as usize)
        };
        (&mut *(state as *mut State<P>), values)
    };
    let mut options = P::Options::default();
    for (spec, value) in P::Options::specs().iter().zip(values) {
        if let Err(why) = options.set(spec.name, str(*value)) {
            let message = format!("option '{}' of pass '{}': {why}", spec.name, P::ARGUMENT);
            if let Some(error) = error {
                // SAFETY: the callback reads the text during the call.
                unsafe { error(string_ref(&message), error_data) };
            }
            return false;
        }
    }
    state.options = options;
    true
}

unsafe extern "C" fn run<P: Pass>(state: *mut c_void, raw: MlirOperation) -> bool {
    // SAFETY: as in `configure`.
    let state = unsafe { &mut *(state as *mut State<P>) };
    let op = op(raw);
    let cx = PassContext::new::<P>(op, &state.options);
    match catch_unwind(AssertUnwindSafe(|| {
        crate::pass::run_watched(&mut state.pass, op, &cx)
    })) {
        Ok(result) => result.is_ok(),
        Err(payload) => {
            crate::pass::report_panic(P::ARGUMENT, op, panic_message(&*payload));
            false
        }
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&'static str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

pub(crate) fn register_pipeline(name: &str, description: &str, text: &str) {
    // SAFETY: the strings are copied by the call.
    unsafe { tfxRegisterPipeline(string_ref(name), string_ref(description), string_ref(text)) }
}

pub(crate) fn is_pass_registered(argument: &str) -> bool {
    // SAFETY: the string is read during the call.
    unsafe { tfxIsPassRegistered(string_ref(argument)) }
}

pub(crate) fn run_pipeline(op: MlirOperation, text: &str, verify: bool) -> (bool, String) {
    // SAFETY: a live operation; the callback gets the buffer of `collect`.
    collect(|callback, data| unsafe {
        tfxRunPipeline(op, string_ref(text), verify, callback, data)
    })
}

/// The pipeline printed back, or the error.
pub(crate) fn print_pipeline(text: &str) -> Result<String, String> {
    let ((ok, printed), errors) = collect(|error, error_data| {
        // SAFETY: both callbacks get buffers of `collect`.
        collect(|print, data| unsafe {
            tfxPrintPipeline(string_ref(text), print, data, error, error_data)
        })
    });
    if ok { Ok(printed) } else { Err(errors) }
}

// ---------------------------------------------------------------------------------------------------------------------
// The optimizer driver.

/// Runs MLIR's driver and gives its exit code. An argument ends at a NUL, as it does for any process.
pub(crate) fn opt_main(mut tool: Tool, arguments: Vec<OsString>) -> u8 {
    unsafe extern "C" fn register_dialects(target: MlirDialectRegistry, tool: *mut c_void) {
        let registry = DialectRegistry::new();
        // SAFETY: `tool` is the one below; both registries are live, and the entries are copied.
        unsafe {
            ((*(tool as *const Tool)).register_dialects)(&registry);
            tfxRegistryAppend(target, registry.to_raw());
        }
    }
    unsafe extern "C" fn register_passes(tool: *mut c_void) {
        // SAFETY: as above.
        unsafe { ((*(tool as *const Tool)).register_passes)() }
    }

    let until_nul = |argument: OsString| -> Vec<u8> {
        argument
            .into_encoded_bytes()
            .into_iter()
            .take_while(|byte| *byte != 0)
            .collect()
    };
    let owned: Vec<CString> = arguments
        .into_iter()
        .map(until_nul)
        .filter_map(|argument| CString::new(argument).ok())
        .collect();
    // C promises a null after the last argument.
    let mut pointers: Vec<*const c_char> = owned.iter().map(|argument| argument.as_ptr()).collect();
    pointers.push(null());
    // SAFETY: the arguments and the tool outlive the call; the callbacks do not panic unless a registration does, which
    // aborts the process as any panic in an `extern "C"` function does.
    let code = unsafe {
        let data = &mut tool as *mut Tool as *mut c_void;
        tfxOptMain(
            owned.len() as i32,
            pointers.as_mut_ptr(),
            register_dialects,
            register_passes,
            data,
        )
    };
    u8::try_from(code).unwrap_or(1)
}
