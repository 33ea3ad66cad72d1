//! Scalars in a tensor of rank 1, as messages of several scalars are: see `tfx-pack-scalars`.
//!
//! ```text
//!   tensor.from_elements %a, %b      tfx_tensor_new(dtype, 1, [2]), and a store of each to tfx_tensor_data
//!   tensor.extract %t[1]             tfx_tensor_data(%t), and a load
//! ```
//!
//! A truth value is a byte in a tensor. Each element is one access at a constant place; `check_host.rs` has refused all others.

use melior::ir::Type;
use melior::ir::attribute::{DenseI32ArrayAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

use crate::check_host;
use crate::host_ops::Calls;

impl<'a> Calls<'a> {
    pub(crate) fn pack(&mut self, op: Op<'a>) {
        let elements: Vec<Value<'a>> = op.operands().collect();
        let dtype = types::data_type(op.result(0).ty()).unwrap_or_default();
        let dims = self.globals.sizes(&[elements.len() as i64]);
        let mut builder = Builder::before(op);
        let operands = [
            self.integer(&mut builder, 32, dtype as i64),
            self.integer(&mut builder, 32, 1),
            self.address(&mut builder, &dims),
        ];
        let tensor = self
            .call(&mut builder, "tfx_tensor_new", &operands)
            .result(0);
        let data = self
            .call(&mut builder, "tfx_tensor_data", &[tensor])
            .result(0);
        for (index, mut value) in elements.into_iter().enumerate() {
            let stored = self.in_memory(value.ty());
            if stored != value.ty() {
                value = builder
                    .op("arith.extui")
                    .operand(value)
                    .result(stored)
                    .value();
            }
            let address = self.element_of(&mut builder, data, stored, index);
            builder.op("llvm.store").operands(&[value, address]).build();
        }
        op.replace_with(&[tensor]);
    }

    pub(crate) fn unpack(&mut self, op: Op<'a>) {
        let place = check_host::constant_place(op).expect("other places are refused");
        let place = place as usize;
        let ty = op.result(0).ty();
        let stored = self.in_memory(ty);
        let mut builder = Builder::before(op);
        let data = self
            .call(&mut builder, "tfx_tensor_data", &[op.operand(0)])
            .result(0);
        let address = self.element_of(&mut builder, data, stored, place);
        let mut value = builder
            .op("llvm.load")
            .operand(address)
            .result(stored)
            .value();
        if stored != ty {
            value = builder.op("arith.trunci").operand(value).result(ty).value();
        }
        op.replace_with(&[value]);
    }

    /// How an element of a type lies in a tensor.
    fn in_memory(&self, ty: Type<'a>) -> Type<'a> {
        let is_truth = IntegerType::try_from(ty).is_ok_and(|integer| integer.width() == 1);
        match is_truth {
            true => IntegerType::new(self.context, u8::BITS).into(),
            false => ty,
        }
    }

    fn element_of(
        &self,
        builder: &mut Builder<'a>,
        data: Value<'a>,
        element: Type<'a>,
        index: usize,
    ) -> Value<'a> {
        let indices = DenseI32ArrayAttribute::new(self.context, &[index as i32]);
        builder
            .op("llvm.getelementptr")
            .operand(data)
            .attribute("rawConstantIndices", indices)
            .attribute("elem_type", TypeAttribute::new(element))
            .result(data.ty())
            .value()
    }
}
