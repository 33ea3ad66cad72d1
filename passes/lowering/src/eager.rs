//! Operations that the host runs by themselves: a template for each, and a call of the runtime.
//!
//! ```text
//!   %y = tfx_tensor.op "OneHot"(%i, ..) computed(axis = %n : i64) {eager}
//!
//!   tfx.operation.f_OneHot = {image of the template, 1, [{"axis", depth 0, DT_INT64}]}
//!   func.call @tfx_operation_run(operation, tensors, values, results, place)
//! ```
//!
//! A value of an attribute goes as what host code has: a scalar in a tensor of rank 0, a string, the box of an array. The C types are those of
//! `docs/program-image.md`, section 7. The templates are made while values still have their types. Linear in the operations.

use std::collections::HashMap;

use prost::Message;
use tfx_dialects::replicable::is_eager;
use tfx_graphdef::naming::{UniqueNames, program_name};
use tfx_graphdef_mlir::eager::template;
use tfx_graphdef_mlir::operations::{NAME_ATTRIBUTE, split_operands, value_type};
use tfx_ir::diag::{self, Diag};
use tfx_ir::{Builder, Op, Value};

use crate::globals::{Field, Globals};
use crate::host_ops::{Calls, load, slot};
use crate::images::image;

/// The symbol of what describes each eager operation.
pub(crate) type Operations<'a> = HashMap<Op<'a>, String>;

/// Describes every eager operation of some functions. Their programs get names that are not taken.
pub(crate) fn emit<'a>(
    functions: &[Op<'a>],
    names: &mut UniqueNames,
    globals: &mut Globals,
) -> Result<Operations<'a>, Diag<'a>> {
    let mut operations = Operations::new();
    for function in functions {
        let place = function.symbol_name().unwrap_or_default();
        for op in function.walk().filter(|&op| is_eager(op)) {
            let operation = op.string(NAME_ATTRIBUTE).unwrap_or_default();
            let name = names.take(&program_name(&format!("{place}.{operation}")));
            operations.insert(op, describe(op, &name, globals)?);
        }
    }
    Ok(operations)
}

fn describe<'a>(op: Op<'a>, name: &str, globals: &mut Globals) -> Result<String, Diag<'a>> {
    let (tensors, values) = split_operands(op);
    let graphdef = template(op, name)?.encode_to_vec();
    let sizes = [tensors.len(), op.num_results()];
    let image = image(name, &graphdef, sizes, &[], globals);
    let mut rows = Vec::with_capacity(values.len());
    for (attribute, value) in values {
        let ty = value_type(value.ty()).ok_or_else(|| {
            let message = format!(
                "attribute \"{attribute}\" cannot be computed at run time as '{}': run tfx-constexpr before tfx-lower-host",
                value.ty()
            );
            diag::error(op.location(), message)
        })?;
        rows.push(vec![
            Field::Address(globals.c_string(attribute)),
            Field::I32(ty.depth as i32),
            Field::I32(ty.element as i32),
        ]);
    }
    let attributes = globals.array(&format!("tfx.attributes.{name}"), &rows);
    let symbol = format!("tfx.operation.{name}");
    let fields = [
        Field::Address(image),
        Field::I32(rows.len() as i32),
        attributes,
    ];
    globals.record(&symbol, &fields);
    Ok(symbol)
}

impl<'a> Calls<'a> {
    /// Runs an operation by itself.
    pub(crate) fn eager(&mut self, op: Op<'a>, description: String) -> Result<(), Diag<'a>> {
        let (tensors, values) = split_operands(op);
        let values: Vec<Value<'a>> = values.into_iter().map(|(_, value)| value).collect();
        let (values, made) = self.handles(op, &values)?;
        let (tensors, values) = (self.array(op, &tensors), self.array(op, &values));
        let place = self.place(op);
        let count = op.num_results();
        let mut builder = Builder::before(op);
        let description = self.address(&mut builder, &Field::Address(description));
        let results = match count {
            0 => self.address(&mut builder, &Field::Null),
            _ => slot(op, self.pointer, count),
        };
        let operands = [description, tensors, values, results, place];
        self.call(&mut builder, "tfx_operation_run", &operands);
        self.release(&mut builder, &made);
        let results: Vec<_> = (0..count)
            .map(|index| {
                let element = self.element(&mut builder, results, index);
                load(&mut builder, element, self.pointer)
            })
            .collect();
        op.replace_with(&results);
        Ok(())
    }
}
