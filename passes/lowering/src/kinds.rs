//! The representation of values in host code.
//!
//! ```text
//!   i1 ... f64, index                        Plain     by value; in a box, in slots of 8 bytes
//!   tensor, string                           Tensor    TfxTensor *, counted
//!   object, closure, any, array, ref, tape   Box       TfxBox *, counted
//! ```

use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::types::{HostType, host_type as host_dialect_type};
use tfx_graphdef_mlir::types;
use tfx_ir::ops::arith;
use tfx_ir::{Builder, Value};

use crate::memory::pointer;

/// The representation of a value. The numbers are those of `TfxBoxType`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Held by value.
    Plain = 0,
    /// A counted `TfxTensor *`.
    Tensor = 1,
    /// A counted `TfxBox *`.
    Box = 2,
}

impl Kind {
    /// Returns the kind of a type.
    pub(crate) fn of(ty: Type<'_>) -> Self {
        if ty.is_integer() || ty.is_float() || ty.is_index() {
            return Kind::Plain;
        }
        if ty.is_tensor() {
            return Kind::Tensor;
        }
        match host_dialect_type(ty) {
            Some(HostType::String) => Kind::Tensor,
            Some(
                HostType::Object { .. }
                | HostType::Any(_)
                | HostType::Closure(_)
                | HostType::Array(_)
                | HostType::Ref(_),
            ) => Kind::Box,
            None if tape_element(ty).is_some() => Kind::Box,
            _ => Kind::Plain,
        }
    }
}

/// Returns whether values of a type are reference-counted handles in host code.
pub(crate) fn is_handle(ty: Type<'_>) -> bool {
    Kind::of(ty) != Kind::Plain
}

/// Returns whether two types have the same representation in host code.
pub(crate) fn agree(a: Type<'_>, b: Type<'_>) -> bool {
    a == b || is_handle(a) && Kind::of(a) == Kind::of(b)
}

/// Returns whether values of a type are strings.
pub(crate) fn is_string(ty: Type<'_>) -> bool {
    host_dialect_type(ty) == Some(HostType::String)
}

fn is_queue(ty: Type<'_>) -> bool {
    matches!(host_dialect_type(ty), Some(HostType::Queue(_)))
}

fn is_program(ty: Type<'_>) -> bool {
    // A type of another dialect is identified by its text; builtin types are excluded first, since
    // printing is slow.
    !(ty.is_integer() || ty.is_float() || ty.is_index() || ty.is_tensor())
        && ty.to_string() == "!tfx_comm.program"
}

/// Returns the type of a value in host code.
pub(crate) fn host_type<'a>(ty: Type<'a>, context: &'a Context) -> Type<'a> {
    if is_handle(ty) || is_queue(ty) || is_program(ty) {
        pointer(context)
    } else {
        ty
    }
}

/// Returns the type of a value in memory and in signatures of thunks: a type of LLVM.
pub(crate) fn stored_type<'a>(ty: Type<'a>, context: &'a Context) -> Type<'a> {
    if ty.is_index() {
        IntegerType::new(context, types::INDEX_BITS).into()
    } else {
        host_type(ty, context)
    }
}

/// Converts a value to its type in memory and in signatures of thunks.
pub(crate) fn to_stored<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let wide = stored_type(value.ty(), builder.context());
    cast_index(builder, value, value.ty().is_index().then_some(wide))
}

/// Converts a value from its type in memory to its type in the IR.
pub(crate) fn from_stored<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    cast_index(builder, value, ty.is_index().then_some(ty))
}

fn cast_index<'a>(builder: &mut Builder<'a>, value: Value<'a>, to: Option<Type<'a>>) -> Value<'a> {
    let Some(to) = to else { return value };
    arith::IndexCast::build(builder, to, value).out()
}

/// Returns the number of slots of a value in a box; `None` for a type that a box cannot hold.
pub(crate) fn slots(ty: Type<'_>) -> Option<usize> {
    if is_handle(ty) || ty.is_index() || ty.is_float() {
        return Some(1);
    }
    let bits = IntegerType::try_from(ty).ok()?.width() as usize;
    Some(bits.div_ceil(SLOT_BITS).max(1))
}

/// The size of a slot: an address, or any scalar type of most machines.
const SLOT_BITS: usize = 64;
