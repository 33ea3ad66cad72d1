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
//!
//! A loop whose number of iterations is not known becomes an `scf.while`. Its condition has
//! commands, too: before the loop, and at the end of each iteration, with what that passes on.
//!
//! ```text
//!     launch @condition(%b as %v, %d write);  %go = decide %d
//!     while (%more = %go, %b = %a, ...) { condition(%more) ... } do {
//!       %w = launch @kernel(%b as %v, %c write)
//!       launch @condition(%c as %w, %d write);  %next = decide %d
//!       yield %next, %c, ...
//!     }
//! ```

use std::collections::HashMap;

use melior::ir::{Attribute, Type};
use tfx_dialects::comm::Copy;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::{Device, Space};
use tfx_dialects::stream::Decide;
use tfx_dialects::tensor::While;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Builder, Op, Region, Value};

use super::super::grouping::{HOME, Nested, Repeated};
use super::super::stages::Trips;
use super::{Emitter, Stored, commands, is_defined_in, space, space_of};
use crate::pipeline::PIPELINE;

impl<'a> Emitter<'a> {
    /// Emits a loop.
    pub(super) fn repeat(&mut self, op: While<'a>, repeated: &Repeated<'a>) -> Option<()> {
        let body = op.body_region().entry()?;
        let carried: Vec<Carried<'a>> = carried(op).collect();
        let changed: Vec<Carried<'a>> = carried
            .iter()
            .copied()
            .filter(|it| it.is_changed())
            .collect();
        let is_pipeline = repeated.stages.is_pipeline;
        let spaces = Spaces::new(&carried, body, repeated);
        let mut initial = Vec::new();
        let own = self.stream;
        for carried in &changed {
            let space = spaces.of(carried.next);
            // Otherwise, the host would wait for the device before it counts.
            self.stream = match space == Space::Host && repeated.stages.trips == Trips::Host {
                true => *self.streams.get(&HOME)?,
                false => own,
            };
            let stored = self.owned(carried.init, space, |tensor| tensor.uses().count() == 1)?;
            initial.extend([stored.buffer, stored.value?]);
            if !is_pipeline {
                initial.push(self.allocate(carried.init, space)?);
            }
        }
        self.stream = own;
        let width = if is_pipeline { 2 } else { 3 };
        let results: Vec<Vec<Value<'a>>> = match repeated.stages.trips {
            Trips::Ahead => self.ahead(op, repeated, &changed, &initial)?,
            _ => {
                let results = self.in_turn(op, repeated, &changed, &spaces, &initial)?;
                results.chunks(width).map(<[_]>::to_vec).collect()
            }
        };
        self.stream = own;
        let parts = results.iter().zip(initial.chunks(width));
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
                    buffers
                        .into_iter()
                        .for_each(|it| self.release_allocated(it));
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

    /// Emits a loop whose iterations are issued one after the other, and returns its results.
    fn in_turn(
        &mut self,
        op: While<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        spaces: &Spaces<'a>,
        initial: &[Value<'a>],
    ) -> Option<Vec<Value<'a>>> {
        let body = op.body_region().entry()?;
        let is_pipeline = repeated.stages.is_pipeline;
        let width = if is_pipeline { 2 } else { 3 };
        let decision = match &repeated.condition {
            Some(condition) => {
                let now = changed.iter().zip(initial.chunks(width));
                let now = now.map(|(carried, stored)| (carried.tested, Stored::borrowed(stored)));
                Some(self.decide(op, condition, now.collect())?)
            }
            None => None,
        };
        let (new, block) = self.begin(repeated, decision, initial)?;
        let arguments: Vec<Value<'a>> = block.arguments().collect();
        let arguments = arguments[arguments.len() - initial.len()..].to_vec();
        for (carried, stored) in changed.iter().zip(arguments.chunks(width)) {
            let stored = Stored {
                is_allocated: is_pipeline,
                ..Stored::new(stored)
            };
            self.stored.insert(carried.argument, stored);
        }
        let inside = Builder::at_end(block, op.location());
        let outer = std::mem::replace(&mut self.builder, inside);
        let yielded = match is_pipeline {
            true => self.allocated_body(body, repeated, changed, spaces)?,
            false => {
                let mut yielded = self.body_of_two(body, repeated, changed, &arguments)?;
                if let Some(condition) = &repeated.condition {
                    let now = changed.iter().zip(yielded.chunks(3));
                    let now =
                        now.map(|(carried, stored)| (carried.tested, Stored::borrowed(stored)));
                    let decision = self.decide(op, condition, now.collect())?;
                    yielded.insert(0, decision);
                }
                yielded
            }
        };
        scf::Yield::build(&mut self.builder, &yielded);
        self.builder = outer;
        Some(new.results().collect())
    }

    /// Begins a loop, and returns it with its block, whose last arguments are those with these
    /// initial values.
    pub(super) fn begin(
        &mut self,
        repeated: &Repeated<'a>,
        decision: Option<Value<'a>>,
        initial: &[Value<'a>],
    ) -> Option<(Op<'a>, Block<'a>)> {
        let (builder, location) = (&mut self.builder, repeated.op.location());
        let types: Vec<Type<'a>> = initial.iter().map(|value| value.ty()).collect();
        let Trips::Known(count) = repeated.stages.trips else {
            let decision = decision?;
            let all = [&[decision], initial].concat();
            let new = scf::While::build(builder, &types, &all);
            let before = new.before().add_block(&[]);
            let tested: Vec<Value<'a>> = all
                .iter()
                .map(|value| before.add_argument(value.ty(), location))
                .collect();
            let mut builder = Builder::at_end(before, location);
            scf::Condition::build(&mut builder, tested[0], &tested[1..]);
            let after = new.after().add_block(&[]);
            for ty in types {
                after.add_argument(ty, location);
            }
            return Some((new.op(), after));
        };
        let index = Type::index(repeated.op.context());
        let count = i64::try_from(count).ok()?;
        let [first, last, step] = [0, count, 1].map(|it| builder.constant_int(it, index));
        let new = scf::For::build(builder, &types, first, last, step, initial);
        if repeated.stages.is_pipeline {
            let unit = Attribute::unit(repeated.op.context());
            new.op().set_attribute(PIPELINE, unit);
        }
        let block = new.region().add_block(&[]);
        block.add_argument(index, location);
        for ty in types {
            block.add_argument(ty, location);
        }
        Some((new.op(), block))
    }

    /// Emits a condition of tensors with these bytes, and returns the decision.
    fn decide(
        &mut self,
        repeated: While<'a>,
        condition: &Nested<'a>,
        now: Vec<(Value<'a>, Stored<'a>)>,
    ) -> Option<Value<'a>> {
        self.test(repeated, condition, now, |emitter, end| {
            let stored = emitter.reach(end, Space::Host)?;
            emitter.builder.set_location(repeated.location());
            let decide = Decide::build(&mut emitter.builder, stored.buffer, stored.value);
            Some(decide.decision())
        })
    }

    /// Emits a condition of tensors with these bytes, and what uses the byte that it computes.
    pub(super) fn test<R>(
        &mut self,
        repeated: While<'a>,
        condition: &Nested<'a>,
        now: Vec<(Value<'a>, Stored<'a>)>,
        then: impl FnOnce(&mut Self, Value<'a>) -> Option<R>,
    ) -> Option<R> {
        let block = repeated.condition_region().entry()?;
        self.stored.extend(now);
        let end = block.terminator()?.operand(0);
        let dying = self.commands(block, &condition.commands, &[end])?;
        let result = then(self, end)?;
        for tensor in dying {
            self.free(tensor);
        }
        self.forget(block);
        Some(result)
    }

    /// Forgets the bytes of the tensors of a block, whose commands are emitted again.
    pub(super) fn forget(&mut self, block: Block<'a>) {
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            let results = block.ops().flat_map(Op::results);
            for tensor in block.arguments().chain(results) {
                self.stored.remove(&tensor);
            }
            let inside = block.ops().flat_map(Op::regions);
            blocks.extend(inside.flat_map(Region::blocks));
        }
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
        let dying = self.commands(body, &repeated.body.commands, &ends)?;
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
    pub(super) fn body_of_two(
        &mut self,
        body: Block<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        arguments: &[Value<'a>],
    ) -> Option<Vec<Value<'a>>> {
        let ends = changed.iter().zip(arguments.chunks(3));
        let ends: Vec<_> = ends.map(|(carried, it)| (carried.next, it[2])).collect();
        let values = self.commands_to(body, &repeated.body.commands, &ends)?;
        let mut yielded = Vec::new();
        for (value, arguments) in values.into_iter().zip(arguments.chunks(3)) {
            yielded.extend([arguments[2], value, arguments[0]]);
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

/// The memory of what the iterations of a loop pass on: that in which it is computed.
struct Spaces<'a> {
    /// By the operations of the body.
    devices: HashMap<Op<'a>, Device>,
    /// The tensors that an iteration gets, with those that the one before passes on.
    next: HashMap<Value<'a>, Value<'a>>,
}

impl<'a> Spaces<'a> {
    fn new(carried: &[Carried<'a>], body: Block<'a>, repeated: &Repeated<'a>) -> Self {
        let devices = &repeated.body.commands.devices;
        let devices = commands(body).into_iter().zip(devices);
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
    /// The argument of the condition.
    pub(super) tested: Value<'a>,
    pub(super) argument: Value<'a>,
    pub(super) next: Value<'a>,
    pub(super) result: Value<'a>,
}

impl Carried<'_> {
    pub(super) fn is_changed(&self) -> bool {
        self.argument != self.next
    }
}

/// Returns the tensors that the iterations of a loop pass on.
pub(super) fn carried<'a>(repeated: While<'a>) -> impl Iterator<Item = Carried<'a>> {
    let regions = [repeated.condition_region(), repeated.body_region()];
    let [tested, arguments] = regions.map(|region| {
        let block = region.entry();
        block.into_iter().flat_map(|block| block.arguments())
    });
    let body = repeated.body_region().entry();
    let end = body.and_then(|body| body.terminator());
    let next = end.into_iter().flat_map(|end| end.operands());
    let inside = tested.zip(arguments).zip(next);
    let outside = repeated.op().operands().zip(repeated.op().results());
    outside
        .zip(inside)
        .map(|((init, result), ((tested, argument), next))| Carried {
            init,
            tested,
            argument,
            next,
            result,
        })
}
