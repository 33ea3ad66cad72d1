//! The lowering of arrays.
//!
//! ```text
//!   array(%a, %b)      tfx_box_new(@tfx.box.0, 2); store %a to slot 0, %b to slot 1
//!   array_get %x[%i]   tfx_check_index(%i, count, location); load slot %i * width, retain
//!   array_count %x     number of slots / width
//!   array_set %v into %x[%i]   tfx_check_index; %x = tfx_array_own(%x); release slot; store %v
//!   array_fill %v, %n  store %v to the stack; tfx_array_fill(@tfx.box.0, stack, width, %n, location)
//! ```
//!
//! `array_set` takes its array: `tfx_array_own` copies the array only if something else uses it, so
//! a loop that replaces its array changes it in place.

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::{arith, llvm};
use tfx_ir::{Builder, Op, Value};

use crate::boxes::{SLOT_COUNT_WORD, replace, width};
use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::{Kind, from_stored, to_stored};
use crate::ownership::Count;

/// The constant index of `llvm.getelementptr` for an index that is an operand.
const DYNAMIC_INDEX: i32 = i32::MIN;

impl<'a> Calls<'a> {
    pub(crate) fn array_literal(&mut self, op: host::Array<'a>) -> Result<(), Diagnostic<'a>> {
        let ty = op.array().ty();
        let element = element_type(ty).unwrap_or(ty);
        let width = width(op.op(), element)?;
        let kinds = vec![Kind::of(element) as u8];
        let size = width * op.elements().len();
        let array = self.empty_box(op.op(), &ty.to_string(), kinds, size);
        let mut builder = Builder::before(op.op());
        for (index, value) in op.elements().iter().enumerate() {
            let address = self.slot_address(&mut builder, array, index * width);
            self.store_to(&mut builder, address, value);
        }
        replace(op.op(), &[array]);
        Ok(())
    }

    pub(crate) fn array_get(&mut self, op: host::ArrayGet<'a>) -> Result<(), Diagnostic<'a>> {
        let (array, ty) = (op.array(), op.element().ty());
        let width = width(op.op(), ty)?;
        let mut builder = Builder::before(op.op());
        let index = self.checked_index(&mut builder, op.op(), (array, op.index()), width);
        let address = self.element_address(&mut builder, array, index, width);
        let value = self.load_from(&mut builder, address, ty);
        self.count(&mut builder, Count::Retain, value, ty);
        replace(op.op(), &[value]);
        Ok(())
    }

    pub(crate) fn array_set(&mut self, op: host::ArraySet<'a>) -> Result<(), Diagnostic<'a>> {
        let (array, ty) = (op.array(), op.value().ty());
        let width = width(op.op(), ty)?;
        let mut builder = Builder::before(op.op());
        let index = self.checked_index(&mut builder, op.op(), (array, op.index()), width);
        let own = self.call_value(&mut builder, "tfx_array_own", &[array]);
        let address = self.element_address(&mut builder, own, index, width);
        let old = self.load_from(&mut builder, address, ty);
        self.store_to(&mut builder, address, op.value());
        self.count(&mut builder, Count::Release, old, ty);
        replace(op.op(), &[own]);
        Ok(())
    }

    pub(crate) fn array_fill(&mut self, op: host::ArrayFill<'a>) -> Result<(), Diagnostic<'a>> {
        let (value, ty) = (op.value(), op.array().ty());
        let (stack, width) = self.slots_on_stack(op.op(), value.ty())?;
        let box_type = self.box_type(&ty.to_string(), vec![Kind::of(value.ty()) as u8]);
        let location = self.location(op.op());
        let mut builder = Builder::before(op.op());
        self.store_to(&mut builder, stack, value);
        let box_type = self.address(&mut builder, &Field::Address(box_type));
        let width = self.integer(&mut builder, 64, width);
        let count = to_stored(&mut builder, op.count());
        let operands = [box_type, stack, width, count, location];
        let array = self.call_value(&mut builder, "tfx_array_fill", &operands);
        replace(op.op(), &[array]);
        Ok(())
    }

    /// Returns an index as a number, after a check that it is one of the array's.
    fn checked_index(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        (array, index): (Value<'a>, Value<'a>),
        width: usize,
    ) -> Value<'a> {
        let count = self.element_count(builder, array, width);
        let index = to_stored(builder, index);
        let location = self.location(op);
        self.call(builder, "tfx_check_index", &[index, count, location]);
        index
    }

    fn element_address(
        &self,
        builder: &mut Builder<'a>,
        array: Value<'a>,
        index: Value<'a>,
        width: usize,
    ) -> Value<'a> {
        let first = self.slot_address(builder, array, 0);
        let slot = match self.width_constant(builder, width) {
            Some(width) => arith::MulI::build(builder, index, width).result(),
            None => index,
        };
        let (indices, pointer) = ([DYNAMIC_INDEX], self.pointer);
        llvm::GEP::build(builder, pointer, first, &[slot], &indices, pointer).res()
    }

    pub(crate) fn array_count(&mut self, op: host::ArrayCount<'a>) -> Result<(), Diagnostic<'a>> {
        let array = op.array();
        let element = element_type(array.ty()).unwrap_or(array.ty());
        let width = width(op.op(), element)?;
        let mut builder = Builder::before(op.op());
        let address = self.count_address(&mut builder, array);
        // A derivative counts the array of a path on which nobody reads it: `tfx_host.undef`, null.
        let nothing = self.globals.sizes(&[0]);
        let nothing = self.address(&mut builder, &nothing);
        let null = llvm::Zero::build(&mut builder, self.pointer).res();
        let is_array = llvm::ICmp::build(&mut builder, llvm::ICmpPredicate::Ne, array, null).res();
        let address = arith::Select::build(&mut builder, is_array, address, nothing).result();
        let count = self.count_at(&mut builder, address, width);
        let count = from_stored(&mut builder, count, op.count().ty());
        replace(op.op(), &[count]);
        Ok(())
    }

    fn element_count(
        &self,
        builder: &mut Builder<'a>,
        array: Value<'a>,
        width: usize,
    ) -> Value<'a> {
        let address = self.count_address(builder, array);
        self.count_at(builder, address, width)
    }

    /// Returns the address of the number of slots.
    fn count_address(&self, builder: &mut Builder<'a>, array: Value<'a>) -> Value<'a> {
        self.element(builder, array, SLOT_COUNT_WORD)
    }

    /// Returns the number of elements by the address of the number of slots.
    fn count_at(&self, builder: &mut Builder<'a>, address: Value<'a>, width: usize) -> Value<'a> {
        let word = IntegerType::new(self.context, types::INDEX_BITS).into();
        let slots = self.load_from(builder, address, word);
        match self.width_constant(builder, width) {
            Some(width) => arith::DivUI::build(builder, slots, width).result(),
            None => slots,
        }
    }

    /// Returns the slots of an element as a constant, if an element has several.
    fn width_constant(&self, builder: &mut Builder<'a>, width: usize) -> Option<Value<'a>> {
        (width != 1).then(|| self.integer(builder, types::INDEX_BITS, width as i64))
    }
}

fn element_type(array: Type<'_>) -> Option<Type<'_>> {
    match host_type(array) {
        Some(HostType::Array(element)) => Some(element),
        _ => None,
    }
}
