//! Tapes as cotangents and tangents: zeros, sums, and the operations in forward mode.
//!
//! ```text
//!   zero of %a    a tape of as many zeros
//!   %a + %b       pop both, push the sum of the values     from the last to the first
//!                 pop, push                                in the order of %a again
//! ```
//!
//! The cotangent of a tape is a tape of as many cotangents. A tape that nothing uses is empty: the
//! reversal pops all that the forward function pushes. Two loops pop one tape if a function that is
//! differentiated applies a pullback twice, and none does in an arm that does not apply it.
//!
//! Cost: linear in the tapes.

use melior::ir::{Type, TypeLike};
use tfx_dialects::ad;
use tfx_dialects::derivatives::tape_element;
use tfx_ir::ops::scf;
use tfx_ir::{Builder, Op, Value};

use crate::arrays;
use crate::values::{self, add};

/// Returns whether zeros of a type differ by their lengths only.
pub(crate) fn is_counted(ty: Type<'_>) -> bool {
    tape_element(ty).is_some_and(|element| match element.is_tensor() {
        true => values::is_static(element),
        false => tape_element(element).is_none() && arrays::element(element).is_none(),
    })
}

/// Builds the zero of a tape with `length` values whose type [`is_counted`].
pub(crate) fn zeros<'a>(builder: &mut Builder<'a>, ty: Type<'a>, length: Value<'a>) -> Value<'a> {
    let element = tape_element(ty).expect("the type of a tape");
    let zero = values::number(builder, element, 0.0);
    let zero = zero.expect("values of a known shape have one zero");
    each(builder, (ty, length), &[], |_, _| zero)
}

/// Builds the zero of a tape.
pub(crate) fn zeros_like<'a>(builder: &mut Builder<'a>, tape: Value<'a>) -> Value<'a> {
    let ty = tape.ty();
    if tape.defining_op().is_some_and(Op::isa::<ad::EmptyTape>) {
        return ad::EmptyTape::build(builder, ty).tape();
    }
    let length = ad::TapeLength::build(builder, tape).length();
    if is_counted(ty) {
        return zeros(builder, ty, length);
    }
    let reversed = each(builder, (ty, length), &[tape], |builder, popped| {
        values::zero(builder, popped[0].ty(), || popped[0])
    });
    each(builder, (ty, length), &[reversed], |_, popped| popped[0])
}

/// Builds the sum of two tapes of cotangents.
pub(crate) fn sum<'a>(builder: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    let ty = a.ty();
    let element = tape_element(ty).expect("the type of a tape");
    let length = ad::TapeLength::build(builder, a).length();
    let reversed = each(builder, (ty, length), &[a, b], |builder, popped| {
        add(builder, popped[0], popped[1], element)
    });
    each(builder, (ty, length), &[reversed], |_, popped| popped[0])
}

/// Builds a loop that pops all tapes and pushes one value for each iteration. Returns the new tape.
fn each<'a>(
    builder: &mut Builder<'a>,
    (ty, length): (Type<'a>, Value<'a>),
    tapes: &[Value<'a>],
    value: impl FnOnce(&mut Builder<'a>, &[Value<'a>]) -> Value<'a>,
) -> Value<'a> {
    let location = builder.location();
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
    let (mut rests, mut popped) = (Vec::new(), Vec::new());
    for tape in block.arguments().skip(2) {
        let pop = ad::Pop::build(&mut inside, ty, element, tape);
        rests.push(pop.rest());
        popped.push(pop.value());
    }
    let value = value(&mut inside, &popped);
    let push = ad::Push::build(&mut inside, value, block.argument(1));
    let next: Vec<_> = std::iter::once(push.result()).chain(rests).collect();
    scf::Yield::build(&mut inside, &next);
    loop_.op().result(0)
}

/// Builds the tangents of the results of an operation on tapes. `tangent` gives the tangent of an
/// operand, and `or_zero` one that may be zero. None: it is no such operation.
pub(crate) fn push_forward<'a>(
    builder: &mut Builder<'a>,
    op: Op<'a>,
    tangent: impl Fn(Value<'a>) -> Option<Value<'a>>,
    or_zero: impl Fn(Value<'a>) -> Value<'a>,
) -> Option<Vec<Value<'a>>> {
    if let Some(push) = ad::Push::cast(op) {
        if tangent(push.value()).is_none() && tangent(push.tape()).is_none() {
            return Some(Vec::new());
        }
        let (value, tape) = (or_zero(push.value()), or_zero(push.tape()));
        return Some(vec![ad::Push::build(builder, value, tape).result()]);
    }
    let pop = ad::Pop::cast(op)?;
    let Some(tape) = tangent(pop.tape()) else {
        return Some(Vec::new());
    };
    let pop = ad::Pop::build(builder, tape.ty(), pop.value().ty(), tape);
    Some(vec![pop.rest(), pop.value()])
}
