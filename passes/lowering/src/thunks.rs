//! Thunks: functions with a uniform signature, which are called by their address.
//!
//! ```text
//!   llvm.func internal @thunk(%box, %argument, ...) -> result          one result is returned
//!   llvm.func internal @thunk(%box, %argument, ..., %address, ...)     several are stored
//! ```
//!
//! Only the types of arguments and results determine the signature, so a caller does not need to
//! know the callee. A thunk borrows its box and its arguments.

use melior::dialect::llvm::r#type as llvm_type;
use melior::ir::Type;
use tfx_ir::ops::{func, llvm};
use tfx_ir::{Block, Builder, Op, Value};

use crate::calls::Calls;
use crate::kinds::{from_stored, host_type, stored_type, to_stored};
use crate::memory::{internal_function, load, stack_slots};
use crate::ownership::Count;
use crate::tapes;

/// A thunk whose body is still empty.
pub(crate) struct Thunk<'a> {
    pub(crate) block: Block<'a>,
    /// The box that the caller passes.
    pub(crate) this: Value<'a>,
    pub(crate) arguments: Vec<Value<'a>>,
    /// The addresses of the results, if there are several.
    targets: Vec<Value<'a>>,
}

impl<'a> Calls<'a> {
    /// Adds a thunk with parameters and results of these types to the module.
    pub(crate) fn thunk(
        &self,
        op: Op<'a>,
        symbol: &str,
        parameters: &[Type<'a>],
        results: &[Type<'a>],
    ) -> Thunk<'a> {
        let stored = |ty: &Type<'a>| stored_type(*ty, self.context);
        let addresses = stored_results(results.len());
        let mut inputs = vec![self.pointer];
        inputs.extend(parameters.iter().map(stored));
        inputs.extend(std::iter::repeat_n(self.pointer, addresses));
        let result = match results {
            [only] => stored(only),
            _ => llvm_type::void(self.context),
        };
        let ty = llvm_type::function(result, &inputs, false);
        let function = internal_function(self.module, op.location(), symbol, ty);
        let arguments: Vec<_> = inputs.iter().map(|&ty| (ty, op.location())).collect();
        let block = function.body().add_block(&arguments);
        let mut builder = Builder::at_end(block, op.location());
        let arguments = parameters
            .iter()
            .enumerate()
            .map(|(index, &ty)| from_stored(&mut builder, block.argument(1 + index), ty))
            .collect();
        let targets = (0..addresses)
            .map(|index| block.argument(1 + parameters.len() + index))
            .collect();
        Thunk {
            block,
            this: block.argument(0),
            arguments,
            targets,
        }
    }

    /// Returns from a thunk.
    pub(crate) fn return_from(
        &self,
        builder: &mut Builder<'a>,
        thunk: &Thunk<'a>,
        results: &[Value<'a>],
    ) {
        for (&result, &target) in results.iter().zip(&thunk.targets) {
            let stored = to_stored(builder, result);
            llvm::Store::build(builder, stored, target);
        }
        let returned = match results {
            [only] => Some(to_stored(builder, *only)),
            _ => None,
        };
        llvm::Return::build(builder, returned);
    }

    /// Calls a function of the module, whose results have these types in the IR.
    pub(crate) fn call_function(
        &mut self,
        builder: &mut Builder<'a>,
        callee: &str,
        operands: &[Value<'a>],
        results: &[Type<'a>],
    ) -> Vec<Value<'a>> {
        if self.declarations.has_code(callee) {
            let (inputs, _) = self.declarations.signature_or_empty(callee);
            for (&operand, ty) in operands.iter().zip(inputs) {
                if tapes::is_taken(ty) {
                    self.count(builder, Count::Retain, operand, ty);
                }
            }
        }
        let host = |&ty| host_type(ty, self.context);
        let types: Vec<_> = results.iter().map(host).collect();
        let call = func::Call::build(builder, &types, callee, operands);
        let returned: Vec<_> = call.results().collect();
        let typed: Vec<_> = returned
            .iter()
            .copied()
            .zip(results.iter().copied())
            .collect();
        self.check_results(builder, callee, &typed);
        returned
    }

    /// Calls a thunk by its address, before `op`, and returns the results of `op`.
    pub(crate) fn call_thunk(
        &self,
        op: Op<'a>,
        thunk: Value<'a>,
        this: Value<'a>,
        arguments: &[Value<'a>],
    ) -> Vec<Value<'a>> {
        let types = op.result_types();
        let stored: Vec<_> = types
            .iter()
            .map(|&ty| stored_type(ty, self.context))
            .collect();
        let mut builder = Builder::before(op);
        let mut operands = vec![thunk, this];
        for &argument in arguments {
            operands.push(to_stored(&mut builder, argument));
        }
        let targets: Vec<_> = stored[..stored_results(stored.len())]
            .iter()
            .map(|&ty| stack_slots(op, ty, 1))
            .collect();
        operands.extend(&targets);
        let returned = stored.first().copied().filter(|_| targets.is_empty());
        let call = llvm::Call::build(&mut builder, returned, &operands, &[], &[]);
        let results: Vec<_> = if targets.is_empty() {
            call.results().collect()
        } else {
            let load = |(&target, &ty)| load(&mut builder, target, ty);
            targets.iter().zip(&stored).map(load).collect()
        };
        let results = results.into_iter().zip(types);
        results
            .map(|(result, ty)| from_stored(&mut builder, result, ty))
            .collect()
    }
}

/// Returns the number of results that a thunk stores to addresses: it returns a single one.
fn stored_results(results: usize) -> usize {
    if results > 1 { results } else { 0 }
}
