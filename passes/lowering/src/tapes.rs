//! The lowering of tapes.
//!
//! ```text
//!   empty_tape          NULL
//!   push %x to %tape    store %x to the stack; tfx_tape_push(%tape, @tfx.box.0, stack, width)
//!   pop %tape           tfx_tape_pop(%tape, stack, width); load from the stack
//!   tape_length %tape   tfx_tape_length(%tape, width)
//! ```
//!
//! A tape is a box for reference counts: the chunk with its last values. A push and a pop take the
//! tape, so a loop that replaces its tape changes it in place. So does a call of a function with
//! code, unlike for other parameters: a function that calls itself passes its tape on.

use std::collections::HashSet;

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::ad::{self, AdOp};
use tfx_dialects::derivatives::tape_element;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{func, llvm};
use tfx_ir::{Builder, Op, Value};

use crate::boxes::{replace, width};
use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::Kind;
use crate::memory::stack_slots;

/// Returns whether functions with code own parameters of a type.
pub(crate) fn is_taken(ty: Type<'_>) -> bool {
    tape_element(ty).is_some()
}

impl<'a> Calls<'a> {
    /// Returns the operations of a function that take their operands that are tapes.
    pub(crate) fn takers(&self, function: Op<'a>) -> HashSet<Op<'a>> {
        let takes = |op: &Op<'a>| match func::Call::cast(*op) {
            Some(call) => self.declarations.has_code(call.callee()),
            None => op.isa::<ad::Push>() || op.isa::<ad::Pop>(),
        };
        function.walk().filter(takes).collect()
    }

    /// Lowers the operations on tapes in a function.
    pub(crate) fn lower_tapes(&mut self, function: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let ops = function.walk().skip(1).filter_map(AdOp::cast);
        for op in ops.collect::<Vec<_>>() {
            match op {
                AdOp::EmptyTape(op) => {
                    let mut builder = Builder::before(op.op());
                    let empty = llvm::Zero::build(&mut builder, self.pointer).res();
                    replace(op.op(), &[empty]);
                }
                AdOp::Push(op) => self.push(op)?,
                AdOp::Pop(op) => self.pop(op)?,
                AdOp::TapeLength(op) => self.tape_length(op)?,
                other => return Err(not_differentiated(other.op())),
            }
        }
        Ok(())
    }

    fn push(&mut self, op: ad::Push<'a>) -> Result<(), Diagnostic<'a>> {
        let (value, tape) = (op.value(), op.tape());
        let (stack, width) = self.slots_on_stack(op.op(), value.ty())?;
        let ty = self.chunk_type(tape.ty());
        let mut builder = Builder::before(op.op());
        self.store_to(&mut builder, stack, value);
        let ty = self.address(&mut builder, &Field::Address(ty));
        let width = self.integer(&mut builder, 64, width);
        let operands = [tape, ty, stack, width];
        let longer = self.call_value(&mut builder, "tfx_tape_push", &operands);
        replace(op.op(), &[longer]);
        Ok(())
    }

    fn pop(&mut self, op: ad::Pop<'a>) -> Result<(), Diagnostic<'a>> {
        let ty = op.value().ty();
        let (stack, width) = self.slots_on_stack(op.op(), ty)?;
        let mut builder = Builder::before(op.op());
        let width = self.integer(&mut builder, 64, width);
        let operands = [op.tape(), stack, width];
        let rest = self.call_value(&mut builder, "tfx_tape_pop", &operands);
        let value = self.load_from(&mut builder, stack, ty);
        replace(op.op(), &[rest, value]);
        Ok(())
    }

    fn tape_length(&mut self, op: ad::TapeLength<'a>) -> Result<(), Diagnostic<'a>> {
        let element = tape_element(op.tape().ty());
        let element = element.expect("the type of a verified operation on a tape");
        let width = width(op.op(), element)? as i64;
        let mut builder = Builder::before(op.op());
        let width = self.integer(&mut builder, 64, width);
        let length = self.call_value(&mut builder, "tfx_tape_length", &[op.tape(), width]);
        replace(op.op(), &[length]);
        Ok(())
    }

    /// Returns the address of slots on the stack for a value of a type, and their number.
    pub(crate) fn slots_on_stack(
        &self,
        op: Op<'a>,
        ty: Type<'a>,
    ) -> Result<(Value<'a>, i64), Diagnostic<'a>> {
        let width = width(op, ty)?;
        let slot = IntegerType::new(self.context, 64).into();
        Ok((stack_slots(op, slot, width), width as i64))
    }

    /// Returns the symbol of the type of the chunks of a tape: the number of used slots, the
    /// previous chunk, and the values.
    fn chunk_type(&mut self, tape: Type<'a>) -> String {
        let element = tape_element(tape).expect("the type of a verified operation on a tape");
        let kinds = [Kind::Plain, Kind::Box, Kind::of(element)];
        let kinds = kinds.map(|kind| kind as u8).to_vec();
        self.box_type(&tape.to_string(), kinds)
    }
}

fn not_differentiated(op: Op<'_>) -> Diagnostic<'_> {
    let message = format!(
        "'{}' has no host code: run tfx-differentiate before tfx-lower-host",
        op.name()
    );
    diag::error(op.location(), message)
}
