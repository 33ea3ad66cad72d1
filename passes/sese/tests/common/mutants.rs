//! Mutants of structured functions: the bugs that a structurer could have.

use melior::ir::attribute::{BoolAttribute, IntegerAttribute};
use tfx_dialects::host;
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

/// A kind of mutation. It has several variants at an operation.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Applies the variant at the operation.
    pub(crate) mutate: fn(op: Op<'_>, variant: usize) -> Outcome,
}

/// The outcome of a mutation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The operation has no such variant, and none of a higher number.
    NoMore,
    /// The variant would change nothing.
    Unchanged,
    Mutated,
}
use Outcome::{Mutated, NoMore, Unchanged};

/// All kinds.
pub(crate) const KINDS: [Kind; 14] = [
    kind("two regions are exchanged", exchange_regions),
    kind("two forwarded values are exchanged", exchange_operands),
    kind("an operand is replaced", replace_operand),
    kind("a constant is changed", change_constant),
    kind("a condition is negated", negate),
    kind("a condition is constant", fix_condition),
    kind("an effect is erased", erase_effect),
    kind("an effect is duplicated", duplicate_effect),
    kind("an effect is hoisted out of its region", hoist_effect),
    kind("an effect is sunk behind its region", sink_effect),
    kind("an effect is moved into another region", move_effect),
    kind("two cases are exchanged", exchange_cases),
    kind("a comparison is negated", negate_comparison),
    kind("two results are exchanged", exchange_results),
];

const fn kind(name: &'static str, mutate: fn(Op<'_>, usize) -> Outcome) -> Kind {
    Kind { name, mutate }
}

/// Returns the pair of that number in the order `(0, 1), (0, 2), (1, 2), (0, 3) ...`.
fn pair(mut number: usize) -> (usize, usize) {
    let mut second = 1;
    while number >= second {
        number -= second;
        second += 1;
    }
    (number, second)
}

fn exchange_regions(op: Op<'_>, variant: usize) -> Outcome {
    let (first, second) = pair(variant);
    let is_branch = Structured::cast(op).is_some_and(Structured::is_branch);
    if !is_branch || second >= op.num_regions() {
        return NoMore;
    }
    let (one, other) = (op.region(first), op.region(second));
    fill(other, op);
    let blocks: Vec<Block<'_>> = one.blocks().collect();
    one.append_blocks_of(other);
    blocks
        .into_iter()
        .for_each(|block| block.move_to_end(other));
    Mutated
}

/// Gives an empty region of `op` a block.
fn fill<'a>(region: Region<'a>, op: Op<'a>) {
    if region.is_empty() {
        let block = region.add_block(&[]);
        Builder::at_end(block, op.location()).scf_yield(&[]);
    }
}

fn exchange_operands(op: Op<'_>, variant: usize) -> Outcome {
    let (first, second) = pair(variant);
    let forwards = op.isa::<scf::Yield>()
        || op.isa::<scf::Condition>()
        || op.isa::<scf::While>()
        || op.isa::<func::Return>()
        || op.isa::<arith::Select>();
    if !forwards || second >= op.num_operands() {
        return NoMore;
    }
    let (one, other) = (op.operand(first), op.operand(second));
    if one == other || one.ty() != other.ty() {
        return Unchanged;
    }
    op.set_operand(first, other);
    op.set_operand(second, one);
    Mutated
}

fn replace_operand(op: Op<'_>, variant: usize) -> Outcome {
    // The last values of the type that are defined in the same block.
    const REPLACEMENTS: usize = 4;
    let (operand, choice) = (variant / REPLACEMENTS, variant % REPLACEMENTS);
    let Some(block) = op.block().filter(|_| operand < op.num_operands()) else {
        return NoMore;
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
            Mutated
        }
        None => Unchanged,
    }
}

fn change_constant(op: Op<'_>, variant: usize) -> Outcome {
    let Some(constant) = arith::Constant::cast(op).filter(|_| variant < 2) else {
        return NoMore;
    };
    let value = match op.boolean(arith::Constant::VALUE_ATTR) {
        Some(flag) => BoolAttribute::new(op.context(), !flag).into(),
        None => {
            let number = op.integer(arith::Constant::VALUE_ATTR).unwrap_or(0);
            IntegerAttribute::new(op.result(0).ty(), number + [1, -1][variant]).into()
        }
    };
    constant.set_value(value);
    Mutated
}

/// Returns whether the first operand is a condition.
fn has_condition(op: Op<'_>) -> bool {
    op.isa::<scf::If>() || op.isa::<scf::Condition>() || op.isa::<arith::Select>()
}

fn negate(op: Op<'_>, variant: usize) -> Outcome {
    if !has_condition(op) || variant > 0 {
        return NoMore;
    }
    let mut builder = Builder::before(op);
    let one = builder.constant_bool(true);
    let negation = arith::XOrI::build(&mut builder, op.operand(0), one);
    op.set_operand(0, negation.result());
    Mutated
}

fn fix_condition(op: Op<'_>, variant: usize) -> Outcome {
    if !has_condition(op) || variant > 1 {
        return NoMore;
    }
    let constant = Builder::before(op).constant_bool(variant == 1);
    op.set_operand(0, constant);
    Mutated
}

fn is_effect(op: Op<'_>) -> bool {
    op.isa::<func::Call>() || op.isa::<host::Abort>()
}

fn erase_effect(op: Op<'_>, variant: usize) -> Outcome {
    if !is_effect(op) || variant > 0 {
        return NoMore;
    }
    if !op.is_unused() {
        return Unchanged;
    }
    op.erase();
    Mutated
}

fn duplicate_effect(op: Op<'_>, variant: usize) -> Outcome {
    if !is_effect(op) || variant > 0 {
        return NoMore;
    }
    Builder::after(op).clone_op(op, &mut Mapping::new());
    Mutated
}

/// Returns the structured operation whose region contains an effect.
fn around(op: Op<'_>) -> Option<Op<'_>> {
    Some(Structured::around(op).filter(|_| is_effect(op))?.op())
}

fn hoist_effect(op: Op<'_>, variant: usize) -> Outcome {
    move_effect_out(op, variant, Op::move_before)
}

fn sink_effect(op: Op<'_>, variant: usize) -> Outcome {
    move_effect_out(op, variant, Op::move_after)
}

fn move_effect_out<'a>(op: Op<'a>, variant: usize, to: impl Fn(Op<'a>, Op<'a>)) -> Outcome {
    match around(op).filter(|_| variant == 0) {
        Some(around) => {
            to(op, around);
            Mutated
        }
        None => NoMore,
    }
}

fn move_effect(op: Op<'_>, variant: usize) -> Outcome {
    let Some(around) = around(op).filter(|around| variant < around.num_regions()) else {
        return NoMore;
    };
    let region = around.region(variant);
    fill(region, op);
    match region.entry().and_then(Block::first) {
        Some(first) if op.parent_region() != Some(region) => {
            op.move_before(first);
            Mutated
        }
        _ => Unchanged,
    }
}

fn exchange_cases(op: Op<'_>, variant: usize) -> Outcome {
    let Some(switch) = scf::IndexSwitch::cast(op).filter(|_| variant < 2) else {
        return NoMore;
    };
    let mut cases = switch.cases();
    match (variant, &mut cases[..]) {
        (0, [first, second, ..]) => std::mem::swap(first, second),
        (_, [.., last]) => *last += 17,
        (_, []) => {}
    }
    switch.set_cases(&cases);
    Mutated
}

fn negate_comparison(op: Op<'_>, variant: usize) -> Outcome {
    let Some(comparison) = arith::CmpI::cast(op).filter(|_| variant == 0) else {
        return NoMore;
    };
    comparison.set_predicate(comparison.predicate().negated());
    Mutated
}

fn exchange_results(op: Op<'_>, variant: usize) -> Outcome {
    let (first, second) = pair(variant);
    if second >= op.num_results() {
        return NoMore;
    }
    let (one, other) = (op.result(first), op.result(second));
    if one.ty() != other.ty() {
        return Unchanged;
    }
    let uses: Vec<_> = one.uses().collect();
    other.replace_all_uses_with(one);
    uses.into_iter().for_each(|read| read.set(other));
    Mutated
}
