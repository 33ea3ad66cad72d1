//! The derivation of forward and backward functions, callees first.
//!
//! ```text
//!   @loss with respect to 0 ──needs──► @layer with respect to 0, 1 ──needs──► a rule of @foreign
//! ```
//!
//! A function is derived once for each set of active parameters and results. The functions that
//! wait for a callee are on an explicit stack.
//!
//! Cost: linear in the derived functions.

use rustc_hash::FxHashMap;

use tfx_dialects::derivatives::rule;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

use crate::activity::Activity;
use crate::forward::forward;
use crate::functions::block_of;
use crate::number::Values;
use crate::primal::Storage;
use crate::reverse::{Derivative, Source, differentiable_positions, reverse};
use crate::rules::Rules;

/// A function with its active parameters and results.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key<'a> {
    function: Op<'a>,
    wrt: Vec<usize>,
    results: Vec<usize>,
}

/// A function that is being derived.
struct Task<'a> {
    key: Key<'a>,
    values: Values<'a>,
    activity: Activity,
    /// The active calls, with what is needed of their callees.
    calls: Vec<(Op<'a>, Key<'a>)>,
    callees: FxHashMap<Op<'a>, Derivative<'a>>,
}

/// Derives functions of a flat module.
pub(crate) struct Deriver<'d, 'a> {
    pub(crate) rules: &'d Rules<'a>,
    /// The flat functions.
    pub(crate) flat: &'d SymbolTable<'a>,
    /// The program, which the derived functions are added to.
    pub(crate) program: &'d mut SymbolTable<'a>,
    derived: FxHashMap<Key<'a>, Derivative<'a>>,
    /// Loops are differentiated.
    tapes: bool,
    /// The derived functions.
    pub(crate) functions: Vec<Op<'a>>,
}

impl<'d, 'a> Deriver<'d, 'a> {
    pub(crate) fn new(
        rules: &'d Rules<'a>,
        flat: &'d SymbolTable<'a>,
        program: &'d mut SymbolTable<'a>,
        tapes: bool,
    ) -> Self {
        Deriver {
            rules,
            flat,
            program,
            derived: FxHashMap::default(),
            tapes,
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
        let key = Key {
            function,
            wrt,
            results,
        };
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
                    if stack
                        .iter()
                        .any(|task| task.key.function == needed.function)
                    {
                        return Err(recursive(call, needed.function).into());
                    }
                    stack.push(self.task(needed));
                }
            }
        }
        Ok(self.derived[&key].clone())
    }

    fn task(&self, key: Key<'a>) -> Task<'a> {
        let values = Values::of(key.function);
        let bounds = (&key.wrt[..], &key.results[..]);
        let activity = Activity::of(key.function, &values, self.rules, self.flat, bounds);
        let mut calls = Vec::new();
        for call in key.function.walk().filter_map(func::Call::cast) {
            let is_active = |value| activity.is_active(values.id(value));
            let positions = |values: Vec<tfx_ir::Value<'a>>| {
                let values = values.into_iter().enumerate();
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
                let key = Key {
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
        }
    }

    /// Collects the derivatives of the callees; returns the first that is still missing.
    fn missing(&self, task: &mut Task<'a>) -> Result<Option<(Op<'a>, Key<'a>)>, Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        for (call, needed) in &task.calls {
            if task.callees.contains_key(call) {
                continue;
            }
            let derivative = match self.derived.get(needed) {
                Some(derivative) => derivative.clone(),
                None => match self.by_rule(*call, needed) {
                    Some(Ok(derivative)) => derivative,
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
            task.callees.insert(*call, derivative);
        }
        errors.finish()?;
        Ok(None)
    }

    /// Returns the derivative that a rule gives a function; none if it is to be derived.
    fn by_rule(
        &self,
        call: Op<'a>,
        needed: &Key<'a>,
    ) -> Option<Result<Derivative<'a>, Diagnostic<'a>>> {
        let name = needed.function.symbol_name().unwrap_or_default();
        let Some(rule) = rule(needed.function) else {
            return needed
                .function
                .is_declaration()
                .then(|| Err(foreign(call, needed.function)));
        };
        let (Some(forward), Some(backward)) = (rule.forward, rule.backward) else {
            let message =
                format!("cannot differentiate '@{name}' in reverse: its rule has no 'backward'");
            let note = "the rule is here; give it 'forward' and 'backward'";
            let error = diag::error(call.location(), message);
            return Some(Err(error.note(needed.function.location(), note)));
        };
        if let Some(parameter) = needed.wrt.iter().find(|index| !rule.wrt.contains(index)) {
            let message = format!(
                "cannot differentiate '@{name}' with respect to its parameter {parameter}: \
                 the rule of '@{name}' does not list it in 'wrt'"
            );
            let error = diag::error(call.location(), message);
            return Some(Err(
                error.note(needed.function.location(), "the rule is here")
            ));
        }
        let function = self.program.get(forward);
        let results = function
            .map(|function| function.signature().1)
            .unwrap_or_default();
        let own = needed.function.signature().1;
        Some(Ok(Derivative {
            forward: forward.to_owned(),
            backward: backward.to_owned(),
            residuals: results.get(own.len()..).unwrap_or_default().to_vec(),
            wrt: rule.wrt,
            results: differentiable_positions(own.into_iter()),
            residuals_first: true,
        }))
    }

    fn finish(&mut self, task: Task<'a>, name: &str) -> Result<(), Diagnostics<'a>> {
        let target = block_of(self.program);
        let source = Source {
            function: task.key.function,
            values: &task.values,
            activity: &task.activity,
            rules: self.rules,
            callees: &task.callees,
            wrt: &task.key.wrt,
            results: &task.key.results,
        };
        let backward = format!("{name}.backward");
        let residuals = reverse(&source, target, &backward)?;
        let taped = residuals
            .iter()
            .find(|residual| residual.storage == Storage::Tape);
        if let Some(loop_) = taped
            .filter(|_| !self.tapes)
            .and_then(|taped| taped.key.innermost_loop())
        {
            return Err(diag::error(loop_.location(), NO_TAPES).into());
        }
        let backward = target.last().expect("the function was added");
        let symbol = format!("{name}.forward");
        forward(
            task.key.function,
            &residuals,
            &task.callees,
            target,
            &symbol,
        );
        let forward = target.last().expect("the function was added");
        self.functions.extend([forward, backward]);
        let derivative = Derivative {
            forward: self.program.insert(forward).to_owned(),
            backward: self.program.insert(backward).to_owned(),
            residuals: residuals
                .iter()
                .map(|residual| residual.result_type())
                .collect(),
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
            residuals_first: false,
        };
        self.derived.insert(task.key, derivative);
        Ok(())
    }
}

/// The message for a loop whose derivative needs tapes.
const NO_TAPES: &str = "cannot differentiate this loop: values of its iterations would have to be \
                        stored on tapes, which is not supported yet";

fn source_name<'a>(function: Op<'a>) -> &'a str {
    function.symbol_name().expect("a function has a name")
}

fn foreign<'a>(call: Op<'a>, function: Op<'a>) -> Diagnostic<'a> {
    let name = source_name(function);
    diag::error(
        call.location(),
        format!("cannot differentiate: no derivative of the foreign function '@{name}' is known"),
    )
    .note(
        function.location(),
        "give it a rule (tfx_ad.rule), declare that it has no derivative (tfx_ad.inactive), \
         or cut the path with tfx_ad.stop",
    )
}

fn recursive<'a>(call: Op<'a>, function: Op<'a>) -> Diagnostic<'a> {
    let name = source_name(function);
    diag::error(
        call.location(),
        format!("cannot differentiate '@{name}', which calls itself"),
    )
    .note(
        function.location(),
        "write a loop, or give the function a rule (tfx_ad.rule)",
    )
}
