//! The lowering of eager operations: a template for each, and a call of the runtime.
//!
//! ```text
//!   %y = tfx_tensor.op "OneHot"(%i, ..) computed(axis = %n : i64) {eager}
//!
//!   tfx.operation.f_OneHot = {image of the template, 1, [{"axis", depth 0, DT_INT64}]}
//!   func.call @tfx_operation_run(operation, tensors, values, results, location)
//! ```
//!
//! The value of an attribute is passed in its representation on the host: a scalar in a tensor of
//! rank 0, a string, the box of an array. The C types are those of `docs/program-image.md`, section
//! 7. The templates are built while values still have their types. Linear in the operations.

use prost::Message;
use tfx_dialects::tensor;
use tfx_graphdef::naming::{UniqueNames, program_name};
use tfx_graphdef_mlir::eager::template;
use tfx_graphdef_mlir::operations::{split_operands, value_type};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op, Value};

use crate::calls::{Calls, Operations};
use crate::globals::{Field, Globals};
use crate::images::image;

/// Emits a description of each eager operation of the functions, with unused names for the
/// templates.
pub(crate) fn emit<'a>(
    functions: &[func::Func<'a>],
    names: &mut UniqueNames,
    globals: &mut Globals,
) -> Result<Operations<'a>, Diagnostic<'a>> {
    let mut operations = Operations::new();
    for function in functions {
        let ops = function.walk().filter_map(tensor::Op::cast);
        for op in ops.filter(|op| op.eager()) {
            let name = format!("{}.{}", function.sym_name(), op.tf_name());
            let name = names.take(&program_name(&name));
            operations.insert(op.op(), describe(op.op(), &name, globals)?);
        }
    }
    Ok(operations)
}

fn describe<'a>(op: Op<'a>, name: &str, globals: &mut Globals) -> Result<String, Diagnostic<'a>> {
    let (tensors, values) = split_operands(op);
    let graphdef = template(op, name)?.encode_to_vec();
    let sizes = [tensors.len(), op.num_results()];
    let image = image(name, &graphdef, sizes, [&[], &[], &[]], globals);
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
    /// Lowers an eager operation.
    pub(crate) fn eager(
        &mut self,
        op: tensor::Op<'a>,
        description: String,
    ) -> Result<(), Diagnostic<'a>> {
        let op = op.op();
        let (tensors, values) = split_operands(op);
        let values: Vec<Value<'a>> = values.into_iter().map(|(_, value)| value).collect();
        let (values, created) = self.handles(op, &values)?;
        let (tensors, values) = (self.array(op, &tensors), self.array(op, &values));
        let location = self.location(op);
        let mut builder = Builder::before(op);
        let description = self.address(&mut builder, &Field::Address(description));
        let results = self.empty_array(op, op.num_results());
        let operands = [description, tensors, values, results, location];
        self.call(&mut builder, "tfx_operation_run", &operands);
        self.release(&mut builder, &created);
        let results = self.results_in(op, results)?;
        op.replace_with(&results);
        Ok(())
    }
}
