//! Branches of graphs as branches of the schedule.
//!
//! ```text
//! %r = if %c {                          %d = decide %c          the host waits for it
//!   %a = call @kernel(%x)               %b = alloc
//!   yield %a                            %v = if %d {
//! } else {                       ──►      %w = launch @kernel(%x read, %b write);  yield %w
//!   yield %x                            } else {
//! }                                       %w = copy %x to %b;  yield %w
//!                                       }
//! ```
//!
//! Both arms write each result to the same bytes, in the memory of a device if one of them computes
//! it there. What an arm allocates, it frees.

use std::collections::HashMap;

use melior::ir::Type;
use tfx_dialects::schedules::{Device, Space};
use tfx_dialects::stream::Decide;
use tfx_dialects::tensor::If;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Builder, Op, Value};

use super::super::grouping::{Chosen, Nested};
use super::{Emitter, accelerator, commands, is_defined_in, space, space_of};

impl<'a> Emitter<'a> {
    /// Emits a branch.
    pub(super) fn choose(&mut self, op: If<'a>, chosen: &Chosen<'a>) -> Option<()> {
        let own = self.stream;
        let condition = self.reach(op.condition(), Space::Host)?;
        self.builder.set_location(op.location());
        let decide = Decide::build(&mut self.builder, condition.buffer, condition.value);
        let arms = [op.then_region().entry()?, op.else_region().entry()?];
        let arms = arms.into_iter().zip(&chosen.arms);
        let results: Vec<Value<'a>> = op.op().results().collect();
        let spaces = arms
            .clone()
            .map(|(arm, nested)| self.spaces_of(arm, nested));
        let mut spaces = spaces.collect::<Option<Vec<Vec<Space>>>>()?.into_iter();
        let spaces = spaces.next()?.into_iter().zip(spaces.next()?);
        let mut destinations = Vec::with_capacity(results.len());
        for (result, (first, second)) in results.iter().zip(spaces) {
            let is_device = accelerator(first).is_some();
            let space = if is_device { first } else { second };
            destinations.push(self.destination(*result, space)?);
        }
        let value = Type::parse(op.op().context(), "!tfx_stream.value")?;
        let types = vec![value; results.len()];
        let new = scf::If::build(&mut self.builder, &types, decide.decision());
        for ((arm, nested), region) in arms.zip([new.then_region(), new.else_region()]) {
            let block = region.add_block(&[]);
            let inside = Builder::at_end(block, op.location());
            let outer = std::mem::replace(&mut self.builder, inside);
            let buffers = destinations.iter().map(|destination| destination.buffer);
            let ends: Vec<_> = arm.terminator()?.operands().zip(buffers).collect();
            let values = self.commands_to(arm, &nested.commands, &ends)?;
            self.builder.set_location(op.location());
            scf::Yield::build(&mut self.builder, &values);
            self.builder = outer;
            self.stream = own;
        }
        let values: Vec<Value<'a>> = new.op().results().collect();
        for ((result, value), destination) in results.into_iter().zip(values).zip(destinations) {
            self.finish(result, value, destination)?;
        }
        Some(())
    }

    /// Returns the memory that has each result of an arm at its end.
    fn spaces_of(&self, arm: Block<'a>, nested: &Nested<'a>) -> Option<Vec<Space>> {
        let devices = commands(arm).into_iter().zip(&nested.commands.devices);
        let devices: HashMap<Op<'a>, &Device> = devices.collect();
        let ends = arm.terminator()?.operands();
        let spaces = ends.map(|end| match is_defined_in(end, arm) {
            true => Some(space(**devices.get(&end.defining_op()?)?)),
            false => space_of(self.stored.get(&self.original(end))?.buffer),
        });
        spaces.collect()
    }
}
