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
//! Values flow through arrays, objects, closures and variables too ([`carries`]), although these
//! have no derivatives: an active one is an error, and never a derivative of zero. What is stored
//! in a part of an object flows into the object, and a call may store each argument in any other.
//! Linear in operands and results, but quadratic in the operands of a call.

use melior::ir::Type;
use tfx_dialects::derivatives::INACTIVE;
use tfx_dialects::types::{HostType, host_type};
use tfx_dialects::{ad, host};
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

    /// Returns the active values, in program order.
    pub(crate) fn active<'v, 'a>(&self, values: &'v Values<'a>) -> impl Iterator<Item = Value<'a>> {
        let active = (0..values.len()).filter(|&id| self.0[id]);
        active.map(|id| values.value(id))
    }
}

type Edge = (ValueId, ValueId);

/// The data flow between differentiable values.
#[derive(Default)]
struct Flow(Vec<Edge>);

impl Flow {
    fn add<'a>(&mut self, op: Op<'a>, values: &Values<'a>, rules: &Rules<'a>) {
        for (index, operand) in op.operands().enumerate() {
            if !carries(operand.ty()) {
                continue;
            }
            let from = values.id(operand);
            let mut to = |value: Value<'a>| {
                if carries(value.ty()) {
                    self.0.push((from, values.id(value)));
                }
            };
            changed(op, index).into_iter().for_each(&mut to);
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
        if let Some(whole) = whole(op) {
            self.0.push((values.id(op.result(0)), values.id(whole)));
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

/// Returns the operands whose memory an operation may change by operand `index`, or, for a
/// reference to a part, the whole.
fn changed<'a>(op: Op<'a>, index: usize) -> Vec<Value<'a>> {
    match op.name() {
        host::Store::NAME if index == host::Store::VALUE_INDEX => vec![op.operand(1 - index)],
        func::Call::NAME | host::Apply::NAME | host::DynamicCall::NAME => {
            let others = op.operands().filter(|value| !is_differentiable(value.ty()));
            others.collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the whole that a reference to a part refers to.
fn whole(op: Op<'_>) -> Option<Value<'_>> {
    let is_part = op.isa::<host::MemberRef>() || op.isa::<host::FieldRef>();
    is_part.then(|| op.operand(0))
}

/// Returns whether a value of a type has a derivative, or may hold one that has.
pub(crate) fn carries(ty: Type<'_>) -> bool {
    if is_differentiable(ty) {
        return true;
    }
    match host_type(ty) {
        Some(HostType::Array(inner) | HostType::Ref(inner)) => carries(inner),
        Some(HostType::String | HostType::Param(_) | HostType::Assoc { .. }) | None => false,
        Some(_) => true,
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
