//! Structs, tuples and enums as their leaves.
//!
//! ```text
//!   %m : struct @M {w: tensor<4xf32>, at: tuple<f32, i64>}
//!      explode ──►  %m.w, %m.at[0], %m.at[1]  ──► implode
//!   %e : enum @E {none(), one(f32)}
//!      explode ──►  tag, payload of "none", payload of "one"  ──► implode: a switch over the tag
//!   %a : array<struct @M>
//!      explode ──►  an array for each leaf of @M: a loop over the elements
//! ```
//!
//! Derived functions have the leaves as parameters and results. The payload of a case that an enum
//! does not have is an unspecified value, which nothing reads. Closures, objects and arrays of
//! leaves are leaves. Cost: linear in the number of parts, and in the elements of arrays of them.

use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::TupleType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, array, host_type, substitute};
use tfx_ir::cast::Cast;
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{arith, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Value};

use crate::arrays;
use crate::tangent::is_differentiable;
use crate::values;

/// A field of a struct or an element of a tuple.
pub(crate) struct Part<'a> {
    pub(crate) ty: Type<'a>,
    /// The name of the field; none for an element.
    pub(crate) field: Option<&'a str>,
}

/// Returns the parts of a struct or a tuple; none for any other type.
pub(crate) fn parts<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Part<'a>>> {
    if let Some(tuple) = TupleType::cast(ty) {
        let elements = (0..tuple.type_count()).filter_map(|index| tuple.r#type(index).ok());
        return Some(elements.map(|ty| Part { ty, field: None }).collect());
    }
    let Some(HostType::Struct {
        declaration,
        arguments,
    }) = host_type(ty)
    else {
        return None;
    };
    let declaration = symbols.get(declaration).and_then(host::Struct::cast)?;
    let arguments: Vec<_> = declaration
        .type_params()
        .into_iter()
        .zip(arguments)
        .collect();
    let names = declaration.field_names();
    let fields = declaration.field_types().into_iter().zip(names);
    let fields = fields.map(|(ty, name)| Part {
        ty: substitute(ty, &arguments),
        field: Some(name),
    });
    Some(fields.collect())
}

/// A case of an enum.
pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    pub(crate) payload: Vec<Type<'a>>,
}

/// Returns the cases of an enum; none for any other type.
pub(crate) fn cases<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Case<'a>>> {
    let Some(HostType::Enum {
        declaration,
        arguments,
    }) = host_type(ty)
    else {
        return None;
    };
    let declaration = symbols.get(declaration).and_then(host::Enum::cast)?;
    let arguments: Vec<_> = declaration
        .type_params()
        .into_iter()
        .zip(arguments)
        .collect();
    let payloads = ArrayAttribute::cast(declaration.op().attribute(CASE_TYPES)?)?;
    let cases = declaration.case_names().into_iter().enumerate();
    let cases = cases.map(|(index, name)| {
        let payload = payloads
            .element(index)
            .ok()
            .and_then(ArrayAttribute::cast)?;
        let types = (0..payload.len()).filter_map(|index| payload.element(index).ok());
        let types = types.filter_map(TypeAttribute::cast);
        let types = types.map(|attribute| substitute(attribute.value(), &arguments));
        let payload = types.collect();
        Some(Case { name, payload })
    });
    cases.collect()
}

/// The attribute of an enum with the types of the payload of each case.
const CASE_TYPES: &str = "case_types";

/// Returns whether a type contains an enum.
pub(crate) fn has_enum<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> bool {
    if let Some(element) = arrays::element(ty) {
        return has_enum(element, symbols);
    }
    let parts = || parts(ty, symbols).unwrap_or_default();
    cases(ty, symbols).is_some() || parts().iter().any(|part| has_enum(part.ty, symbols))
}

/// Returns the types of the leaves of the elements of an array; none for an array of leaves.
pub(crate) fn element_leaves<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>) -> Option<Vec<Type<'a>>> {
    let element = arrays::element(ty)?;
    let leaves = all_leaves(&[element], symbols);
    (leaves != [element] && !leaves.is_empty()).then_some(leaves)
}

/// Appends the types of the leaves of a type.
pub(crate) fn leaves<'a>(ty: Type<'a>, symbols: &SymbolTable<'a>, leaves: &mut Vec<Type<'a>>) {
    if let Some(of_element) = element_leaves(ty, symbols) {
        return leaves.extend(of_element.into_iter().map(array));
    }
    if let Some(cases) = cases(ty, symbols) {
        leaves.push(Type::index(symbols.owner().context()));
        let payloads = cases.iter().flat_map(|case| &case.payload);
        return payloads.for_each(|part| self::leaves(*part, symbols, leaves));
    }
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
    if let Some(of_element) = element_leaves(value.ty(), symbols) {
        return leaves.extend(each_element(
            builder,
            value,
            &of_element,
            |inside, element| {
                let mut own = Vec::new();
                explode(inside, element, symbols, &mut own);
                own
            },
        ));
    }
    if let Some(cases) = cases(value.ty(), symbols) {
        leaves.push(host::EnumTag::build(builder, value).tag());
        for case in cases {
            let payload = host::EnumPayload::build(builder, &case.payload, value, case.name);
            for part in payload.payload() {
                explode(builder, part, symbols, leaves);
            }
        }
        return;
    }
    let Some(parts) = parts(value.ty(), symbols) else {
        return leaves.push(value);
    };
    for (index, part) in parts.iter().enumerate() {
        let part = get(builder, value, part, index);
        explode(builder, part, symbols, leaves);
    }
}

/// Appends the differentiable leaves of a tangent: those of the cases that an enum does not have
/// are zero.
pub(crate) fn explode_tangent<'a>(
    builder: &mut Builder<'a>,
    tangent: Value<'a>,
    symbols: &SymbolTable<'a>,
    leaves: &mut Vec<Value<'a>>,
) {
    if let Some(mut of_element) = element_leaves(tangent.ty(), symbols) {
        of_element.retain(|ty| is_differentiable(*ty));
        return leaves.extend(each_element(
            builder,
            tangent,
            &of_element,
            |inside, element| {
                let mut own = Vec::new();
                explode_tangent(inside, element, symbols, &mut own);
                own
            },
        ));
    }
    if let Some(cases) = cases(tangent.ty(), symbols) {
        let tag = host::EnumTag::build(builder, tangent).tag();
        for (index, case) in cases.iter().enumerate() {
            let payload = host::EnumPayload::build(builder, &case.payload, tangent, case.name);
            let mut of_case = Vec::new();
            for part in payload.payload() {
                explode_tangent(builder, part, symbols, &mut of_case);
            }
            let number = builder.constant_int(index as i64, tag.ty());
            let is_case = arith::CmpI::build(builder, CmpIPredicate::Eq, tag, number).result();
            leaves.extend(of_case.into_iter().map(|leaf| {
                let zero = values::zero(builder, leaf.ty(), || leaf);
                arith::Select::build(builder, is_case, leaf, zero).result()
            }));
        }
        return;
    }
    let Some(parts) = parts(tangent.ty(), symbols) else {
        if is_differentiable(tangent.ty()) {
            leaves.push(tangent);
        }
        return;
    };
    for (index, part) in parts.iter().enumerate() {
        let part = get(builder, tangent, part, index);
        explode_tangent(builder, part, symbols, leaves);
    }
}

/// Builds arrays of the leaves of the elements of an array.
fn each_element<'a>(
    builder: &mut Builder<'a>,
    whole: Value<'a>,
    types: &[Type<'a>],
    leaves: impl FnOnce(&mut Builder<'a>, Value<'a>) -> Vec<Value<'a>>,
) -> Vec<Value<'a>> {
    let count = host::ArrayCount::build(builder, whole).count();
    let types: Vec<_> = types.iter().copied().map(array).collect();
    arrays::generate(builder, count, &types, |inside, index| {
        let element = host::ArrayGet::build(inside, whole, index).element();
        leaves(inside, element)
    })
}

/// Reads a part of a struct or a tuple.
fn get<'a>(
    builder: &mut Builder<'a>,
    whole: Value<'a>,
    part: &Part<'a>,
    index: usize,
) -> Value<'a> {
    match part.field {
        Some(name) => host::Extract::build(builder, part.ty, whole, name).result(),
        None => host::TupleGet::build(builder, whole, index as u32).result(),
    }
}

/// Reads the parts of a struct or a tuple; there are none of any other value.
pub(crate) fn part_values<'a>(
    builder: &mut Builder<'a>,
    whole: Value<'a>,
    symbols: &SymbolTable<'a>,
) -> Vec<Value<'a>> {
    let parts = parts(whole.ty(), symbols).unwrap_or_default();
    let parts = parts.iter().enumerate();
    parts
        .map(|(index, part)| get(builder, whole, part, index))
        .collect()
}

/// Builds a value of a type from its leaves.
pub(crate) fn implode<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    symbols: &SymbolTable<'a>,
    leaves: &mut dyn Iterator<Item = Value<'a>>,
) -> Value<'a> {
    if let Some(of_element) = element_leaves(ty, symbols) {
        let own: Vec<_> = leaves.take(of_element.len()).collect();
        let element = arrays::element(ty).expect("the type of an array");
        let count = host::ArrayCount::build(builder, own[0]).count();
        let built = arrays::generate(builder, count, &[ty], |inside, index| {
            let own = own.iter().copied();
            let own = own.map(|array| host::ArrayGet::build(inside, array, index).element());
            let own: Vec<_> = own.collect();
            vec![implode(inside, element, symbols, &mut own.into_iter())]
        });
        return built[0];
    }
    if let Some(cases) = cases(ty, symbols) {
        let tag = leaves.next().expect("there is a tag");
        let mut payloads = Vec::new();
        for case in cases {
            let payload = case.payload.iter();
            let payload = payload.map(|part| implode(builder, *part, symbols, leaves));
            payloads.push((case.name, payload.collect()));
        }
        return implode_enum(builder, ty, tag, &payloads);
    }
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

/// Builds an enum value by its tag, from the payload of each case.
fn implode_enum<'a>(
    builder: &mut Builder<'a>,
    ty: Type<'a>,
    tag: Value<'a>,
    payloads: &[(&str, Vec<Value<'a>>)],
) -> Value<'a> {
    // The default region is that of the last case.
    let tags: Vec<_> = (0..payloads.len() as i64 - 1).collect();
    let switch = scf::IndexSwitch::build(builder, &[ty], tag, &tags, tags.len());
    let regions = switch.case_regions().chain([switch.default_region()]);
    for (region, (case, payload)) in regions.zip(payloads) {
        let mut inside = Builder::at_end(region.add_block(&[]), builder.location());
        let value = host::MakeEnum::build(&mut inside, ty, case, payload).result();
        scf::Yield::build(&mut inside, &[value]);
    }
    switch.op().result(0)
}
