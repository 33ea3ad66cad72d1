//! The effects of the operations of graphs: which operations keep their order, and which must run
//! exactly once whenever control reaches them.
//!
//! ```text
//! Pure       no state                                   may be removed, repeated, moved
//! Stateful   own state, such as a random generator      runs once whenever control reaches it
//! Ordered    shared state: channels, variables          likewise, and in program order
//!            divisions of integers that may fail
//! ```
//!
//! A division by zero ends the program. If it kept no order, it could do so before messages that
//! precede it in the program, one of which the host may answer by an abort.
//!
//! The effect of a region is the strongest effect of its operations, and the effect of a call is
//! that of the called graph. The computation is linear in the IR and the call graph: an effect is
//! propagated outwards only while it changes something, and each graph changes at most three times.
//!
//! Not guaranteed: that two ordered operations access the same state. They keep their order anyway.

use std::collections::HashMap;

use tfx_dialects::{comm, tensor};
use tfx_graphdef::{Registry, xla::DIVISIONS};
use tfx_ir::{Op, Value};

use crate::{tensors, types};

/// The effect of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Effect {
    /// No effect.
    #[default]
    Pure,
    /// The number of its executions matters.
    Stateful,
    /// Its order with other operations matters.
    Ordered,
}

/// Operations that TensorFlow declares stateful only because each execution returns a new value.
/// TensorFlow's automatic control dependencies do not order them either (`LEGACY_RANDOM_OPS` of
/// `auto_control_deps.py`).
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

/// Operations of one operand whose result is not zero if the operand is not, as long as the width
/// does not shrink.
const CONVERSIONS: [&str; 2] = ["Bitcast", "Cast"];

/// The attribute of a loop that may not terminate.
pub const MAY_NOT_END: &str = "tfx.may_not_end";

/// Returns the effect of an operation without its regions. A call is ordered unless it is declared
/// pure.
pub fn own_effect(op: Op) -> Effect {
    match op.name() {
        tensor::Op::NAME => operation_effect(tf_name(op)),
        tensor::Call::NAME if op.attribute(tensor::Call::PURE_ATTR).is_some() => Effect::Pure,
        comm::Send::NAME | comm::Recv::NAME | tensor::Call::NAME => Effect::Ordered,
        _ => Effect::Pure,
    }
}

/// Returns the effect of an operation without its regions. Divisions of integers that may fail are
/// ordered.
pub fn effect_in_order(op: Op) -> Effect {
    match may_divide_by_zero(op) {
        true => Effect::Ordered,
        false => own_effect(op),
    }
}

/// Returns the name of the TensorFlow operation, and an empty string for any other operation.
fn tf_name(op: Op<'_>) -> &str {
    tensor::Op::cast(op).map_or("", tensor::Op::tf_name)
}

/// Returns whether an operation is a division of integers that may fail.
pub fn may_divide_by_zero(op: Op) -> bool {
    if !DIVISIONS.contains(&tf_name(op)) || op.num_operands() != 2 {
        return false;
    }
    let divisor = op.operand(1);
    types::width(types::element_type(divisor.ty())).is_some() && !is_never_zero(divisor)
}

/// Returns whether a value is a constant integer tensor without zeros, possibly converted.
pub fn is_never_zero(mut value: Value) -> bool {
    let width = |value: Value| types::width(types::element_type(value.ty()));
    loop {
        let Some(op) = value.defining_op() else {
            return false;
        };
        if let Some(constant) = op.constant_value() {
            return tensors::has_no_zero(constant);
        }
        if !CONVERSIONS.contains(&tf_name(op)) || op.num_operands() != 1 {
            return false;
        }
        let operand = op.operand(0);
        if width(operand).is_none() || width(operand) > width(value) {
            return false;
        }
        value = operand;
    }
}

/// Returns the effect of a TensorFlow operation. An unknown operation is ordered.
fn operation_effect(operation: &str) -> Effect {
    match Registry::get().lookup(operation) {
        Some(definition) if !definition.is_stateful => Effect::Pure,
        _ if UNORDERED_RANDOM.contains(&operation) => Effect::Stateful,
        _ => Effect::Ordered,
    }
}

/// The effects of the operations of some graphs, regions included.
#[derive(Default)]
pub struct Effects<'a> {
    /// Only the operations that differ from the default.
    strongest: HashMap<Op<'a>, Strongest>,
}

/// The combined effect of the operations in an operation.
#[derive(Clone, Copy, PartialEq, Default)]
struct Strongest {
    effect: Effect,
    may_not_end: bool,
}

impl Strongest {
    fn of_op(op: Op<'_>, own: fn(Op<'_>) -> Effect) -> Self {
        Self {
            effect: own(op),
            may_not_end: op.num_regions() > 0 && op.attribute(MAY_NOT_END).is_some(),
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            effect: self.effect.max(other.effect),
            may_not_end: self.may_not_end || other.may_not_end,
        }
    }
}

impl<'a> Effects<'a> {
    /// Returns the effects inside of `graph`, without knowledge of the graphs that it calls.
    pub fn of_graph(graph: Op<'a>) -> Self {
        let mut effects = Self::default();
        for op in graph.walk() {
            effects.strengthen(op, Strongest::of_op(op, own_effect));
        }
        effects
    }

    /// Returns the effects inside of several graphs that may call each other. `by_symbol` has them
    /// by symbol, and `own` returns the effect of one operation: [`own_effect`] or
    /// [`effect_in_order`].
    pub fn of_graphs(
        graphs: &[Op<'a>],
        by_symbol: &HashMap<&str, Op<'a>>,
        own: fn(Op<'_>) -> Effect,
    ) -> Self {
        let mut effects = Self::default();
        let mut calls: HashMap<Op<'a>, Vec<(Op<'a>, Op<'a>)>> = HashMap::new();
        for &graph in graphs {
            for op in graph.walk() {
                match callee(op).and_then(|symbol| by_symbol.get(symbol)) {
                    Some(&callee) => calls.entry(callee).or_default().push((graph, op)),
                    None => effects.strengthen(op, Strongest::of_op(op, own)),
                }
            }
        }
        effects.propagate(graphs, &calls);
        effects
    }

    /// Returns the effect of an operation and its regions.
    pub fn of(&self, op: Op<'a>) -> Effect {
        self.strongest(op).effect
    }

    /// Returns whether an operation runs after the effects before it: it is ordered, or contains a
    /// loop that may not end.
    ///
    /// The host may end the program while it executes its part of such a loop. If an executor ran
    /// the graph's part first, it would never reach the messages before the loop, for which the
    /// host waits.
    pub(crate) fn runs_after_effects(&self, op: Op<'a>) -> bool {
        let strongest = self.strongest(op);
        strongest.effect == Effect::Ordered || strongest.may_not_end
    }

    fn strongest(&self, op: Op<'a>) -> Strongest {
        self.strongest.get(&op).copied().unwrap_or_default()
    }

    /// Propagates the effects of graphs to their calls, up to a fixed point.
    fn propagate(&mut self, graphs: &[Op<'a>], calls: &HashMap<Op<'a>, Vec<(Op<'a>, Op<'a>)>>) {
        let mut changed: Vec<Op<'a>> = graphs.to_vec();
        while let Some(callee) = changed.pop() {
            let strongest = self.strongest(callee);
            for &(caller, call) in calls.get(&callee).into_iter().flatten() {
                let before = self.strongest(caller);
                self.strengthen(call, strongest);
                if self.strongest(caller) != before {
                    changed.push(caller);
                }
            }
        }
    }

    /// Adds an effect to an operation and all operations around it.
    fn strengthen(&mut self, op: Op<'a>, strongest: Strongest) {
        let mut around = Some(op);
        while let Some(op) = around {
            let before = self.strongest(op);
            let joined = before.join(strongest);
            if joined == before {
                return;
            }
            self.strongest.insert(op, joined);
            around = op.parent();
        }
    }
}

/// Returns the symbol of the graph that a call names.
pub fn callee(op: Op<'_>) -> Option<&str> {
    tensor::Call::cast(op).map(tensor::Call::callee)
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
