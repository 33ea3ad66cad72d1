//! Bindings to C++: the handles of the dialects, and queries of types. All `unsafe` code of the
//! crate is here.
//!
//! Contract: the functions are declared in `capi/tfx_dialects.h` and defined next to it; the build
//! script links them. The handles refer to static tables. Types and names belong to the
//! context, so they live as long as the type that is queried.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::attribute::AttributeLike;
use melior::ir::{Attribute, Type, TypeLike};
use melior::{Context, StringRef};
use mlir_sys::{MlirAttribute, MlirDialectHandle, MlirStringRef, MlirType};

use crate::channels::Channel;
use crate::derivatives::Rule;
use crate::places::Place;
use crate::schedules::Device;

unsafe extern "C" {
    safe fn mlirGetDialectHandle__tfx_host__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_tensor__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_comm__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_ad__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_stream__() -> MlirDialectHandle;

    fn tfxHostTypeGetKind(r#type: MlirType) -> u32;
    fn tfxHostTypeGetName(r#type: MlirType) -> MlirStringRef;
    fn tfxHostTypeGetProtocol(r#type: MlirType) -> MlirStringRef;
    fn tfxHostTypeIsEscaping(r#type: MlirType) -> bool;
    fn tfxAttributeIsATypeParam(attribute: MlirAttribute) -> bool;
    fn tfxTypeParamAttrGetName(attribute: MlirAttribute) -> MlirStringRef;
    fn tfxTypeParamAttrGetNumProtocols(attribute: MlirAttribute) -> isize;
    fn tfxTypeParamAttrGetProtocol(attribute: MlirAttribute, index: isize) -> MlirStringRef;
    fn tfxHostTypeGetNumArguments(r#type: MlirType) -> isize;
    fn tfxHostTypeGetArgument(r#type: MlirType, index: isize) -> MlirType;
    fn tfxHostNominalTypeGet(r#type: MlirType, declaration: MlirStringRef) -> MlirType;
    fn tfxHostRefTypeGet(pointee: MlirType) -> MlirType;
    fn tfxHostArrayTypeGet(element: MlirType) -> MlirType;
    fn tfxHostClosureTypeGet(signature: MlirType, escaping: bool) -> MlirType;
    fn tfxHostTypeSubstitute(
        r#type: MlirType,
        count: isize,
        names: *const MlirStringRef,
        types: *const MlirType,
    ) -> MlirType;
    fn tfxCommChannelAttrGet(channel: RawChannel) -> MlirAttribute;
    fn tfxCommChannelAttrRead(attribute: MlirAttribute, channel: *mut RawChannel) -> bool;
    fn tfxCommPlaceAttrRead(attribute: MlirAttribute, place: *mut RawPlace) -> bool;
    fn tfxAdTapeTypeGet(element: MlirType) -> MlirType;
    fn tfxAdTapeTypeGetElement(r#type: MlirType) -> MlirType;
    fn tfxAdRuleAttrRead(attribute: MlirAttribute, rule: *mut RawRule) -> bool;
    fn tfxAdCheckpointAttrRead(attribute: MlirAttribute, checkpoint: *mut RawCheckpoint) -> bool;
    fn tfxStreamTypeRead(r#type: MlirType) -> RawStreamType;
    fn tfxAttributeWalkTypes(
        attribute: MlirAttribute,
        visit: extern "C" fn(*mut c_void, MlirType),
        data: *mut c_void,
    );
}

/// `TfxCommChannel`.
#[repr(C)]
struct RawChannel {
    id: u32,
    to_host: bool,
    r#type: MlirType,
    capacity: u32,
}

/// `TfxCommPlace`.
#[repr(C)]
struct RawPlace {
    device: u32,
    number: u32,
    role: MlirStringRef,
}

/// `TfxAdRule`.
#[repr(C)]
struct RawRule {
    wrt: *const i64,
    num_wrt: isize,
    forward: MlirStringRef,
    backward: MlirStringRef,
    jvp: MlirStringRef,
}

/// `TfxAdCheckpoint`.
#[repr(C)]
struct RawCheckpoint {
    scheme: u32,
    number: i64,
}

/// `TfxStreamType`.
#[repr(C)]
pub(crate) struct RawStreamType {
    pub(crate) kind: u32,
    pub(crate) place: u32,
    pub(crate) number: u32,
    pub(crate) size: u64,
}

fn handles() -> [DialectHandle; 5] {
    [
        mlirGetDialectHandle__tfx_host__(),
        mlirGetDialectHandle__tfx_tensor__(),
        mlirGetDialectHandle__tfx_comm__(),
        mlirGetDialectHandle__tfx_ad__(),
        mlirGetDialectHandle__tfx_stream__(),
    ]
    .map(|handle| {
        // SAFETY: the handle comes from MLIR's own registration macro and lives as long as the
        // process.
        unsafe { DialectHandle::from_raw(handle) }
    })
}

/// Adds the dialects to a registry. A context with the registry loads each on demand.
pub fn register(registry: &DialectRegistry) {
    for handle in handles() {
        handle.insert_dialect(registry);
    }
}

/// Loads the dialects into a context.
pub fn load(context: &Context) {
    for handle in handles() {
        handle.register_dialect(context);
        handle.load_dialect(context);
    }
}

/// Returns a `#tfx_comm.channel`.
pub(crate) fn channel(channel: Channel<'_>) -> Attribute<'_> {
    let raw = RawChannel {
        id: channel.id,
        to_host: channel.to_host,
        r#type: channel.ty.to_raw(),
        capacity: channel.capacity,
    };
    // SAFETY: the type is not null; the attribute is stored in its context.
    unsafe { Attribute::from_raw(tfxCommChannelAttrGet(raw)) }
}

/// Reads a `#tfx_comm.channel`.
pub(crate) fn read_channel(attribute: Attribute<'_>) -> Option<Channel<'_>> {
    let mut raw = MaybeUninit::<RawChannel>::uninit();
    // SAFETY: the attribute is not null; the channel is written if it is one, and its type is
    // stored in the context.
    unsafe {
        tfxCommChannelAttrRead(attribute.to_raw(), raw.as_mut_ptr()).then(|| {
            let raw = raw.assume_init();
            Channel {
                id: raw.id,
                to_host: raw.to_host,
                ty: Type::from_raw(raw.r#type),
                capacity: raw.capacity,
            }
        })
    }
}

/// Reads a `#tfx_comm.place`.
pub(crate) fn read_place(attribute: Attribute<'_>) -> Option<Place<'_>> {
    let mut raw = MaybeUninit::<RawPlace>::uninit();
    // SAFETY: the attribute is not null; the place is written if it is one, and its role is stored
    // in the context.
    unsafe {
        tfxCommPlaceAttrRead(attribute.to_raw(), raw.as_mut_ptr()).then(|| {
            let raw = raw.assume_init();
            Place {
                device: Device::of_number(raw.device, raw.number),
                role: text(raw.role),
            }
        })
    }
}

/// Returns `!tfx_ad.tape<element>`.
pub(crate) fn tape(element: Type<'_>) -> Type<'_> {
    // SAFETY: the type is not null; the tape type is stored in its context.
    unsafe { Type::from_raw(tfxAdTapeTypeGet(element.to_raw())) }
}

/// Returns the element type of a tape; none for any other type.
pub(crate) fn tape_element(r#type: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: the type is not null; the result is null or stored in the context.
    unsafe { Type::from_option_raw(tfxAdTapeTypeGetElement(r#type.to_raw())) }
}

/// Reads a `#tfx_ad.rule`.
pub(crate) fn read_rule(attribute: Attribute<'_>) -> Option<Rule<'_>> {
    let mut raw = MaybeUninit::<RawRule>::uninit();
    // SAFETY: the attribute is not null; the rule is written if it is one, and its parts are stored
    // in the context.
    unsafe {
        tfxAdRuleAttrRead(attribute.to_raw(), raw.as_mut_ptr()).then(|| {
            let raw = raw.assume_init();
            let symbol = |name| Some(text(name)).filter(|name| !name.is_empty());
            let wrt = std::slice::from_raw_parts(raw.wrt, raw.num_wrt as usize);
            Rule {
                wrt: wrt.iter().map(|&parameter| parameter as usize).collect(),
                forward: symbol(raw.forward),
                backward: symbol(raw.backward),
                jvp: symbol(raw.jvp),
            }
        })
    }
}

/// Reads a `#tfx_ad.checkpoint`: the number of its scheme in `TfxAdScheme`, and its number.
pub(crate) fn read_checkpoint(attribute: Attribute<'_>) -> Option<(u32, i64)> {
    let mut raw = MaybeUninit::<RawCheckpoint>::uninit();
    // SAFETY: the attribute is not null; the scheme is written if it is one.
    unsafe {
        tfxAdCheckpointAttrRead(attribute.to_raw(), raw.as_mut_ptr()).then(|| {
            let raw = raw.assume_init();
            (raw.scheme, raw.number)
        })
    }
}

/// Reads a type of `tfx_stream`.
pub(crate) fn stream_type(r#type: Type<'_>) -> RawStreamType {
    // SAFETY: the type is not null.
    unsafe { tfxStreamTypeRead(r#type.to_raw()) }
}

/// Returns the number of the type's kind in `TfxHostTypeKind`.
pub(crate) fn kind(r#type: Type) -> u32 {
    // SAFETY: the type is not null.
    unsafe { tfxHostTypeGetKind(r#type.to_raw()) }
}

/// Returns the name in a type of the dialect, or an empty string.
pub(crate) fn name<'c>(r#type: Type<'c>) -> &'c str {
    // SAFETY: the type is not null; the name is stored in the context, which outlives `'c`.
    unsafe { text(tfxHostTypeGetName(r#type.to_raw())) }
}

/// Returns a name that MLIR keeps; an empty one if it is not UTF-8.
///
/// # Safety
///
/// It is stored in a context that outlives `'c`.
unsafe fn text<'c>(name: MlirStringRef) -> &'c str {
    if name.length == 0 {
        return "";
    }
    // SAFETY: the contract of this function; a name that is not empty has a valid pointer.
    let bytes = unsafe { std::slice::from_raw_parts(name.data.cast(), name.length) };
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Returns the protocol of an associated type or of an existential, or an empty string.
pub(crate) fn protocol<'c>(r#type: Type<'c>) -> &'c str {
    // SAFETY: as for the name.
    unsafe { text(tfxHostTypeGetProtocol(r#type.to_raw())) }
}

/// Returns the name and the protocols of a `#tfx_host.type_param`.
pub(crate) fn type_param<'c>(attribute: Attribute<'c>) -> Option<(&'c str, Vec<&'c str>)> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is not null, and its kind is checked before it is read; the indices are
    // in range; the names are stored in the context.
    unsafe {
        tfxAttributeIsATypeParam(raw).then(|| {
            let protocols = (0..tfxTypeParamAttrGetNumProtocols(raw))
                .map(|index| text(tfxTypeParamAttrGetProtocol(raw, index)));
            (text(tfxTypeParamAttrGetName(raw)), protocols.collect())
        })
    }
}

/// Returns whether it is the type of closures that may escape.
pub(crate) fn is_escaping(r#type: Type) -> bool {
    // SAFETY: the type is not null.
    unsafe { tfxHostTypeIsEscaping(r#type.to_raw()) }
}

/// Returns the types in a type of the dialect.
pub(crate) fn arguments<'c>(r#type: Type<'c>) -> Vec<Type<'c>> {
    // SAFETY: the indices are in range; the arguments belong to the same context.
    unsafe {
        let count = tfxHostTypeGetNumArguments(r#type.to_raw());
        (0..count)
            .map(|index| Type::from_raw(tfxHostTypeGetArgument(r#type.to_raw(), index)))
            .collect()
    }
}

/// Returns the type of references to `pointee`.
pub(crate) fn reference<'c>(pointee: Type<'c>) -> Type<'c> {
    // SAFETY: the type is not null, and the result belongs to its context.
    unsafe { Type::from_raw(tfxHostRefTypeGet(pointee.to_raw())) }
}

/// Returns the nominal type of another declaration; `r#type` must be nominal.
pub(crate) fn nominal<'c>(r#type: Type<'c>, declaration: &str) -> Type<'c> {
    let declaration = StringRef::new(declaration);
    // SAFETY: the type is nominal, and the result belongs to its context, which copies the name.
    unsafe { Type::from_raw(tfxHostNominalTypeGet(r#type.to_raw(), declaration.to_raw())) }
}

/// Returns the type of arrays of `element`.
pub(crate) fn array<'c>(element: Type<'c>) -> Type<'c> {
    // SAFETY: the type is not null, and the result belongs to its context.
    unsafe { Type::from_raw(tfxHostArrayTypeGet(element.to_raw())) }
}

/// Returns the type of closures with a signature.
pub(crate) fn closure<'c>(signature: Type<'c>, escaping: bool) -> Type<'c> {
    // SAFETY: the caller checks that the type is a function type, and the result belongs to its
    // context.
    unsafe { Type::from_raw(tfxHostClosureTypeGet(signature.to_raw(), escaping)) }
}

/// Returns `r#type` with each named type parameter replaced.
pub(crate) fn substitute<'c>(r#type: Type<'c>, arguments: &[(&str, Type<'c>)]) -> Type<'c> {
    let names: Vec<_> = arguments
        .iter()
        .map(|(name, _)| StringRef::new(name).to_raw())
        .collect();
    let types: Vec<_> = arguments
        .iter()
        .map(|(_, argument)| argument.to_raw())
        .collect();
    // SAFETY: both arrays have `names.len()` elements and outlive the call; the result belongs
    // to the same context.
    unsafe {
        Type::from_raw(tfxHostTypeSubstitute(
            r#type.to_raw(),
            names.len() as isize,
            names.as_ptr(),
            types.as_ptr(),
        ))
    }
}

/// Calls `visit` on every type in `attribute`, at any depth.
pub(crate) fn walk_types<'c>(attribute: Attribute<'c>, visit: &mut dyn FnMut(Type<'c>)) {
    extern "C" fn trampoline(data: *mut c_void, r#type: MlirType) {
        // SAFETY: `data` is the closure below, which outlives the walk; the type belongs to the
        // attribute's context.
        unsafe {
            let visit = &mut *data.cast::<&mut dyn FnMut(Type<'static>)>();
            visit(Type::from_raw(r#type));
        }
    }
    // SAFETY: only the lifetime of the context is hidden from the trampoline; the closure takes
    // types of that context.
    let mut visit: &mut dyn FnMut(Type<'static>) = unsafe { std::mem::transmute(visit) };
    let data = (&raw mut visit).cast::<c_void>();
    // SAFETY: the attribute is not null, and `data` is valid for the call.
    unsafe { tfxAttributeWalkTypes(attribute.to_raw(), trampoline, data) }
}
