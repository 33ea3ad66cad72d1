//! The named states of foreign functions that each function may access, itself or through calls.
//!
//! ```text
//!   @next  tfx.state = "loader"        @batch calls @next          @batch: "loader"
//!   @save  tfx.state = "log"           @step applies a closure     @step:  "loader", "log"
//! ```
//!
//! The function that a closure calls is known only at run time, so it may access every state. For
//! each state, a search follows calls backwards from the functions that declare it. Cost: the calls
//! of the module, for each state.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::host::{self, HostOp};
use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

/// The states that functions access.
#[derive(Default)]
pub(crate) struct States<'a> {
    all: Vec<&'a str>,
    by_function: FxHashMap<&'a str, Vec<&'a str>>,
    /// The states of the functions that prefetch threads call.
    of_queues: Vec<&'a str>,
}

impl<'a> States<'a> {
    /// Computes the states of all functions. `declared` has those of foreign functions.
    pub(crate) fn new(symbols: &SymbolTable<'a>, declared: &BTreeMap<&'a str, &'a str>) -> Self {
        if declared.is_empty() {
            return States::default();
        }
        let mut callers: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        let mut dynamic: Vec<&'a str> = Vec::new();
        let mut queued: BTreeSet<&'a str> = BTreeSet::new();
        for func in symbols.ops().filter_map(func::Func::cast) {
            let name = func.sym_name();
            for op in func.walk().skip(1) {
                match callee(op) {
                    // The function that opens the queue counts as its caller.
                    Some(Callee::Queue) | None => {}
                    Some(Callee::Function(callee)) => {
                        if op.isa::<host::Prefetch>() {
                            queued.insert(callee);
                        }
                        callers.entry(callee).or_default().push(name);
                    }
                    Some(Callee::Unknown) => dynamic.push(name),
                }
            }
        }
        let all: BTreeSet<&'a str> = declared.values().copied().collect();
        let mut by_function: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        for &state in &all {
            let with_state = declared.iter().filter(|(_, declared)| **declared == state);
            let mut worklist: Vec<&'a str> = with_state.map(|(name, _)| *name).collect();
            worklist.extend(&dynamic);
            let mut seen: FxHashSet<&'a str> = FxHashSet::default();
            while let Some(name) = worklist.pop() {
                if seen.insert(name) {
                    by_function.entry(name).or_default().push(state);
                    worklist.extend(callers.get(name).into_iter().flatten());
                }
            }
        }
        let of_queues = queued.iter().filter_map(|name| by_function.get(name));
        let of_queues: BTreeSet<&'a str> = of_queues.flatten().copied().collect();
        States {
            of_queues: of_queues.into_iter().collect(),
            all: all.into_iter().collect(),
            by_function,
        }
    }

    /// Returns the states that `op` may access.
    pub(crate) fn of(&self, op: Op<'a>) -> &[&'a str] {
        match callee(op) {
            Some(Callee::Function(callee)) => {
                self.by_function.get(callee).map_or(&[], Vec::as_slice)
            }
            Some(Callee::Unknown) => &self.all,
            Some(Callee::Queue) => &self.of_queues,
            None => &[],
        }
    }
}

/// The function that an operation calls.
enum Callee<'a> {
    Function(&'a str),
    /// A function that is known only at run time.
    Unknown,
    /// The function of a queue: any that a prefetch thread calls.
    Queue,
}

fn callee(op: Op<'_>) -> Option<Callee<'_>> {
    if let Some(call) = func::Call::cast(op) {
        return Some(Callee::Function(call.callee()));
    }
    match HostOp::cast(op)? {
        HostOp::Prefetch(prefetch) => Some(Callee::Function(prefetch.callee())),
        HostOp::Next(_) => Some(Callee::Queue),
        HostOp::Apply(_) | HostOp::DynamicCall(_) => Some(Callee::Unknown),
        _ => None,
    }
}
