//! The lowering of messages of several scalars, which `tfx-pack-scalars` packs into a tensor of
//! rank 1.
//!
//! ```text
//!   tensor.from_elements %a, %b      tfx_tensor_new(dtype, 1, [2]), two stores to tfx_tensor_data
//!   tensor.extract %t[1]             tfx_tensor_data(%t), and a load
//! ```
//!
//! A boolean is a byte in a tensor. Each element is accessed at a constant position;
//! `check_host.rs` has rejected all others.

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_graphdef_mlir::types;
use tfx_ir::Builder;
use tfx_ir::ops::{arith, llvm, tensor as builtin_tensor};

use crate::calls::Calls;
use crate::check_host;
use crate::memory::{element_address, load};

impl<'a> Calls<'a> {
    pub(crate) fn pack(&mut self, op: builtin_tensor::FromElements<'a>) {
        let elements = op.elements();
        let dtype = types::data_type(op.result().ty()).unwrap_or_default();
        let dims = self.globals.sizes(&[elements.len() as i64]);
        let mut builder = Builder::before(op.op());
        let operands = [
            self.integer(&mut builder, 32, dtype as i64),
            self.integer(&mut builder, 32, 1),
            self.address(&mut builder, &dims),
        ];
        let tensor = self.call_value(&mut builder, "tfx_tensor_new", &operands);
        let data = self.call_value(&mut builder, "tfx_tensor_data", &[tensor]);
        for (index, mut value) in elements.iter().enumerate() {
            let stored = self.in_memory(value.ty());
            if stored != value.ty() {
                value = arith::ExtUI::build(&mut builder, stored, value).out();
            }
            let address = element_address(&mut builder, data, stored, index);
            llvm::Store::build(&mut builder, value, address);
        }
        op.replace_with(&[tensor]);
    }

    pub(crate) fn unpack(&mut self, op: builtin_tensor::Extract<'a>) {
        let position = check_host::constant_position(op).expect("other positions are rejected");
        let ty = op.result().ty();
        let stored = self.in_memory(ty);
        let mut builder = Builder::before(op.op());
        let data = self.call_value(&mut builder, "tfx_tensor_data", &[op.tensor()]);
        let address = element_address(&mut builder, data, stored, position as usize);
        let mut value = load(&mut builder, address, stored);
        if stored != ty {
            value = arith::TruncI::build(&mut builder, ty, value).out();
        }
        op.replace_with(&[value]);
    }

    /// Returns the type of an element in the memory of a tensor.
    fn in_memory(&self, ty: Type<'a>) -> Type<'a> {
        let is_boolean = IntegerType::try_from(ty).is_ok_and(|integer| integer.width() == 1);
        match is_boolean {
            true => IntegerType::new(self.context, u8::BITS).into(),
            false => ty,
        }
    }
}
