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

use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use rustc_hash::FxHashMap;

use tfx_dialects::types::closure;

use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use crate::activity::Activity;
use crate::custom_rules::by_rule;
use crate::forward::{self, forward};
use crate::functions::{add_function, block_of};
use crate::number::Values;
use crate::reverse::{Backward, Derivative, Source, differentiable_positions, reverse};
use crate::rules::Rules;
use crate::tangent::is_differentiable;
use crate::tangents::{self, Tangents, tangents};

/// The direction of differentiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// From cotangents of results to cotangents of parameters.
    Reverse,
    /// From tangents of parameters to tangents of results.
    Forward,
}

/// A function with its active parameters and results.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key<'a> {
    pub(crate) mode: Mode,
    pub(crate) function: Op<'a>,
    pub(crate) wrt: Vec<usize>,
    results: Vec<usize>,
}

impl Key<'_> {
    /// Returns the key with all parameters and results that have derivatives.
    fn whole(&self) -> Self {
        let (parameters, results) = self.function.signature();
        Key {
            wrt: differentiable_positions(parameters.into_iter()),
            results: differentiable_positions(results.into_iter()),
            ..self.clone()
        }
    }
}

/// The derived functions of a key.
#[derive(Clone)]
pub(crate) enum Derived<'a> {
    Reverse(Derivative<'a>),
    Forward(Tangents),
}

impl<'a> Derived<'a> {
    fn reverse(&self) -> Option<&Derivative<'a>> {
        match self {
            Derived::Reverse(derivative) => Some(derivative),
            Derived::Forward(_) => None,
        }
    }

    fn forward(&self) -> Option<&Tangents> {
        match self {
            Derived::Forward(tangents) => Some(tangents),
            Derived::Reverse(_) => None,
        }
    }
}

/// A function that is being derived.
struct Task<'a> {
    key: Key<'a>,
    values: Values<'a>,
    activity: Activity,
    /// The active calls, with what is needed of their callees.
    calls: Vec<(Op<'a>, Key<'a>)>,
    callees: FxHashMap<Op<'a>, Derived<'a>>,
    /// The declaration that its recursive calls refer to.
    declaration: Option<Op<'a>>,
}

impl<'a> Task<'a> {
    /// Changes what is needed of the callee of a call.
    fn require(&mut self, call: Op<'a>, key: Key<'a>) {
        let mut calls = self.calls.iter_mut();
        if let Some((_, needed)) = calls.find(|(op, _)| *op == call) {
            *needed = key;
        }
    }

    /// Reports the operations from which a value without a derivative comes although the derivative
    /// goes through it.
    fn check_carriers(&self) -> Result<(), Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        let mut last = None;
        for value in self.activity.active(&self.values) {
            let op = value.defining_op();
            if is_differentiable(value.ty()) || op.is_some() && op == last {
                continue;
            }
            last = op;
            errors.push(no_derivative(value));
        }
        errors.finish()
    }

    /// Returns the derivatives of callees that `select` selects.
    fn callees<T: Clone>(
        &self,
        select: impl for<'d> Fn(&'d Derived<'a>) -> Option<&'d T>,
    ) -> FxHashMap<Op<'a>, T> {
        let callees = self.callees.iter();
        let callees = callees.filter_map(|(op, derived)| Some((*op, select(derived)?.clone())));
        callees.collect()
    }
}

/// Derives functions of a flat module.
pub(crate) struct Deriver<'d, 'a> {
    pub(crate) rules: &'d Rules<'a>,
    /// The flat functions.
    pub(crate) flat: &'d SymbolTable<'a>,
    /// The program, which the derived functions are added to.
    pub(crate) program: &'d mut SymbolTable<'a>,
    derived: FxHashMap<Key<'a>, Derived<'a>>,
    /// The derived functions.
    pub(crate) functions: Vec<Op<'a>>,
}

impl<'d, 'a> Deriver<'d, 'a> {
    pub(crate) fn new(
        rules: &'d Rules<'a>,
        flat: &'d SymbolTable<'a>,
        program: &'d mut SymbolTable<'a>,
    ) -> Self {
        Deriver {
            rules,
            flat,
            program,
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
            stack.push(self.task(key.clone()));
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
                        stack.push(self.task(needed));
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
                residuals: vec![pullback_type(&task.key)],
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

    fn task(&self, key: Key<'a>) -> Task<'a> {
        let values = Values::of(key.function);
        let bounds = (&key.wrt[..], &key.results[..]);
        let activity = Activity::of(key.function, &values, self.rules, self.flat, bounds);
        let mut calls = Vec::new();
        for call in key.function.walk().filter_map(func::Call::cast) {
            let is_active = |value| activity.is_active(values.id(value));
            let positions = |values: Vec<Value<'a>>| {
                let values = values.into_iter().enumerate();
                let values = values.filter(|(_, value)| is_differentiable(value.ty()));
                let active = values.filter(|(_, value)| is_active(*value));
                active.map(|(index, _)| index).collect::<Vec<_>>()
            };
            let wrt = positions(call.operands().to_vec());
            let results = positions(call.results().collect());
            if !wrt.is_empty() && !results.is_empty() {
                let function = self
                    .flat
                    .get(call.callee())
                    .expect("the callee is in the module");
                let mode = key.mode;
                let key = Key {
                    mode,
                    function,
                    wrt,
                    results,
                };
                calls.push((call.op(), key));
            }
        }
        Task {
            key,
            values,
            activity,
            calls,
            callees: FxHashMap::default(),
            declaration: None,
        }
    }

    /// Collects the derivatives of the callees; returns the first that is still missing.
    fn missing(&self, task: &mut Task<'a>) -> Result<Option<(Op<'a>, Key<'a>)>, Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        for (call, needed) in &task.calls {
            if task.callees.contains_key(call) {
                continue;
            }
            let derived = match self.derived.get(needed) {
                Some(derived) => derived.clone(),
                None => match by_rule(*call, needed, self.program) {
                    Some(Ok(derived)) => derived,
                    Some(Err(error)) => {
                        errors.push(error);
                        continue;
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

    /// Returns the name of a derived function: that of its declaration, which it replaces, if it has
    /// one.
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
        };
        let backward = format!("{name}.backward");
        let residuals = reverse(&source, target, &backward)?;
        let backward = target.last().expect("the function was added");
        let backward_name = self.program.insert(backward);
        self.functions.push(backward);
        let types = residuals.iter().map(|residual| residual.result_type());
        let mut types: Vec<_> = types.collect();
        let (mut backward, mut pullback) = (Backward::Function(backward_name.to_owned()), None);
        if task.declaration.is_some() {
            let ty = pullback_type(&task.key);
            pullback = Some((self.pullback(task, backward_name, &types), ty));
            (backward, types) = (Backward::Pullback, vec![ty]);
        }
        let symbol = self.symbol(task, name, "forward");
        let source = forward::Source {
            function: task.key.function,
            residuals: &residuals,
            callees: &callees,
            pullback,
        };
        forward(&source, target, &symbol);
        let forward = target.last().expect("the function was added");
        self.functions.push(forward);
        Ok(Derivative {
            forward: self.program.insert(forward).to_owned(),
            backward,
            residuals: types,
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
            residuals_first: false,
        })
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

fn no_derivative(value: Value<'_>) -> Diagnostic<'_> {
    let message = format!(
        "cannot differentiate through a value of type '{}': the result depends on a parameter by it",
        value.ty()
    );
    diag::error(value.location(), message).note(
        value.location(),
        "pass floats, tensors, structs and tuples of these instead, give the function around it a \
         rule (tfx_ad.rule), or cut the path with tfx_ad.stop",
    )
}

/// Returns the name of a function.
pub(crate) fn source_name<'a>(function: Op<'a>) -> &'a str {
    function.symbol_name().expect("a function has a name")
}
