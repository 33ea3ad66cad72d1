//! Faults that are put into structured functions: what a structurer could get wrong.

use melior::ir::attribute::{BoolAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use super::machine::case_numbers;

/// A kind of fault. It has a number of variants at an operation, and is made there or found not to be possible.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Makes variant `variant` at `op`.
    pub(crate) make: fn(op: Op<'_>, variant: usize) -> Made,
}

/// What became of a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// There are no more at this operation.
    NoMore,
    /// It would change nothing.
    Nothing,
    /// It is made.
    Fault,
}

/// All kinds.
pub(crate) const KINDS: [Kind; 14] = [
    kind("regions of a choice are exchanged", exchange_regions),
    kind("what is handed on is exchanged", exchange_operands),
    kind("one operand is another value", another_operand),
    kind("a constant is another one", another_constant),
    kind("a condition is negated", negate),
    kind("a condition is constant", decide),
    kind("an effect is dropped", drop_effect),
    kind("an effect is done twice", duplicate_effect),
    kind(
        "an effect comes before the choice or loop around it",
        hoist_effect,
    ),
    kind(
        "an effect comes after the choice or loop around it",
        sink_effect,
    ),
    kind("an effect is in the other region", move_effect),
    kind("cases are exchanged", exchange_cases),
    kind("a comparison is the opposite", opposite_comparison),
    kind("results are exchanged", exchange_results),
];

const fn kind(name: &'static str, make: fn(Op<'_>, usize) -> Made) -> Kind {
    Kind { name, make }
}

/// Pairs `(0, 1), (0, 2), (1, 2), (0, 3) ...` by number.
fn pair(mut number: usize) -> (usize, usize) {
    let mut second = 1;
    while number >= second {
        number -= second;
        second += 1;
    }
    (number, second)
}

fn exchange_regions(op: Op<'_>, variant: usize) -> Made {
    let (first, second) = pair(variant);
    let is_choice = op.is("scf.if") || op.is("scf.index_switch");
    if !is_choice || second >= op.num_regions() {
        return Made::NoMore;
    }
    let (one, other) = (op.region(first), op.region(second));
    if other.is_empty() {
        let block = other.add_block(&[]);
        Builder::at_end(block, op.location()).scf_yield(&[]);
    }
    let blocks: Vec<Block<'_>> = one.blocks().collect();
    one.append_blocks_of(other);
    blocks
        .into_iter()
        .for_each(|block| block.move_to_end(other));
    Made::Fault
}

/// Whether an operation hands its operands on to block arguments or results.
fn hands_on(op: Op<'_>) -> bool {
    ["scf.yield", "scf.condition", "scf.while", "func.return"].contains(&op.name())
}

fn exchange_operands(op: Op<'_>, variant: usize) -> Made {
    let (first, second) = pair(variant);
    if !(hands_on(op) || op.is("arith.select")) || second >= op.num_operands() {
        return Made::NoMore;
    }
    let (one, other) = (op.operand(first), op.operand(second));
    if one == other || one.ty() != other.ty() {
        return Made::Nothing;
    }
    op.set_operand(first, other);
    op.set_operand(second, one);
    Made::Fault
}

fn another_operand(op: Op<'_>, variant: usize) -> Made {
    // Values that may be seen: what is before the operation in its block, and what comes in there.
    const OTHERS: usize = 4;
    let (operand, choice) = (variant / OTHERS, variant % OTHERS);
    if operand >= op.num_operands() {
        return Made::NoMore;
    }
    let Some(block) = op.block() else {
        return Made::NoMore;
    };
    let value = op.operand(operand);
    let mut before: Vec<Value<'_>> = block.arguments().collect();
    before.extend((block.ops().take_while(|&one| one != op)).flat_map(Op::results));
    let mut fits = before
        .into_iter()
        .rev()
        .filter(|&other| other != value && other.ty() == value.ty());
    match fits.nth(choice) {
        Some(other) => {
            op.set_operand(operand, other);
            Made::Fault
        }
        None => Made::Nothing,
    }
}

fn another_constant(op: Op<'_>, variant: usize) -> Made {
    if !op.is("arith.constant") || variant > 1 {
        return Made::NoMore;
    }
    let ty = op.result(0).ty();
    match op.boolean("value") {
        Some(flag) => op.set_attribute("value", BoolAttribute::new(op.context(), !flag)),
        None => {
            let number = op.integer("value").unwrap_or(0);
            let number = number + [1, -1][variant];
            op.set_attribute("value", IntegerAttribute::new(ty, number));
        }
    }
    Made::Fault
}

fn has_condition(op: Op<'_>) -> bool {
    ["scf.if", "scf.condition", "arith.select"].contains(&op.name())
}

fn negate(op: Op<'_>, variant: usize) -> Made {
    if !has_condition(op) || variant > 0 {
        return Made::NoMore;
    }
    let mut builder = Builder::before(op);
    let one = builder.constant_bool(true);
    let negation = builder.op("arith.xori").operands(&[op.operand(0), one]);
    let flag = IntegerType::new(op.context(), 1);
    let negation = negation.result(flag).value();
    op.set_operand(0, negation);
    Made::Fault
}

fn decide(op: Op<'_>, variant: usize) -> Made {
    if !has_condition(op) || variant > 1 {
        return Made::NoMore;
    }
    let constant = Builder::before(op).constant_bool(variant == 1);
    op.set_operand(0, constant);
    Made::Fault
}

fn is_effect(op: Op<'_>) -> bool {
    op.is("func.call") || op.is("tfx_host.abort")
}

fn drop_effect(op: Op<'_>, variant: usize) -> Made {
    if !is_effect(op) || variant > 0 {
        return Made::NoMore;
    }
    if !op.is_unused() {
        return Made::Nothing;
    }
    op.erase();
    Made::Fault
}

fn duplicate_effect(op: Op<'_>, variant: usize) -> Made {
    if !is_effect(op) || variant > 0 {
        return Made::NoMore;
    }
    Builder::after(op).clone_op(op, &mut Mapping::new());
    Made::Fault
}

/// The choice or loop around an effect.
fn around(op: Op<'_>) -> Option<Op<'_>> {
    let parent = op.parent().filter(|_| is_effect(op))?;
    (parent.dialect() == "scf").then_some(parent)
}

fn hoist_effect(op: Op<'_>, variant: usize) -> Made {
    match around(op).filter(|_| variant == 0) {
        Some(around) => {
            op.move_before(around);
            Made::Fault
        }
        None => Made::NoMore,
    }
}

fn sink_effect(op: Op<'_>, variant: usize) -> Made {
    match around(op).filter(|_| variant == 0) {
        Some(around) => {
            op.move_after(around);
            Made::Fault
        }
        None => Made::NoMore,
    }
}

fn move_effect(op: Op<'_>, variant: usize) -> Made {
    let Some(around) = around(op).filter(|around| variant < around.num_regions()) else {
        return Made::NoMore;
    };
    let region = around.region(variant);
    if region.is_empty() {
        let block = region.add_block(&[]);
        Builder::at_end(block, op.location()).scf_yield(&[]);
    }
    match region.entry().and_then(Block::first) {
        Some(first) if op.parent_region() != Some(region) => {
            op.move_before(first);
            Made::Fault
        }
        _ => Made::Nothing,
    }
}

fn exchange_cases(op: Op<'_>, variant: usize) -> Made {
    if !op.is("scf.index_switch") || variant > 1 {
        return Made::NoMore;
    }
    let mut cases = case_numbers(op);
    match (variant, &mut cases[..]) {
        (0, [first, second, ..]) => std::mem::swap(first, second),
        (_, [.., last]) => *last += 17,
        (_, []) => {}
    }
    op.set_attribute("cases", DenseI64ArrayAttribute::new(op.context(), &cases));
    Made::Fault
}

fn opposite_comparison(op: Op<'_>, variant: usize) -> Made {
    if !op.is("arith.cmpi") || variant > 0 {
        return Made::NoMore;
    }
    let wide = IntegerType::new(op.context(), u64::BITS).into();
    let predicate = op.integer("predicate").unwrap_or(0) ^ 1;
    op.set_attribute("predicate", IntegerAttribute::new(wide, predicate));
    Made::Fault
}

fn exchange_results(op: Op<'_>, variant: usize) -> Made {
    let (first, second) = pair(variant);
    if second >= op.num_results() {
        return Made::NoMore;
    }
    let (one, other) = (op.result(first), op.result(second));
    if one.ty() != other.ty() {
        return Made::Nothing;
    }
    let uses: Vec<_> = one.uses().collect();
    other.replace_all_uses_with(one);
    uses.into_iter().for_each(|read| read.set(other));
    Made::Fault
}
