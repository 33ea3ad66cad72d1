//! The C++ functions that `cpp/bridge.h` declares.

use std::ffi::{c_char, c_void};

use mlir_sys::*;

#[repr(C)]
pub(super) struct TfxPassOption {
    pub(super) name: MlirStringRef,
    pub(super) description: MlirStringRef,
    pub(super) default_value: MlirStringRef,
    pub(super) kind: i32,
}

pub(super) type ConfigureFn = unsafe extern "C" fn(
    *mut c_void,
    *const MlirStringRef,
    isize,
    MlirStringCallback,
    *mut c_void,
) -> bool;

#[repr(C)]
pub(super) struct TfxPassTable {
    pub(super) name: MlirStringRef,
    pub(super) argument: MlirStringRef,
    pub(super) description: MlirStringRef,
    pub(super) anchor: MlirStringRef,
    pub(super) options: *const TfxPassOption,
    pub(super) num_options: isize,
    pub(super) create: unsafe extern "C" fn() -> *mut c_void,
    pub(super) destroy: unsafe extern "C" fn(*mut c_void),
    pub(super) dependent_dialects: unsafe extern "C" fn(MlirDialectRegistry),
    pub(super) configure: ConfigureFn,
    pub(super) run: unsafe extern "C" fn(*mut c_void, MlirOperation) -> bool,
}

/// The parts of a new operation.
#[repr(C)]
pub(super) struct TfxNewOperation {
    pub(super) name: MlirStringRef,
    pub(super) location: MlirLocation,
    pub(super) operands: *const MlirValue,
    pub(super) num_operands: isize,
    pub(super) results: *const MlirType,
    pub(super) num_results: isize,
    pub(super) attributes: *const MlirNamedAttribute,
    pub(super) num_attributes: isize,
    pub(super) successors: *const MlirBlock,
    pub(super) num_successors: isize,
    pub(super) num_regions: u32,
}

/// The operands of one successor; see `BranchOpInterface`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuccessorOperands {
    pub(crate) is_branch: bool,
    pub(crate) produced: isize,
    pub(crate) first: isize,
    pub(crate) count: isize,
}

/// Passes the text of a pipeline for its options to `give`, or returns false and passes an error.
pub(super) type TfxPipelineText = unsafe extern "C" fn(
    pipeline: *const c_void,
    options: MlirStringRef,
    give: MlirStringCallback,
    give_data: *mut c_void,
) -> bool;

unsafe extern "C" {
    pub(super) fn tfxRegisterPass(table: *const TfxPassTable);
    pub(super) fn tfxRegistryAppend(target: MlirDialectRegistry, source: MlirDialectRegistry);
    pub(super) fn tfxRegisterPipeline(
        name: MlirStringRef,
        description: MlirStringRef,
        text: TfxPipelineText,
        pipeline: *const c_void,
    );
    pub(super) fn tfxIsPassRegistered(argument: MlirStringRef) -> bool;
    pub(super) fn tfxRunPipeline(
        op: MlirOperation,
        text: MlirStringRef,
        verify: bool,
        error: MlirStringCallback,
        data: *mut c_void,
    ) -> bool;
    pub(super) fn tfxRunNestedPipeline(
        op: MlirOperation,
        text: MlirStringRef,
        error: MlirStringCallback,
        data: *mut c_void,
    ) -> bool;
    pub(super) fn tfxPrintPipeline(
        text: MlirStringRef,
        print: MlirStringCallback,
        print_data: *mut c_void,
        error: MlirStringCallback,
        error_data: *mut c_void,
    ) -> bool;
    pub(super) fn tfxEmitDiagnostic(
        location: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        num_notes: isize,
        note_locations: *const MlirLocation,
        note_messages: *const MlirStringRef,
    );
    pub(super) fn tfxSourcePrinterCreate(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
        print: MlirStringCallback,
        data: *mut c_void,
    ) -> *mut c_void;
    pub(super) fn tfxSourcePrinterDestroy(printer: *mut c_void);
    pub(super) fn tfxForEachOperationOf(
        context: MlirContext,
        dialect: MlirStringRef,
        give: MlirStringCallback,
        give_data: *mut c_void,
    );
    pub(super) fn tfxParseModule(
        context: MlirContext,
        text: MlirStringRef,
        name: MlirStringRef,
        verify: bool,
    ) -> MlirModule;
    pub(super) fn tfxOperationCreate(parts: *const TfxNewOperation) -> MlirOperation;
    pub(super) fn tfxOperationGetPrevInBlock(op: MlirOperation) -> MlirOperation;
    pub(super) fn tfxBlockGetPrevInRegion(block: MlirBlock) -> MlirBlock;
    pub(super) fn tfxBlockGetLastOperation(block: MlirBlock) -> MlirOperation;
    pub(super) fn tfxRegionGetLastBlock(region: MlirRegion) -> MlirBlock;
    pub(super) fn tfxRegionGetParentOperation(region: MlirRegion) -> MlirOperation;
    pub(super) fn tfxRegionGetNumber(region: MlirRegion) -> isize;
    pub(super) fn tfxBlockForEachPredecessor(
        block: MlirBlock,
        visit: unsafe extern "C" fn(*mut c_void, MlirOperation, isize),
        data: *mut c_void,
    );
    pub(super) fn tfxBlockSplice(
        target: MlirBlock,
        before: MlirOperation,
        source: MlirBlock,
        first: MlirOperation,
        last: MlirOperation,
    );
    pub(super) fn tfxRegionSplice(target: MlirRegion, before: MlirBlock, source: MlirRegion);
    pub(super) fn tfxBlockSplit(block: MlirBlock, op: MlirOperation) -> MlirBlock;
    pub(super) fn tfxBlockDropAllReferences(block: MlirBlock);
    pub(super) fn tfxOperationDropAllReferences(op: MlirOperation);
    pub(super) fn tfxMappingCreate() -> *mut c_void;
    pub(super) fn tfxMappingDestroy(mapping: *mut c_void);
    pub(super) fn tfxMappingMapValue(mapping: *mut c_void, from: MlirValue, to: MlirValue);
    pub(super) fn tfxMappingMapBlock(mapping: *mut c_void, from: MlirBlock, to: MlirBlock);
    pub(super) fn tfxMappingLookupValue(mapping: *mut c_void, from: MlirValue) -> MlirValue;
    pub(super) fn tfxMappingLookupBlock(mapping: *mut c_void, from: MlirBlock) -> MlirBlock;
    pub(super) fn tfxMappingLookupOperation(
        mapping: *mut c_void,
        from: MlirOperation,
    ) -> MlirOperation;
    pub(super) fn tfxOperationClone(
        op: MlirOperation,
        mapping: *mut c_void,
        with_regions: bool,
    ) -> MlirOperation;
    pub(super) fn tfxRegionCloneInto(
        source: MlirRegion,
        target: MlirRegion,
        before: MlirBlock,
        mapping: *mut c_void,
    );
    pub(super) fn tfxTypeReplace(
        r#type: MlirType,
        count: isize,
        from: *const MlirType,
        to: *const MlirType,
    ) -> MlirType;
    pub(super) fn tfxOperationReplaceTypes(
        op: MlirOperation,
        count: isize,
        from: *const MlirType,
        to: *const MlirType,
    );
    pub(super) fn tfxSuccessorOperands(op: MlirOperation, successor: isize) -> SuccessorOperands;
    pub(super) fn tfxSuccessorOperandsAppend(
        op: MlirOperation,
        successor: isize,
        n: isize,
        values: *const MlirValue,
    );
    pub(super) fn tfxSuccessorOperandsErase(op: MlirOperation, successor: isize, index: isize);
    pub(super) fn tfxOperationHasTrait(op: MlirOperation, kind: i32) -> bool;
    pub(super) fn tfxOperationIsPure(op: MlirOperation) -> bool;
    pub(super) fn tfxOperationIsTriviallyDead(op: MlirOperation) -> bool;
    pub(super) fn tfxOperationWouldBeTriviallyDead(op: MlirOperation) -> bool;
    pub(super) fn tfxOperationIsSpeculatable(op: MlirOperation) -> bool;
    pub(super) fn tfxOperationEffects(op: MlirOperation) -> i32;
    pub(super) fn tfxOperationAttributes(op: MlirOperation) -> MlirAttribute;
    pub(super) fn tfxOperationConstantValue(op: MlirOperation) -> MlirAttribute;
    pub(super) fn tfxOptMain(
        num_arguments: i32,
        arguments: *mut *const c_char,
        register_dialects: unsafe extern "C" fn(MlirDialectRegistry, *mut c_void),
        register_passes: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> i32;
    pub(super) fn tfxLspServerMain(
        num_arguments: i32,
        arguments: *mut *const c_char,
        registry: MlirDialectRegistry,
    ) -> i32;
    pub(super) fn tfxOperationFold(
        op: MlirOperation,
        operands: *const MlirAttribute,
        attributes: *mut MlirAttribute,
        values: *mut MlirValue,
    ) -> bool;
}
