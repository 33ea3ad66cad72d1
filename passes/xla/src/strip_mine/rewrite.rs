//! The rewrite: see the diagram in `strip_mine.rs`.
//!
//! The loop stays in place and keeps its body; the quiet loop, which consists of clones, is
//! inserted before its condition.

use melior::ir::{Attribute, Type};
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::{Structured, scf};
use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use super::plan::Gate;

/// The attribute of a strip-mined loop. All of its own iterations are noisy, so splitting it again
/// has no benefit.
pub(super) const STRIP_MINED: &str = "tfx.strip_mined";

/// Inserts the quiet loop of an `scf.while` or `scf.for`.
pub(super) fn split<'a>(looped: Structured<'a>, gates: &[Gate<'a>]) {
    let op = match looped {
        Structured::While(op) => op,
        Structured::For(op) => as_while(op),
        Structured::If(_) | Structured::Switch(_) => return,
    };
    let (header, condition) = header(op);
    let first = header.first().unwrap_or(condition.op());
    let carried: Vec<_> = header.arguments().collect();
    let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
    let forwarded = condition.args().to_vec();
    let more = computed_in(header, &forwarded);
    let body_types: Vec<_> = carried
        .iter()
        .chain(&more)
        .map(|value| value.ty())
        .collect();

    let mut builder = Builder::before(first).at(op.location());
    let quiet = scf::While::build(&mut builder, &body_types, &carried);
    let quiet_header = add_block(quiet.op(), quiet.before(), &types);
    let quiet_body = add_block(quiet.op(), quiet.after(), &body_types);

    fill_header(op, quiet, quiet_header, gates, &more);
    let mut values = Mapping::new();
    for (value, argument) in carried.iter().chain(&more).zip(quiet_body.arguments()) {
        values.map(*value, argument);
    }
    let body = block(op.after());
    for (argument, value) in body.arguments().zip(&forwarded) {
        let value = values.get_or_same(*value);
        values.map(argument, value);
    }
    fill_body(body, quiet_body, gates, &mut values);

    op.set_attribute(STRIP_MINED, Attribute::unit(op.context()));
    // The noisy iteration starts with the results of the quiet ones.
    for (value, result) in carried.into_iter().zip(quiet.results()) {
        value.replace_uses_if(result, |found| found.owner != quiet.op());
    }
}

/// Returns the forwarded values that the header computes: additional arguments of the quiet body.
fn computed_in<'a>(header: Block<'a>, forwarded: &[Value<'a>]) -> Vec<Value<'a>> {
    let mut more: Vec<Value<'a>> = Vec::new();
    for &value in forwarded {
        let is_computed = value
            .defining_op()
            .is_some_and(|op| op.block() == Some(header));
        if is_computed && !more.contains(&value) {
            more.push(value);
        }
    }
    more
}

/// Clones the header of the loop, and adds the condition for a quiet iteration.
fn fill_header<'a>(
    op: scf::While<'a>,
    quiet: scf::While<'a>,
    target: Block<'a>,
    gates: &[Gate<'a>],
    more: &[Value<'a>],
) {
    let (header, condition) = header(op);
    let mut values = Mapping::new();
    for (argument, new) in header.arguments().zip(target.arguments()) {
        values.map(argument, new);
    }
    let mut builder = Builder::at_end(target, op.location());
    // The header already contains the quiet loop.
    let own = header
        .ops()
        .filter(|inside| *inside != condition.op() && *inside != quiet.op());
    for inside in own {
        builder.clone_op(inside, &mut values);
    }
    for (argument, value) in block(op.after()).arguments().zip(condition.args().iter()) {
        let value = values.get_or_same(value);
        values.map(argument, value);
    }
    let mut is_quiet = values.get_or_same(condition.condition());
    for gate in gates {
        for &inside in &gate.slice {
            if values.op(inside).is_none() {
                builder.clone_op(inside, &mut values);
            }
        }
        let mut passes = values.get_or_same(gate.op.condition());
        if !gate.quiet_if {
            let truth = builder.constant_bool(true);
            passes = arith::XOrI::build(&mut builder, passes, truth).result();
        }
        is_quiet = arith::AndI::build(&mut builder, is_quiet, passes).result();
    }
    let mut forwarded: Vec<_> = target.arguments().collect();
    forwarded.extend(more.iter().map(|&value| values.get_or_same(value)));
    scf::Condition::build(&mut builder, is_quiet, &forwarded);
}

/// Clones the body of the loop, with the quiet arm of each gate inlined, and erases unused
/// operations.
fn fill_body<'a>(body: Block<'a>, target: Block<'a>, gates: &[Gate<'a>], values: &mut Mapping<'a>) {
    let end = body.last().expect("a verified body has a terminator");
    let mut builder = Builder::at_end(target, end.location());
    for op in body.ops() {
        let Some(gate) = gates.iter().find(|gate| gate.op.op() == op) else {
            builder.clone_op(op, values);
            continue;
        };
        let Some(arm) = gate.quiet_arm().entry() else {
            continue;
        };
        for inside in arm.ops().filter(|inside| !inside.is_terminator()) {
            builder.clone_op(inside, values);
        }
        let yielded = arm.last().into_iter().flat_map(Op::operands);
        for (result, value) in op.results().zip(yielded) {
            let value = values.get_or_same(value);
            values.map(result, value);
        }
    }
    for op in target.ops_backwards().filter(|op| !op.is_terminator()) {
        if op.is_trivially_dead() {
            op.erase();
        }
    }
}

/// Converts an `scf.for` to an `scf.while`. The body moves.
fn as_while(op: scf::For<'_>) -> scf::While<'_> {
    let mut inits = vec![op.lower_bound()];
    inits.extend(op.init_args().iter());
    let types: Vec<_> = inits.iter().map(|value| value.ty()).collect();
    let new = scf::While::build(&mut Builder::before(op.op()), &types, &inits);
    let header = add_block(new.op(), new.before(), &types);
    let mut builder = Builder::at_end(header, op.location());
    let less = match op.unsigned_cmp() {
        true => CmpIPredicate::Ult,
        false => CmpIPredicate::Slt,
    };
    let arguments: Vec<_> = header.arguments().collect();
    let go = arith::CmpI::build(&mut builder, less, arguments[0], op.upper_bound()).result();
    scf::Condition::build(&mut builder, go, &arguments);

    new.after().append_blocks_of(op.region());
    let body = block(new.after());
    let end = body.last().expect("a verified body has a terminator");
    let mut builder = Builder::before(end);
    let next = arith::AddI::build(&mut builder, body.argument(0), op.step()).result();
    let mut yielded = vec![next];
    yielded.extend(end.operands());
    end.set_operands(&yielded);
    let results: Vec<_> = new.results().skip(1).collect();
    op.replace_with(&results);
    new
}

fn header(op: scf::While<'_>) -> (Block<'_>, scf::Condition<'_>) {
    let condition = op.end().expect("a verified scf.while has a condition");
    (block(op.before()), condition)
}

fn block(region: Region<'_>) -> Block<'_> {
    region
        .single_block()
        .expect("a region of a structured loop has one block")
}

fn add_block<'a>(op: Op<'a>, region: Region<'a>, types: &[Type<'a>]) -> Block<'a> {
    let arguments: Vec<_> = types.iter().map(|&ty| (ty, op.location())).collect();
    region.add_block(&arguments)
}
