//! The loops that carry lists, and whether they are compiled once the lists are tensors.
//!
//! ```text
//! while (%i, %l) do { TensorListPushBack(%l, %x); ... }             compiled: in place
//! while (%i, %l) do { send %x; TensorListPushBack(%l, %x); ... }    interpreted: a list
//! ```
//!
//! A compiled loop replaces an element of a tensor in place. The call of a cluster in a loop that
//! is interpreted would copy the whole tensor, in each iteration. So a list becomes a tensor only
//! if all loops that carry it are compiled, with all lists inside of them.
//!
//! Cost: linear in the lists that loops use, times the depth of loops, for each class that stays.

use std::collections::HashMap;

use rustc_hash::FxHashSet;
use tfx_dialects::tensor;
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::clusters::{Analysis, Compiler, Size};
use tfx_ir::{Op, Value};

use super::classes::{Classes, is_list};
use crate::cluster_native::Native;

/// Native code as it would be if all lists were tensors.
struct WithLists;

impl Compiler for WithLists {
    const NAME: &'static str = Native::NAME;
    const HAS_UNKNOWN_SIZES: bool = Native::HAS_UNKNOWN_SIZES;

    fn has_type(element: DataType) -> bool {
        element == DataType::DtVariant || Native::has_type(element)
    }

    fn check(op: tensor::Op<'_>) -> Result<(), String> {
        let mut values = op.op().operands().chain(op.op().results());
        match values.any(is_list) {
            true => Ok(()),
            false => Native::check(op),
        }
    }

    fn weight(op: tensor::Op<'_>) -> usize {
        Native::weight(op)
    }

    fn is_profitable(size: Size) -> bool {
        Native::is_profitable(size)
    }
}

/// A loop that carries lists, or contains some.
struct Loop {
    is_compiled: bool,
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
        let analysis = Analysis::of_module::<WithLists>(module, &HashMap::new());
        let mut loops = Loops {
            numbers: HashMap::new(),
            loops: Vec::new(),
        };
        for op in module.walk() {
            let lists = op.operands().chain(op.definitions());
            let used: Vec<usize> = lists
                .filter(|value| is_list(*value))
                .map(|value: Value<'a>| classes.class_of(value))
                .collect();
            if used.is_empty() {
                continue;
            }
            if op.isa::<tensor::While>() {
                let carried = loops.number(op, &analysis);
                loops.loops[carried].carried.extend(&used);
            }
            let around = std::iter::successors(Some(op), |op| op.parent());
            for around in around.filter(|op| op.isa::<tensor::While>()) {
                let number = loops.number(around, &analysis);
                loops.loops[number].inside.extend(&used);
            }
        }
        loops
    }

    fn number(&mut self, op: Op<'a>, analysis: &Analysis<'a>) -> usize {
        *self.numbers.entry(op).or_insert_with(|| {
            self.loops.push(Loop {
                is_compiled: analysis.compiles(op),
                carried: FxHashSet::default(),
                inside: FxHashSet::default(),
            });
            self.loops.len() - 1
        })
    }

    /// Returns whether a loop carries a list of a class.
    pub(super) fn is_carried(&self, op: Op<'a>, class: usize) -> bool {
        let number = self.numbers.get(&op);
        number.is_some_and(|&number| self.loops[number].carried.contains(&class))
    }

    /// Removes the classes from a set that loops carry which are not compiled if only these classes
    /// become tensors.
    pub(super) fn retain_compiled(&self, classes: &mut FxHashSet<usize>) {
        loop {
            let before = classes.len();
            for inner in &self.loops {
                if !inner.is_compiled || !inner.inside.is_subset(classes) {
                    classes.retain(|class| !inner.carried.contains(class));
                }
            }
            if classes.len() == before {
                return;
            }
        }
    }
}
