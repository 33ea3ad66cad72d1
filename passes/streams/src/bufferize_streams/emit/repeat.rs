//! Loops of stages as loops of the schedule.
//!
//! ```text
//! while (%i = %zero, %s = %x) {...} do {     %a = alloc;  copy %x to %a        unless %x is used up
//!   %n = call @kernel(%s)              ──►   for iter_args(%b = %a, %v = value of %a) {
//!   yield ..., %n                              %c = alloc;  %w = launch @kernel(%b as %v, %c write)
//! }                                            free %b;  yield %c, %w
//!                                            }
//! ```
//!
//! The bytes of a tensor that iterations pass on belong to one of them after the other: each
//! iteration allocates those of its results, and releases those that it got. What all iterations
//! leave as it is has the same bytes outside of the loop.

use melior::ir::{Attribute, Type};
use tfx_dialects::stream::{Alloc, Free};
use tfx_dialects::tensor::While;
use tfx_ir::ops::scf;
use tfx_ir::{Builder, Value};

use super::super::grouping::Repeated;
use super::{Emitter, Stored, is_defined_in};
use crate::pipeline::PIPELINE;

impl<'a> Emitter<'a> {
    /// Emits a loop of stages. Each iteration allocates the bytes of its results, which the next
    /// one releases.
    pub(super) fn repeat(&mut self, op: While<'a>, repeated: &Repeated<'a>) -> Option<()> {
        let location = op.location();
        let body = op.body_region().entry()?;
        let carried: Vec<Carried<'a>> = carried(op).collect();
        let changed: Vec<Carried<'a>> = carried
            .iter()
            .copied()
            .filter(|it| it.is_changed())
            .collect();
        let mut initial = Vec::new();
        for carried in &changed {
            let stored = self.owned(carried.init, |tensor| tensor.uses().count() == 1)?;
            initial.extend([stored.buffer, stored.value?]);
        }
        let index = Type::index(op.context());
        let count = i64::try_from(repeated.iterations).ok()?;
        let [first, last, step] = [0, count, 1].map(|it| self.builder.constant_int(it, index));
        let types: Vec<Type<'a>> = initial.iter().map(|value| value.ty()).collect();
        let new = scf::For::build(&mut self.builder, &types, first, last, step, &initial);
        new.op()
            .set_attribute(PIPELINE, Attribute::unit(op.context()));
        let block = new.region().add_block(&[]);
        block.add_argument(index, location);
        let arguments = types.iter().map(|ty| block.add_argument(*ty, location));
        let arguments: Vec<Value<'a>> = arguments.collect();
        for (carried, stored) in changed.iter().zip(arguments.chunks(2)) {
            self.stored.insert(carried.argument, Stored::new(stored));
        }
        let outer = std::mem::replace(&mut self.builder, Builder::at_end(block, location));
        let ends: Vec<Value<'a>> = changed.iter().map(|carried| carried.next).collect();
        let dying = self.commands(body, &repeated.commands, &ends)?;
        let mut yielded = Vec::new();
        for end in ends {
            let stored = self.owned(end, |tensor| is_defined_in(tensor, body))?;
            yielded.extend([stored.buffer, stored.value?]);
        }
        for tensor in dying {
            self.free(tensor);
        }
        scf::Yield::build(&mut self.builder, &yielded);
        self.builder = outer;
        let results: Vec<Value<'a>> = new.op().results().collect();
        for (carried, stored) in changed.iter().zip(results.chunks(2)) {
            let stored = Stored::new(stored);
            match self.stored.contains_key(&carried.result) {
                true => {
                    self.copy_bytes(stored, carried.result, op.op())?;
                    Free::build(&mut self.builder, stored.buffer, Some(self.stream));
                }
                false => _ = self.stored.insert(carried.result, stored),
            }
        }
        for kept in carried.iter().filter(|carried| !carried.is_changed()) {
            if self.original(kept.result) == kept.result {
                let stored = *self.stored.get(&self.original(kept.init))?;
                self.copy_bytes(stored, kept.result, op.op())?;
            }
        }
        Some(())
    }

    /// Returns bytes of a tensor that nothing else uses any more, and that are not released: those
    /// that it has, or a copy.
    fn owned(
        &mut self,
        tensor: Value<'a>,
        is_last: impl Fn(Value<'a>) -> bool,
    ) -> Option<Stored<'a>> {
        let original = self.original(tensor);
        let stored = *self.stored.get(&original)?;
        if stored.is_allocated && original == tensor && is_last(tensor) {
            self.stored.get_mut(&original)?.is_allocated = false;
            return Some(stored);
        }
        let ty = stored.buffer.ty();
        let buffer = Alloc::build(&mut self.builder, ty, Some(self.stream)).buffer();
        let copied = self.copy_to(stored, buffer);
        Some(Stored::new(&[buffer, copied]))
    }
}

/// A tensor that the iterations of a loop pass on.
#[derive(Clone, Copy)]
pub(super) struct Carried<'a> {
    pub(super) init: Value<'a>,
    pub(super) argument: Value<'a>,
    next: Value<'a>,
    pub(super) result: Value<'a>,
}

impl Carried<'_> {
    pub(super) fn is_changed(&self) -> bool {
        self.argument != self.next
    }
}

/// Returns the tensors that the iterations of a loop pass on.
pub(super) fn carried<'a>(repeated: While<'a>) -> impl Iterator<Item = Carried<'a>> {
    let body = repeated.body_region().entry();
    let arguments = body.into_iter().flat_map(|body| body.arguments());
    let end = body.and_then(|body| body.terminator());
    let next = end.into_iter().flat_map(|end| end.operands());
    let inside = arguments.zip(next);
    let outside = repeated.op().operands().zip(repeated.op().results());
    outside
        .zip(inside)
        .map(|((init, result), (argument, next))| Carried {
            init,
            argument,
            next,
            result,
        })
}
