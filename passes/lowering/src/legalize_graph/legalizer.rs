//! The state of the legalization of a graph: the converted values, and the blocks to convert.

use std::collections::HashSet;
use std::rc::Rc;

use melior::ir::{Location, Type};
use tfx_graphdef_mlir::effects::Effects;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Block, Mapping, Op, Region, Value};

use super::rotated::Rotated;
use super::tensor_builder::{TensorBuilder, tensor_types};

/// The way in which the terminator of a block is converted.
pub(super) enum End<'a> {
    /// To the results of the graph.
    Return,
    /// To the values that it yields.
    Yield,
    /// To the next value of a counter, and the values that it yields.
    Count { counter: Value<'a>, step: Value<'a> },
    /// To the condition only: the other operands are known outside of the block.
    Condition,
    /// The first region of a rotated loop, which the second one follows.
    Before(Rc<Rotated<'a>>),
    /// The second region of a rotated loop, with the values that are forwarded to it.
    After(Rc<Rotated<'a>>, Vec<Value<'a>>),
}

/// A block to convert into another block.
pub(super) struct WorkItem<'a> {
    pub(super) source: Block<'a>,
    pub(super) target: Block<'a>,
    pub(super) end: End<'a>,
}

/// Converts the operations of a graph.
pub(super) struct Legalizer<'a> {
    /// The effects of the operations of the old body.
    pub(super) effects: Effects<'a>,
    /// From old values to new ones, which are tensors.
    pub(super) new_values: Mapping<'a>,
    /// The old values that are never read.
    pub(super) undefined: HashSet<Value<'a>>,
    pub(super) worklist: Vec<WorkItem<'a>>,
}

impl<'a> Legalizer<'a> {
    pub(super) fn new(graph: Op<'a>) -> Self {
        Self {
            effects: Effects::of_graph(graph),
            new_values: Mapping::new(),
            undefined: HashSet::new(),
            worklist: Vec::new(),
        }
    }

    /// Schedules the conversion of a block.
    pub(super) fn enqueue(&mut self, source: Block<'a>, target: Block<'a>, end: End<'a>) {
        self.worklist.push(WorkItem {
            source,
            target,
            end,
        });
    }

    /// Schedules the conversion of a region with one block; an empty region yields nothing.
    pub(super) fn enqueue_region(&mut self, old: Region<'a>, new: Region<'a>, op: Op<'a>) {
        let Some(source) = old.entry() else {
            let mut builder = TensorBuilder::at_end(new.add_block(&[]), op.location());
            builder.yield_values(&[]);
            return;
        };
        let locations = source.arguments().map(|argument| argument.location());
        let arguments = tensor_types(source.arguments()).into_iter().zip(locations);
        let target = new.add_block(&arguments.collect::<Vec<(Type<'a>, Location<'a>)>>());
        self.map(source.arguments(), target.arguments());
        self.enqueue(source, target, End::Yield);
    }

    /// Maps old values to new ones.
    pub(super) fn map(
        &mut self,
        old: impl Iterator<Item = Value<'a>>,
        new: impl Iterator<Item = Value<'a>>,
    ) {
        old.zip(new)
            .for_each(|(old, new)| self.new_values.map(old, new));
    }

    /// Returns the tensor that replaces an old value.
    ///
    /// # Panics
    ///
    /// If the value has not been converted: its definition does not dominate its use, which the
    /// verifier excludes.
    pub(super) fn value(&self, old: Value<'a>) -> Value<'a> {
        let new = self.new_values.get(old);
        new.expect("a value is converted before its uses")
    }

    pub(super) fn values(&self, old: impl Iterator<Item = Value<'a>>) -> Vec<Value<'a>> {
        old.map(|value| self.value(value)).collect()
    }
}

/// Builds a placeholder for a value that is never read.
pub(super) fn placeholder<'a>(
    ty: Type<'a>,
    builder: &mut TensorBuilder<'a>,
) -> Result<Value<'a>, Diagnostic<'a>> {
    builder.placeholder(ty).ok_or_else(|| {
        let message = format!(
            "a value of type {ty} is undefined on a path, and TensorFlow has no constant of this type as a placeholder"
        );
        diag::error(builder.location(), message)
    })
}
