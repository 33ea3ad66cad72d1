//! Making aggregates of leaves and leaves of aggregates, for operations that want them whole.
//!
//! ```text
//!   %f = make_struct(%x, %y)    gather: one operation for each aggregate in the type
//!   %l = make_struct(%f, %n)
//!   %x = extract %f["x"]        spread: one for each field
//! ```
//!
//! Both recurse on the nesting of types, which `Layouts` bounds.

use melior::ir::Location;
use melior::ir::r#type::TupleType;
use melior::ir::{Type, attribute::StringAttribute};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Builder, Value};

use crate::layout::Layouts;
use crate::names;

/// A value of type `ty` with the given leaves.
pub(crate) fn gather<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    leaves: &[Value<'a>],
) -> Result<Value<'a>, PassFailed> {
    let Some(layout) = layouts.of(ty, builder.location())? else {
        return Ok(leaves[0]);
    };
    let parts = layout
        .fields
        .iter()
        .map(|field| gather(builder, layouts, field.ty, &leaves[field.range.clone()]));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let name = if TupleType::try_from(ty).is_ok() {
        names::MAKE_TUPLE
    } else {
        names::MAKE_STRUCT
    };
    Ok(builder.op(name).operands(&parts).result(ty).value())
}

/// The leaves of a value: of an aggregate, or of a reference to one.
pub(crate) fn spread<'a>(
    builder: &mut Builder<'a>,
    layouts: &mut Layouts<'a>,
    value: Value<'a>,
) -> Result<Vec<Value<'a>>, PassFailed> {
    let Some(layout) = layouts.of(value.ty(), builder.location())? else {
        return Ok(vec![value]);
    };
    let mut leaves = Vec::with_capacity(layout.leaves.len());
    for (index, field) in layout.fields.iter().enumerate() {
        let part = match host_type(value.ty()) {
            Some(HostType::Ref(_)) => {
                field_of(builder, names::FIELD_REF, value, &field.name, field.ty)
            }
            Some(_) => field_of(builder, names::EXTRACT, value, &field.name, field.ty),
            None => builder
                .op(names::TUPLE_GET)
                .operand(value)
                .integer("index", 32, index as i64)
                .result(field.ty)
                .value(),
        };
        leaves.extend(spread(builder, layouts, part)?);
    }
    Ok(leaves)
}

fn field_of<'a>(
    builder: &mut Builder<'a>,
    op: &str,
    value: Value<'a>,
    field: &str,
    ty: Type<'a>,
) -> Value<'a> {
    let name = StringAttribute::new(builder.context(), field);
    builder
        .op(op)
        .operand(value)
        .attribute("field", name)
        .result(ty)
        .value()
}

/// The names of the leaves of a type, such as `layer.weights`, in order.
pub(crate) fn leaf_names<'a>(
    layouts: &mut Layouts<'a>,
    ty: Type<'a>,
    name: &str,
    user: Location<'a>,
) -> Result<Vec<String>, PassFailed> {
    let Some(layout) = layouts.of(ty, user)? else {
        return Ok(vec![name.to_owned()]);
    };
    let names = layout
        .fields
        .iter()
        .map(|field| leaf_names(layouts, field.ty, &format!("{name}.{}", field.name), user));
    Ok(names.collect::<Result<Vec<_>, _>>()?.concat())
}
