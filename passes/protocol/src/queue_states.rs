//! What functions touch outside of themselves: the states that foreign functions name, standard output, or anything.
//!
//! ```text
//!   @next  tfx.state = "loader"        @batch calls @next          @batch: "loader"
//!   @peek  (says nothing)              @step calls @peek           @step:  anything, because of @peek
//! ```
//!
//! For each fact a search from the functions that it is true of to those that call them. Cost: the calls of the module,
//! once for each state.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::func;

use rustc_hash::FxHashMap;
use tfx_dialects::foreign::{PURE, STANDARD_OUTPUT, STATE};
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

/// Something that code touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touched<'a> {
    State(&'a str),
    /// It is not known what.
    Anything,
}

/// What each function touches, and by which of its operations.
pub(crate) struct States<'a> {
    by_function: FxHashMap<&'a str, BTreeMap<Touched<'a>, Witness<'a>>>,
}

/// Why a function touches something.
#[derive(Clone, Copy)]
enum Witness<'a> {
    /// This operation does, or this declaration says so.
    Own(Op<'a>),
    /// It calls this function.
    Calls(&'a str),
}

impl<'a> States<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>) -> Self {
        let mut callers: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        let mut found: BTreeMap<Touched<'a>, Vec<(&'a str, Op<'a>)>> = BTreeMap::new();
        for function in symbols.ops().filter(|op| op.isa::<func::Func>()) {
            let Some(name) = function.symbol_name() else {
                continue;
            };
            if let Some(touched) = declared(function) {
                found.entry(touched).or_default().push((name, function));
            }
            for op in function.walk().skip(1) {
                if let Some(callee) = callee(op) {
                    callers.entry(callee).or_default().push(name);
                } else if let Some(touched) = own(op) {
                    found.entry(touched).or_default().push((name, op));
                }
            }
        }
        let mut states = States {
            by_function: FxHashMap::default(),
        };
        for (touched, direct) in found {
            states.spread(touched, &direct, &callers);
        }
        states
    }

    /// Tells a fact of functions, and of all that call them.
    fn spread(
        &mut self,
        touched: Touched<'a>,
        direct: &[(&'a str, Op<'a>)],
        callers: &FxHashMap<&'a str, Vec<&'a str>>,
    ) {
        let direct = direct.iter().rev();
        let mut todo: Vec<(&'a str, Witness<'a>)> =
            direct.map(|&(name, op)| (name, Witness::Own(op))).collect();
        while let Some((name, witness)) = todo.pop() {
            let known = self.by_function.entry(name).or_default();
            if known.contains_key(&touched) {
                continue;
            }
            known.insert(touched, witness);
            let calling = callers.get(name).into_iter().flatten();
            todo.extend(calling.map(|&caller| (caller, Witness::Calls(name))));
        }
    }

    /// What a function touches, in order.
    pub(crate) fn of_function(&self, name: &str) -> BTreeSet<Touched<'a>> {
        let known = self.by_function.get(name).into_iter().flatten();
        known.map(|(&touched, _)| touched).collect()
    }

    /// The operation that touches something in a function or in what it calls, or the declaration that says so.
    pub(crate) fn witness(&self, name: &'a str, touched: Touched<'a>) -> Option<Op<'a>> {
        let mut name = name;
        // Each step goes to a function that was reached before, so there is an end.
        loop {
            match self.by_function.get(name)?.get(&touched)? {
                Witness::Own(op) => return Some(*op),
                Witness::Calls(callee) => name = callee,
            }
        }
    }

    /// What an operation touches, with what it calls.
    pub(crate) fn of_op(&self, op: Op<'a>) -> BTreeSet<Touched<'a>> {
        match callee(op) {
            Some(callee) => self.of_function(callee),
            None => own(op).into_iter().collect(),
        }
    }
}

/// The function that an operation calls, now or on another thread.
pub(crate) fn callee(op: Op<'_>) -> Option<&str> {
    match op.name() {
        func::Call::NAME | host::Prefetch::NAME => op.symbol("callee"),
        _ => None,
    }
}

/// What an operation touches that calls no known function.
fn own(op: Op<'_>) -> Option<Touched<'_>> {
    match op.name() {
        host::Print::NAME => Some(Touched::State(STANDARD_OUTPUT)),
        host::Apply::NAME
        | host::DynamicCall::NAME
        | host::Call::NAME
        | host::WitnessCall::NAME => Some(Touched::Anything),
        _ => None,
    }
}

/// What a foreign function says of itself.
fn declared(function: Op<'_>) -> Option<Touched<'_>> {
    if !function.is_declaration() || function.attribute(PURE).is_some() {
        return None;
    }
    Some(
        function
            .string(STATE)
            .map_or(Touched::Anything, Touched::State),
    )
}
