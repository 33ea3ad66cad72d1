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
use melior::ir::r#type::TupleType;
use tfx_dialects::derivatives::{INACTIVE, tape_element};
use tfx_dialects::types::{HostType, host_type};
use tfx_dialects::{ad, host};
use tfx_ir::cast::Cast;
use tfx_ir::ops::{Destinations, Structured, func};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::number::{ValueId, Values};
use crate::rules::Rules;
use crate::summaries::Summaries;
use crate::tangent::is_differentiable;

/// The active values of a function.
pub(crate) struct Activity(Vec<bool>);

impl Activity {
    /// Finds the values on the paths from the parameters `wrt` to the results `results`.
    pub(crate) fn of<'a>(
        function: Op<'a>,
        values: &Values<'a>,
        rules: &Rules<'a>,
        (symbols, summaries): (&SymbolTable<'a>, &Summaries<'a>),
        (wrt, results): (&[usize], &[usize]),
    ) -> Self {
        let flow = Flow::of(function, values, rules, symbols, summaries);
        let body = function.region(0).entry().expect("the function has a body");
        let inputs = wrt.iter().map(|&index| values.id(body.argument(index)));
        let end = body.terminator().expect("a structured function returns");
        let outputs = results.iter().map(|&index| values.id(end.operand(index)));
        let varied = reach(&flow.forward(values.len()), inputs);
        let useful = reach(&flow.backward(values.len()), outputs);
        Activity(varied.iter().zip(&useful).map(|(a, b)| *a && *b).collect())
    }

    pub(crate) fn is_active(&self, id: ValueId) -> bool {
        self.0[id]
    }

    /// Returns the active values, in program order.
    pub(crate) fn active<'a>(&self, values: &Values<'a>) -> impl Iterator<Item = Value<'a>> {
        let active = (0..values.len()).filter(|&id| self.0[id]);
        active.map(|id| values.value(id))
    }
}

type Edge = (ValueId, ValueId);

/// The data flow between differentiable values.
#[derive(Default)]
pub(crate) struct Flow(Vec<Edge>);

impl Flow {
    /// Returns the data flow of a function.
    pub(crate) fn of<'a>(
        function: Op<'a>,
        values: &Values<'a>,
        rules: &Rules<'a>,
        symbols: &SymbolTable<'a>,
        summaries: &Summaries<'a>,
    ) -> Self {
        let mut flow = Flow::default();
        for op in function.walk().filter(|op| !is_inactive(*op)) {
            match func::Call::cast(op) {
                Some(call) => flow.add_call(call, values, symbols.get(call.callee()), summaries),
                None => flow.add(op, values, rules),
            }
        }
        flow
    }

    /// Returns the flow of all values of a function, also of those without derivatives.
    pub(crate) fn of_all<'a>(function: Op<'a>, values: &Values<'a>) -> Self {
        let mut flow = Flow::default();
        for op in function.walk().skip(1) {
            for (index, operand) in op.operands().enumerate() {
                let from = values.id(operand);
                let to = forwarded(op, index).map(|values| values.into_iter().collect());
                let to: Vec<_> = to.unwrap_or_else(|| op.results().collect());
                flow.0
                    .extend(to.into_iter().map(|to| (from, values.id(to))));
            }
        }
        flow
    }

    fn add_call<'a>(
        &mut self,
        call: func::Call<'a>,
        values: &Values<'a>,
        callee: Option<Op<'a>>,
        summaries: &Summaries<'a>,
    ) {
        let callee = callee.expect("the callee is in the module");
        if callee.attribute(INACTIVE).is_some() {
            return;
        }
        let results: Vec<_> = call.results().collect();
        for (index, operand) in call.op().operands().enumerate() {
            if !carries(operand.ty()) {
                continue;
            }
            let from = values.id(operand);
            let depends = |&(result, value): &(usize, &Value<'a>)| {
                carries(value.ty()) && summaries.depends(callee, index, result)
            };
            let results = results.iter().enumerate().filter(depends);
            let results = results.map(|(_, value)| *value);
            let changed = changed(call.op(), index).into_iter();
            let changed = changed.filter(|value| carries(value.ty()));
            let to = results.chain(changed).map(|value| (from, values.id(value)));
            self.0.extend(to);
        }
    }

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
            match forwarded(op, index) {
                Some(values) => values.into_iter().for_each(to),
                None if rules.has_derivative(op, index) => op.results().for_each(to),
                None => {}
            }
        }
        if let Some(whole) = whole(op) {
            self.0.push((values.id(op.result(0)), values.id(whole)));
        }
    }

    /// Adds edges from a value to others.
    pub(crate) fn add_edges<'a>(
        &mut self,
        from: Value<'a>,
        to: impl Iterator<Item = Value<'a>>,
        values: &Values<'a>,
    ) {
        let from = values.id(from);
        self.0.extend(to.map(|to| (from, values.id(to))));
    }

    /// Returns the edges from each of `count` values.
    pub(crate) fn forward(&self, count: usize) -> Edges {
        Edges::sort(self.0.clone(), count)
    }

    /// Returns the edges to each of `count` values, reversed.
    pub(crate) fn backward(&self, count: usize) -> Edges {
        Edges::sort(self.0.iter().map(|&(from, to)| (to, from)).collect(), count)
    }
}

/// Edges by their start.
pub(crate) struct Edges {
    edges: Vec<Edge>,
    /// The position of the first edge of each value, and the number of edges.
    first: Vec<usize>,
}

impl Edges {
    fn sort(mut edges: Vec<Edge>, count: usize) -> Self {
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0; count + 1];
        edges.iter().for_each(|(from, _)| first[from + 1] += 1);
        (0..count).for_each(|index| first[index + 1] += first[index]);
        Edges { edges, first }
    }

    /// Returns the ends of the edges from a value.
    pub(crate) fn from(&self, id: ValueId) -> impl Iterator<Item = ValueId> {
        let edges = &self.edges[self.first[id]..self.first[id + 1]];
        edges.iter().map(|(_, to)| *to)
    }
}

/// Returns the values that an operand of control flow is forwarded to; none for other operations.
fn forwarded<'a>(op: Op<'a>, operand: usize) -> Option<Destinations<'a>> {
    match Structured::cast(op) {
        Some(structured) => Some(structured.entered_by(operand)),
        None if op.is_terminator() => {
            let around = Structured::around(op);
            Some(around.map_or_else(Destinations::new, |around| around.left_by(op, operand)))
        }
        None => None,
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
    if let Some(tuple) = TupleType::cast(ty) {
        let mut elements = (0..tuple.type_count()).filter_map(|index| tuple.r#type(index).ok());
        return elements.any(carries);
    }
    match host_type(ty) {
        // A tape in a variable has results of effects, which are constants: `checkpoint/again.rs`.
        Some(HostType::Ref(inner)) if tape_element(inner).is_some() => false,
        Some(HostType::Array(inner) | HostType::Ref(inner)) => carries(inner),
        Some(HostType::String | HostType::Param(_) | HostType::Assoc { .. }) | None => false,
        Some(_) => true,
    }
}

/// Returns whether no value flows through an operation as far as derivatives are concerned.
fn is_inactive(op: Op<'_>) -> bool {
    op.isa::<ad::Stop>() || op.isa::<func::Return>() || op.isa::<func::Func>()
}

/// Returns the values that edges connect with `starts`.
pub(crate) fn reach(edges: &Edges, starts: impl Iterator<Item = ValueId>) -> Vec<bool> {
    let mut reached = vec![false; edges.first.len() - 1];
    let mut todo: Vec<_> = starts.collect();
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            todo.extend(edges.from(id));
        }
    }
    reached
}
