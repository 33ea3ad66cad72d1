//! The results of each function that depend on each parameter, as far as derivatives are concerned.
//!
//! ```text
//!   @f(%x, %tape) -> (%y, %z)      %x ──► %y, %z      %tape ──► nothing: its values only select arms
//! ```
//!
//! A call is then as precise as its body in place. That is necessary, and not only faster: the
//! cotangent of a tape that flows into nothing is an empty tape, from which the reversal of the
//! caller could pop nothing.
//!
//! Callees come first. The functions of a cycle of calls start without any dependences, which grow
//! until they no longer change.
//!
//! Cost: linear in the functions, for each [`BITS`] parameters, and for each round of a cycle of
//! calls, which takes two or three in practice.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;

use crate::activity::Flow;
use crate::number::Values;
use crate::rules::Rules;

/// The parameters that one search follows.
const BITS: usize = u64::BITS as usize;

/// The dependences of functions with a body.
#[derive(Default)]
pub(crate) struct Summaries<'a>(FxHashMap<Op<'a>, Summary>);

/// By result: the parameters that it depends on, as sets of bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Summary(Vec<Vec<u64>>);

impl<'a> Summaries<'a> {
    /// Analyzes the functions of a flat module.
    pub(crate) fn of(symbols: &SymbolTable<'a>, rules: &Rules<'a>) -> Self {
        let has_body = |op: &Op<'a>| op.isa::<func::Func>() && !op.is_declaration();
        let functions: Vec<_> = symbols.ops().filter(has_body).collect();
        let mut graph: DiGraph<Op<'a>, ()> = DiGraph::new();
        let nodes: FxHashMap<Op<'a>, NodeIndex> = functions
            .iter()
            .map(|function| (*function, graph.add_node(*function)))
            .collect();
        for function in &functions {
            for call in function.walk().filter_map(func::Call::cast) {
                let callee = symbols.get(call.callee());
                if let Some(callee) = callee.and_then(|callee| nodes.get(&callee)) {
                    graph.update_edge(nodes[function], *callee, ());
                }
            }
        }
        let mut summaries = Summaries::default();
        // Callees come first.
        for component in kosaraju_scc(&graph) {
            let members: Vec<_> = component.iter().map(|node| graph[*node]).collect();
            summaries.add(&members, symbols, rules);
        }
        summaries
    }

    /// Adds functions that call each other.
    fn add(&mut self, members: &[Op<'a>], symbols: &SymbolTable<'a>, rules: &Rules<'a>) {
        for function in members {
            let (parameters, results) = function.signature();
            let none = vec![0; parameters.len().div_ceil(BITS)];
            let summary = Summary(vec![none; results.len()]);
            self.0.insert(*function, summary);
        }
        loop {
            let mut has_changed = false;
            for function in members {
                let summary = self.summarize(*function, symbols, rules);
                has_changed |= self.0[function] != summary;
                self.0.insert(*function, summary);
            }
            if members.len() == 1 && !calls_itself(members[0], symbols) || !has_changed {
                return;
            }
        }
    }

    fn summarize(&self, function: Op<'a>, symbols: &SymbolTable<'a>, rules: &Rules<'a>) -> Summary {
        let values = Values::of(function);
        let flow = Flow::of(function, &values, rules, symbols, self).forward(values.len());
        let body = function.region(0).entry().expect("the function has a body");
        let end = body.terminator().expect("a structured function returns");
        let parameters: Vec<_> = body.arguments().map(|value| values.id(value)).collect();
        let mut summary = vec![Vec::new(); end.num_operands()];
        for chunk in parameters.chunks(BITS) {
            let mut sets = vec![0u64; values.len()];
            let mut todo = Vec::new();
            for (bit, &id) in chunk.iter().enumerate() {
                sets[id] |= 1 << bit;
                todo.push(id);
            }
            while let Some(id) = todo.pop() {
                for next in flow.from(id) {
                    let union = sets[next] | sets[id];
                    if std::mem::replace(&mut sets[next], union) != union {
                        todo.push(next);
                    }
                }
            }
            for (set, result) in summary.iter_mut().zip(end.operands()) {
                set.push(sets[values.id(result)]);
            }
        }
        Summary(summary)
    }

    /// Returns whether a result of a call depends on an operand. A result of a function without a
    /// body depends on each.
    pub(crate) fn depends(&self, callee: Op<'a>, operand: usize, result: usize) -> bool {
        let Some(Summary(summary)) = self.0.get(&callee) else {
            return true;
        };
        summary[result][operand / BITS] & (1 << (operand % BITS)) != 0
    }
}

fn calls_itself<'a>(function: Op<'a>, symbols: &SymbolTable<'a>) -> bool {
    let mut calls = function.walk().filter_map(func::Call::cast);
    calls.any(|call| symbols.get(call.callee()) == Some(function))
}
