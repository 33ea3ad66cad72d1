//! `scf.while`: its header computes the condition and what goes on to the rest; TensorFlow's `While` has a condition that yields
//! nothing else.
//!
//! ```text
//! scf.while (%a = %init) { header(%a) -> %c, %f; scf.condition(%c) %f } do { ^(%f): rest(%f) -> %a' }
//! ```
//!
//! *Straight*, where the header has no effect and forwards only its own arguments (and what is known outside of the loop):
//!
//! ```text
//! while (%a = %init) { header(%a) -> %c } do { rest(%a) -> %a' }
//! ```
//!
//! *Rotated*, for all others: header and rest both run in the body, and the header's answer is carried to the condition. Each of them is
//! there once, and the header runs exactly once a trip, so its sends, receives and random numbers do too:
//!
//! ```text
//! while (%go = true, %s = %init) { %go } do {
//!   header(%s) -> %c, %f
//!   %s' = if %c { rest(%f) } else { %f }
//!   yield %c, %s'
//! }
//! ```
//!
//! A slot of the state `%s` holds an `%a` while the loop goes on and an `%f` when it has ended, so the two share where their types agree;
//! an `%f` that finds no partner gets a slot of its own, which starts with zeros that nothing reads. A rest without operations needs no `if`.
//!
//! Linear in the loop, but for the partners: arguments times forwarded values at worst, both of which are few.

use std::rc::Rc;

use melior::ir::Type;
use tfx_graphdef_mlir::{effects::Effect, types};
use tfx_ir::{
    Block, Op, Value,
    diag::{self, Diag},
};

use super::{
    Job, Legalizer,
    control::{End, while_op},
    emit::Emit,
    no_zero,
};

/// The plan of a rotated loop.
pub(super) struct Rotated<'a> {
    /// The rest of the loop in the old body.
    rest: Block<'a>,
    /// The body of the new loop: its arguments are the condition and the slots.
    body: Block<'a>,
    /// The slot of each forwarded value.
    slot_of: Vec<usize>,
    /// How many slots there are; the first ones hold the arguments of the header.
    slots: usize,
}

impl<'a> Rotated<'a> {
    /// The slots for the next trip: arguments of the header, and forwarded values in the slots that they do not share.
    pub(super) fn state(&self, next: &[Value<'a>], forwarded: &[Value<'a>]) -> Vec<Value<'a>> {
        let mut state = next.to_vec();
        state.resize(self.slots, self.body.argument(0));
        for (&slot, &value) in self
            .slot_of
            .iter()
            .zip(forwarded)
            .filter(|&(&slot, _)| slot >= next.len())
        {
            state[slot] = value;
        }
        state
    }

    /// The slots after the last trip: forwarded values, and what was there where there are none.
    fn final_state(&self, forwarded: &[Value<'a>]) -> Vec<Value<'a>> {
        let mut state: Vec<_> = self.body.arguments().skip(1).collect();
        for (&slot, &value) in self.slot_of.iter().zip(forwarded) {
            state[slot] = value;
        }
        state
    }

    fn rest_is_empty(&self) -> bool {
        self.rest.first() == self.rest.last()
    }
}

impl<'a> Legalizer<'a> {
    pub(super) fn repeat(&mut self, op: Op<'a>, emit: &mut Emit<'a>) -> Result<(), Diag<'a>> {
        let header = op
            .region(0)
            .entry()
            .expect("a verified scf.while has a header");
        match self.sources(op, header) {
            Some(sources) => self.straight(op, header, &sources, emit),
            None => self.rotated(op, header, emit)?,
        }
        Ok(())
    }

    /// Where each forwarded value of a straight loop comes from; `None` if the loop must be rotated.
    fn sources(&self, op: Op<'a>, header: Block<'a>) -> Option<Vec<Source<'a>>> {
        if header.ops().any(|op| self.effects.of(op) != Effect::Pure) {
            return None;
        }
        let source = |value: Value<'a>| match value.as_argument() {
            Some((block, index)) if block == header => Some(Source::Carried(index)),
            _ if !is_inside(value, op) => Some(Source::Outside(value)),
            _ => None,
        };
        header.last()?.operands().skip(1).map(source).collect()
    }

    fn straight(
        &mut self,
        op: Op<'a>,
        header: Block<'a>,
        sources: &[Source<'a>],
        emit: &mut Emit<'a>,
    ) {
        let inits = self.values(op.operands());
        let (new, condition, body) = while_op(&inits, &tensors(header), op, emit);
        for (old, new) in header.arguments().zip(condition.arguments()) {
            self.new_values.map(old, new);
        }
        let rest = op
            .region(1)
            .entry()
            .expect("a verified scf.while has a body");
        for ((source, argument), result) in sources.iter().zip(rest.arguments()).zip(op.results()) {
            let (inside, after) = match *source {
                Source::Carried(index) => (body.argument(index), new.result(index)),
                Source::Outside(value) => (self.value(value), self.value(value)),
            };
            self.new_values.map(argument, inside);
            self.new_values.map(result, after);
        }
        self.pending.push(Job {
            source: header,
            target: condition,
            end: End::Condition,
        });
        self.pending.push(Job {
            source: rest,
            target: body,
            end: End::Yield,
        });
    }

    fn rotated(
        &mut self,
        op: Op<'a>,
        header: Block<'a>,
        emit: &mut Emit<'a>,
    ) -> Result<(), Diag<'a>> {
        let rest = op
            .region(1)
            .entry()
            .expect("a verified scf.while has a body");
        let mut slot_types = tensors(header);
        let slot_of = share_slots(header, rest, &mut slot_types);

        let mut inits = vec![emit.boolean(true)];
        inits.extend(self.values(op.operands()));
        for &ty in &slot_types[header.num_arguments()..] {
            inits.push(
                emit.placeholder(ty)
                    .ok_or_else(|| diag::error(op.location(), no_zero(ty)))?,
            );
        }
        let mut carried = vec![inits[0].ty()];
        carried.extend(&slot_types);
        let (new, condition, body) = while_op(&inits, &carried, op, emit);
        Emit::at_end(condition, op.location()).yields(&[condition.argument(0)]);

        for (old, new) in header.arguments().zip(body.arguments().skip(1)) {
            self.new_values.map(old, new);
        }
        for (old, &slot) in op.results().zip(&slot_of) {
            self.new_values.map(old, new.result(1 + slot));
        }
        let rotated = Rotated {
            rest,
            body,
            slot_of,
            slots: slot_types.len(),
        };
        self.pending.push(Job {
            source: header,
            target: body,
            end: End::Header(Rc::new(rotated)),
        });
        Ok(())
    }

    /// After the header: the rest if the loop goes on, and what the next trip, or the end, finds in the slots.
    pub(super) fn end_of_header(
        &mut self,
        rotated: &Rc<Rotated<'a>>,
        condition: Op<'a>,
        emit: &mut Emit<'a>,
    ) {
        let go = self.value(condition.operand(0));
        let forwarded = self.values(condition.operands().skip(1));
        for (argument, &value) in rotated.rest.arguments().zip(&forwarded) {
            self.new_values.map(argument, value);
        }
        let state = if rotated.rest_is_empty() {
            let next = rotated
                .rest
                .last()
                .expect("a verified block has a terminator");
            let next = self.values(next.operands());
            rotated.state(&next, &forwarded)
        } else {
            self.rest_if(rotated, go, forwarded, emit)
        };
        let mut yielded = vec![go];
        yielded.extend(state);
        emit.yields(&yielded);
    }

    fn rest_if(
        &mut self,
        rotated: &Rc<Rotated<'a>>,
        go: Value<'a>,
        forwarded: Vec<Value<'a>>,
        emit: &mut Emit<'a>,
    ) -> Vec<Value<'a>> {
        let types: Vec<_> = rotated.body.arguments().skip(1).map(Value::ty).collect();
        let choice = emit
            .builder()
            .op("tfx_tensor.if")
            .operand(go)
            .results(&types)
            .regions(2)
            .build();
        let otherwise = choice.region(1).add_block(&[]);
        Emit::at_end(otherwise, choice.location()).yields(&rotated.final_state(&forwarded));
        let target = choice.region(0).add_block(&[]);
        let end = End::Rest(Rc::clone(rotated), forwarded);
        self.pending.push(Job {
            source: rotated.rest,
            target,
            end,
        });
        choice.results().collect()
    }
}

/// Where a forwarded value of a straight loop comes from.
enum Source<'a> {
    /// An argument of the header.
    Carried(usize),
    /// Outside of the loop.
    Outside(Value<'a>),
}

fn is_inside<'a>(value: Value<'a>, op: Op<'a>) -> bool {
    let around = value.block().and_then(Block::parent);
    around.is_some_and(|around| around.is_within(op))
}

fn tensors(block: Block<'_>) -> Vec<Type<'_>> {
    block
        .arguments()
        .map(|argument| types::tensor_type(argument.context(), argument.ty()))
        .collect()
}

/// Finds a slot for each forwarded value, and adds slots where none is fitting.
///
/// With a rest that computes something, a slot fits if its type does: best the one that the value came from. With one that does not, the
/// two are yielded at once, and so must be the same value.
fn share_slots<'a>(
    header: Block<'a>,
    rest: Block<'a>,
    slot_types: &mut Vec<Type<'a>>,
) -> Vec<usize> {
    let carried = slot_types.len();
    let condition = header.last().expect("a verified header has a terminator");
    let next = rest.last().expect("a verified block has a terminator");
    let rest_is_empty = rest.first() == rest.last();
    let mut taken = vec![false; carried];
    let mut slot_of = Vec::new();
    for (index, value) in condition.operands().skip(1).enumerate() {
        let ty = types::tensor_type(value.context(), value.ty());
        let own = value
            .as_argument()
            .filter(|&(block, _)| block == header)
            .map(|(_, slot)| slot);
        let fits = |slot: &usize| {
            !taken[*slot]
                && slot_types[*slot] == ty
                && (!rest_is_empty || next.operand(*slot) == rest.argument(index))
        };
        let found = own.filter(fits).or_else(|| (0..carried).find(fits));
        let slot = found.unwrap_or_else(|| {
            slot_types.push(ty);
            slot_types.len() - 1
        });
        if slot < carried {
            taken[slot] = true;
        }
        slot_of.push(slot);
    }
    slot_of
}
