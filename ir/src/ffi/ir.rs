//! Locations; making and changing operations, blocks and modules.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null;

use melior::Context;
use melior::ir::{Attribute, AttributeLike, Location, Module, Type, TypeLike};
use mlir_sys::*;
use smallvec::SmallVec;

use super::declarations::*;
use super::{location, op, option_attribute, option_value, region_create, string_ref};
use crate::{Block, Op, Value};

/// Fused without metadata: melior cannot spell the null attribute.
pub(crate) fn fused_location<'a>(context: &'a Context, locations: &[Location<'a>]) -> Location<'a> {
    let raw: Vec<MlirLocation> = locations.iter().map(|location| location.to_raw()).collect();
    let none = MlirAttribute { ptr: null() };
    // SAFETY: live locations; null metadata means none.
    location(unsafe {
        mlirLocationFusedGet(context.to_raw(), raw.len() as isize, raw.as_ptr(), none)
    })
}

/// A fused location with metadata.
pub(crate) fn fused_location_with<'a>(
    context: &'a Context,
    part: Location<'a>,
    metadata: Attribute<'a>,
) -> Location<'a> {
    // SAFETY: a live location and a live attribute.
    location(unsafe {
        mlirLocationFusedGet(context.to_raw(), 1, &part.to_raw(), metadata.to_raw())
    })
}

/// The metadata of a fused location, if it has any.
pub(crate) fn fused_metadata(fused: Location<'_>) -> Option<Attribute<'_>> {
    assert!(fused.is_fused(), "only a fused location has metadata");
    // SAFETY: a live location; null means none.
    option_attribute(unsafe { mlirLocationFusedGetMetadata(fused.to_raw()) })
}

/// All parts of a fused location at once; melior copies all of them for each.
pub(crate) fn fused_locations(fused: Location<'_>) -> Vec<Location<'_>> {
    assert!(fused.is_fused(), "only a fused location has parts");
    let mut raw = vec![fused.to_raw(); fused.fused_num_locations()];
    // SAFETY: there is room for all parts.
    unsafe { mlirLocationFusedGetLocations(fused.to_raw(), raw.as_mut_ptr()) };
    raw.into_iter().map(location).collect()
}

// Making operations, blocks and modules.

/// An attribute with its name.
#[repr(transparent)]
pub(crate) struct NamedAttribute<'a>(MlirNamedAttribute, PhantomData<&'a Context>);

/// Gives an attribute a name.
pub(crate) fn named_attribute<'a>(
    context: &'a Context,
    name: &str,
    attribute: Attribute<'a>,
) -> NamedAttribute<'a> {
    // SAFETY: a live context and attribute; the name is copied.
    let raw = unsafe {
        let name = mlirIdentifierGet(context.to_raw(), string_ref(name));
        mlirNamedAttributeGet(name, attribute.to_raw())
    };
    NamedAttribute(raw, PhantomData)
}

/// A few handles on the stack; most operations have no more.
type Few<T> = SmallVec<[T; 4]>;

/// The parts of a new operation.
pub(crate) struct NewOp<'x, 'a> {
    pub(crate) name: &'x str,
    pub(crate) location: Location<'a>,
    pub(crate) operands: &'x [Value<'a>],
    /// `None`: the operation infers them.
    pub(crate) results: Option<&'x [Type<'a>]>,
    pub(crate) attributes: &'x [NamedAttribute<'a>],
    pub(crate) successors: &'x [Block<'a>],
    pub(crate) regions: usize,
}

/// Creates a detached operation; `None` if its result types cannot be inferred, which MLIR reports.
pub(crate) fn create_op(new: &NewOp<'_, '_>) -> Option<MlirOperation> {
    let (operands, num_operands) = (new.operands.as_ptr().cast(), new.operands.len() as isize);
    let (successors, num_successors) = (
        new.successors.as_ptr().cast(),
        new.successors.len() as isize,
    );
    let (attributes, num_attributes) = (
        new.attributes.as_ptr().cast(),
        new.attributes.len() as isize,
    );
    let name = string_ref(new.name);
    let location = new.location.to_raw();
    let raw = match new.results {
        Some(results) => {
            let results: Few<MlirType> = results.iter().map(|ty| ty.to_raw()).collect();
            let parts = TfxNewOperation {
                name,
                location,
                operands,
                num_operands,
                results: results.as_ptr(),
                num_results: results.len() as isize,
                attributes,
                num_attributes,
                successors,
                num_successors,
                num_regions: new.regions as u32,
            };
            // SAFETY: handles are live and as C has them (`repr(transparent)`), and the arrays
            // outlive the call.
            unsafe { tfxOperationCreate(&parts) }
        }
        None => {
            let regions: Few<MlirRegion> = (0..new.regions).map(|_| region_create()).collect();
            // SAFETY: handles are live and as C has them (`repr(transparent)`), the arrays outlive
            // the state, the new regions are handed over to it.
            unsafe {
                let mut state = mlirOperationStateGet(name, location);
                mlirOperationStateAddOperands(&mut state, num_operands, operands);
                mlirOperationStateAddAttributes(&mut state, num_attributes, attributes);
                mlirOperationStateAddSuccessors(&mut state, num_successors, successors);
                mlirOperationStateAddOwnedRegions(
                    &mut state,
                    regions.len() as isize,
                    regions.as_ptr(),
                );
                mlirOperationStateEnableResultTypeInference(&mut state);
                mlirOperationCreate(&mut state)
            }
        }
    };
    (!raw.ptr.is_null()).then_some(raw)
}

pub(crate) fn create_block(arguments: &[(Type, Location)]) -> MlirBlock {
    let types: Vec<MlirType> = arguments.iter().map(|(ty, _)| ty.to_raw()).collect();
    let locations: Vec<MlirLocation> = arguments
        .iter()
        .map(|(_, location)| location.to_raw())
        .collect();
    // SAFETY: both arrays have `arguments.len()` elements.
    unsafe { mlirBlockCreate(arguments.len() as isize, types.as_ptr(), locations.as_ptr()) }
}

pub(crate) fn parse_module<'c>(
    context: &'c Context,
    text: &str,
    name: &str,
    verify: bool,
) -> Option<Module<'c>> {
    // SAFETY: both strings are read during the call; the result is owned by the caller if not null.
    unsafe {
        Module::from_option_raw(tfxParseModule(
            context.to_raw(),
            string_ref(text),
            string_ref(name),
            verify,
        ))
    }
}

/// Parses bytecode as [`parse_module`] parses text.
pub(crate) fn parse_bytecode<'c>(
    context: &'c Context,
    bytes: &[u8],
    name: &str,
) -> Option<Module<'c>> {
    let bytes = MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    };
    // SAFETY: as above.
    unsafe {
        Module::from_option_raw(tfxParseModule(
            context.to_raw(),
            bytes,
            string_ref(name),
            true,
        ))
    }
}

/// Returns an operation and those inside as MLIR bytecode.
pub(crate) fn bytecode(op: MlirOperation) -> Vec<u8> {
    let mut buffer = Vec::<u8>::new();
    // SAFETY: a live operation; the callback gets a buffer that lives through the call.
    unsafe { mlirOperationWriteBytecode(op, Some(super::text::append), (&raw mut buffer).cast()) };
    buffer
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

/// Returns `ty` with types in it replaced.
pub(crate) fn replace_type<'a>(ty: Type<'a>, map: &[(Type<'a>, Type<'a>)]) -> Type<'a> {
    let (from, to) = raw_types(map);
    // SAFETY: live types; both arrays have `map.len()` elements; the result belongs to the same
    // context.
    unsafe {
        let raw = tfxTypeReplace(ty.to_raw(), map.len() as isize, from.as_ptr(), to.as_ptr());
        Type::from_raw(raw)
    }
}

/// Replaces types in `op` and in the operations inside.
pub(crate) fn op_replace_types(op: MlirOperation, map: &[(Type, Type)]) {
    let (from, to) = raw_types(map);
    // SAFETY: a live operation, live types of its context; both arrays have `map.len()` elements.
    unsafe { tfxOperationReplaceTypes(op, map.len() as isize, from.as_ptr(), to.as_ptr()) }
}

fn raw_types(map: &[(Type, Type)]) -> (Vec<MlirType>, Vec<MlirType>) {
    map.iter()
        .map(|(from, to)| (from.to_raw(), to.to_raw()))
        .unzip()
}

/// Returns the terminators that branch to `block`, each with the index of the successor.
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

/// Folds an operation; returns an attribute or a value for each result.
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

/// Renames all references inside of `owner` to the symbol `from` to `to`. The operation that
/// defines the symbol is not changed.
pub(crate) fn replace_symbol_uses(owner: Op<'_>, from: &str, to: &str) {
    // SAFETY: the operation is live, and both strings are read during the call.
    let result = unsafe {
        mlirSymbolTableReplaceAllSymbolUses(string_ref(from), string_ref(to), owner.raw())
    };
    assert!(
        result.value != 0,
        "an operation that may hide references to @{from} prevents the renaming"
    );
}
