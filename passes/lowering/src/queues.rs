//! Queues: a thread of the runtime calls a function through an array of handles.
//!
//! ```text
//!   %q = prefetch @next(%a) depth(2)      %q = call @tfx_queue_open(@tfx.queue.next, [%a], 1, 2, 2, place)
//!   %x, %more = next %q              ──>  call @tfx_queue_next(%q, slots, place), then a load for each result
//!   close %q                              call @tfx_queue_close(%q, place)
//!
//!                                         llvm.func @tfx.queue.next(args, results): loads the arguments, calls
//!                                         @next, stores its results
//! ```
//!
//! Each value is a handle there, a scalar in a tensor of rank 0, so that the runtime needs no types. The queue
//! owns the arguments until it is closed, and whoever takes results owns them.

use melior::dialect::llvm;
use melior::ir::Attribute;
use melior::ir::attribute::TypeAttribute;
use tfx_ir::diag::Diag;
use tfx_ir::symbols::SYMBOL_NAME;
use tfx_ir::{Block, Builder, Op, Value};

use crate::globals::Field;
use crate::host_ops::{Calls, load, slot};
use crate::kinds::is_handle;

impl<'a> Calls<'a> {
    pub(crate) fn prefetch(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let callee = op.symbol("callee").unwrap_or_default();
        let code = self.queue_code(op, callee)?;
        let arguments: Vec<_> = op.operands().collect();
        let (handles, made) = self.handles(op, &arguments)?;
        let array = self.array(op, &handles);
        let place = self.place(op);
        let (_, results) = self
            .declarations
            .signature(callee)
            .cloned()
            .unwrap_or_default();
        let mut builder = Builder::before(op);
        let operands = [
            self.address(&mut builder, &Field::Address(code)),
            array,
            self.integer(&mut builder, 32, handles.len() as i64),
            self.integer(&mut builder, 32, results.len() as i64),
            self.integer(&mut builder, 32, op.integer("depth").unwrap_or(1)),
            place,
        ];
        let queue = self.call(&mut builder, "tfx_queue_open", &operands);
        self.release(&mut builder, &made);
        op.replace_with(&[queue.result(0)]);
        Ok(())
    }

    pub(crate) fn next(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let place = self.place(op);
        let types = op.result_types();
        let array = slot(op, self.pointer, types.len());
        let mut builder = Builder::before(op);
        self.call(
            &mut builder,
            "tfx_queue_next",
            &[op.operand(0), array, place],
        );
        let mut values = Vec::with_capacity(types.len());
        for (index, &ty) in types.iter().enumerate() {
            let element = self.element(&mut builder, array, index);
            let handle = load(&mut builder, element, self.pointer);
            values.push(self.unboxed(&mut builder, op, handle, ty)?);
        }
        op.replace_with(&values);
        Ok(())
    }

    pub(crate) fn close(&mut self, op: Op<'a>) {
        let place = self.place(op);
        let mut builder = Builder::before(op);
        self.call(&mut builder, "tfx_queue_close", &[op.operand(0), place]);
        op.erase();
    }

    /// The function by which the runtime calls another one; made once for each.
    fn queue_code(&mut self, op: Op<'a>, callee: &'a str) -> Result<String, Diag<'a>> {
        if let Some(symbol) = self.values.queues.get(callee) {
            return Ok(symbol.clone());
        }
        let symbol = format!("tfx.queue.{callee}");
        let block = self.queue_function(op, &symbol);
        let (inputs, results) = self
            .declarations
            .signature(callee)
            .cloned()
            .unwrap_or_default();
        let mut builder = Builder::at_end(block, op.location());
        let mut arguments = Vec::with_capacity(inputs.len());
        for (index, &ty) in inputs.iter().enumerate() {
            let element = self.element(&mut builder, block.argument(0), index);
            let handle = load(&mut builder, element, self.pointer);
            arguments.push(match is_handle(ty) {
                true => handle,
                false => self.item(&mut builder, op, handle, ty)?,
            });
        }
        let given = self.call_function(&mut builder, callee, &arguments, &results);
        for (index, value) in given.into_iter().enumerate() {
            let handle = self.as_handle(&mut builder, op, value)?;
            let element = self.element(&mut builder, block.argument(1), index);
            builder
                .op("llvm.store")
                .operands(&[handle, element])
                .build();
        }
        builder.op("llvm.return").build();
        self.values.queues.insert(callee, symbol.clone());
        Ok(symbol)
    }

    /// The block of a new function of the arrays of the arguments and of the results.
    fn queue_function(&self, op: Op<'a>, symbol: &str) -> Block<'a> {
        let body = self.module.region(0).entry().expect("a module has a block");
        let linkage = Attribute::parse(self.context, "#llvm.linkage<internal>")
            .expect("the LLVM dialect is loaded");
        let inputs = [self.pointer; 2];
        let ty = llvm::r#type::function(llvm::r#type::void(self.context), &inputs, false);
        let function = Builder::at_end(body, op.location())
            .op("llvm.func")
            .string(SYMBOL_NAME, symbol)
            .attribute("function_type", TypeAttribute::new(ty))
            .attribute("linkage", linkage)
            .regions(1)
            .build();
        let arguments = inputs.map(|ty| (ty, op.location()));
        function.region(0).add_block(&arguments)
    }

    fn as_handle(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        value: Value<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        match value.ty() == self.pointer {
            true => Ok(value),
            false => self.boxed_by(builder, op, value),
        }
    }
}
