//! Which transfers the user's marks cover.
//!
//! ```text
//!   %p = call @host_test(...)
//!   %q = to_accelerator %p            marked
//!   %n = xori %q, true                made by structuring; whether %p or %n crosses is the cut's choice
//!   scf.condition(%n)                 so the mark is on the transfer of either
//! ```
//!
//! A transfer is meant in two cases. All that the receiver does with the value goes through a marker: directly, or through what the receiver computes of
//! it. Or all that the value tells of the sender went through a marker before: in what it is computed from, and in the conditions that choose it. Constants and what
//! both sides have tell nothing of the sender.
//!
//! Both are found by spreading the opposite along data flow, so cycles are no obstacle. Cost: linear.

use crate::demand::{Demand, Side};
use crate::function::{BODY, Def, Function, Kind, Use, ValueId};

/// What is known of the values that one side receives.
pub(crate) struct Covered {
    /// It has a use that no marker stands before.
    used_unmarked: Vec<bool>,
    /// Something of the sender's is in it that went through no marker.
    made_unmarked: Vec<bool>,
    /// Something that went through a marker is in it.
    made_marked: Vec<bool>,
}

impl Covered {
    /// Looks at what `receiver` receives.
    pub(crate) fn of(demand: &Demand<'_>, receiver: Side) -> Self {
        let function = demand.function();
        let (made_unmarked, made_marked) = made(function, demand, receiver);
        Covered {
            used_unmarked: used_unmarked(function, demand, receiver),
            made_unmarked,
            made_marked,
        }
    }

    /// Whether the transfer of a value is meant.
    pub(crate) fn is_meant(&self, value: ValueId) -> bool {
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

/// From the uses that are an end in themselves, backwards through what the receiver computes.
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

/// From what only the sender makes, and from markers, forwards: what each is in.
fn made(function: &Function, demand: &Demand<'_>, receiver: Side) -> (Vec<bool>, Vec<bool>) {
    let own = match receiver {
        Side::Host => Kind::Graph,
        Side::Graph => Kind::Host,
    };
    let is_root = |value: ValueId| match function[value].def {
        _ if !function[value].transferable => true,
        Def::Result(op, _) => matches!(function[op].kind, Kind::Graph | Kind::Host),
        Def::Argument(..) => false,
    };
    let mut onward: Vec<Vec<ValueId>> = vec![Vec::new(); function.values.len()];
    let (mut unmarked, mut marked) = (Vec::new(), Vec::new());
    for value in function.value_ids() {
        if is_root(value) {
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
