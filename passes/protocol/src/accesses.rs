//! The states that functions access: those that foreign functions name, standard output, or
//! unknown ones.
//!
//! ```text
//!   @next  tfx.state = "loader"       @batch calls @next       @batch: "loader"
//!   @peek  (no attribute)             @step calls @peek        @step:  unknown, because of @peek
//! ```
//!
//! For each state, a search goes from the functions that access it to their callers. Cost: the
//! calls of the module, once for each state.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use tfx_dialects::foreign::{PURE, STANDARD_OUTPUT, STATE};
use tfx_dialects::host::{self, HostOp};
use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

/// A state that code accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access<'a> {
    State(&'a str),
    /// Any state.
    Unknown,
}

/// The states that each function accesses, with the reason.
pub(crate) struct Accesses<'a> {
    by_function: FxHashMap<&'a str, BTreeMap<Access<'a>, Reason<'a>>>,
}

/// The reason why a function accesses a state.
#[derive(Clone, Copy)]
enum Reason<'a> {
    /// This operation of the function, or the declaration of a foreign function.
    Own(Op<'a>),
    /// A call of this function.
    Call(&'a str),
}

impl<'a> Accesses<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>) -> Self {
        let mut callers: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        let mut found: BTreeMap<Access<'a>, Vec<(&'a str, Op<'a>)>> = BTreeMap::new();
        for function in symbols.ops().filter_map(func::Func::cast) {
            let name = function.sym_name();
            if let Some(access) = declared(function) {
                found.entry(access).or_default().push((name, function.op()));
            }
            for op in function.walk().skip(1) {
                if let Some(callee) = callee(op) {
                    callers.entry(callee).or_default().push(name);
                } else if let Some(access) = own(op) {
                    found.entry(access).or_default().push((name, op));
                }
            }
        }
        let mut accesses = Accesses {
            by_function: FxHashMap::default(),
        };
        for (access, direct) in found {
            accesses.propagate(access, &direct, &callers);
        }
        accesses
    }

    /// Adds an access to the functions that have it, and to all that call them.
    fn propagate(
        &mut self,
        access: Access<'a>,
        direct: &[(&'a str, Op<'a>)],
        callers: &FxHashMap<&'a str, Vec<&'a str>>,
    ) {
        let direct = direct.iter().rev();
        let mut todo: Vec<(&'a str, Reason<'a>)> =
            direct.map(|&(name, op)| (name, Reason::Own(op))).collect();
        while let Some((name, reason)) = todo.pop() {
            let known = self.by_function.entry(name).or_default();
            if known.contains_key(&access) {
                continue;
            }
            known.insert(access, reason);
            let callers = callers.get(name).into_iter().flatten();
            todo.extend(callers.map(|&caller| (caller, Reason::Call(name))));
        }
    }

    pub(crate) fn of_function(&self, name: &str) -> BTreeSet<Access<'a>> {
        let known = self.by_function.get(name).into_iter().flatten();
        known.map(|(&access, _)| access).collect()
    }

    /// Returns the accesses of an operation and of the function that it calls.
    pub(crate) fn of_op(&self, op: Op<'a>) -> BTreeSet<Access<'a>> {
        match callee(op) {
            Some(callee) => self.of_function(callee),
            None => own(op).into_iter().collect(),
        }
    }

    /// Returns the operation with an access in a function or in its callees, or the declaration of
    /// a foreign function.
    pub(crate) fn source(&self, name: &'a str, access: Access<'a>) -> Option<Op<'a>> {
        let mut name = name;
        // Each step leads to a function that the search reached earlier, so there is no cycle.
        loop {
            match self.by_function.get(name)?.get(&access)? {
                Reason::Own(op) => return Some(*op),
                Reason::Call(callee) => name = callee,
            }
        }
    }
}

/// Returns the function that an operation calls, on this thread or on another one.
pub(crate) fn callee(op: Op<'_>) -> Option<&str> {
    func::Call::cast(op)
        .map(|op| op.callee())
        .or_else(|| host::Prefetch::cast(op).map(|op| op.callee()))
}

/// Returns the access of an operation that calls no known function.
fn own(op: Op<'_>) -> Option<Access<'_>> {
    match HostOp::cast(op)? {
        HostOp::Print(_) => Some(Access::State(STANDARD_OUTPUT)),
        HostOp::Apply(_) | HostOp::DynamicCall(_) | HostOp::Call(_) | HostOp::WitnessCall(_) => {
            Some(Access::Unknown)
        }
        _ => None,
    }
}

/// Returns the access that a foreign function declares.
fn declared(function: func::Func<'_>) -> Option<Access<'_>> {
    if !function.is_declaration() || function.attribute(PURE).is_some() {
        return None;
    }
    let state = function.string(STATE);
    Some(state.map_or(Access::Unknown, Access::State))
}
