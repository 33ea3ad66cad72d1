//! The conversion of `scf.for` and `scf.while`.
//!
//! ```text
//! scf.for %i = %l to %u step %s      tfx_tensor.while (%i = %l) {%i < %u} do {A; %i + %s}
//! ```
//!
//! The first region of an `scf.while` computes a condition and the values that it forwards, but the
//! condition region of a `tfx_tensor.while` yields only the condition.
//!
//! ```text
//! scf.while (%a = %init) { before(%a) -> %c, %f; condition(%c) %f } do { ^(%f): after(%f) -> %a' }
//! ```
//!
//! A loop whose first region is pure, and forwards only its own arguments and values from outside
//! of the loop, is converted directly:
//!
//! ```text
//! while (%a = %init) { before(%a) -> %c } do { after(%a) -> %a' }
//! ```
//!
//! Any other loop is *rotated*: both regions run in the body, and the condition becomes an
//! iteration argument. Each region exists once, and the first region runs exactly once in each
//! iteration, as do its sends, receives and random numbers:
//!
//! ```text
//! while (%go = true, %s = %init) { %go } do {
//!   before(%s) -> %c, %f
//!   %s' = if %c { after(%f) } else { %f }
//!   yield %c, %s'
//! }
//! ```
//!
//! `rotated.rs` assigns `%a` and `%f` to the slots `%s`. A second region without operations needs
//! no `if`.
//!
//! Linear in the loop, except for the slots: the number of iteration arguments times that of
//! forwarded values at worst, both of which are small.

use std::rc::Rc;

use melior::ir::{Attribute, Type};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::effects::{Effect, MAY_NOT_END};
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::scf;
use tfx_ir::termination::terminates;
use tfx_ir::{Block, Op, Region, Value};

use super::legalizer::{End, Legalizer, placeholder};
use super::rotated::{Rotated, Slots, is_empty, terminator};
use super::tensor_builder::{TensorBuilder, tensor_types};

impl<'a> Legalizer<'a> {
    pub(super) fn convert_for(&mut self, op: scf::For<'a>, builder: &mut TensorBuilder<'a>) {
        let inits = [op.lower_bound()].into_iter().chain(op.init_args().iter());
        let inits = self.values(inits);
        let (limit, step) = (self.value(op.upper_bound()), self.value(op.step()));
        let mut types = vec![inits[0].ty()];
        types.extend(tensor_types(op.results()));
        let (new, condition, body) = while_op(&inits, &types, op.op(), builder);

        let mut builder = TensorBuilder::at_end(condition, op.location());
        let counter = condition.argument(0);
        let go = match op.unsigned_cmp() {
            true => builder.unsigned_less(counter, limit),
            false => builder.test("Less", &[counter, limit]),
        };
        builder.yield_values(&[go]);

        let source = block(op.region());
        self.map(source.arguments(), body.arguments());
        let counter = body.argument(0);
        self.enqueue(source, body, End::Count { counter, step });
        self.map(op.results(), new.results().skip(1));
    }

    pub(super) fn convert_while(
        &mut self,
        op: scf::While<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        match self.origins(op) {
            Some(origins) => self.convert_directly(op, &origins, builder),
            None => self.rotate(op, builder)?,
        }
        Ok(())
    }

    /// Returns the origins of the forwarded values; `None` if the loop must be rotated.
    fn origins(&self, op: scf::While<'a>) -> Option<Vec<Origin<'a>>> {
        let before = block(op.before());
        if before.ops().any(|op| self.effects.of(op) != Effect::Pure) {
            return None;
        }
        let origin = |value: Value<'a>| match value.as_argument() {
            Some((block, index)) if block == before => Some(Origin::Argument(index)),
            _ if !value.is_defined_within(op.op()) => Some(Origin::Outside(value)),
            _ => None,
        };
        condition(op).args().iter().map(origin).collect()
    }

    fn convert_directly(
        &mut self,
        op: scf::While<'a>,
        origins: &[Origin<'a>],
        builder: &mut TensorBuilder<'a>,
    ) {
        let (before, after) = (block(op.before()), block(op.after()));
        let inits = self.values(op.inits().iter());
        let types = tensor_types(before.arguments());
        let (new, condition, body) = while_op(&inits, &types, op.op(), builder);
        self.map(before.arguments(), condition.arguments());
        for ((origin, argument), result) in origins.iter().zip(after.arguments()).zip(op.results())
        {
            let (inside, outside) = match *origin {
                Origin::Argument(index) => (body.argument(index), new.result(index)),
                Origin::Outside(value) => (self.value(value), self.value(value)),
            };
            self.new_values.map(argument, inside);
            self.new_values.map(result, outside);
        }
        self.enqueue(before, condition, End::Condition);
        self.enqueue(after, body, End::Yield);
    }

    fn rotate(
        &mut self,
        op: scf::While<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        let (before, after) = (block(op.before()), block(op.after()));
        let slots = Slots::assign(condition(op), before, after);
        let mut inits = vec![builder.boolean(true)];
        inits.extend(self.values(op.inits().iter()));
        for &ty in &slots.types[before.num_arguments()..] {
            inits.push(placeholder(ty, builder)?);
        }
        let mut types = vec![inits[0].ty()];
        types.extend(&slots.types);
        let (new, condition, body) = while_op(&inits, &types, op.op(), builder);
        let mut builder = TensorBuilder::at_end(condition, op.location());
        builder.yield_values(&[condition.argument(0)]);

        self.map(before.arguments(), body.arguments().skip(1));
        self.map(op.results(), slots.results(new.op()));
        let rotated = Rotated { after, body, slots };
        self.enqueue(before, body, End::Before(Rc::new(rotated)));
        Ok(())
    }

    /// Ends the first region of a rotated loop: the second region if the loop continues, and the
    /// slots.
    pub(super) fn end_before(
        &mut self,
        rotated: &Rc<Rotated<'a>>,
        go: Value<'a>,
        forwarded: &[Value<'a>],
        builder: &mut TensorBuilder<'a>,
    ) {
        self.map(rotated.after.arguments(), forwarded.iter().copied());
        let mut yielded = vec![go];
        if is_empty(rotated.after) {
            let next = self.values(terminator(rotated.after).operands());
            yielded.extend(rotated.next_state(&next, forwarded));
        } else {
            let types: Vec<_> = rotated.body.arguments().skip(1).map(Value::ty).collect();
            let choice = tensor::If::build(builder, &types, go);
            let ended = choice.else_region().add_block(&[]);
            TensorBuilder::at_end(ended, choice.location())
                .yield_values(&rotated.final_state(forwarded));
            let target = choice.then_region().add_block(&[]);
            let end = End::After(Rc::clone(rotated), forwarded.to_vec());
            self.enqueue(rotated.after, target, end);
            yielded.extend(choice.results());
        }
        builder.yield_values(&yielded);
    }
}

/// The origin of a forwarded value of a loop that is converted directly.
enum Origin<'a> {
    /// An argument of the first region.
    Argument(usize),
    /// A value from outside of the loop.
    Outside(Value<'a>),
}

/// Builds a `tfx_tensor.while` over values of these types, with two empty blocks.
fn while_op<'a>(
    inits: &[Value<'a>],
    types: &[Type<'a>],
    old: Op<'a>,
    builder: &mut TensorBuilder<'a>,
) -> (tensor::While<'a>, Block<'a>, Block<'a>) {
    let new = tensor::While::build(builder, types, inits);
    if !terminates(old) {
        new.set_attribute(MAY_NOT_END, Attribute::unit(old.context()));
    }
    let arguments: Vec<_> = types.iter().map(|&ty| (ty, old.location())).collect();
    let [condition, body] =
        [new.condition_region(), new.body_region()].map(|region| region.add_block(&arguments));
    (new, condition, body)
}

fn block(region: Region<'_>) -> Block<'_> {
    region
        .entry()
        .expect("a region of a verified loop has a block")
}

fn condition(op: scf::While<'_>) -> scf::Condition<'_> {
    op.end().expect("a verified scf.while has a condition")
}
