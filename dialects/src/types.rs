//! Structured access to `tfx_host` types.
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

use melior::ir::{Attribute, Type, TypeLike};
use tfx_ir::Op;
use tfx_ir::ops::func;

use crate::ffi;

/// Returns whether a type is a tensor of resources or variants, which only a graph can hold.
pub fn is_graph_only(ty: Type<'_>) -> bool {
    // The text of a tensor type contains no name but that of its element type.
    let text = ty.to_string();
    let names = ["!tfx_tensor.resource", "!tfx_tensor.variant"];
    ty.is_tensor() && names.iter().any(|name| text.contains(name))
}

/// The attribute of a generic function: an array of `#tfx_host.type_param`. No code is generated
/// for such a function, so passes after `tfx-specialize` ignore it.
pub const TYPE_PARAMS: &str = "tfx_host.type_params";

/// Returns whether an operation is a generic function, whose types are not all known yet.
pub fn is_generic(op: Op<'_>) -> bool {
    op.isa::<func::Func>() && op.attribute(TYPE_PARAMS).is_some()
}

/// A type of the dialect with its parts.
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
    /// An associated type.
    Assoc {
        /// The conforming type.
        base: Type<'c>,
        /// The symbol of the protocol that it conforms to.
        protocol: &'c str,
        /// The associated type's name.
        name: &'c str,
    },
    /// A function value; the type is its signature.
    Closure(Type<'c>),
    /// An array of a type.
    Array(Type<'c>),
    /// A class instance, with arguments for the class's type parameters.
    Object {
        /// The symbol of the declaration.
        declaration: &'c str,
        /// In the order of the parameters.
        arguments: Vec<Type<'c>>,
    },
    /// An existential; the name is that of the protocol.
    Any(&'c str),
    /// A string.
    String,
    /// A queue of the results of calls, each of these types.
    Queue(Vec<Type<'c>>),
}

/// Returns the class of a class instance; none for any other type.
pub fn class_of(r#type: Type<'_>) -> Option<&str> {
    match host_type(r#type)? {
        HostType::Object { declaration, .. } => Some(declaration),
        _ => None,
    }
}

/// Returns a type of the dialect with its parts; none for any other type.
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
            protocol: ffi::protocol(r#type),
            name: name(),
        },
        6 => HostType::Closure(only()),
        7 => HostType::Array(only()),
        8 => HostType::Object {
            declaration: name(),
            arguments: arguments(),
        },
        9 => HostType::Any(name()),
        10 => HostType::String,
        11 => HostType::Queue(arguments()),
        _ => return None,
    })
}

/// A type parameter of a function, as `#tfx_host.type_param` declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeParam<'c> {
    /// Its name, which `!tfx_host.param` types refer to.
    pub name: &'c str,
    /// The protocols that an argument must conform to.
    pub protocols: Vec<&'c str>,
}

/// Returns the parts of a `#tfx_host.type_param`; none for any other attribute.
pub fn type_param(attribute: Attribute<'_>) -> Option<TypeParam<'_>> {
    let (name, protocols) = ffi::type_param(attribute)?;
    Some(TypeParam { name, protocols })
}

/// Returns whether it is the type of closures that may escape.
pub fn is_escaping(r#type: Type<'_>) -> bool {
    ffi::is_escaping(r#type)
}

/// Returns `!tfx_host.ref<pointee>`.
pub fn reference(pointee: Type<'_>) -> Type<'_> {
    ffi::reference(pointee)
}

/// Returns `!tfx_host.array<element>`.
pub fn array(element: Type<'_>) -> Type<'_> {
    ffi::array(element)
}

/// Returns the type of closures with a signature.
///
/// # Panics
///
/// If the signature is not a function type.
pub fn closure(signature: Type<'_>, escaping: bool) -> Type<'_> {
    assert!(signature.is_function(), "a closure has a signature");
    ffi::closure(signature, escaping)
}

/// Returns the nominal type of the same kind (struct, enum or object) as `r#type` for another
/// declaration, which is not generic.
///
/// # Panics
///
/// If `r#type` is not nominal.
pub fn nominal<'c>(r#type: Type<'c>, declaration: &str) -> Type<'c> {
    let is_nominal = matches!(
        host_type(r#type),
        Some(HostType::Struct { .. } | HostType::Enum { .. } | HostType::Object { .. })
    );
    assert!(is_nominal, "'{type}' is not nominal");
    ffi::nominal(r#type, declaration)
}

/// Returns `r#type` with each named `!tfx_host.param` replaced, at any depth.
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

/// Returns the type arguments of a nominal type (a struct, an enum or an object).
pub fn type_arguments(r#type: Type<'_>) -> Vec<Type<'_>> {
    match host_type(r#type) {
        Some(HostType::Struct { .. } | HostType::Enum { .. } | HostType::Object { .. }) => {
            ffi::arguments(r#type)
        }
        _ => Vec::new(),
    }
}
