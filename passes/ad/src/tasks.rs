//! The functions to derive, each with a direction and its active parameters and results, and the
//! derivatives that each needs of the functions that it calls.
//!
//! ```text
//!   @loss, reverse, wrt [0], results [0]     calls @layer: reverse, wrt [0, 2], results [0]
//! ```
//!
//! A parameter of a callee is active if an active result depends on it, and it on an active value.
//!
//! Cost: linear in the function, and quadratic in the operands of a call.

use rustc_hash::FxHashMap;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::{Op, Value};

use crate::activity::Activity;
use crate::derivative::{Derivative, differentiable_positions};
use crate::derive::Deriver;
use crate::number::Values;
use crate::objects::Objects;
use crate::tangent::is_differentiable;
use crate::tangents::Tangents;

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
    pub(crate) results: Vec<usize>,
}

impl Key<'_> {
    /// Returns the key with all parameters and results that have derivatives.
    pub(crate) fn whole(&self) -> Self {
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
    pub(crate) fn reverse(&self) -> Option<&Derivative<'a>> {
        match self {
            Derived::Reverse(derivative) => Some(derivative),
            Derived::Forward(_) => None,
        }
    }

    pub(crate) fn forward(&self) -> Option<&Tangents> {
        match self {
            Derived::Forward(tangents) => Some(tangents),
            Derived::Reverse(_) => None,
        }
    }
}

/// A function that is being derived.
pub(crate) struct Task<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) values: Values<'a>,
    pub(crate) activity: Activity,
    /// The active calls, with what is needed of their callees.
    pub(crate) calls: Vec<(Op<'a>, Key<'a>)>,
    pub(crate) callees: FxHashMap<Op<'a>, Derived<'a>>,
    /// The calls of functions that reach this one, with what is needed of them.
    pub(crate) of_cycle: FxHashMap<Op<'a>, Key<'a>>,
}

impl<'a> Task<'a> {
    /// Finds the active values and calls of a function.
    pub(crate) fn of(key: Key<'a>, deriver: &Deriver<'_, 'a>) -> Self {
        let values = Values::of(key.function);
        let Deriver {
            rules,
            flat,
            summaries,
            ..
        } = deriver;
        let bounds = (&key.wrt[..], &key.results[..]);
        let activity = Activity::of(key.function, &values, rules, (flat, summaries), bounds);
        let mut calls = Vec::new();
        for call in key.function.walk().filter_map(func::Call::cast) {
            let function = flat.get(call.callee());
            let function = function.expect("the callee is in the module");
            let ids = &values;
            let active = |values: Vec<Value<'a>>| {
                let is_active = |value: Value<'a>| {
                    is_differentiable(value.ty()) && activity.is_active(ids.id(value))
                };
                let values = values.into_iter().enumerate();
                let values = values.filter(|(_, value)| is_active(*value));
                values.map(|(index, _)| index).collect::<Vec<_>>()
            };
            let operands = active(call.op().operands().collect());
            let results = active(call.results().collect());
            let depends = |operand, result| summaries.depends(function, operand, result);
            let wrt = operands.iter().copied();
            let wrt = wrt.filter(|&operand| results.iter().any(|&result| depends(operand, result)));
            let wrt: Vec<_> = wrt.collect();
            let results = results.iter().copied();
            let results =
                results.filter(|&result| wrt.iter().any(|&operand| depends(operand, result)));
            let results: Vec<_> = results.collect();
            if !wrt.is_empty() {
                let key = Key {
                    mode: key.mode,
                    function,
                    wrt,
                    results,
                };
                calls.push((call.op(), key));
            }
        }
        if let Some(checkpointed) = deriver.checkpoints.get(&key.function)
            && key.mode == Mode::Reverse
        {
            let active = checkpointed.active(key.function, &values, &activity);
            // A derivative through the result of an effect is an error: that of its function.
            calls.retain(|(_, key)| checkpointed.kept.functions.contains(&key.function));
            calls.push((checkpointed.again, checkpointed.needs(&key, &active)));
        }
        Task {
            key,
            values,
            activity,
            calls,
            callees: FxHashMap::default(),
            of_cycle: FxHashMap::default(),
        }
    }

    /// Changes what is needed of the callee of a call.
    pub(crate) fn require(&mut self, call: Op<'a>, key: Key<'a>) {
        let mut calls = self.calls.iter_mut();
        if let Some((_, needed)) = calls.find(|(op, _)| *op == call) {
            *needed = key;
        }
    }

    /// Reports the operations from which a value without a derivative comes although the derivative
    /// goes through it.
    pub(crate) fn check_carriers(&self, objects: &Objects<'a>) -> Result<(), Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        let mut last = None;
        for value in self.activity.active(&self.values) {
            let op = value.defining_op();
            if is_differentiable(value.ty()) || op.is_some() && op == last {
                continue;
            }
            last = op;
            errors.push(no_derivative(value, objects));
        }
        errors.finish()
    }

    /// Returns the derivatives of callees that `select` selects.
    pub(crate) fn callees<T: Clone>(
        &self,
        select: impl for<'d> Fn(&'d Derived<'a>) -> Option<&'d T>,
    ) -> FxHashMap<Op<'a>, T> {
        let callees = self.callees.iter();
        let callees = callees.filter_map(|(op, derived)| Some((*op, select(derived)?.clone())));
        callees.collect()
    }
}

fn no_derivative<'a>(value: Value<'a>, objects: &Objects<'a>) -> Diagnostic<'a> {
    let message = format!(
        "cannot differentiate through a value of type '{}': the result depends on a parameter by it",
        value.ty()
    );
    let mut error = diag::error(value.location(), message);
    if let Some((location, reason)) = objects.obstacle(value.ty()) {
        let note = format!("it is not known at compile time which object this is: {reason}");
        error = error.note(location, note);
    }
    error.note(
        value.location(),
        "pass floats, tensors, arrays, structs and tuples of these instead, give the function around it a \
         rule (tfx_ad.rule), or cut the path with tfx_ad.stop",
    )
}
