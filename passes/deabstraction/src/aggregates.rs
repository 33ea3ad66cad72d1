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
use tfx_ir::pass::PassFailed;
use tfx_ir::{Builder, Value, diag};

use crate::layout::Layouts;

/// Builds a value of type `ty` from its leaves.
pub(crate) fn gather<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    leaves: &[Value<'a>],
) -> Result<Value<'a>, PassFailed> {
    let Some(layout) = layouts.of(ty, builder.location())? else {
        return Ok(leaves[0]);
    };
    let maker = maker(ty).ok_or_else(|| cannot_be_whole(builder.location(), ty))?;
    let parts = layout
        .fields
        .iter()
        .map(|field| gather(builder, layouts, field.ty, &leaves[field.range.clone()]));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(builder.op(maker).operands(&parts).result(ty).value())
}

/// Returns the leaves of a whole value.
pub(crate) fn spread<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    value: Value<'a>,
) -> Result<Vec<Value<'a>>, PassFailed> {
    let Some(layout) = layouts.of(value.ty(), builder.location())? else {
        return Ok(vec![value]);
    };
    let maker = maker(value.ty()).ok_or_else(|| cannot_be_whole(builder.location(), value.ty()))?;
    let mut leaves = Vec::with_capacity(layout.leaves.len());
    for (index, field) in layout.fields.iter().enumerate() {
        let part = if maker == host::MakeTuple::NAME {
            let get = builder.op(host::TupleGet::NAME).operand(value);
            get.integer("index", 32, index as i64)
                .result(field.ty)
                .value()
        } else {
            let get = builder.op(host::Extract::NAME).operand(value);
            get.string("field", &field.name).result(field.ty).value()
        };
        leaves.extend(spread(builder, layouts, part)?);
    }
    Ok(leaves)
}

/// Returns the operation that builds a value of a type from its fields.
fn maker(ty: Type<'_>) -> Option<&'static str> {
    if TupleType::cast(ty).is_some() {
        return Some(host::MakeTuple::NAME);
    }
    matches!(host_type(ty), Some(HostType::Struct { .. })).then_some(host::MakeStruct::NAME)
}

fn cannot_be_whole<'a>(user: Location<'a>, ty: Type<'a>) -> PassFailed {
    let message = format!(
        "a value of type '{ty}' is wanted whole here, by an unknown operation; \
         pass what it holds one by one instead"
    );
    diag::error(user, message).fail()
}

/// Returns the names of the leaves of a type, such as `layer.weights`, in order.
pub(crate) fn leaf_names<'a>(
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    name: &str,
    user: Location<'a>,
) -> Result<Vec<String>, PassFailed> {
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
