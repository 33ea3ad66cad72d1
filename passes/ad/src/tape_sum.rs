//! Sums of tapes: the cotangent of a tape that two loops pop.
//!
//! ```text
//!   %a, %b    sum   if %a is empty: %b, if %b is empty: %a
//!                   otherwise:  pop both, push the sum of the values     from the last to the first
//!                               pop, push                                in the order of %a again
//! ```
//!
//! The cotangent of a tape is a tape of as many cotangents, or an empty tape: zero. Two loops pop
//! one tape if a function that is differentiated applies a pullback twice.
//!
//! Cost: linear in the tapes.

use tfx_dialects::ad;
use tfx_dialects::derivatives::tape_element;
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Builder, Value};

use crate::values::{self, add};

/// Builds the sum of two tapes of cotangents.
pub(crate) fn sum<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    let is_empty = |builder: &mut Builder<'a>, tape| {
        let length = ad::TapeLength::build(builder, tape).length();
        let zero = values::count(builder, 0);
        let is_zero = arith::CmpI::build(builder, CmpIPredicate::Eq, length, zero);
        (length, is_zero.op().result(0))
    };
    let (length, first_is_empty) = is_empty(builder, a);
    choose(builder, first_is_empty, b, |builder| {
        let (_, second_is_empty) = is_empty(builder, b);
        choose(builder, second_is_empty, a, |builder| {
            let reversed = each(builder, length, &[a, b], |builder, tapes| {
                let element = tape_element(a.ty()).expect("the type of a tape");
                let values: Vec<_> = tapes.iter().map(|tape| tape.1).collect();
                add(builder, values[0], values[1], element)
            });
            each(builder, length, &[reversed], |_, tapes| tapes[0].1)
        })
    })
}

/// Builds `value` if the condition holds, and otherwise another one.
fn choose<'a>(
    builder: &mut Builder<'a>,
    condition: Value<'a>,
    value: Value<'a>,
    other: impl FnOnce(&mut Builder<'a>) -> Value<'a>,
) -> Value<'a> {
    let choice = scf::If::build(builder, &[value.ty()], condition);
    let location = builder.location();
    let arm = |index: usize| choice.op().region(index).add_block(&[]);
    scf::Yield::build(&mut Builder::at_end(arm(0), location), &[value]);
    let mut inside = Builder::at_end(arm(1), location);
    let other = other(&mut inside);
    scf::Yield::build(&mut inside, &[other]);
    choice.op().result(0)
}

/// Builds a loop that pops all tapes and pushes one value for each iteration. Returns the new tape.
fn each<'a>(
    builder: &mut Builder<'a>,
    length: Value<'a>,
    tapes: &[Value<'a>],
    value: impl FnOnce(&mut Builder<'a>, &[(Value<'a>, Value<'a>)]) -> Value<'a>,
) -> Value<'a> {
    let location = builder.location();
    let ty = tapes[0].ty();
    let element = tape_element(ty).expect("the type of a tape");
    let (first, step) = (values::count(builder, 0), values::count(builder, 1));
    let empty = ad::EmptyTape::build(builder, ty).tape();
    let inits = [&[empty], tapes].concat();
    let types = vec![ty; inits.len()];
    let loop_ = scf::For::build(builder, &types, first, length, step, &inits);
    let arguments = std::iter::once(length.ty()).chain(types);
    let arguments: Vec<_> = arguments.map(|ty| (ty, location)).collect();
    let block = loop_.region().add_block(&arguments);
    let mut inside = Builder::at_end(block, location);
    let popped = block.arguments().skip(2).map(|tape| {
        let pop = ad::Pop::build(&mut inside, ty, element, tape);
        (pop.rest(), pop.value())
    });
    let popped: Vec<_> = popped.collect();
    let value = value(&mut inside, &popped);
    let push = ad::Push::build(&mut inside, value, block.argument(1));
    let rests = popped.iter().map(|(rest, _)| *rest);
    let next: Vec<_> = std::iter::once(push.result()).chain(rests).collect();
    scf::Yield::build(&mut inside, &next);
    loop_.op().result(0)
}
