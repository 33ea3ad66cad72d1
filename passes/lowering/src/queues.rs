//! The lowering of queues: a thread of the runtime calls a function through an array of handles.
//!
//! ```text
//!   %q = prefetch @next(%a) depth(2)  ──>  %q = call @tfx_queue_open(@tfx.queue.next, [%a], ...)
//!   %x, %more = next %q               ──>  call @tfx_queue_next(%q, array, location), two loads
//!   close %q                          ──>  call @tfx_queue_close(%q, location)
//!
//!   llvm.func @tfx.queue.next(arguments, results): loads, calls @next, stores
//! ```
//!
//! Each value is passed as a handle, a scalar in a tensor of rank 0, so that the runtime needs no
//! types. The queue owns the arguments until it is closed; the caller of `next` owns the results.

use melior::dialect::llvm::r#type as llvm_type;
use tfx_dialects::host;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::llvm;
use tfx_ir::{Block, Builder, Op, Value};

use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::is_handle;
use crate::memory::{internal_function, load};

impl<'a> Calls<'a> {
    pub(crate) fn prefetch(&mut self, op: host::Prefetch<'a>) -> Result<(), Diagnostic<'a>> {
        let callee = op.callee();
        let thunk = self.queue_thunk(op.op(), callee)?;
        let (handles, created) = self.handles(op.op(), &op.arguments().to_vec())?;
        let array = self.array(op.op(), &handles);
        let location = self.location(op.op());
        let (_, results) = self.declarations.signature_or_empty(callee);
        let mut builder = Builder::before(op.op());
        let operands = [
            self.address(&mut builder, &Field::Address(thunk)),
            array,
            self.integer(&mut builder, 32, handles.len() as i64),
            self.integer(&mut builder, 32, results.len() as i64),
            self.integer(&mut builder, 32, op.depth().into()),
            location,
        ];
        let queue = self.call_value(&mut builder, "tfx_queue_open", &operands);
        self.release(&mut builder, &created);
        op.replace_with(&[queue]);
        Ok(())
    }

    pub(crate) fn next(&mut self, op: host::Next<'a>) -> Result<(), Diagnostic<'a>> {
        let location = self.location(op.op());
        let array = self.empty_array(op.op(), op.num_results());
        let operands = [op.queue(), array, location];
        self.call(&mut Builder::before(op.op()), "tfx_queue_next", &operands);
        let values = self.results_in(op.op(), array)?;
        op.replace_with(&values);
        Ok(())
    }

    pub(crate) fn close(&mut self, op: host::Close<'a>) {
        let location = self.location(op.op());
        let mut builder = Builder::before(op.op());
        self.call(&mut builder, "tfx_queue_close", &[op.queue(), location]);
        op.erase();
    }

    /// Returns the symbol of the function through which the runtime calls `callee`.
    fn queue_thunk(&mut self, op: Op<'a>, callee: &'a str) -> Result<String, Diagnostic<'a>> {
        if let Some(symbol) = self.generated.queues.get(callee) {
            return Ok(symbol.clone());
        }
        let symbol = format!("tfx.queue.{callee}");
        let block = self.queue_function(op, &symbol);
        let (inputs, results) = self.declarations.signature_or_empty(callee);
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
        let results = self.call_function(&mut builder, callee, &arguments, &results);
        for (index, value) in results.into_iter().enumerate() {
            let handle = self.as_handle(&mut builder, op, value)?;
            let element = self.element(&mut builder, block.argument(1), index);
            llvm::Store::build(&mut builder, handle, element);
        }
        llvm::Return::build(&mut builder, None);
        self.generated.queues.insert(callee, symbol.clone());
        Ok(symbol)
    }

    /// Adds a function of the arrays of arguments and results, and returns its empty block.
    fn queue_function(&self, op: Op<'a>, symbol: &str) -> Block<'a> {
        let inputs = [self.pointer; 2];
        let ty = llvm_type::function(llvm_type::void(self.context), &inputs, false);
        let function = internal_function(self.module, op.location(), symbol, ty);
        let arguments = inputs.map(|ty| (ty, op.location()));
        function.body().add_block(&arguments)
    }

    fn as_handle(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        value: Value<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        match value.ty() == self.pointer {
            true => Ok(value),
            false => self.boxed(builder, op, value),
        }
    }
}
