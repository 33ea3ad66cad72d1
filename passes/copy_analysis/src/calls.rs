//! What was received in one function and is used in another: through functions that stay calls.
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
//! Most functions are inlined before there are programs. Those that call themselves are not, and may
//! run programs of their own. Of each, five things are found: which of its results may hold what was
//! received, which of its arguments, whether it may write such a thing to memory or find it there, and
//! whether what was received may decide that it runs at all. They start the search in the functions at
//! the other end of a call ([`Flow`]). All calls of a function count as one.
//!
//! Functions are searched until nothing new is found. Only those take part that run programs or
//! call one that does, each again only where one of the five is new: cost is linear in
//! the module for each result and argument of such a function, and nothing where there is none.

use std::collections::BTreeSet;
use tfx_dialects::comm;
use tfx_ir::ops::func;

use rustc_hash::FxHashMap;
use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

use crate::copy_analysis::{functions, is_meant};
use crate::flow::{Flow, Node, Start};
use crate::foreign::Foreign;

/// What may have been received of what crosses a call, each with one receive that it may come from.
#[derive(Clone, Default)]
struct Facts<'a> {
    arguments: Vec<Option<Op<'a>>>,
    /// What decides that it runs.
    runs: Option<Op<'a>>,
    results: Vec<Option<Op<'a>>>,
    /// What it writes.
    memory: Option<Op<'a>>,
    /// What it may read.
    reads: Option<Op<'a>>,
}

/// A function that takes part.
struct Function<'a> {
    op: Op<'a>,
    /// Its calls of others that do, by their indices.
    calls: Vec<(Op<'a>, usize)>,
    callers: BTreeSet<usize>,
    facts: Facts<'a>,
}

/// See the module.
pub(crate) struct Calls<'a> {
    functions: Vec<Function<'a>>,
    by_op: FxHashMap<Op<'a>, usize>,
}

impl<'a> Calls<'a> {
    pub(crate) fn of(symbols: &SymbolTable<'a>, foreign: &Foreign<'a>) -> Self {
        let mut calls = Calls::among(symbols);
        let mut todo: BTreeSet<usize> = match calls.functions.iter().any(|f| !f.calls.is_empty()) {
            true => (0..calls.functions.len()).collect(),
            false => BTreeSet::new(),
        };
        while let Some(function) = todo.pop_first() {
            calls.search(function, symbols, foreign, &mut todo);
        }
        calls
    }

    /// Where a search for round trips in `func` starts: at its own receives, and at what comes in by calls.
    pub(crate) fn starts(&self, func: Op<'a>) -> Vec<Start<'a>> {
        let mut starts: Vec<Start<'a>> = func
            .walk()
            .filter(|op| op.isa::<comm::Recv>() && !is_meant(*op))
            .map(|receive| Start {
                node: Node::Value(receive.result(0)),
                here: Some(receive),
                receive,
            })
            .collect();
        let Some(&index) = self.by_op.get(&func) else {
            return starts;
        };
        let function = &self.functions[index];
        let Some(body) = func.region(0).entry() else {
            return starts;
        };
        let mut start = |node, here, receive: Option<Op<'a>>| {
            starts.extend(receive.map(|receive| Start {
                node,
                here,
                receive,
            }));
        };
        for (argument, &receive) in body.arguments().zip(&function.facts.arguments) {
            start(Node::Value(argument), None, receive);
        }
        start(Node::Runs(func.region(0)), None, function.facts.runs);
        start(Node::Memory, None, function.facts.reads);
        for &(call, callee) in &function.calls {
            let facts = &self.functions[callee].facts;
            for (result, &receive) in call.results().zip(&facts.results) {
                start(Node::Value(result), Some(call), receive);
            }
            start(Node::Op(call), Some(call), facts.memory);
        }
        starts
    }

    /// The functions that run programs, and those that call one that takes part.
    fn among(symbols: &SymbolTable<'a>) -> Self {
        let all: Vec<Op<'a>> = functions(symbols)
            .filter(|func| !func.is_declaration())
            .collect();
        let names: FxHashMap<&'a str, usize> = all
            .iter()
            .zip(0..)
            .filter_map(|(func, index)| Some((func.symbol_name()?, index)))
            .collect();
        let mut calls: Vec<Vec<(Op<'a>, usize)>> = vec![Vec::new(); all.len()];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        let mut todo = Vec::new();
        for (index, func) in all.iter().enumerate() {
            for op in func.walk().skip(1) {
                let callee = op.symbol("callee").filter(|_| op.isa::<func::Call>());
                if let Some(&callee) = callee.and_then(|callee| names.get(callee)) {
                    calls[index].push((op, callee));
                    callers[callee].push(index);
                }
                if op.isa::<comm::Recv>() || op.isa::<comm::Send>() {
                    todo.push(index);
                }
            }
        }
        let mut takes_part = vec![false; all.len()];
        while let Some(index) = todo.pop() {
            if !std::mem::replace(&mut takes_part[index], true) {
                todo.extend(&callers[index]);
            }
        }
        let kept: Vec<usize> = (0..all.len()).filter(|&index| takes_part[index]).collect();
        let number = |index: &usize| kept.binary_search(index).ok();
        let functions = kept.iter().map(|&index| {
            let (arguments, results) = all[index].signature();
            let calls = calls[index].iter();
            Function {
                op: all[index],
                calls: calls
                    .filter_map(|(op, callee)| Some((*op, number(callee)?)))
                    .collect(),
                callers: callers[index].iter().filter_map(number).collect(),
                facts: Facts {
                    arguments: vec![None; arguments.len()],
                    results: vec![None; results.len()],
                    ..Facts::default()
                },
            }
        });
        let functions: Vec<Function<'a>> = functions.collect();
        let by_op = functions
            .iter()
            .zip(0..)
            .map(|(function, index)| (function.op, index));
        Calls {
            by_op: by_op.collect(),
            functions,
        }
    }

    /// Finds what one function hands to those that it calls and to its callers.
    fn search(
        &mut self,
        index: usize,
        symbols: &SymbolTable<'a>,
        foreign: &Foreign<'a>,
        todo: &mut BTreeSet<usize>,
    ) {
        let func = self.functions[index].op;
        let starts = self.starts(func);
        if starts.is_empty() {
            return;
        }
        let flow = Flow::from(func, starts, symbols, foreign);
        for (call, callee) in self.functions[index].calls.clone() {
            let facts = &mut self.functions[callee].facts;
            let runs = call.parent_region().map(Node::Runs);
            let mut is_new = learn(&mut facts.runs, runs.and_then(|node| flow.reaches(node)));
            is_new |= learn(&mut facts.reads, flow.reaches_memory_of(call, foreign));
            for (known, operand) in facts.arguments.iter_mut().zip(call.operands()) {
                is_new |= learn(known, flow.reaches(Node::Value(operand)));
            }
            if is_new {
                todo.insert(callee);
            }
        }
        let facts = &mut self.functions[index].facts;
        let mut is_new = learn(&mut facts.memory, flow.reaches_memory(func));
        for end in func.walk().filter(|op| op.isa::<func::Return>()) {
            for (known, operand) in facts.results.iter_mut().zip(end.operands()) {
                is_new |= learn(known, flow.reaches(Node::Value(operand)));
            }
        }
        if is_new {
            todo.extend(&self.functions[index].callers);
        }
    }
}

/// Notes the first answer. Returns whether it is one.
fn learn<'a>(known: &mut Option<Op<'a>>, found: Option<Op<'a>>) -> bool {
    if known.is_some() || found.is_none() {
        return false;
    }
    *known = found;
    true
}
