//! The loops that carry lists, and whether they are compiled once the lists are tensors.
//!
//! ```text
//! while (%i, %l) do { TensorListPushBack(%l, %x); ... }             compiled: in place
//! while (%i, %l) do { send %x; TensorListPushBack(%l, %x); ... }    interpreted: a list
//! ```
//!
//! A compiled loop replaces an element of a tensor in place. The call of a cluster in a loop that
//! is interpreted would copy the whole tensor, in each iteration. So a list becomes a tensor only
//! if no loop that carries it sends or receives, and all lists inside of these loops are tensors.
//! Other obstacles are not known before: the sizes that an operation needs may follow from lists.
//! Then `tfx-cluster-native` leaves the updates to the interpreter, which does not copy, either.
//!
//! Cost: linear in the lists that loops use, times the depth of loops, for each class that stays.

use std::collections::HashMap;

use rustc_hash::FxHashSet;
use tfx_dialects::comm::CommOp;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::effects::{Effect, Effects, own_effect};
use tfx_ir::{Op, Value};

use super::classes::{Classes, is_list};

/// A loop that carries lists, or contains some.
#[derive(Default)]
struct Loop {
    /// It sends or receives, so the interpreter runs it.
    has_messages: bool,
    /// The classes of the lists that it carries.
    carried: FxHashSet<usize>,
    /// The classes of all lists that it uses.
    inside: FxHashSet<usize>,
}

/// The loops of a module that carry lists, or contain some.
pub(super) struct Loops<'a> {
    numbers: HashMap<Op<'a>, usize>,
    loops: Vec<Loop>,
}

impl<'a> Loops<'a> {
    pub(super) fn of(module: Op<'a>, classes: &mut Classes<'a>) -> Self {
        let graphs = module.collect(tensor::Graph::NAME);
        let symbols = graphs
            .iter()
            .filter_map(|&graph| Some((graph.symbol_name()?, graph)));
        let effects = Effects::of_graphs(&graphs, &symbols.collect(), own_effect);
        let mut loops = Loops {
            numbers: HashMap::new(),
            loops: Vec::new(),
        };
        for op in module.walk() {
            let around = || {
                let around = std::iter::successors(Some(op), |op| op.parent());
                around.filter(|op| op.isa::<tensor::While>())
            };
            let is_call = op.isa::<tensor::Call>();
            if CommOp::cast(op).is_some() || is_call && effects.of(op) == Effect::Ordered {
                for around in around() {
                    let number = loops.number(around);
                    loops.loops[number].has_messages = true;
                }
            }
            let lists = op.operands().chain(op.definitions());
            let used: Vec<usize> = lists
                .filter(|value| is_list(*value))
                .map(|value: Value<'a>| classes.class_of(value))
                .collect();
            if used.is_empty() {
                continue;
            }
            if op.isa::<tensor::While>() {
                let carried = loops.number(op);
                loops.loops[carried].carried.extend(&used);
            }
            for around in around() {
                let number = loops.number(around);
                loops.loops[number].inside.extend(&used);
            }
        }
        loops
    }

    fn number(&mut self, op: Op<'a>) -> usize {
        *self.numbers.entry(op).or_insert_with(|| {
            self.loops.push(Loop::default());
            self.loops.len() - 1
        })
    }

    /// Returns whether a loop carries a list of a class.
    pub(super) fn is_carried(&self, op: Op<'a>, class: usize) -> bool {
        let number = self.numbers.get(&op);
        number.is_some_and(|&number| self.loops[number].carried.contains(&class))
    }

    /// Removes the classes from a set that loops carry which the interpreter runs if only these
    /// classes become tensors.
    pub(super) fn retain_compiled(&self, classes: &mut FxHashSet<usize>) {
        loop {
            let before = classes.len();
            for inner in &self.loops {
                if inner.has_messages || !inner.inside.is_subset(classes) {
                    classes.retain(|class| !inner.carried.contains(class));
                }
            }
            if classes.len() == before {
                return;
            }
        }
    }
}
