//! `tfx-check-operations`: checks each `tfx_tensor.op` against TensorFlow's registry.
//!
//! ```text
//! %y = tfx_tensor.op "MatMull"(%x, %w) ...
//!   error: TensorFlow has no operation "MatMull"; did you mean "MatMul"?
//! ```
//!
//! The pass checks the names of operations and attributes, the number of operands and results,
//! their element types, and the kinds and bounds of attributes. It reports one error for each
//! invalid operation and continues, so that one run finds all of them. It changes nothing and may
//! run on any operation. Linear in the IR.
//!
//! Not checked: shapes, whether a device has a kernel, and generic functions, whose element types
//! are unknown before `tfx-specialize`.

use tfx_dialects::tensor;
use tfx_dialects::types::is_generic;
use tfx_graphdef_mlir::operations::Resolver;
use tfx_ir::{
    Op,
    diag::{self, Diagnostics},
    pass::{Pass, PassContext, PassResult},
};

/// `tfx-check-operations`: see the documentation of the module.
#[derive(Default)]
pub struct CheckOperations;

impl Pass for CheckOperations {
    type Options = ();
    const NAME: &'static str = "TfxCheckOperations";
    const ARGUMENT: &'static str = "tfx-check-operations";
    const DESCRIPTION: &'static str =
        "Check TensorFlow operations against the registry: names, arity, element types, attributes";

    fn run<'a>(&mut self, root: Op<'a>, _: &PassContext<'a, ()>) -> PassResult {
        let mut errors = Diagnostics::default();
        let mut resolver = Resolver::default();
        let mut walk = root.walk();
        while let Some(op) = walk.next() {
            if is_generic(op) {
                walk.skip_regions();
            }
            if op.isa::<tensor::Op>()
                && let Err(error) = resolver.resolve(op)
            {
                errors.push(diag::error(op.location(), error.message.clone()));
            }
        }
        Ok(errors.finish()?)
    }
}
