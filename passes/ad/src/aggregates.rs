//! Structs and tuples as their leaves.
//!
//! ```text
//!   %m : struct @M {w: tensor<4xf32>, at: tuple<f32, i64>}
//!      explode ──►  %m.w, %m.at[0], %m.at[1]  ──► implode
//! ```
//!
//! Derived functions have the leaves as parameters and results. Enums, closures, arrays and objects
//! are leaves. Cost: linear in the number of parts.

use melior::ir::Type;
use melior::ir::r#type::TupleType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::cast::Cast;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Value};

/// A field of a struct or an element of a tuple.
pub(crate) struct Part<'a> {
    pub(crate) ty: Type<'a>,
    /// The name of the field; none for an element.
    field: Option<&'a str>,
}

/// Returns the parts of a struct or a tuple; none for any other type.
pub(crate) fn parts<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Part<'a>>> {
    if let Some(tuple) = TupleType::cast(ty) {
        let elements = (0..tuple.type_count()).filter_map(|index| tuple.r#type(index).ok());
        return Some(elements.map(|ty| Part { ty, field: None }).collect());
    }
    let Some(HostType::Struct { declaration, .. }) = host_type(ty) else {
        return None;
    };
    let declaration = symbols.get(declaration).and_then(host::Struct::cast)?;
    let names = declaration.field_names();
    let fields = declaration.field_types().into_iter().zip(names);
    let fields = fields.map(|(ty, name)| Part {
        ty,
        field: Some(name),
    });
    Some(fields.collect())
}

/// Appends the types of the leaves of a type.
pub(crate) fn leaves<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>, leaves: &mut Vec<Type<'a>>) {
    match parts(ty, symbols) {
        Some(parts) => parts
            .iter()
            .for_each(|part| self::leaves(part.ty, symbols, leaves)),
        None => leaves.push(ty),
    }
}

/// Returns the types of the leaves of several types.
pub(crate) fn all_leaves<'a>(types: &[Type<'a>], symbols: &SymbolTable<'a>) -> Vec<Type<'a>> {
    let mut all = Vec::new();
    types.iter().for_each(|ty| leaves(*ty, symbols, &mut all));
    all
}

/// Appends the leaves of a value.
pub(crate) fn explode<'a>(
    builder: &mut Builder<'a>,
    value: Value<'a>,
    symbols: &SymbolTable<'a>,
    leaves: &mut Vec<Value<'a>>,
) {
    let Some(parts) = parts(value.ty(), symbols) else {
        return leaves.push(value);
    };
    for (index, part) in parts.iter().enumerate() {
        let part = match part.field {
            Some(name) => host::Extract::build(builder, part.ty, value, name).result(),
            None => host::TupleGet::build(builder, value, index as u32).result(),
        };
        explode(builder, part, symbols, leaves);
    }
}

/// Builds a value of a type from its leaves.
pub(crate) fn implode<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    symbols: &SymbolTable<'a>,
    leaves: &mut impl Iterator<Item = Value<'a>>,
) -> Value<'a> {
    let Some(parts) = parts(ty, symbols) else {
        return leaves.next().expect("there is a leaf for each part");
    };
    let values: Vec<_> = parts
        .iter()
        .map(|part| implode(builder, part.ty, symbols, leaves))
        .collect();
    match host_type(ty) {
        Some(_) => host::MakeStruct::build(builder, ty, &values).result(),
        None => host::MakeTuple::build(builder, &values).result(),
    }
}
