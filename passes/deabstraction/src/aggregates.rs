//! Builds aggregates from leaves and leaves from aggregates, for operations that need whole
//! aggregates.
//!
//! ```text
//!   %f = make_struct(%x, %y)    gather: one operation for each aggregate in the type
//!   %l = make_struct(%f, %n)
//!   %x = extract %f["x"]        spread: one for each field
//! ```
//!
//! Only structs and tuples can be whole. Both functions recurse on the nesting of types, which
//! `Layouts` bounds.

use melior::ir::r#type::TupleType;
use melior::ir::{Location, Type};
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::cast::Cast;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Builder, Value};

use crate::layout::Layouts;

/// Builds a value of type `ty` from its leaves.
pub(crate) fn gather<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    leaves: &[Value<'a>],
) -> Result<Value<'a>, Diagnostic<'a>> {
    let Some(layout) = layouts.of(ty, builder.location())? else {
        return Ok(leaves[0]);
    };
    let is_tuple = is_tuple(ty, builder.location())?;
    let parts = layout
        .fields
        .iter()
        .map(|field| gather(builder, layouts, field.ty, &leaves[field.range.clone()]));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(match is_tuple {
        true => host::MakeTuple::build(builder, &parts).result(),
        false => host::MakeStruct::build(builder, ty, &parts).result(),
    })
}

/// Returns the leaves of a whole value.
pub(crate) fn spread<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    value: Value<'a>,
) -> Result<Vec<Value<'a>>, Diagnostic<'a>> {
    let Some(layout) = layouts.of(value.ty(), builder.location())? else {
        return Ok(vec![value]);
    };
    let is_tuple = is_tuple(value.ty(), builder.location())?;
    let mut leaves = Vec::with_capacity(layout.leaves.len());
    for (index, field) in (0..).zip(&layout.fields) {
        let part = match is_tuple {
            true => host::TupleGet::build(builder, value, index).result(),
            false => host::Extract::build(builder, field.ty, value, &field.name).result(),
        };
        leaves.extend(spread(builder, layouts, part)?);
    }
    Ok(leaves)
}

/// Returns whether an aggregate is a tuple, and not a struct. No other type can be whole.
fn is_tuple<'a>(ty: Type<'a>, user: Location<'a>) -> Result<bool, Diagnostic<'a>> {
    if TupleType::cast(ty).is_some() {
        return Ok(true);
    }
    if let Some(HostType::Struct { .. }) = host_type(ty) {
        return Ok(false);
    }
    let message = format!(
        "an unknown operation needs a value of type '{ty}' as a whole here; \
         pass its leaves one by one instead"
    );
    Err(diag::error(user, message))
}

/// Returns the names of the leaves of a type, such as `layer.weights`, in order.
pub(crate) fn leaf_names<'a>(
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    name: &str,
    user: Location<'a>,
) -> Result<Vec<String>, Diagnostic<'a>> {
    let Some(layout) = layouts.of(ty, user)? else {
        return Ok(vec![name.to_owned()]);
    };
    if layout.fields.is_empty() {
        let count = layout.leaves.len();
        return Ok(match count {
            1 if layout.cases.is_empty() => vec![name.to_owned()],
            _ => (0..count)
                .map(|index| match index {
                    0 => format!("{name}.tag"),
                    _ => format!("{name}.{}", index - 1),
                })
                .collect(),
        });
    }
    let names = layout
        .fields
        .iter()
        .map(|field| leaf_names(layouts, field.ty, &format!("{name}.{}", field.name), user));
    Ok(names.collect::<Result<Vec<_>, _>>()?.concat())
}
