//! Cuts a loop: see the picture in `strip_mine.rs`.
//!
//! The loop itself stays where it is and keeps its body; before its header comes the quiet loop, which is made of copies.

use melior::ir::{Attribute, Type, attribute::IntegerAttribute, r#type::IntegerType};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use super::STRIP_MINED;
use super::plan::Gate;

/// Makes the quiet loop of an `scf.while` or `scf.for`.
pub(super) fn cut<'a>(op: Op<'a>, gates: &[Gate<'a>]) {
    let op = if op.is("scf.for") { as_while(op) } else { op };
    let header = block(op, 0);
    let first = header.first().expect("a verified header has a terminator");
    let carried: Vec<_> = header.arguments().collect();
    let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
    let condition = header.last().expect("a verified header has a terminator");
    let forwarded: Vec<_> = condition.operands().skip(1).collect();
    let more = computed_in(header, &forwarded);
    let more_types: Vec<_> = more.iter().map(|value| value.ty()).collect();

    let mut builder = Builder::before(first).at(op.location());
    let quiet = builder
        .op("scf.while")
        .operands(&carried)
        .results(&[types.as_slice(), &more_types].concat())
        .regions(2)
        .build();
    let quiet_header = add_block(quiet, 0, &types);
    let quiet_body = add_block(quiet, 1, &[types.as_slice(), &more_types].concat());

    fill_header(op, quiet_header, gates, &more);
    let mut values = Mapping::new();
    for (value, argument) in carried.iter().chain(&more).zip(quiet_body.arguments()) {
        values.map(*value, argument);
    }
    for (argument, value) in block(op, 1).arguments().zip(&forwarded) {
        let value = values.get_or_same(*value);
        values.map(argument, value);
    }
    fill_body(block(op, 1), quiet_body, gates, &mut values);

    op.set_attribute(STRIP_MINED, Attribute::unit(op.context()));
    // The trip that is not quiet starts with what the quiet ones leave.
    for (value, left) in carried.into_iter().zip(quiet.results()) {
        value.replace_uses_if(left, |found| found.owner != quiet);
    }
}

/// The forwarded values that the header computes: the body has to be given them.
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

/// The header of the loop, and after it what says whether the trip is quiet.
fn fill_header<'a>(op: Op<'a>, target: Block<'a>, gates: &[Gate<'a>], more: &[Value<'a>]) {
    let header = block(op, 0);
    let mut values = Mapping::new();
    for (argument, new) in header.arguments().zip(target.arguments()) {
        values.map(argument, new);
    }
    let mut builder = Builder::at_end(target, op.location());
    // The quiet loop itself stands in the header already.
    let own = header
        .ops()
        .filter(|inside| !inside.is_terminator() && !is_quiet_loop(*inside, target));
    for inside in own {
        builder.clone_op(inside, &mut values);
    }
    let condition = header.last().expect("a verified header has a terminator");
    for (argument, value) in block(op, 1).arguments().zip(condition.operands().skip(1)) {
        let value = values.get_or_same(value);
        values.map(argument, value);
    }
    let mut quiet = values.get_or_same(condition.operand(0));
    for gate in gates {
        for &inside in &gate.slice {
            if values.op(inside).is_none() {
                builder.clone_op(inside, &mut values);
            }
        }
        let mut takes_quiet_arm = values.get_or_same(gate.op.operand(0));
        if gate.quiet_arm == 1 {
            let is = truth(&mut builder);
            takes_quiet_arm = logic("arith.xori", takes_quiet_arm, is, &mut builder);
        }
        quiet = logic("arith.andi", quiet, takes_quiet_arm, &mut builder);
    }
    let mut operands = vec![quiet];
    operands.extend(target.arguments());
    operands.extend(more.iter().map(|&value| values.get_or_same(value)));
    builder.op("scf.condition").operands(&operands).build();
}

fn is_quiet_loop(op: Op<'_>, header: Block<'_>) -> bool {
    header.parent() == Some(op)
}

/// The body of the loop, with the quiet arms of its gates in their place and without what only the others needed.
fn fill_body<'a>(body: Block<'a>, target: Block<'a>, gates: &[Gate<'a>], values: &mut Mapping<'a>) {
    let end = body.last().expect("a verified body has a terminator");
    let mut builder = Builder::at_end(target, end.location());
    for op in body.ops() {
        let Some(gate) = gates.iter().find(|gate| gate.op == op) else {
            builder.clone_op(op, values);
            continue;
        };
        let Some(arm) = op.region(gate.quiet_arm).entry() else {
            continue;
        };
        for inside in arm.ops().filter(|inside| !inside.is_terminator()) {
            builder.clone_op(inside, values);
        }
        let given = arm.last().into_iter().flat_map(|end| end.operands());
        for (result, value) in op.results().zip(given) {
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

/// The same loop as an `scf.while`; its body moves.
fn as_while(op: Op<'_>) -> Op<'_> {
    let [from, to, step] = [op.operand(0), op.operand(1), op.operand(2)];
    let mut inits = vec![from];
    inits.extend(op.operands().skip(3));
    let types: Vec<_> = inits.iter().map(|value| value.ty()).collect();
    let new = Builder::before(op)
        .op("scf.while")
        .operands(&inits)
        .results(&types)
        .regions(2)
        .build();
    let header = add_block(new, 0, &types);
    let mut builder = Builder::at_end(header, op.location());
    /// `slt` and `ult` of `arith.cmpi`.
    const LESS: [i64; 2] = [2, 6];
    let predicate = LESS[usize::from(op.attribute("unsignedCmp").is_some())];
    let go = builder
        .op("arith.cmpi")
        .integer("predicate", 64, predicate)
        .operands(&[header.argument(0), to])
        .result(i1(op))
        .value();
    let mut operands = vec![go];
    operands.extend(header.arguments());
    builder.op("scf.condition").operands(&operands).build();

    new.region(1).append_blocks_of(op.region(0));
    let end = block(new, 1)
        .last()
        .expect("a verified body has a terminator");
    let counter = block(new, 1).argument(0);
    let next = Builder::before(end)
        .op("arith.addi")
        .operands(&[counter, step])
        .result(counter.ty())
        .value();
    let mut yielded = vec![next];
    yielded.extend(end.operands());
    end.set_operands(&yielded);
    let results: Vec<_> = new.results().skip(1).collect();
    op.replace_with(&results);
    new
}

fn block(op: Op<'_>, region: usize) -> Block<'_> {
    op.region(region)
        .single_block()
        .expect("a region of a structured loop has one block")
}

fn add_block<'a>(op: Op<'a>, region: usize, types: &[Type<'a>]) -> Block<'a> {
    let arguments: Vec<_> = types.iter().map(|&ty| (ty, op.location())).collect();
    op.region(region).add_block(&arguments)
}

fn i1(op: Op<'_>) -> Type<'_> {
    IntegerType::new(op.context(), 1).into()
}

fn truth<'a>(builder: &mut Builder<'a>) -> Value<'a> {
    let ty: Type<'a> = IntegerType::new(builder.context(), 1).into();
    let value: Attribute<'a> = IntegerAttribute::new(ty, 1).into();
    builder
        .op("arith.constant")
        .attribute("value", value)
        .result(ty)
        .value()
}

fn logic<'a>(name: &str, one: Value<'a>, other: Value<'a>, builder: &mut Builder<'a>) -> Value<'a> {
    builder
        .op(name)
        .operands(&[one, other])
        .result(one.ty())
        .value()
}
