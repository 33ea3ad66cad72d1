//! The conversion of tapes to lists of tensors.
//!
//! ```text
//! !tfx_ad.tape<T>               tensor<!tfx_tensor.variant>
//! tfx_ad.empty_tape             EmptyTensorList
//! tfx_ad.push %x to %tape       TensorListPushBack
//! tfx_ad.pop %tape              TensorListPopBack
//! tfx_ad.tape_length %tape      TensorListLength
//! ```
//!
//! A list has the element type of the tape; the elements of a tape of tapes are lists. TensorFlow
//! changes a list in place if nothing else refers to it, so a loop over a tape takes linear time.

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Attribute, Type};
use tfx_dialects::ad::AdOp;
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::Value;
use tfx_ir::diag::Diagnostic;

use super::cannot_run;
use super::legalizer::Legalizer;
use super::tensor_builder::TensorBuilder;

/// The attribute of operations on lists with the type of their elements.
const ELEMENT_DTYPE: &str = "element_dtype";
/// TensorFlow's number for a size or a capacity that is not known.
const UNKNOWN: i64 = -1;
/// The width of the elements of shapes.
const SHAPE_BITS: u32 = i32::BITS;

impl<'a> Legalizer<'a> {
    /// Converts an operation on a tape.
    pub(super) fn convert_tape(
        &mut self,
        op: AdOp<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        match op {
            AdOp::EmptyTape(op) => {
                let tape = op.tape().ty();
                let element = element(builder, tape);
                let shape = builder.shape_of_type(element);
                let capacity = builder.integer(UNKNOWN, builder.integer_type(SHAPE_BITS));
                let list = types::tensor_type(builder.context(), tape);
                let empty =
                    builder.list_op("EmptyTensorList", &[shape, capacity], &[list], element);
                self.new_values.map(op.tape(), empty.result(0));
            }
            AdOp::Push(op) => {
                let operands = [self.value(op.tape()), self.value(op.value())];
                let element = element(builder, op.tape().ty());
                let list = operands[0].ty();
                let longer = builder.list_op("TensorListPushBack", &operands, &[list], element);
                self.new_values.map(op.result(), longer.result(0));
            }
            AdOp::Pop(op) => {
                let element = element(builder, op.tape().ty());
                let operands = [self.value(op.tape()), builder.shape_of_type(element)];
                let results = [operands[0].ty(), element];
                let pop = builder.list_op("TensorListPopBack", &operands, &results, element);
                self.new_values.map(op.rest(), pop.result(0));
                self.new_values.map(op.value(), pop.result(1));
            }
            AdOp::TapeLength(op) => {
                let number = types::tensor_of(
                    builder.context(),
                    Some(&[]),
                    builder.integer_type(SHAPE_BITS),
                );
                let length = tensor::Op::build(
                    builder,
                    &[number],
                    "TensorListLength",
                    &[self.value(op.tape())],
                );
                let ty = types::tensor_type(builder.context(), op.length().ty());
                let length = tensor::Op::build(builder, &[ty], "Cast", &[length.result(0)]);
                self.new_values.map(op.length(), length.result(0));
            }
            other => return Err(cannot_run(other.op())),
        }
        Ok(())
    }
}

/// Returns the type of the elements of a tape as a tensor.
fn element<'a>(builder: &TensorBuilder<'a>, tape: Type<'a>) -> Type<'a> {
    let element = tape_element(tape).expect("the type of a verified operation on a tape");
    types::tensor_type(builder.context(), element)
}

impl<'a> TensorBuilder<'a> {
    /// Builds an operation on a list of tensors of a type.
    fn list_op(
        &mut self,
        name: &str,
        operands: &[Value<'a>],
        results: &[Type<'a>],
        element: Type<'a>,
    ) -> tensor::Op<'a> {
        let op = tensor::Op::build(self, results, name, operands);
        let element = types::element_type(element);
        op.set_attribute(ELEMENT_DTYPE, TypeAttribute::new(element));
        op
    }

    /// Builds the shape of a type, as far as it is known.
    fn shape_of_type(&mut self, ty: Type<'a>) -> Value<'a> {
        let number = self.integer_type(SHAPE_BITS);
        let Some(sizes) = types::sizes(ty) else {
            return self.integer(UNKNOWN, number);
        };
        let length = [Some(sizes.len() as u64)];
        let sizes = sizes.into_iter();
        let sizes = sizes.map(|size| size.map_or(UNKNOWN, |size| size as i64).to_string());
        let ty = types::tensor_of(self.context(), Some(&length), number);
        let text = match &sizes.collect::<Vec<_>>()[..] {
            [] => format!("dense<> : {ty}"),
            sizes => format!("dense<[{}]> : {ty}", sizes.join(", ")),
        };
        let shape = Attribute::parse(self.context(), &text).expect("a constant shape parses");
        self.constant(shape, ty)
    }
}
