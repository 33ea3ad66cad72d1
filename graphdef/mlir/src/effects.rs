//! What in a graph must keep its order, and what must at least run each time that it is reached.
//!
//! ```text
//! Pure       no state                                   may be removed, repeated, moved
//! Stateful   its own state, such as a random generator  runs once for each time it is reached
//! Ordered    state that others see: channels, variables runs so, and in program order
//!            divisions of integers that may fail
//! ```
//!
//! A division by zero ends the program. Where it kept no order, it could do so before messages that the program sends before, and although a
//! message that the host answers by an abort comes before it.
//!
//! A region has the effect of the strongest operation in it, and a call that of the graph that it calls. Linear in the IR and the call
//! graph: an effect is carried outwards only as far as it makes a difference, and each graph gets stronger at most twice.
//!
//! Not promised: that two ordered operations really touch the same state. They keep their order anyway.

use std::collections::HashMap;
use tfx_dialects::{comm, tensor};

use tfx_graphdef::{Registry, xla::DIVISIONS};
use tfx_ir::{Op, Value};

use crate::operations::{NAME_ATTRIBUTE, OP};
use crate::{tensors, types};

/// How much an operation depends on when and how often it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Effect {
    /// Not at all.
    #[default]
    Pure,
    /// It counts how often it runs.
    Stateful,
    /// Its order with others counts.
    Ordered,
}

/// Operations that TensorFlow declares stateful only because each run gives something new. TensorFlow's own automatic control
/// dependencies let these run in any order too (`LEGACY_RANDOM_OPS` of `auto_control_deps.py`).
const UNORDERED_RANDOM: [&str; 13] = [
    "Multinomial",
    "ParameterizedTruncatedNormal",
    "RandomCrop",
    "RandomGamma",
    "RandomPoisson",
    "RandomPoissonV2",
    "RandomShuffle",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "SampleDistortedBoundingBox",
    "SampleDistortedBoundingBoxV2",
    "TruncatedNormal",
];

/// Operations of one operand that keep an integer from being zero, if its width does not shrink.
const CONVERSIONS: [&str; 2] = ["Bitcast", "Cast"];

/// The attribute of a call of a graph that has no state.
pub const PURE: &str = "pure";

/// The attribute of a loop that is not certain to end.
pub const MAY_NOT_END: &str = "tfx.may_not_end";

/// The attribute of a call whose graph XLA compiles.
pub const COMPILED_ATTRIBUTE: &str = "compiled";

/// The effect of an operation alone, without what is in its regions. A call counts as ordered if it does not say that it is pure.
pub fn own_effect(op: Op) -> Effect {
    match op.name() {
        OP => operation_effect(op.string(NAME_ATTRIBUTE).unwrap_or_default()),
        tensor::Call::NAME if op.attribute(PURE).is_some() => Effect::Pure,
        comm::Send::NAME | comm::Recv::NAME | tensor::Call::NAME => Effect::Ordered,
        _ => Effect::Pure,
    }
}

/// The effect of an operation alone, where divisions of integers that may fail keep their order, too.
pub fn effect_in_order(op: Op) -> Effect {
    match may_divide_by_zero(op) {
        true => Effect::Ordered,
        false => own_effect(op),
    }
}

/// Ordered for a loop that may not end: it runs after the effects before it, although it has none itself.
///
/// The host may end the program while it runs its own part of such a loop. An executor that ran the
/// graph's part first would never come to the messages before it, for which the host waits.
pub fn order_of_endless_loops(op: Op) -> Effect {
    match op.attribute(MAY_NOT_END) {
        Some(_) => Effect::Ordered,
        None => Effect::Pure,
    }
}

fn may_divide_by_zero(op: Op) -> bool {
    let name = op.string(NAME_ATTRIBUTE).unwrap_or_default();
    op.is(OP)
        && DIVISIONS.contains(&name)
        && op.num_operands() == 2
        && types::width(types::element_type(op.operand(1).ty())).is_some()
        && !is_never_zero(op.operand(1))
}

/// Whether an integer is a constant without zeros, maybe converted.
pub fn is_never_zero(mut value: Value) -> bool {
    let width = |value: Value| types::width(types::element_type(value.ty()));
    loop {
        let Some(op) = value.defining_op() else {
            return false;
        };
        if let Some(constant) = op.constant_value() {
            return tensors::has_no_zero(constant);
        }
        let name = op.string(NAME_ATTRIBUTE).unwrap_or_default();
        let converts = op.is(OP) && CONVERSIONS.contains(&name) && op.num_operands() == 1;
        if !converts || width(op.operand(0)) > width(value) || width(op.operand(0)).is_none() {
            return false;
        }
        value = op.operand(0);
    }
}

/// The effect of a TensorFlow operation; one that the registry does not know counts as ordered.
fn operation_effect(operation: &str) -> Effect {
    match Registry::get().lookup(operation) {
        Some(definition) if !definition.is_stateful => Effect::Pure,
        _ if UNORDERED_RANDOM.contains(&operation) => Effect::Stateful,
        _ => Effect::Ordered,
    }
}

/// The effects of the operations of some graphs.
#[derive(Default)]
pub struct Effects<'a> {
    /// Only those that are not pure.
    strongest: HashMap<Op<'a>, Effect>,
}

impl<'a> Effects<'a> {
    /// The effects inside of `graph`, where nothing is known of the graphs that it calls.
    pub fn of_graph(graph: Op<'a>) -> Self {
        let mut effects = Self::default();
        for op in graph.walk() {
            effects.strengthen(op, own_effect(op));
        }
        effects
    }

    /// The effects inside of several graphs that may call each other; `by_symbol` has them by symbol, and `own` tells the effect of one
    /// operation: [`own_effect`], [`effect_in_order`], or [`order_of_endless_loops`].
    pub fn of_graphs(
        graphs: &[Op<'a>],
        by_symbol: &HashMap<&str, Op<'a>>,
        own: fn(Op<'_>) -> Effect,
    ) -> Self {
        let mut effects = Self::default();
        let mut calls: HashMap<Op<'a>, Vec<(Op<'a>, Op<'a>)>> = HashMap::new();
        for &graph in graphs {
            for op in graph.walk() {
                let callee = callee(op).map(|symbol| by_symbol.get(symbol));
                match callee {
                    Some(Some(&callee)) => calls.entry(callee).or_default().push((graph, op)),
                    Some(None) | None => effects.strengthen(op, own(op)),
                }
            }
        }
        effects.spread(graphs, &calls);
        effects
    }

    /// The effect of an operation with all that is in it.
    pub fn of(&self, op: Op<'a>) -> Effect {
        self.strongest.get(&op).copied().unwrap_or_default()
    }

    /// Gives calls the effects of what they call, until nothing changes.
    fn spread(&mut self, graphs: &[Op<'a>], calls: &HashMap<Op<'a>, Vec<(Op<'a>, Op<'a>)>>) {
        let mut changed: Vec<Op<'a>> = graphs.to_vec();
        while let Some(callee) = changed.pop() {
            let effect = self.of(callee);
            for &(caller, call) in calls.get(&callee).into_iter().flatten() {
                let before = self.of(caller);
                self.strengthen(call, effect);
                if self.of(caller) > before {
                    changed.push(caller);
                }
            }
        }
    }

    /// Raises the effect of an operation and of all around it.
    fn strengthen(&mut self, op: Op<'a>, effect: Effect) {
        let mut around = Some(op);
        while let Some(op) = around.filter(|&op| self.of(op) < effect) {
            self.strongest.insert(op, effect);
            around = op.parent();
        }
    }
}

/// The symbol of the graph that a call names.
pub fn callee<'a>(op: Op<'a>) -> Option<&'a str> {
    op.isa::<tensor::Call>().then(|| op.symbol("callee"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_tensorflows_effects() {
        assert_eq!(operation_effect("MatMul"), Effect::Pure);
        assert_eq!(operation_effect("RandomUniform"), Effect::Stateful);
        assert_eq!(operation_effect("AssignVariableOp"), Effect::Ordered);
        assert_eq!(operation_effect("NoSuchOperation"), Effect::Ordered);
    }

    #[test]
    fn random_operations_are_all_in_the_registry_and_stateful() {
        for operation in UNORDERED_RANDOM {
            let known = Registry::get().lookup(operation);
            assert!(known.is_some_and(|known| known.is_stateful), "{operation}");
        }
    }
}
