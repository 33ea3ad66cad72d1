//! What passes ask of `tfx_host` types.
//!
//! ```
//! use melior::{Context, ir::Type};
//! use tfx_dialects::types::{HostType, host_type, reference};
//!
//! let context = Context::new();
//! tfx_dialects::load(&context);
//! let pair = Type::parse(&context, "!tfx_host.struct<@Pair<i32, f32>>").unwrap();
//! let HostType::Struct { declaration, arguments } = host_type(pair).unwrap() else { panic!() };
//! assert_eq!((declaration, arguments.len()), ("Pair", 2));
//! assert_eq!(host_type(reference(pair)), Some(HostType::Ref(pair)));
//! ```

use melior::ir::{Attribute, Type};

use crate::ffi;

/// A type of the dialect, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostType<'c> {
    /// A reference to a variable of a type.
    Ref(Type<'c>),
    /// A struct with arguments for its type parameters.
    Struct {
        /// The symbol of the declaration.
        declaration: &'c str,
        /// In the order of the parameters.
        arguments: Vec<Type<'c>>,
    },
    /// An enum with arguments for its type parameters.
    Enum {
        /// The symbol of the declaration.
        declaration: &'c str,
        /// In the order of the parameters.
        arguments: Vec<Type<'c>>,
    },
    /// A type parameter.
    Param(&'c str),
    /// An associated type of the type that is named by the name.
    Assoc {
        /// The conforming type.
        base: Type<'c>,
        /// The associated type's name.
        name: &'c str,
    },
    /// A function value; the type is its signature.
    Closure(Type<'c>),
    /// An array of a type.
    Array(Type<'c>),
    /// A class instance; the name is that of the class.
    Object(&'c str),
    /// An existential; the name is that of the protocol.
    Any(&'c str),
    /// A string.
    String,
}

/// Takes a type of the dialect apart; any other type is `None`.
pub fn host_type(r#type: Type<'_>) -> Option<HostType<'_>> {
    let name = || ffi::name(r#type);
    let arguments = || ffi::arguments(r#type);
    let only = || ffi::arguments(r#type)[0];
    // The numbers of `TfxHostTypeKind` in capi/tfx_dialects.h.
    Some(match ffi::kind(r#type) {
        1 => HostType::Ref(only()),
        2 => HostType::Struct {
            declaration: name(),
            arguments: arguments(),
        },
        3 => HostType::Enum {
            declaration: name(),
            arguments: arguments(),
        },
        4 => HostType::Param(name()),
        5 => HostType::Assoc {
            base: only(),
            name: name(),
        },
        6 => HostType::Closure(only()),
        7 => HostType::Array(only()),
        8 => HostType::Object(name()),
        9 => HostType::Any(name()),
        10 => HostType::String,
        _ => return None,
    })
}

/// `!tfx_host.ref<pointee>`.
pub fn reference(pointee: Type<'_>) -> Type<'_> {
    ffi::reference(pointee)
}

/// `r#type` with each `!tfx_host.param` that is named replaced, at any depth.
pub fn substitute<'c>(r#type: Type<'c>, arguments: &[(&str, Type<'c>)]) -> Type<'c> {
    if arguments.is_empty() {
        r#type
    } else {
        ffi::substitute(r#type, arguments)
    }
}

/// Calls `visit` on every type in an attribute, at any depth (a type attribute's own type too).
pub fn walk_types<'c>(attribute: Attribute<'c>, mut visit: impl FnMut(Type<'c>)) {
    ffi::walk_types(attribute, &mut visit);
}
