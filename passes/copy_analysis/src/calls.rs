//! Values that are received in one function and used in another, through calls.
//!
//! ```text
//!   @step(%x) {                      @main {
//!     %p = start @step.graph           loop {
//!     %y = recv %p from 0                %r = call @step(%a)     result 0: the receive in @step
//!     %z = call @step(%y)                send %r
//!     return %z                        }
//!   }                                }
//! ```
//!
//! Most functions are inlined before partition. Recursive functions are not, and may run programs
//! of their own. The analysis computes a summary of each: the results and arguments that may depend
//! on a receive, whether it may write such a value to memory or read it there, and whether a
//! receive may decide that it is executed. The summaries are starting points of the search in
//! callers and callees ([`Flow`]). All calls of a function are merged.
//!
//! The analysis iterates to a fixed point over the functions that run programs or call a function
//! that does. A function is searched again only if its summary has changed. Cost: linear in the
//! module for each result and argument of these functions; nothing if there are none.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tfx_dialects::comm;
use tfx_dialects::transfer::Transfer;
use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

use crate::dependences::Node;
use crate::flow::{Flow, Start};
use crate::foreign::Foreign;
use crate::program::{functions, is_intentional};

/// The summary of a function. Each entry is one receive that may reach it.
#[derive(Clone, Default)]
struct Summary<'a> {
    arguments: Vec<Option<Op<'a>>>,
    /// Reaches the decision to call the function.
    executed: Option<Op<'a>>,
    results: Vec<Option<Op<'a>>>,
    /// Reaches memory that the function writes.
    writes: Option<Op<'a>>,
    /// Reaches memory that the function may read.
    reads: Option<Op<'a>>,
}

/// A function that runs programs, or that calls one that does.
struct Function<'a> {
    op: Op<'a>,
    /// Its calls of such functions, with the index of the callee.
    calls: Vec<(func::Call<'a>, usize)>,
    callers: BTreeSet<usize>,
    summary: Summary<'a>,
}

/// The summaries of the functions of a module.
pub(crate) struct Calls<'a> {
    functions: Vec<Function<'a>>,
    by_op: FxHashMap<Op<'a>, usize>,
}

impl<'a> Calls<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>, foreign: &Foreign<'a>) -> Self {
        let mut calls = Calls::with_empty_summaries(symbols);
        let has_calls = calls.functions.iter().any(|f| !f.calls.is_empty());
        let mut worklist: BTreeSet<usize> = match has_calls {
            true => (0..calls.functions.len()).collect(),
            false => BTreeSet::new(),
        };
        while let Some(function) = worklist.pop_first() {
            calls.search(function, symbols, foreign, &mut worklist);
        }
        calls
    }

    /// Returns the starting points of a search for round trips in `func`: its own receives, and the
    /// values that calls pass in.
    pub(crate) fn starts(&self, func: Op<'a>) -> Vec<Start<'a>> {
        let mut starts: Vec<Start<'a>> = func
            .walk()
            .filter_map(comm::Recv::cast)
            .filter(|receive| !is_intentional(receive.op()))
            .map(|receive| Start {
                node: Node::Value(receive.value()),
                here: Some(receive.op()),
                receive: receive.op(),
            })
            .collect();
        let function = self.by_op.get(&func).map(|&index| &self.functions[index]);
        let (Some(function), Some(body)) = (function, func.region(0).entry()) else {
            return starts;
        };
        let mut start = |node, here: Option<func::Call<'a>>, receive: Option<Op<'a>>| {
            starts.extend(receive.map(|receive| Start {
                node,
                here: here.map(func::Call::op),
                receive,
            }));
        };
        let summary = &function.summary;
        for (argument, &receive) in body.arguments().zip(&summary.arguments) {
            start(Node::Value(argument), None, receive);
        }
        start(Node::Executed(func.region(0)), None, summary.executed);
        start(Node::Memory, None, summary.reads);
        for &(call, callee) in &function.calls {
            let summary = &self.functions[callee].summary;
            for (result, &receive) in call.results().zip(&summary.results) {
                start(Node::Value(result), Some(call), receive);
            }
            start(Node::Op(call.op()), Some(call), summary.writes);
        }
        starts
    }

    /// Returns the functions that run programs and their transitive callers, with empty summaries.
    fn with_empty_summaries(symbols: &SymbolTable<'a>) -> Self {
        let all: Vec<Op<'a>> = functions(symbols)
            .filter(|func| !func.is_declaration())
            .collect();
        let names: FxHashMap<&'a str, usize> = all
            .iter()
            .zip(0..)
            .filter_map(|(func, index)| Some((func.symbol_name()?, index)))
            .collect();
        let mut calls: Vec<Vec<(func::Call<'a>, usize)>> = vec![Vec::new(); all.len()];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        let mut worklist = Vec::new();
        for (index, func) in all.iter().enumerate() {
            for op in func.walk().skip(1) {
                if let Some(call) = func::Call::cast(op)
                    && let Some(&callee) = names.get(call.callee())
                {
                    calls[index].push((call, callee));
                    callers[callee].push(index);
                }
                if Transfer::cast(op).is_some() {
                    worklist.push(index);
                }
            }
        }
        let mut included = vec![false; all.len()];
        while let Some(index) = worklist.pop() {
            if !std::mem::replace(&mut included[index], true) {
                worklist.extend(&callers[index]);
            }
        }
        let kept: Vec<usize> = (0..all.len()).filter(|&index| included[index]).collect();
        let number = |index: &usize| kept.binary_search(index).ok();
        let functions = kept.iter().map(|&index| {
            let (arguments, results) = all[index].signature();
            let calls = calls[index].iter();
            Function {
                op: all[index],
                calls: calls
                    .filter_map(|(call, callee)| Some((*call, number(callee)?)))
                    .collect(),
                callers: callers[index].iter().filter_map(number).collect(),
                summary: Summary {
                    arguments: vec![None; arguments.len()],
                    results: vec![None; results.len()],
                    ..Summary::default()
                },
            }
        });
        Calls {
            functions: functions.collect(),
            by_op: kept.iter().map(|&index| all[index]).zip(0..).collect(),
        }
    }

    /// Updates the summaries of the callees of a function, and its own.
    fn search(
        &mut self,
        index: usize,
        symbols: &SymbolTable<'a>,
        foreign: &Foreign<'a>,
        worklist: &mut BTreeSet<usize>,
    ) {
        let func = self.functions[index].op;
        let starts = self.starts(func);
        if starts.is_empty() {
            return;
        }
        let flow = Flow::new(func, starts, symbols, foreign);
        for (call, callee) in self.functions[index].calls.clone() {
            let summary = &mut self.functions[callee].summary;
            let executed = call.parent_region().map(Node::Executed);
            let executed = executed.and_then(|node| flow.reaches(node));
            let mut changed = update(&mut summary.executed, executed);
            changed |= update(
                &mut summary.reads,
                flow.reaches_memory_of(call.op(), foreign),
            );
            for (known, operand) in summary.arguments.iter_mut().zip(call.op().operands()) {
                changed |= update(known, flow.reaches(Node::Value(operand)));
            }
            if changed {
                worklist.insert(callee);
            }
        }
        let summary = &mut self.functions[index].summary;
        let mut changed = update(&mut summary.writes, flow.reaches_memory(func));
        for end in func.walk().filter(|op| op.isa::<func::Return>()) {
            for (known, operand) in summary.results.iter_mut().zip(end.operands()) {
                changed |= update(known, flow.reaches(Node::Value(operand)));
            }
        }
        if changed {
            worklist.extend(&self.functions[index].callers);
        }
    }
}

/// Sets an entry of a summary that is not set yet. Returns whether it did.
fn update<'a>(known: &mut Option<Op<'a>>, found: Option<Op<'a>>) -> bool {
    let changed = known.is_none() && found.is_some();
    *known = known.or(found);
    changed
}
