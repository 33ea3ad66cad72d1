//! Loops that the device decides, whose next iteration runs while the host waits for the decision.
//!
//! ```text
//!     %g = test %a to %h0;  %w = body %a to %b;  test %b to %h     `test` computes a byte, and
//!     %go = decide %h0                                             copies it to the host
//!     while (%go, %x = %a, %y = %b, %byte = %h, %other = %h0) {condition(%go) ...} do {
//!       %w = body %y to %x                    the iteration after the one that is decided
//!       test %x to %other
//!       %next = decide %byte                  about %y: the host waits, and the device does not
//!       yield %next, %y, %x, %other, %byte
//!     }                                       the result is %x
//! ```
//!
//! The tensors of a loop have two buffers: one has what is decided, and the other one what runs
//! ahead. When the loop continues, what was decided is of no use any more, so that two are enough.
//! One iteration runs in vain, and its results are discarded: `stages.rs` selects loops in which
//! this cannot fail, ends, and takes little time.

use tfx_dialects::schedules::Space;
use tfx_dialects::stream::Decide;
use tfx_dialects::tensor::While;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Builder, Value};

use super::super::grouping::{Nested, Repeated};
use super::repeat::Carried;
use super::{Emitter, Stored};

impl<'a> Emitter<'a> {
    /// Emits a loop, and returns for each tensor that changes its buffer and its value. Three of
    /// the initial values are a buffer, its value, and another buffer.
    pub(super) fn ahead(
        &mut self,
        op: While<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        initial: &[Value<'a>],
    ) -> Option<Vec<Vec<Value<'a>>>> {
        let condition = repeated.condition.as_ref()?;
        let body = op.body_region().entry()?;
        let end = op.condition_region().entry()?.terminator()?.operand(0);
        let bytes = [
            self.allocate(end, Space::Host)?,
            self.allocate(end, Space::Host)?,
        ];
        let first = self.test_to(op, condition, changed, initial, bytes[0])?;
        let issued = self.iteration(body, repeated, changed, initial)?;
        let byte = self.test_to(op, condition, changed, &issued, bytes[1])?;
        self.builder.set_location(op.location());
        let decide = Decide::build(&mut self.builder, bytes[0], Some(first));
        // What is decided, and what runs ahead.
        let mut state = Vec::new();
        for (decided, issued) in initial.chunks(3).zip(issued.chunks(3)) {
            state.extend([decided[0], decided[1], issued[0], issued[1]]);
        }
        state.extend([bytes[1], byte, bytes[0]]);
        let (new, block) = self.begin(repeated, Some(decide.decision()), &state)?;
        let inside = Builder::at_end(block, op.location());
        let outer = std::mem::replace(&mut self.builder, inside);
        let arguments: Vec<Value<'a>> = block.arguments().collect();
        let (tensors, pending) = arguments.split_at(4 * changed.len());
        let now = tensors.chunks(4).flat_map(|it| [it[2], it[3], it[0]]);
        let now: Vec<Value<'a>> = now.collect();
        let issued = self.iteration(body, repeated, changed, &now)?;
        let byte = self.test_to(op, condition, changed, &issued, pending[2])?;
        self.builder.set_location(op.location());
        let decide = Decide::build(&mut self.builder, pending[0], Some(pending[1]));
        let mut yielded = vec![decide.decision()];
        for (decided, issued) in now.chunks(3).zip(issued.chunks(3)) {
            yielded.extend([decided[0], decided[1], issued[0], issued[1]]);
        }
        yielded.extend([pending[2], byte, pending[0]]);
        scf::Yield::build(&mut self.builder, &yielded);
        self.builder = outer;
        for byte in bytes {
            self.release_allocated(byte);
        }
        let results: Vec<Value<'a>> = new.results().collect();
        let results = results.chunks(4).take(changed.len());
        Some(results.map(|it| it[..2].to_vec()).collect())
    }

    /// Emits an iteration, whose commands may be emitted again.
    fn iteration(
        &mut self,
        body: Block<'a>,
        repeated: &Repeated<'a>,
        changed: &[Carried<'a>],
        now: &[Value<'a>],
    ) -> Option<Vec<Value<'a>>> {
        for (carried, stored) in changed.iter().zip(now.chunks(3)) {
            self.stored
                .insert(carried.argument, Stored::borrowed(stored));
        }
        let issued = self.body_of_two(body, repeated, changed, now)?;
        self.forget(body);
        Some(issued)
    }

    /// Emits the condition of what an iteration passes on, and copies its byte to one of the host.
    /// Returns the value of that.
    fn test_to(
        &mut self,
        op: While<'a>,
        condition: &Nested<'a>,
        changed: &[Carried<'a>],
        now: &[Value<'a>],
        byte: Value<'a>,
    ) -> Option<Value<'a>> {
        let now = changed.iter().zip(now.chunks(3));
        let now = now.map(|(carried, stored)| (carried.tested, Stored::borrowed(stored)));
        self.test(op, condition, now.collect(), |emitter, end| {
            let stored = *emitter.stored.get(&emitter.original(end))?;
            Some(emitter.copy_to(stored, byte))
        })
    }
}
