//! Closures: code with values, called by its address.
//!
//! ```text
//!   closure @scale(%k)        box | @tfx.closure.scale.1 | %k |
//!   apply %c(%x)              code = load slot 0;  llvm.call code(%c, %x)
//!
//!   llvm.func @tfx.closure.scale.1(%self, %x) {
//!     %k = load slot 1 of %self
//!     return func.call @scale(%k, %x)
//!   }
//! ```
//!
//! The function in between has a signature that only the closure's type decides, so whoever applies a closure need not know what it is. It
//! takes the box first, then the arguments; one result is returned, several are left at addresses that follow the arguments, as foreign functions
//! do. Captures stay the box's, and the box is its holder's through the call, so nothing is counted.
//!
//! Source: closure conversion (Appel, Compiling with Continuations, 10). Cost: one function for each function and number of captures.

use melior::dialect::llvm;
use melior::ir::attribute::{DenseI32ArrayAttribute, TypeAttribute};
use melior::ir::{Attribute, Type};
use tfx_ir::diag::Diag;
use tfx_ir::{Block, Builder, Op, Value, symbols};

use crate::boxes::{layout, replace};
use crate::host_ops::{Calls, slot};
use crate::kinds::{from_stored, host_type, stored_type, to_stored};

/// The slot of a closure that holds the address of its code.
const SLOT_OF_CODE: usize = 0;

impl<'a> Calls<'a> {
    pub(crate) fn closure(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let callee = op.symbol("callee").unwrap_or_default();
        let captures: Vec<_> = op.operands().collect();
        let code = self.closure_code(op, callee, captures.len())?;
        let code = Builder::before(op)
            .op("llvm.mlir.addressof")
            .symbol("global_name", &code)
            .result(self.pointer)
            .value();
        let values: Vec<_> = std::iter::once(code).chain(captures).collect();
        let made = self.new_box(op, &format!("closure of @{callee}"), &values)?;
        replace(op, &[made]);
        Ok(())
    }

    pub(crate) fn apply(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let closure = op.operand(0);
        let arguments: Vec<_> = op.operands().skip(1).collect();
        let mut builder = Builder::before(op);
        let address = self.slot_address(&mut builder, closure, SLOT_OF_CODE);
        let code = self.load_from(&mut builder, address, self.pointer);
        let results = self.call_code(op, code, closure, &arguments);
        replace(op, &results);
        Ok(())
    }

    /// The function that calls `callee` with what a closure has captured.
    fn closure_code(
        &mut self,
        op: Op<'a>,
        callee: &'a str,
        captures: usize,
    ) -> Result<String, Diag<'a>> {
        let key = (callee, captures);
        if let Some(symbol) = self.values.closures.get(&key) {
            return Ok(symbol.clone());
        }
        let (inputs, results) = self
            .declarations
            .signature(callee)
            .cloned()
            .unwrap_or_default();
        let (captured, parameters) = inputs.split_at(captures.min(inputs.len()));
        let slots: Vec<_> = std::iter::once(self.pointer)
            .chain(captured.iter().copied())
            .collect();
        let (_, starts) = layout(op, &slots)?;
        let symbol = format!("tfx.closure.{callee}.{captures}");
        let code = self.code(op, &symbol, parameters, &results);
        let mut builder = Builder::at_end(code.block, op.location());
        let mut operands = Vec::with_capacity(inputs.len());
        for (&ty, &start) in captured.iter().zip(&starts[1..]) {
            let address = self.slot_address(&mut builder, code.this, start);
            operands.push(self.load_from(&mut builder, address, ty));
        }
        operands.extend(&code.arguments);
        let results = self.call_function(&mut builder, callee, &operands, &results);
        self.leave(&mut builder, &code, &results);
        self.values.closures.insert(key, symbol.clone());
        Ok(symbol)
    }

    /// A call of a function of the module, whose results are of these types in the IR.
    pub(crate) fn call_function(
        &self,
        builder: &mut Builder<'a>,
        callee: &str,
        operands: &[Value<'a>],
        results: &[Type<'a>],
    ) -> Vec<Value<'a>> {
        let results: Vec<_> = results
            .iter()
            .map(|&ty| host_type(ty, self.context))
            .collect();
        builder.call(callee, operands, &results).results().collect()
    }

    //===-- Code that is called by its address --------------------------------------------------------------------===//

    /// A function that is called by its address, with a box and arguments of these types.
    pub(crate) fn code(
        &self,
        op: Op<'a>,
        symbol: &str,
        parameters: &[Type<'a>],
        results: &[Type<'a>],
    ) -> Code<'a> {
        let stored = |ty: &Type<'a>| stored_type(*ty, self.context);
        let addresses = addressed(results.len());
        let mut inputs = vec![self.pointer];
        inputs.extend(parameters.iter().map(stored));
        inputs.extend(std::iter::repeat_n(self.pointer, addresses));
        let result = match results {
            [only] => stored(only),
            _ => llvm::r#type::void(self.context),
        };
        let body = self.module.region(0).entry().expect("a module has a block");
        let linkage = Attribute::parse(self.context, "#llvm.linkage<internal>")
            .expect("the LLVM dialect is loaded");
        let ty = llvm::r#type::function(result, &inputs, false);
        let function = Builder::at_end(body, op.location())
            .op("llvm.func")
            .string(symbols::SYMBOL_NAME, symbol)
            .attribute("function_type", TypeAttribute::new(ty))
            .attribute("linkage", linkage)
            .regions(1)
            .build();
        let arguments: Vec<_> = inputs.iter().map(|&ty| (ty, op.location())).collect();
        let block = function.region(0).add_block(&arguments);
        let mut builder = Builder::at_end(block, op.location());
        let arguments = parameters
            .iter()
            .enumerate()
            .map(|(index, &ty)| from_stored(&mut builder, block.argument(1 + index), ty))
            .collect();
        let targets = (0..addresses)
            .map(|index| block.argument(1 + parameters.len() + index))
            .collect();
        Code {
            block,
            this: block.argument(0),
            arguments,
            targets,
        }
    }

    /// Returns from code that is called by its address.
    pub(crate) fn leave(&self, builder: &mut Builder<'a>, code: &Code<'a>, results: &[Value<'a>]) {
        for (&result, &target) in results.iter().zip(&code.targets) {
            self.store_result(builder, target, result);
        }
        let returned: Vec<_> = match results {
            [only] => vec![to_stored(builder, *only)],
            _ => Vec::new(),
        };
        builder.op("llvm.return").operands(&returned).build();
    }

    fn store_result(&self, builder: &mut Builder<'a>, target: Value<'a>, result: Value<'a>) {
        let stored = to_stored(builder, result);
        builder.op("llvm.store").operands(&[stored, target]).build();
    }

    /// A call of code by its address, in place of `op`, with the results of `op`.
    pub(crate) fn call_code(
        &self,
        op: Op<'a>,
        code: Value<'a>,
        this: Value<'a>,
        arguments: &[Value<'a>],
    ) -> Vec<Value<'a>> {
        let types = op.result_types();
        let stored: Vec<_> = types
            .iter()
            .map(|&ty| stored_type(ty, self.context))
            .collect();
        let mut builder = Builder::before(op);
        let mut operands = vec![code, this];
        for &argument in arguments {
            operands.push(to_stored(&mut builder, argument));
        }
        let targets: Vec<_> = stored[..addressed(stored.len())]
            .iter()
            .map(|&ty| slot(op, ty, 1))
            .collect();
        operands.extend(&targets);
        let returned = if targets.is_empty() { &stored[..] } else { &[] };
        let call = builder
            .op("llvm.call")
            .segments(&[&operands, &[]])
            .attribute(
                "op_bundle_sizes",
                DenseI32ArrayAttribute::new(self.context, &[]),
            )
            .results(returned)
            .build();
        let results: Vec<_> = if targets.is_empty() {
            call.results().collect()
        } else {
            let load = |(&target, &ty)| crate::host_ops::load(&mut builder, target, ty);
            targets.iter().zip(&stored).map(load).collect()
        };
        let results = results.into_iter().zip(types);
        results
            .map(|(result, ty)| from_stored(&mut builder, result, ty))
            .collect()
    }
}

/// A function that is called by its address, to be given a body.
pub(crate) struct Code<'a> {
    pub(crate) block: Block<'a>,
    /// The box that it is called with.
    pub(crate) this: Value<'a>,
    pub(crate) arguments: Vec<Value<'a>>,
    /// Where several results go.
    targets: Vec<Value<'a>>,
}

/// How many results are left at addresses: a single one is returned.
fn addressed(results: usize) -> usize {
    if results > 1 { results } else { 0 }
}
