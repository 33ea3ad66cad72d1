//! Determines the transfers that the user's markers cover.
//!
//! ```text
//!   %p = call @host_test(...)
//!   %q = to_accelerator %p            marked
//!   %n = xori %q, true                made by structuring; whether %p or %n crosses is the cut's choice
//!   scf.condition(%n)                 so the mark is on the transfer of either
//! ```
//!
//! A transfer is intentional in two cases. Either all uses of the value on the receiving side go
//! through a marker: directly, or through values that the receiver computes from it. Or everything
//! in the value that comes from the sender went through a marker before: the values that it is
//! computed from, and the conditions that select it. Constants and values that both sides have do
//! not count.
//!
//! Both cases are found by propagating their negation along data flow, so cycles need no special
//! treatment. Cost: linear.

use crate::demand::Demand;
use crate::function::{BODY, Def, Function, Kind, Use, ValueId};
use crate::side::Side;

/// The facts about the values that one side receives.
pub(crate) struct Covered {
    /// It has a use without a marker on the path.
    used_unmarked: Vec<bool>,
    /// It contains a value of the sender that went through no marker.
    made_unmarked: Vec<bool>,
    /// It contains a value that went through a marker.
    made_marked: Vec<bool>,
}

impl Covered {
    /// Analyzes the values that `receiver` receives.
    pub(crate) fn of(demand: &Demand<'_>, receiver: Side) -> Self {
        let function = demand.function();
        let (made_unmarked, made_marked) = made(function, demand, receiver);
        Covered {
            used_unmarked: used_unmarked(function, demand, receiver),
            made_unmarked,
            made_marked,
        }
    }

    /// Returns whether the transfer of a value is intentional.
    pub(crate) fn is_intentional(&self, value: ValueId) -> bool {
        let index = value.index();
        !self.used_unmarked[index] || self.made_marked[index] && !self.made_unmarked[index]
    }
}

fn is_marked(used: Use, receiver: Side) -> bool {
    match receiver {
        Side::Host => used.marks.to_host,
        Side::Graph => used.marks.to_accelerator,
    }
}

/// Propagates from final uses backwards through the values that the receiver computes.
fn used_unmarked(function: &Function, demand: &Demand<'_>, receiver: Side) -> Vec<bool> {
    let mut todo: Vec<ValueId> = Vec::new();
    let mut used = |used: Use| {
        if !is_marked(used, receiver) {
            todo.push(used.value);
        }
    };
    for op in function.op_ids() {
        let data = &function[op];
        let is_result = data.kind == Kind::End && data.region == BODY && receiver == Side::Host;
        if !is_result && !demand.is_present(receiver, op) {
            continue;
        }
        match data.kind {
            Kind::Flexible => {}
            Kind::End if !is_result => {}
            kind if kind.has_regions() => {
                if demand.bypass(receiver, op).is_none() {
                    function.controls(op, |control, _| used(control));
                }
            }
            _ => data.operands.iter().for_each(|&operand| used(operand)),
        }
    }
    let mut found = vec![false; function.values.len()];
    while let Some(value) = todo.pop() {
        if std::mem::replace(&mut found[value.index()], true) || !demand.is_made(receiver, value) {
            continue;
        }
        function.sources(value, |source, _| {
            if !is_marked(source, receiver) {
                todo.push(source.value);
            }
        });
    }
    found
}

/// Propagates from values that only the sender computes, and from markers, forwards.
fn made(function: &Function, demand: &Demand<'_>, receiver: Side) -> (Vec<bool>, Vec<bool>) {
    let own = match receiver {
        Side::Host => Kind::Graph,
        Side::Graph => Kind::Host,
    };
    let mut onward: Vec<Vec<ValueId>> = vec![Vec::new(); function.values.len()];
    let (mut unmarked, mut marked) = (Vec::new(), Vec::new());
    for value in function.value_ids() {
        if !function[value].transferable || function.is_pinned(value) {
            let is_own =
                matches!(function[value].def, Def::Result(op, _) if function[op].kind == own);
            let before = demand.facts().is_before_start(function, value);
            if !function[value].transferable || is_own && !before {
                unmarked.push(value);
            }
            continue;
        }
        let mut flow = |source: Use| match is_marked(source, receiver) {
            true => marked.push(value),
            false => onward[source.value.index()].push(value),
        };
        function.sources(value, |source, _| flow(source));
        if let Some(controller) = function.controller(value) {
            function.controls(controller, |control, _| flow(control));
        }
    }
    let spread = |mut todo: Vec<ValueId>| {
        let mut found = vec![false; function.values.len()];
        while let Some(value) = todo.pop() {
            if !std::mem::replace(&mut found[value.index()], true) {
                todo.extend(&onward[value.index()]);
            }
        }
        found
    };
    (spread(unmarked), spread(marked))
}
