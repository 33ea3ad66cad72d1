//! The lowering of closures: a box with the address of a thunk, and the captures.
//!
//! ```text
//!   closure @scale(%k)        box | @tfx.closure.scale.1 | %k |
//!   apply %c(%x)              thunk = load slot 0;  llvm.call thunk(%c, %x)
//!
//!   llvm.func @tfx.closure.scale.1(%box, %x) {
//!     %k = load slot 1 of %box
//!     return func.call @scale(%k, %x)
//!   }
//! ```
//!
//! The captures belong to the box, and the caller owns the box during the call, so nothing is
//! counted.
//!
//! Source: closure conversion (Appel, Compiling with Continuations, chapter 10). Cost: one thunk
//! for each function and number of captures.

use tfx_dialects::host;
use tfx_ir::Builder;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::llvm;

use crate::boxes::{layout, replace};
use crate::calls::Calls;

/// The slot of a closure that holds the address of its thunk.
const THUNK_SLOT: usize = 0;

impl<'a> Calls<'a> {
    pub(crate) fn closure(&mut self, op: host::Closure<'a>) -> Result<(), Diagnostic<'a>> {
        let thunk = self.closure_thunk(op)?;
        let mut builder = Builder::before(op.op());
        let thunk = llvm::AddressOf::build(&mut builder, self.pointer, &thunk).res();
        let values: Vec<_> = std::iter::once(thunk).chain(op.captures().iter()).collect();
        let name = format!("closure of @{}", op.callee());
        let closure = self.new_box(op.op(), &name, &values)?;
        replace(op.op(), &[closure]);
        Ok(())
    }

    pub(crate) fn apply(&mut self, op: host::Apply<'a>) {
        let closure = op.closure();
        let mut builder = Builder::before(op.op());
        let address = self.slot_address(&mut builder, closure, THUNK_SLOT);
        let thunk = self.load_from(&mut builder, address, self.pointer);
        let results = self.call_thunk(op.op(), thunk, closure, &op.arguments().to_vec());
        replace(op.op(), &results);
    }

    /// Returns the symbol of the thunk that calls the callee of a closure with its captures.
    fn closure_thunk(&mut self, op: host::Closure<'a>) -> Result<String, Diagnostic<'a>> {
        let (callee, captures) = (op.callee(), op.captures().len());
        let key = (callee, captures);
        if let Some(symbol) = self.generated.closures.get(&key) {
            return Ok(symbol.clone());
        }
        let (inputs, results) = self.declarations.signature_or_empty(callee);
        let (captured, parameters) = inputs.split_at(captures.min(inputs.len()));
        let slots: Vec<_> = std::iter::once(self.pointer)
            .chain(captured.iter().copied())
            .collect();
        let (_, starts) = layout(op.op(), &slots)?;
        let symbol = format!("tfx.closure.{callee}.{captures}");
        let thunk = self.thunk(op.op(), &symbol, parameters, &results);
        let mut builder = Builder::at_end(thunk.block, op.location());
        let mut operands = Vec::with_capacity(inputs.len());
        for (&ty, &start) in captured.iter().zip(&starts[1..]) {
            let address = self.slot_address(&mut builder, thunk.this, start);
            operands.push(self.load_from(&mut builder, address, ty));
        }
        operands.extend(&thunk.arguments);
        let results = self.call_function(&mut builder, callee, &operands, &results);
        self.return_from(&mut builder, &thunk, &results);
        self.generated.closures.insert(key, symbol.clone());
        Ok(symbol)
    }
}
