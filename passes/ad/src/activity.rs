//! The values that have derivatives: those that depend on the inputs (*varied*) and on which the
//! results depend (*useful*).
//!
//! ```text
//!   wrt ──► varied ──► ... ──► varied        active = varied and useful
//!             useful ◄── ... ◄── useful ◄── results
//! ```
//!
//! Two searches over the data flow of a structured function (Hascoët, Naumann, Pascual, "To be
//! recorded analysis in reverse-mode automatic differentiation", 2005). The analysis is
//! conservative: a value is inactive only if no path of differentiable operations connects it.
//! Linear in operands and results.

use tfx_dialects::ad;
use tfx_dialects::derivatives::INACTIVE;
use tfx_ir::ops::{Structured, func};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::number::{ValueId, Values};
use crate::rules::Rules;
use crate::tangent::is_differentiable;

/// The active values of a function.
pub(crate) struct Activity(Vec<bool>);

impl Activity {
    /// Finds the values on the paths from the parameters `wrt` to the results `results`.
    pub(crate) fn of<'a>(
        function: Op<'a>,
        values: &Values<'a>,
        rules: &Rules<'a>,
        symbols: &SymbolTable<'a>,
        (wrt, results): (&[usize], &[usize]),
    ) -> Self {
        let mut flow = Flow::default();
        for op in function.walk().filter(|op| !is_inactive(*op, symbols)) {
            flow.add(op, values, rules);
        }
        let body = function.region(0).entry().expect("the function has a body");
        let inputs = wrt.iter().map(|&index| values.id(body.argument(index)));
        let end = body.terminator().expect("a structured function returns");
        let outputs = results.iter().map(|&index| values.id(end.operand(index)));
        let varied = reach(&flow.sorted(|&edge| edge), inputs, values.len());
        let useful = reach(
            &flow.sorted(|&(from, to)| (to, from)),
            outputs,
            values.len(),
        );
        Activity(varied.iter().zip(&useful).map(|(a, b)| *a && *b).collect())
    }

    pub(crate) fn is_active(&self, id: ValueId) -> bool {
        self.0[id]
    }
}

type Edge = (ValueId, ValueId);

/// The data flow between differentiable values.
#[derive(Default)]
struct Flow(Vec<Edge>);

impl Flow {
    fn add<'a>(&mut self, op: Op<'a>, values: &Values<'a>, rules: &Rules<'a>) {
        for (index, operand) in op.operands().enumerate() {
            if !is_differentiable(operand.ty()) {
                continue;
            }
            let from = values.id(operand);
            let mut to = |value: Value<'a>| {
                if is_differentiable(value.ty()) {
                    self.0.push((from, values.id(value)));
                }
            };
            if let Some(structured) = Structured::cast(op) {
                structured.entered_by(index).into_iter().for_each(to);
            } else if op.is_terminator() {
                if let Some(around) = Structured::around(op) {
                    around.left_by(op, index).into_iter().for_each(to);
                }
            } else if rules.has_derivative(op, index) {
                op.results().for_each(&mut to);
            }
        }
    }

    /// Returns the edges as adjacency lists.
    fn sorted(&self, direction: impl Fn(&Edge) -> Edge) -> Vec<Edge> {
        let mut edges: Vec<_> = self.0.iter().map(direction).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Returns whether no value flows through an operation as far as derivatives are concerned.
fn is_inactive<'a>(op: Op<'a>, symbols: &SymbolTable<'a>) -> bool {
    let callee = func::Call::cast(op).and_then(|call| symbols.get(call.callee()));
    op.isa::<ad::Stop>()
        || op.isa::<func::Return>()
        || op.isa::<func::Func>()
        || callee.is_some_and(|callee| callee.attribute(INACTIVE).is_some())
}

/// Returns the numbers that sorted edges connect with `starts`.
fn reach(edges: &[Edge], starts: impl Iterator<Item = ValueId>, count: usize) -> Vec<bool> {
    let mut first = vec![0; count + 1];
    edges.iter().for_each(|(from, _)| first[from + 1] += 1);
    (0..count).for_each(|index| first[index + 1] += first[index]);
    let mut reached = vec![false; count];
    let mut todo: Vec<_> = starts.collect();
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            todo.extend(edges[first[id]..first[id + 1]].iter().map(|(_, to)| *to));
        }
    }
    reached
}
