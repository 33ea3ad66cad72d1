//! The derivatives of functions that call each other: residuals on tapes that go through the calls.
//!
//! ```text
//!   func @f(%x) -> %y               func @f.forward(%x, %tape) -> (%y, %tape)
//!     scf.if {                        scf.if {
//!       %a = op                         %a = op
//!       %b = call @f(%a)                %b, %tape = call @f.forward(%a, %tape)
//!     }                                 push %a to %tape         at the end of its block
//!                                     }
//!                                   func @f.backward(%dy, %tape) -> (%dx, %tape)
//!                                     scf.if {
//!                                       pop %a from %tape        at the start of its reversal
//!                                       %da, %tape = call @f.backward(%db, %tape)
//!                                     }
//! ```
//!
//! The number of residuals of a call grows with the depth of the recursion, so no forward function
//! can return them as results. There is one tape for each type of values in the functions of the
//! cycle. As each region is reversed in the opposite order and as often, with its pops first, the
//! pops are in the opposite order of the pushes. That also holds for a call: its forward function
//! is called if and only if its backward function is. The tapes are variables until `tfx-ssa`.
//!
//! All functions are functions of numbers, tensors and tapes, whose operations have rules: they
//! have derivatives in turn.
//!
//! Callers outside of the cycle call *entries*, which start with empty tapes.
//!
//! Source: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 4, for one tape of a whole
//! program.
//!
//! Cost: linear in the functions of the cycle, and in the number of types for each call.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use rustc_hash::FxHashMap;
use tfx_dialects::ad;
use tfx_dialects::derivatives::tape;
use tfx_ir::diag::Diagnostics;
use tfx_ir::ops::func;
use tfx_ir::{Block, Builder, Op, Value};

use crate::derivative::{Derivative, Kept};
use crate::derive::{Deriver, mark_derived, source_name};
use crate::forward::{self, Cycle, Tapes, forward};
use crate::functions::{add_function, block_of};
use crate::primal::{Residual, Storage};
use crate::reverse::{Reversed, Source, reverse};
use crate::tasks::{Derived, Key, Task};

/// The functions of a member of a cycle of calls, which take and return the tapes.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    forward: String,
    backward: String,
    /// The types of the values, one for each tape.
    types: Rc<[Type<'a>]>,
}

impl<'a> Deriver<'_, 'a> {
    /// Derives the functions of a cycle of calls in reverse mode.
    ///
    /// # Errors
    ///
    /// An operation has no derivative.
    pub(crate) fn reverse_cycle(&mut self, tasks: &[Task<'a>]) -> Result<(), Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        let mut bodies = Vec::new();
        for task in tasks {
            let callees = task.callees(Derived::reverse);
            let source = Source {
                function: task.key.function,
                values: &task.values,
                activity: &task.activity,
                rules: self.rules,
                callees: &callees,
                of_cycle: Some(&task.of_cycle),
                wrt: &task.key.wrt,
                results: &task.key.results,
                keeping: self.keeping,
            };
            let checked = task.check_carriers(self.objects);
            match checked.and_then(|()| reverse(&source)) {
                Ok(body) => bodies.push(body),
                Err(found) => errors.extend(found),
            }
        }
        errors.finish()?;
        let mut types: Vec<Type<'a>> = Vec::new();
        let values = bodies.iter().flat_map(|body| &body.of_cycle);
        for value in values {
            if !types.contains(&value.ty) {
                types.push(value.ty);
            }
        }
        let types: Rc<[_]> = types.into();
        // The calls name functions that come later.
        for task in tasks {
            let member = Member {
                forward: self.declare_member(task, "forward"),
                backward: self.declare_member(task, "backward"),
                types: types.clone(),
            };
            self.members.insert(task.key.clone(), member);
        }
        for (task, body) in tasks.iter().zip(bodies) {
            self.finish_member(task, body, &types);
        }
        Ok(())
    }

    fn declare_member(&mut self, task: &Task<'a>, role: &str) -> String {
        let function = task.key.function;
        let name = self
            .program
            .unique_name(&format!("{}.{role}", source_name(function)));
        let mut builder = Builder::at_end(block_of(self.program), function.location());
        let ty = FunctionType::new(builder.context(), &[], &[]);
        let declaration = builder.func(&name, ty, true);
        self.program.insert(declaration).to_owned()
    }

    /// Replaces the declaration of a member by the function that has been added last.
    fn define_member(&mut self, name: &str) {
        let declaration = self.program.get(name).expect("the member is declared");
        self.program.erase(declaration);
        let function = block_of(self.program).last();
        let function = function.expect("the function was added");
        self.functions.push(function);
        self.program.insert(function);
    }

    fn finish_member(&mut self, task: &Task<'a>, body: Reversed<'a>, types: &[Type<'a>]) {
        let function = task.key.function;
        let target = block_of(self.program);
        let residuals = body.of_cycle.iter().rev().map(|value| Residual {
            key: value.key,
            ty: value.ty,
            storage: Storage::Cycle,
        });
        let residuals: Vec<_> = residuals.collect();
        let member = |call: Op<'a>| &self.members[&task.of_cycle[&call]];
        let calls = body.calls.iter().map(|(call, _)| *call);
        let calls: FxHashMap<_, _> = calls
            .map(|call| (call, member(call).forward.as_str()))
            .collect();
        let own = self.members[&task.key].clone();
        let source = forward::Source {
            function,
            residuals: &residuals,
            callees: &task.callees(Derived::reverse),
            cycle: Some(&Cycle { types, calls }),
        };
        forward(&source, target, &own.forward);
        let names = body.calls.iter();
        let names: Vec<_> = names
            .map(|(call, _)| member(*call).backward.clone())
            .collect();
        self.define_member(&own.forward);

        let entry = body.entry;
        let location = function.location();
        let first = entry.num_arguments();
        for ty in types {
            entry.add_argument(tape(*ty), location);
        }
        let tapes = Tapes::new(types, entry, (first, location));
        // The tangents are no operands yet.
        let mut replaced = FxHashMap::default();
        for value in &body.of_cycle {
            let undef = value.placeholder.defining_op();
            let undef = undef.expect("a placeholder is a result");
            let popped = tapes.pop(&mut Builder::before(undef), value.ty);
            undef.replace_with(&[popped]);
            replaced.insert(value.placeholder, popped);
        }
        for ((_, call), name) in body.calls.iter().zip(names) {
            let call = call.op();
            let mut builder = Builder::before(call);
            let types = call.result_types();
            let complete = tapes.call(&mut builder, &name, call.operands(), &types);
            let results: Vec<_> = complete.results().take(types.len()).collect();
            replaced.extend(call.results().zip(results.iter().copied()));
            call.replace_with(&results);
        }
        let tangents = body.tangents.iter();
        let tangents = tangents.map(|value| *replaced.get(value).unwrap_or(value));
        let mut results: Vec<_> = tangents.collect();
        results.extend(tapes.load(&mut Builder::at_end(entry, location)));
        mark_derived(add_function(
            target,
            &own.backward,
            entry,
            &results,
            location,
        ));
        self.define_member(&own.backward);
    }

    /// Returns the derivative of a member for callers outside of the cycle, and adds its entries.
    pub(crate) fn enter_cycle(&mut self, key: &Key<'a>) -> Derivative<'a> {
        let member = self.members[key].clone();
        let location = key.function.location();
        let (parameters, results) = key.function.signature();
        let tapes: Vec<_> = member.types.iter().map(|ty| tape(*ty)).collect();
        let arguments = |types: &[Type<'a>]| {
            let arguments: Vec<_> = types.iter().map(|ty| (*ty, location)).collect();
            Block::new(&arguments)
        };

        let body = arguments(&parameters);
        let mut builder = Builder::at_end(body, location);
        let mut operands: Vec<_> = body.arguments().collect();
        for ty in &tapes {
            operands.push(ad::EmptyTape::build(&mut builder, *ty).tape());
        }
        let types = [&results, &tapes[..]].concat();
        let call = func::Call::build(&mut builder, &types, &member.forward, &operands);
        let returned: Vec<_> = call.results().collect();
        let forward = self.add_entry(&member.forward, body, &returned);

        let cotangents = key.results.iter().map(|&index| results[index]);
        let given: Vec<_> = cotangents.chain(tapes.iter().copied()).collect();
        let body = arguments(&given);
        let mut builder = Builder::at_end(body, location);
        let operands: Vec<_> = body.arguments().collect();
        let tangents = key.wrt.iter().map(|&index| parameters[index]);
        let types: Vec<_> = tangents.chain(tapes.iter().copied()).collect();
        let call = func::Call::build(&mut builder, &types, &member.backward, &operands);
        let returned: Vec<_> = call.results().take(key.wrt.len()).collect();
        let backward = self.add_entry(&member.backward, body, &returned);
        Derivative {
            forward,
            backward,
            kept: tapes.into_iter().map(Kept::Own).collect(),
            residuals: Vec::new(),
            callees: Rc::default(),
            wrt: key.wrt.clone(),
            results: key.results.clone(),
            residuals_first: false,
        }
    }

    fn add_entry(&mut self, callee: &str, body: Block<'a>, results: &[Value<'a>]) -> String {
        let callee = self.program.get(callee).expect("the member is defined");
        let target = block_of(self.program);
        let name = format!("{}.entry", source_name(callee));
        let entry = add_function(target, &name, body, results, callee.location());
        self.functions.push(entry);
        self.program.insert(entry).to_owned()
    }
}
