//! `tfx-check-operations`: every `tfx_tensor.op` against TensorFlow's registry.
//!
//! ```text
//! %y = tfx_tensor.op "MatMull"(%x) ...    error: TensorFlow has no operation "MatMull"; did you mean "MatMul"?
//! ```
//!
//! The names of operations and attributes, how many operands and results there are, their element types, the kinds and bounds of attributes:
//! one error for each faulty operation, at its place, in any operation that the pass runs on, and all of them in one run. Nothing is
//! changed. Linear in the IR.
//!
//! Not checked: shapes, whether a device has a kernel, and generic functions, whose element types are not known before `tfx-specialize`.

use tfx_dialects::types::TYPE_PARAMS;
use tfx_graphdef_mlir::operations::{OP, Resolver};
use tfx_ir::{
    Op, diag,
    pass::{Pass, PassContext, PassFailed},
};

/// See the documentation of this module.
#[derive(Default)]
pub struct CheckOperations;

impl Pass for CheckOperations {
    type Options = ();
    const NAME: &'static str = "TfxCheckOperations";
    const ARGUMENT: &'static str = "tfx-check-operations";
    const DESCRIPTION: &'static str = "Check each TensorFlow operation against the registry: names, arity, element types, attributes";

    fn run<'a>(&mut self, root: Op<'a>, _: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let mut result = Ok(());
        let mut resolver = Resolver::default();
        let mut walk = root.walk();
        while let Some(op) = walk.next() {
            if op.is("func.func") && op.attribute(TYPE_PARAMS).is_some() {
                walk.skip_regions();
            }
            if op.is(OP)
                && let Err(fault) = resolver.resolve(op)
            {
                result = Err(diag::error(op.location(), fault.message.clone()).fail());
            }
        }
        result
    }
}
