//! Loops of graphs as loops of the schedule.
//!
//! ```text
//! while (%i = %zero, %s = %x) {...} do {     %a = alloc;  copy %x to %a        unless %x is used up
//!   %n = call @kernel(%s)              ──►   for iter_args(%b = %a, %v = value of %a) {
//!   yield ..., %n                              %c = alloc;  %w = launch @kernel(%b as %v, %c write)
//! }                                            free %b;  yield %c, %w
//!                                            }
//! ```
//!
//! The bytes of a tensor that iterations pass on belong to one of them after the other. In a
//! pipeline, each iteration allocates those of its results, and releases those that it got, so that
//! iterations may overlap. In another loop, there are two buffers for each tensor, which the
//! iterations use in turn: one has what the iteration before computed, the other one gets the next.
//! What all iterations leave as it is has the same bytes outside of the loop.

use std::collections::HashMap;

use melior::ir::{Attribute, Type};
use tfx_dialects::comm::Copy;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::{Device, Space};
use tfx_dialects::tensor::{Call, While};
use tfx_ir::ops::scf;
use tfx_ir::{Block, Builder, Op, Value};

use super::super::grouping::Repeated;
use super::{Emitter, Stored, commands, is_defined_in, space, space_of};
use crate::pipeline::PIPELINE;

impl<'a> Emitter<'a> {
    /// Emits a loop.
    pub(super) fn repeat(&mut self, op: While<'a>, repeated: &Repeated<'a>) -> Option<()> {
        let location = op.location();
        let body = op.body_region().entry()?;
        let carried: Vec<Carried<'a>> = carried(op).collect();
        let changed: Vec<Carried<'a>> = carried
            .iter()
            .copied()
            .filter(|it| it.is_changed())
            .collect();
        for (tensor, space) in used_outside(body, repeated) {
            self.reach(tensor, space)?;
        }
        let is_pipeline = repeated.stages.is_pipeline;
        let spaces = Spaces::new(&carried, body, repeated);
        let mut initial = Vec::new();
        for carried in &changed {
            let space = spaces.of(carried.next);
            let stored = self.owned(carried.init, space, |tensor| tensor.uses().count() == 1)?;
            initial.extend([stored.buffer, stored.value?]);
            if !is_pipeline {
                initial.push(self.allocate(carried.init, space)?);
            }
        }
        let width = if is_pipeline { 2 } else { 3 };
        let index = Type::index(op.context());
        let count = i64::try_from(repeated.stages.iterations).ok()?;
        let [first, last, step] = [0, count, 1].map(|it| self.builder.constant_int(it, index));
        let types: Vec<Type<'a>> = initial.iter().map(|value| value.ty()).collect();
        let new = scf::For::build(&mut self.builder, &types, first, last, step, &initial);
        if is_pipeline {
            let unit = Attribute::unit(op.context());
            new.op().set_attribute(PIPELINE, unit);
        }
        let block = new.region().add_block(&[]);
        block.add_argument(index, location);
        let arguments = types.iter().map(|ty| block.add_argument(*ty, location));
        let arguments: Vec<Value<'a>> = arguments.collect();
        for (carried, stored) in changed.iter().zip(arguments.chunks(width)) {
            let is_allocated = is_pipeline;
            let stored = Stored {
                is_allocated,
                ..Stored::new(stored)
            };
            self.stored.insert(carried.argument, stored);
        }
        let outer = std::mem::replace(&mut self.builder, Builder::at_end(block, location));
        let yielded = match is_pipeline {
            true => self.allocated_body(body, repeated, &changed, &spaces)?,
            false => self.body_of_two(body, repeated, &changed, &arguments)?,
        };
        scf::Yield::build(&mut self.builder, &yielded);
        self.builder = outer;
        let results: Vec<Value<'a>> = new.op().results().collect();
        let parts = results.chunks(width).zip(initial.chunks(width));
        for (carried, (stored, initial)) in changed.iter().zip(parts) {
            let buffers = match is_pipeline {
                true => vec![stored[0]],
                false => vec![initial[0], initial[2]],
            };
            let stored = Stored {
                is_allocated: is_pipeline,
                ..Stored::new(stored)
            };
            match self.stored.get(&carried.result).copied() {
                Some(own) => {
                    let space = space_of(own.buffer)?;
                    self.copy_bytes(stored, carried.result, space)?;
                    buffers.into_iter().for_each(|buffer| self.release(buffer));
                }
                None => {
                    self.stored.insert(carried.result, stored);
                    if !is_pipeline {
                        self.pairs.insert(carried.result, buffers);
                    }
                }
            }
        }
        for kept in carried.iter().filter(|carried| !carried.is_changed()) {
            if self.original(kept.result) == kept.result {
                let stored = *self.stored.get(&self.original(kept.init))?;
                let own = self.stored.get(&kept.result);
                let space = own.and_then(|own| space_of(own.buffer));
                self.copy_bytes(stored, kept.result, space.unwrap_or(Space::Host))?;
            }
        }
        Some(())
    }

    /// Emits the body of a pipeline. Each iteration allocates the bytes of its results, which the
    /// next one releases.
    fn allocated_body(
        &mut self,
        body: Block<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        spaces: &Spaces<'a>,
    ) -> Option<Vec<Value<'a>>> {
        let ends: Vec<Value<'a>> = changed.iter().map(|carried| carried.next).collect();
        let dying = self.commands(body, &repeated.commands, &ends)?;
        let mut yielded = Vec::new();
        for end in ends {
            let space = spaces.of(end);
            let stored = self.owned(end, space, |tensor| is_defined_in(tensor, body))?;
            yielded.extend([stored.buffer, stored.value?]);
        }
        for tensor in dying {
            self.free(tensor);
        }
        Some(yielded)
    }

    /// Emits the body of a loop with two buffers for each tensor that it passes on: three of the
    /// arguments are the one that it got, its value, and the other one.
    fn body_of_two(
        &mut self,
        body: Block<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        arguments: &[Value<'a>],
    ) -> Option<Vec<Value<'a>>> {
        let mut ends = Vec::new();
        for (carried, arguments) in changed.iter().zip(arguments.chunks(3)) {
            let end = carried.next;
            // A tensor that is passed on twice has the bytes of one, and is copied to the other.
            if is_defined_in(end, body)
                && end.as_argument().is_none()
                && !self.stored.contains_key(&end)
            {
                let buffer = arguments[2];
                let stored = Stored {
                    is_allocated: false,
                    ..Stored::new(&[buffer])
                };
                self.stored.insert(end, stored);
            }
            ends.push(end);
        }
        let dying = self.commands(body, &repeated.commands, &ends)?;
        let mut yielded = Vec::new();
        for (end, arguments) in ends.into_iter().zip(arguments.chunks(3)) {
            let stored = *self.stored.get(&self.original(end))?;
            let value = match stored.buffer == arguments[2] {
                true => stored.value?,
                false => self.copy_to(stored, arguments[2]),
            };
            yielded.extend([arguments[2], value, arguments[0]]);
        }
        for tensor in dying {
            self.free(tensor);
        }
        Some(yielded)
    }

    /// Returns bytes of a tensor in a memory space that nothing else uses any more, and that are
    /// not released: those that it has, or a copy.
    fn owned(
        &mut self,
        tensor: Value<'a>,
        space: Space,
        is_last: impl Fn(Value<'a>) -> bool,
    ) -> Option<Stored<'a>> {
        let original = self.original(tensor);
        let stored = *self.stored.get(&original)?;
        let is_there = space_of(stored.buffer) == Some(space);
        if is_there && stored.is_allocated && original == tensor && is_last(tensor) {
            self.stored.get_mut(&original)?.is_allocated = false;
            return Some(stored);
        }
        let buffer = self.allocate(tensor, space)?;
        let copied = self.copy_to(stored, buffer);
        Some(Stored::new(&[buffer, copied]))
    }
}

/// Returns the tensors from outside of a loop that its kernels use, with the memory in
/// which they use them: there they are copied once, and not in each iteration. Recursive in the
/// loops inside, whose depth is bounded.
fn used_outside<'a>(body: Block<'a>, repeated: &Repeated<'a>) -> Vec<(Value<'a>, Space)> {
    let mut used = Vec::new();
    let mut inner = repeated.commands.loops.iter();
    for (op, device) in commands(body).into_iter().zip(&repeated.commands.devices) {
        if let Some(repeated) = While::cast(op) {
            let inside = repeated.body_region().entry().zip(inner.next());
            used.extend(
                inside
                    .into_iter()
                    .flat_map(|(body, it)| used_outside(body, it)),
            );
        } else if op.isa::<Call>() {
            used.extend(op.operands().map(|operand| (operand, space(*device))));
        }
    }
    used.retain(|(tensor, _)| !is_defined_in(*tensor, body));
    used
}

/// The memory of what the iterations of a loop pass on: that in which it is computed.
struct Spaces<'a> {
    /// By the operations of the body.
    devices: HashMap<Op<'a>, Device>,
    /// The tensors that an iteration gets, with those that the one before passes on.
    next: HashMap<Value<'a>, Value<'a>>,
}

impl<'a> Spaces<'a> {
    fn new(carried: &[Carried<'a>], body: Block<'a>, repeated: &Repeated<'a>) -> Self {
        let devices = commands(body).into_iter().zip(&repeated.commands.devices);
        let next = carried
            .iter()
            .map(|carried| (carried.argument, carried.next));
        Self {
            devices: devices.map(|(op, device)| (op, *device)).collect(),
            next: next.collect(),
        }
    }

    /// Returns the space of a tensor of the body. An argument that is only passed on is in host
    /// memory.
    fn of(&self, mut tensor: Value<'a>) -> Space {
        for _ in 0..=self.next.len() {
            match (self.next.get(&tensor), tensor.defining_op()) {
                (Some(next), _) => tensor = *next,
                (None, Some(op)) => {
                    let copied = Copy::cast(op).and_then(|copy| Place::of(copy.destination()));
                    let device = copied.map(|place| place.device);
                    let device = device.or_else(|| self.devices.get(&op).copied());
                    return device.map_or(Space::Host, space);
                }
                (None, None) => break,
            }
        }
        Space::Host
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
