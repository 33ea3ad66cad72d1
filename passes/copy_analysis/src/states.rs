//! Which named states of foreign functions a function may read and write, itself or by what it calls.
//!
//! ```text
//!   @next  tfx.state = "loader"        @batch calls @next          @batch: "loader"
//!   @save  tfx.state = "log"           @step applies a closure     @step:  "loader", "log": which function that is only the run knows
//! ```
//!
//! For each state a search from the functions that keep it to those that call them. Cost: calls of the module, once for each state.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::func;

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

/// The states of each function that has any.
#[derive(Default)]
pub(crate) struct States<'a> {
    all: Vec<&'a str>,
    by_function: FxHashMap<&'a str, Vec<&'a str>>,
    /// Of the functions that threads call for queues.
    of_queues: Vec<&'a str>,
}

impl<'a> States<'a> {
    /// Of all functions, from the states that foreign ones keep.
    pub(crate) fn new(symbols: &SymbolTable<'a>, kept: &BTreeMap<&'a str, &'a str>) -> Self {
        if kept.is_empty() {
            return States::default();
        }
        let mut callers: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        let mut dynamic: Vec<&'a str> = Vec::new();
        let mut queued: BTreeSet<&'a str> = BTreeSet::new();
        for func in symbols.ops().filter(|op| op.isa::<func::Func>()) {
            let name = func.symbol_name().unwrap_or_default();
            for op in func.walk().skip(1) {
                match called(op) {
                    // The function that opens the queue calls what it takes results of.
                    Some(Called::Queue) => {}
                    Some(Called::Function(callee)) => {
                        if op.isa::<host::Prefetch>() {
                            queued.insert(callee);
                        }
                        callers.entry(callee).or_default().push(name);
                    }
                    Some(Called::Any) => dynamic.push(name),
                    None => {}
                }
            }
        }
        let all: BTreeSet<&'a str> = kept.values().copied().collect();
        let mut by_function: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
        for &state in &all {
            let keep = kept.iter().filter(|(_, kept)| **kept == state);
            let mut todo: Vec<&'a str> = keep.map(|(name, _)| *name).collect();
            todo.extend(&dynamic);
            let mut seen: FxHashSet<&'a str> = FxHashSet::default();
            while let Some(name) = todo.pop() {
                if seen.insert(name) {
                    by_function.entry(name).or_default().push(state);
                    todo.extend(callers.get(name).into_iter().flatten());
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

    /// The states that `op` may read and write.
    pub(crate) fn of(&self, op: Op<'a>) -> &[&'a str] {
        match called(op) {
            Some(Called::Function(callee)) => {
                self.by_function.get(callee).map_or(&[], Vec::as_slice)
            }
            Some(Called::Any) => &self.all,
            Some(Called::Queue) => &self.of_queues,
            None => &[],
        }
    }
}

/// What an operation calls.
enum Called<'a> {
    Function(&'a str),
    /// What only the run knows.
    Any,
    /// The function of a queue: any that a thread calls.
    Queue,
}

fn called(op: Op<'_>) -> Option<Called<'_>> {
    match op.name() {
        func::Call::NAME | host::Prefetch::NAME => op.symbol("callee").map(Called::Function),
        host::Next::NAME => Some(Called::Queue),
        host::Apply::NAME | host::DynamicCall::NAME => Some(Called::Any),
        _ => None,
    }
}
