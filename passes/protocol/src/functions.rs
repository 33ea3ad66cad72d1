//! Proves that a host function and a graph function compute the same results from equal arguments.
//!
//! ```text
//!   host                                  graph
//!   %r = call @table(%i)                  %s = tfx_tensor.call @table.graph(%j)
//!   func @table(%i) { ... return %x }     graph @table.graph(%j) { ... return %y }
//!
//!   %r = %s  if %i = %j, and %x = %y follows from %i = %j
//! ```
//!
//! # Algorithm
//!
//! Both must be *replicable*: replicable operations with the same bits on both sides, structured
//! control flow, and calls of such functions. They are compared as two programs are
//! ([`crate::equivalence`]): the arguments are assumed to be equal, and the equality of the results
//! has to follow. A pair of callees is assumed to be equivalent and proved next. The pairs are thus
//! proved together (coinduction), without a stack: if the proof of one fails, none is known to be
//! equivalent.
//!
//! Cost: linear in each function, for each graph that it is compared with; partition produces one.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::replicable::{replicable, same_bits};
use tfx_dialects::tensor;
use tfx_ir::Op;
use tfx_ir::ops::{Structured, func, scf};
use tfx_ir::symbols::SymbolTable;

use crate::equivalence::Equivalence;
use crate::events::Projection;
use crate::schedule::Schedule;

/// The known properties of the functions and graphs of a module.
pub(crate) struct Functions<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    replicable: RefCell<FxHashMap<Op<'a>, bool>>,
    /// Pairs that are equivalent, or not; those that are pending or being proved are assumed to be.
    equivalent: RefCell<FxHashMap<(Op<'a>, Op<'a>), bool>>,
    pending: RefCell<Vec<(Op<'a>, Op<'a>)>>,
    is_proving: Cell<bool>,
}

impl<'s, 'a> Functions<'s, 'a> {
    pub(crate) fn new(symbols: &'s SymbolTable<'a>) -> Self {
        Functions {
            symbols,
            replicable: RefCell::default(),
            equivalent: RefCell::default(),
            pending: RefCell::default(),
            is_proving: Cell::new(false),
        }
    }

    /// Returns whether two operations are calls that compute the same results from equal operands.
    pub(crate) fn calls_are_alike(&self, one: Op<'a>, other: Op<'a>) -> bool {
        match (self.replicable_callee(one), self.replicable_callee(other)) {
            (Some(one), Some(other)) => self.are_equivalent(one, other),
            _ => false,
        }
    }

    fn replicable_callee(&self, op: Op<'a>) -> Option<Op<'a>> {
        let callee = self.symbols.get(callee(op)?)?;
        let known = self.replicable.borrow().get(&callee).copied();
        let is_replicable = known.unwrap_or_else(|| {
            let result = self.is_replicable(callee);
            self.replicable.borrow_mut().insert(callee, result);
            result
        });
        is_replicable.then_some(callee)
    }

    /// Returns whether a function and all that it calls are replicable.
    fn is_replicable(&self, function: Op<'a>) -> bool {
        let mut seen = FxHashSet::from_iter([function]);
        let mut todo = vec![function];
        while let Some(function) = todo.pop() {
            if function.num_regions() != 1 || function.region(0).single_block().is_none() {
                return false;
            }
            for op in function.walk().skip(1) {
                if let Some(name) = callee(op) {
                    match self.symbols.get(name) {
                        Some(callee) if seen.insert(callee) => todo.push(callee),
                        Some(_) => {}
                        None => return false,
                    }
                } else if !(is_control_flow(op) || replicable(op) && same_bits(op)) {
                    return false;
                }
            }
        }
        true
    }

    fn are_equivalent(&self, one: Op<'a>, other: Op<'a>) -> bool {
        if one == other {
            return true;
        }
        if let Some(&known) = self.equivalent.borrow().get(&(one, other)) {
            return known;
        }
        self.equivalent.borrow_mut().insert((one, other), true);
        self.pending.borrow_mut().push((one, other));
        self.is_proving.get() || self.prove_pending()
    }

    /// Proves all pairs that are assumed to be equivalent, and those that they call.
    fn prove_pending(&self) -> bool {
        self.is_proving.set(true);
        let mut proved = Vec::new();
        let mut all = true;
        while all {
            let Some(pair) = self.pending.borrow_mut().pop() else {
                break;
            };
            proved.push(pair);
            all = self.results_follow(pair.0, pair.1);
        }
        if !all {
            proved.append(&mut self.pending.borrow_mut());
            let failed = proved.into_iter().map(|pair| (pair, false));
            self.equivalent.borrow_mut().extend(failed);
        }
        self.is_proving.set(false);
        all
    }

    /// Returns whether equal results follow from equal arguments.
    fn results_follow(&self, one: Op<'a>, other: Op<'a>) -> bool {
        let body = |function: Op<'a>| {
            let body = function.region(0).entry()?;
            Some((body, body.last()?))
        };
        let (Some((one, end)), Some((other, other_end))) = (body(one), body(other)) else {
            return false;
        };
        if one.num_arguments() != other.num_arguments()
            || end.num_operands() != other_end.num_operands()
        {
            return false;
        }
        let (projection, schedule) = (Projection::default(), Schedule::default());
        let calls = |one, other| self.calls_are_alike(one, other);
        let mut equivalence = Equivalence::of_functions(&projection, &schedule, &calls);
        for (argument, other) in one.arguments().zip(other.arguments()) {
            equivalence.assume(argument, other);
        }
        let mut results = end.operands().zip(other_end.operands());
        results.all(|(result, other)| equivalence.prove(result, other).is_ok())
    }
}

/// Returns the name of the function or graph that a call calls.
fn callee(op: Op<'_>) -> Option<&str> {
    func::Call::cast(op)
        .map(|op| op.callee())
        .or_else(|| tensor::Call::cast(op).map(|op| op.callee()))
}

fn is_control_flow(op: Op<'_>) -> bool {
    Structured::cast(op).is_some()
        || matches!(
            op.name(),
            func::Return::NAME | tensor::Return::NAME | scf::Yield::NAME | scf::Condition::NAME
        )
}
