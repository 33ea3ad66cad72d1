//! The derivation of functions, callees first: forward and backward functions, and functions of
//! tangents.
//!
//! ```text
//!   @loss with respect to 0 ──needs──► @layer with respect to 0, 1 ──needs──► a rule of @foreign
//! ```
//!
//! A function is derived once for each mode and each set of active parameters and results. The
//! functions that wait for a callee are on an explicit stack.
//!
//! A function that reaches itself gets a declaration before it is derived. The number of its
//! residuals is not known then: its forward function returns its pullback instead, a closure that
//! has them as captures. For its recursive calls, all parameters and results are active, so the
//! search ends.
//!
//! Cost: linear in the derived functions.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use rustc_hash::FxHashMap;

use tfx_dialects::derivatives::Rule;
use tfx_dialects::types::closure;

use tfx_ir::diag::{Diagnostic, Diagnostics};
use tfx_ir::location;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op};

use crate::checkpoint::{self, Checkpoints};
use crate::custom_rules::{Given, by_rule};
use crate::derivative::{Backward, Derivative, Kept};
use crate::differentiate::Keeping;
use crate::forward::{self, forward};
use crate::functions::{add_function, block_of};
use crate::primal::Residual;
use crate::reverse::{Source, reverse};
use crate::rules::Rules;
use crate::summaries::Summaries;
use crate::tangents::{self, Tangents, tangents};
use crate::tasks::{Derived, Key, Mode, Task};
use crate::transposed_rules::{self, Parts, transpose};

/// The contribution of a rule to a function.
enum ByRule<'a> {
    Derived(Derived<'a>),
    /// First the derivative of a function of the rule is needed.
    Needs(Key<'a>),
}

/// Derives functions of a flat module.
pub(crate) struct Deriver<'d, 'a> {
    pub(crate) rules: &'d Rules<'a>,
    /// The flat functions.
    pub(crate) flat: &'d SymbolTable<'a>,
    /// The flat functions of rules.
    parts: &'d Parts,
    /// The program, which the derived functions are added to.
    pub(crate) program: &'d mut SymbolTable<'a>,
    /// The dependences of the flat functions.
    pub(crate) summaries: Summaries<'a>,
    /// The loops with checkpoints among the flat functions.
    pub(crate) checkpoints: &'d Checkpoints<'a>,
    /// The values that loops keep.
    keeping: Keeping,
    /// The symbol of the function that finds the next checkpoint.
    pub(crate) advance: Option<String>,
    derived: FxHashMap<Key<'a>, Derived<'a>>,
    /// The derived functions.
    pub(crate) functions: Vec<Op<'a>>,
}

impl<'d, 'a> Deriver<'d, 'a> {
    pub(crate) fn new(
        rules: &'d Rules<'a>,
        (flat, parts): (&'d SymbolTable<'a>, &'d Parts),
        (checkpoints, keeping): (&'d Checkpoints<'a>, Keeping),
        program: &'d mut SymbolTable<'a>,
    ) -> Self {
        Deriver {
            rules,
            flat,
            parts,
            program,
            summaries: Summaries::of(flat, rules),
            checkpoints,
            keeping,
            advance: None,
            derived: FxHashMap::default(),
            functions: Vec::new(),
        }
    }

    /// Returns the derivative of the results `results` of a flat function with respect to the
    /// parameters `wrt`. `name` is the name of the function in the source.
    pub(crate) fn derive(
        &mut self,
        function: Op<'a>,
        wrt: Vec<usize>,
        results: Vec<usize>,
        name: &str,
    ) -> Result<Derivative<'a>, Diagnostics<'a>> {
        let mode = Mode::Reverse;
        let key = Key {
            mode,
            function,
            wrt,
            results,
        };
        let derived = self.complete(key, name)?;
        Ok(derived.reverse().expect("of this mode").clone())
    }

    /// Returns the function of tangents for the results `results` of a flat function with respect
    /// to the parameters `wrt`. `name` is the name of the function in the source.
    pub(crate) fn derive_tangents(
        &mut self,
        function: Op<'a>,
        wrt: Vec<usize>,
        results: Vec<usize>,
        name: &str,
    ) -> Result<Tangents, Diagnostics<'a>> {
        let mode = Mode::Forward;
        let key = Key {
            mode,
            function,
            wrt,
            results,
        };
        let derived = self.complete(key, name)?;
        Ok(derived.forward().expect("of this mode").clone())
    }

    fn complete(&mut self, key: Key<'a>, name: &str) -> Result<Derived<'a>, Diagnostics<'a>> {
        let mut stack = Vec::new();
        if !self.derived.contains_key(&key) {
            stack.push(Task::of(key.clone(), self));
        }
        while let Some(task) = stack.last_mut() {
            match self.missing(task)? {
                None => {
                    let task = stack.pop().expect("there is one");
                    let name = if stack.is_empty() {
                        name
                    } else {
                        source_name(task.key.function)
                    };
                    self.finish(task, name)?;
                }
                Some((call, needed)) => {
                    let is_recursive = |task: &Task<'a>| task.key.function == needed.function;
                    let whole = needed.whole();
                    if let Some(task) = stack.iter_mut().find(|task| task.key == needed) {
                        self.declare(task);
                    } else if needed != whole && stack.iter().any(is_recursive) {
                        let caller = stack.last_mut().expect("a task waits for it");
                        caller.require(call, whole);
                    } else {
                        stack.push(Task::of(needed, self));
                    }
                }
            }
        }
        Ok(self.derived[&key].clone())
    }

    /// Declares the derived function of a task that waits for itself.
    fn declare(&mut self, task: &mut Task<'a>) {
        let Key {
            mode,
            function,
            wrt,
            results,
        } = task.key.clone();
        let (parameters, returned) = function.signature();
        let at = |types: &[Type<'a>], positions: &[usize]| {
            let types = positions.iter().map(|&index| types[index]);
            types.collect::<Vec<_>>()
        };
        let (tangents, cotangents) = (at(&parameters, &wrt), at(&returned, &results));
        let (role, inputs, outputs) = match mode {
            Mode::Reverse => ("forward", Vec::new(), vec![pullback_type(&task.key)]),
            Mode::Forward => ("tangents", tangents, cotangents),
        };
        let name = source_name(function);
        let name = self.program.unique_name(&format!("{name}.{role}"));
        let mut builder = Builder::at_end(block_of(self.program), function.location());
        let inputs = [parameters, inputs].concat();
        let outputs = [returned, outputs].concat();
        let ty = FunctionType::new(builder.context(), &inputs, &outputs);
        let declaration = builder.func(&name, ty, true);
        self.program.insert(declaration);
        task.declaration = Some(declaration);
        let derived = match mode {
            Mode::Reverse => Derived::Reverse(Derivative {
                forward: name,
                backward: Backward::Pullback,
                kept: vec![Kept::Own(pullback_type(&task.key))],
                residuals: Vec::new(),
                callees: Rc::default(),
                wrt,
                results,
                residuals_first: false,
            }),
            Mode::Forward => Derived::Forward(Tangents {
                symbol: name,
                wrt,
                results,
            }),
        };
        self.derived.insert(task.key.clone(), derived);
    }

    /// Collects the derivatives of the callees; returns the first that is still missing.
    fn missing(
        &mut self,
        task: &mut Task<'a>,
    ) -> Result<Option<(Op<'a>, Key<'a>)>, Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        for (call, needed) in &task.calls {
            if task.callees.contains_key(call) {
                continue;
            }
            let derived = match self.derived.get(needed) {
                Some(derived) => derived.clone(),
                None => match self.by_rule(*call, needed) {
                    Some(Ok(ByRule::Derived(derived))) => derived,
                    Some(Err(error)) => {
                        errors.push(error);
                        continue;
                    }
                    Some(Ok(ByRule::Needs(part))) => {
                        errors.finish()?;
                        return Ok(Some((*call, part)));
                    }
                    None => {
                        errors.finish()?;
                        return Ok(Some((*call, needed.clone())));
                    }
                },
            };
            task.callees.insert(*call, derived);
        }
        errors.finish()?;
        Ok(None)
    }

    /// Returns the derivative that a rule gives a function; none if it is to be derived.
    fn by_rule(
        &mut self,
        call: Op<'a>,
        needed: &Key<'a>,
    ) -> Option<Result<ByRule<'a>, Diagnostic<'a>>> {
        let rule = match by_rule(call, needed, self.program)? {
            Ok(Given::Derived(derived)) => return Some(Ok(ByRule::Derived(derived))),
            Ok(Given::Transposed(rule)) => rule,
            Err(error) => return Some(Err(error)),
        };
        Some(self.by_transposition(call, needed, &rule))
    }

    /// Returns the half of a rule that the other half gives.
    fn by_transposition(
        &mut self,
        call: Op<'a>,
        needed: &Key<'a>,
        rule: &Rule<'a>,
    ) -> Result<ByRule<'a>, Diagnostic<'a>> {
        let whole = Key {
            wrt: rule.wrt.clone(),
            ..needed.whole()
        };
        if let Some(derived) = self.derived.get(&whole) {
            return Ok(ByRule::Derived(derived.clone()));
        }
        let part = transposed_rules::part(call, needed, rule, (self.flat, self.parts))?;
        let derivative = self.derived.get(&part).and_then(Derived::reverse);
        let Some(derivative) = derivative.cloned() else {
            return Ok(ByRule::Needs(part));
        };
        let (program, functions) = (&mut *self.program, &mut self.functions);
        let part = (&part, &derivative);
        let derived = transpose(call, needed, rule, part, (self.flat, program), functions)?;
        self.derived.insert(whole, derived.clone());
        Ok(ByRule::Derived(derived))
    }

    /// Returns the name of a derived function: that of its declaration, which it replaces, if it
    /// has one.
    fn symbol(&mut self, task: &Task<'a>, name: &str, role: &str) -> String {
        match task.declaration {
            Some(declaration) => {
                let name = source_name(declaration).to_owned();
                self.program.erase(declaration);
                name
            }
            None => format!("{name}.{role}"),
        }
    }

    /// Adds the pullback: a function from residuals and cotangents to tangents. Returns its name.
    fn pullback(&mut self, task: &Task<'a>, backward: &str, residuals: &[Type<'a>]) -> &'a str {
        let function = task.key.function;
        let (parameters, results) = function.signature();
        let cotangents = task.key.results.iter().map(|&index| results[index]);
        let location = function.location();
        let types = residuals.iter().copied().chain(cotangents);
        let body = Block::new(&types.map(|ty| (ty, location)).collect::<Vec<_>>());
        let arguments: Vec<_> = body.arguments().collect();
        let (residuals, cotangents) = arguments.split_at(residuals.len());
        let tangents = task.key.wrt.iter().map(|&index| parameters[index]);
        let tangents: Vec<_> = tangents.collect();
        let arguments = [cotangents, residuals].concat();
        let mut builder = Builder::at_end(body, location);
        let call = func::Call::build(&mut builder, &tangents, backward, &arguments);
        let results: Vec<_> = call.results().collect();
        let name = format!("{}.pullback", source_name(function));
        let target = block_of(self.program);
        let pullback = add_function(target, &name, body, &results, location);
        self.functions.push(pullback);
        self.program.insert(pullback)
    }

    fn finish(&mut self, task: Task<'a>, name: &str) -> Result<(), Diagnostics<'a>> {
        task.check_carriers()?;
        let name = match task.declaration {
            Some(_) => source_name(task.key.function),
            None => name,
        };
        let derived = match task.key.mode {
            Mode::Reverse => Derived::Reverse(self.reverse(&task, name)?),
            Mode::Forward => Derived::Forward(self.forward(&task, name)?),
        };
        self.derived.insert(task.key, derived);
        Ok(())
    }

    fn forward(&mut self, task: &Task<'a>, name: &str) -> Result<Tangents, Diagnostics<'a>> {
        let target = block_of(self.program);
        let source = tangents::Source {
            function: task.key.function,
            values: &task.values,
            activity: &task.activity,
            rules: self.rules,
            callees: &task.callees(Derived::forward),
            wrt: &task.key.wrt,
            results: &task.key.results,
        };
        let symbol = self.symbol(task, name, "tangents");
        tangents(&source, target, &symbol)?;
        let function = target.last().expect("the function was added");
        self.functions.push(function);
        Ok(Tangents {
            symbol: self.program.insert(function).to_owned(),
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
        })
    }

    fn reverse(&mut self, task: &Task<'a>, name: &str) -> Result<Derivative<'a>, Diagnostics<'a>> {
        if let Some(checkpointed) = self.checkpoints.get(&task.key.function) {
            return Ok(checkpoint::derive(self, task, checkpointed, name));
        }
        let callees = task.callees(Derived::reverse);
        let target = block_of(self.program);
        let source = Source {
            function: task.key.function,
            values: &task.values,
            activity: &task.activity,
            rules: self.rules,
            callees: &callees,
            wrt: &task.key.wrt,
            results: &task.key.results,
            keeping: self.keeping,
        };
        let backward = format!("{name}.backward");
        let residuals = reverse(&source, target, &backward)?;
        let backward = target.last().expect("the function was added");
        mark_derived(backward);
        let backward_name = self.program.insert(backward);
        self.functions.push(backward);
        let function = task.key.function;
        let mut kept: Vec<_> = residuals.iter().map(|it| Kept::of(it, function)).collect();
        let mut own = residuals.clone();
        let (mut backward, mut pullback) = (Backward::Function(backward_name.to_owned()), None);
        if task.declaration.is_some() {
            let ty = pullback_type(&task.key);
            let types: Vec<_> = residuals.iter().map(Residual::result_type).collect();
            pullback = Some((self.pullback(task, backward_name, &types), ty));
            (backward, kept) = (Backward::Pullback, vec![Kept::Own(ty)]);
        } else {
            own.retain(|residual| matches!(Kept::of(residual, function), Kept::Own(_)));
        }
        let symbol = self.symbol(task, name, "forward");
        let source = forward::Source {
            function: task.key.function,
            residuals: &own,
            callees: &callees,
            pullback,
        };
        forward(&source, target, &symbol);
        let forward = target.last().expect("the function was added");
        self.functions.push(forward);
        Ok(Derivative {
            forward: self.program.insert(forward).to_owned(),
            backward,
            kept,
            residuals: match task.declaration {
                Some(_) => Vec::new(),
                None => own,
            },
            callees: Rc::new(callees),
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
            residuals_first: false,
        })
    }
}

/// Marks the operations of a backward function: diagnostics name them as derivatives of the
/// operations at their source locations.
fn mark_derived(function: Op<'_>) {
    for op in function.walk().skip(1) {
        op.set_location(location::derived(op.context(), op.location()));
    }
}

/// Returns the type of the pullback of a function.
fn pullback_type<'a>(key: &Key<'a>) -> Type<'a> {
    let (parameters, results) = key.function.signature();
    let cotangents: Vec<_> = key.results.iter().map(|&index| results[index]).collect();
    let tangents: Vec<_> = key.wrt.iter().map(|&index| parameters[index]).collect();
    let signature = FunctionType::new(key.function.context(), &cotangents, &tangents);
    closure(signature.into(), true)
}

/// Returns the name of a function.
pub(crate) fn source_name<'a>(function: Op<'a>) -> &'a str {
    function.symbol_name().expect("a function has a name")
}
