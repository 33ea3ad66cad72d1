//! `tfx-unstructure`: structured control flow becomes blocks and branches.
//!
//! ```text
//!   a                                a; cf.cond_br %c, ^then, ^after(%y)
//!   %r = scf.if %c { b; yield %x }   ^then:  b; cf.br ^after(%x)
//!        else { yield %y }           ^else:  cf.br ^after(%y)
//!   d(%r)                            ^after(%r): d(%r)
//! ```
//!
//! The blocks of a block's structured operations are taken out from the last operation to the first: what follows one is cut off and never moved again. What
//! is inside is done after what is around it, from a work list. Upstream's `convert-scf-to-cf` goes forwards, and so moves what is left of a block once
//! more at each structured operation: quadratic in their number, 20 seconds for 10,000 branches in a row. It still has to come after this pass for
//! `scf.parallel`, `scf.forall` and `scf.execute_region`, which this one leaves.
//!
//! The selector of a `cf.switch` made here has 64 bits, as an index has: upstream's 32 would take case 0 for 2^32.
//!
//! Cost: linear in operations; each is moved at most once, with what follows the operation before it.

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::Location;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::r#type::IntegerType;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::{Block, Builder, Op, Value, location};

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct Unstructure;

/// All structured control flow of functions as blocks: this pass, and upstream's for what it leaves.
pub const UNSTRUCTURE: &str = "func.func(tfx-unstructure,convert-scf-to-cf)";

/// The passes of [`UNSTRUCTURE`], for a pipeline on functions.
pub(crate) const ON_BLOCKS: &str = "tfx-unstructure,convert-scf-to-cf";

/// What this pass takes apart.
const STRUCTURED: [&str; 4] = ["scf.if", "scf.index_switch", "scf.while", "scf.for"];

/// An index has 64 bits, on the host and in the graph.
const INDEX_BITS: u32 = 64;

/// The numbers of `eq`, `slt` and `ult` in `arith.cmpi`.
const EQUAL: i64 = 0;
const SIGNED_LESS: i64 = 2;
const UNSIGNED_LESS: i64 = 6;

impl Pass for Unstructure {
    type Options = ();
    const NAME: &'static str = "TfxUnstructure";
    const ARGUMENT: &'static str = "tfx-unstructure";
    const DESCRIPTION: &'static str = "Turn structured control flow into blocks, in linear time";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        for dialect in [DialectHandle::arith(), DialectHandle::cf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, func: Op<'a>, _cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        unstructure(func);
        Ok(())
    }
}

fn unstructure(func: Op<'_>) {
    let mut todo: Vec<Block<'_>> = func.regions().flat_map(|region| region.blocks()).collect();
    while let Some(block) = todo.pop() {
        let with_regions: Vec<_> = block
            .ops_backwards()
            .filter(|op| op.num_regions() > 0)
            .collect();
        for op in with_regions {
            // What is in its regions becomes blocks of this region, or stays inside of an operation of another kind.
            todo.extend(op.regions().flat_map(|region| region.blocks()));
            if STRUCTURED.contains(&op.name()) {
                take_apart(block, op);
            }
        }
    }
}

/// Replaces one operation of a block, which is the last structured one there.
fn take_apart<'a>(block: Block<'a>, op: Op<'a>) {
    let next = op.next().expect("a structured operation is no terminator");
    let after = block.split_before(next);
    match op.name() {
        "scf.if" => branch(block, op, after),
        "scf.index_switch" => switch(block, op, after),
        "scf.while" => repeat(block, op, after),
        _ => count(block, op, after),
    }
    op.erase();
}

/// The results of an operation arrive as arguments of the block after it.
fn results_arrive<'a>(op: Op<'a>, after: Block<'a>) {
    for result in op.results() {
        let argument = after.add_argument(result.ty(), result.location());
        result.replace_all_uses_with(argument);
    }
}

/// Moves the blocks of a region before `after`; the first one of them, if there is any.
fn take_out<'a>(op: Op<'a>, region: usize, after: Block<'a>) -> Option<Block<'a>> {
    let region = op.region(region);
    let entry = region.entry();
    region.splice_before(after);
    entry
}

/// Makes the `scf.yield` at the end of a block a branch.
fn yield_to<'a>(block: Block<'a>, target: Block<'a>) {
    if let Some(end) = block.last().filter(|end| end.is("scf.yield")) {
        let values: Vec<_> = end.operands().collect();
        Builder::before(end).br(target, &values);
        end.erase();
    }
}

fn branch<'a>(block: Block<'a>, op: Op<'a>, after: Block<'a>) {
    results_arrive(op, after);
    let arm = |region| match take_out(op, region, after) {
        Some(entry) => {
            yield_to(entry, after);
            entry
        }
        None => after,
    };
    let (then, otherwise) = (arm(0), arm(1));
    let mut builder = Builder::at_end(block, op.location());
    builder.cond_br(op.operand(0), (then, &[]), (otherwise, &[]));
}

/// The first region is the default.
fn switch<'a>(block: Block<'a>, op: Op<'a>, after: Block<'a>) {
    results_arrive(op, after);
    let entries: Vec<_> = (0..op.num_regions())
        .filter_map(|region| take_out(op, region, after))
        .collect();
    entries.iter().for_each(|entry| yield_to(*entry, after));
    let mut builder = Builder::at_end(block, op.location());
    let wide = IntegerType::new(builder.context(), INDEX_BITS);
    let made = location::made(builder.context(), op.location());
    let selector = builder
        .op("arith.index_cast")
        .location(made)
        .operand(op.operand(0))
        .result(wide)
        .value();
    let numbers = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok());
    let numbers = numbers.expect("a verified switch has numbers");
    let mut cases = Vec::new();
    for (index, &entry) in entries[1..].iter().enumerate() {
        let number = numbers
            .element(index)
            .expect("there is a number for each region");
        if number >= 0 {
            cases.push((number, entry, &[][..]));
            continue;
        }
        // MLIR prints a negative number of 64 bits so that it cannot read it again, so there is a comparison for it.
        let rest = Block::new(&[]);
        rest.move_before(entries[0]);
        let number = builder.constant_int(number, wide.into());
        let equal = builder
            .op("arith.cmpi")
            .location(made)
            .operands(&[selector, number])
            .integer("predicate", INDEX_BITS, EQUAL)
            .result(IntegerType::new(op.context(), 1))
            .value();
        builder.cond_br(equal, (entry, &[]), (rest, &[]));
        builder = Builder::at_end(rest, op.location());
    }
    builder.cf_switch(selector, (entries[0], &[]), &cases);
}

/// The body is given what the condition hands on, and so is what comes after.
fn repeat<'a>(block: Block<'a>, op: Op<'a>, after: Block<'a>) {
    let entries = (take_out(op, 0, after), take_out(op, 1, after));
    let (Some(before), Some(body)) = entries else {
        unreachable!("a verified loop has two regions");
    };
    let initial: Vec<_> = op.operands().collect();
    Builder::at_end(block, op.location()).br(before, &initial);
    let condition = before.last().expect("a verified block has a terminator");
    let handed_on: Vec<_> = condition.operands().skip(1).collect();
    for (result, value) in op.results().zip(&handed_on) {
        result.replace_all_uses_with(*value);
    }
    let decides = condition.operand(0);
    Builder::before(condition).cond_br(decides, (body, &handed_on), (after, &[]));
    condition.erase();
    yield_to(body, before);
}

/// `scf.for`: a test before each trip, and a step after it.
fn count<'a>(block: Block<'a>, op: Op<'a>, after: Block<'a>) {
    let location = op.location();
    let body = take_out(op, 0, after).expect("a verified loop has a body");
    // The body's arguments, counter first, become those of the test.
    let arguments: Vec<(_, Location<'a>)> = body
        .arguments()
        .map(|argument| (argument.ty(), argument.location()))
        .collect();
    let test = Block::new(&arguments);
    test.move_before(body);
    for (old, new) in body.arguments().zip(test.arguments()) {
        old.replace_all_uses_with(new);
    }
    body.erase_arguments();
    let mut operands = op.operands();
    let mut take = || operands.next().expect("a loop has three bounds");
    let (from, to, step) = (take(), take(), take());
    let initial: Vec<Value<'a>> = std::iter::once(from).chain(operands).collect();
    Builder::at_end(block, location).br(test, &initial);

    let is_unsigned = op.attribute("unsignedCmp").is_some();
    let predicate = if is_unsigned {
        UNSIGNED_LESS
    } else {
        SIGNED_LESS
    };
    let mut builder = Builder::at_end(test, location);
    let goes_on = builder
        .op("arith.cmpi")
        .operands(&[test.argument(0), to])
        .integer("predicate", INDEX_BITS, predicate)
        .result(IntegerType::new(op.context(), 1))
        .value();
    builder.cond_br(goes_on, (body, &[]), (after, &[]));
    for (result, argument) in op.results().zip(test.arguments().skip(1)) {
        result.replace_all_uses_with(argument);
    }

    let end = body.last().expect("a verified block has a terminator");
    let mut builder = Builder::before(end).at(location);
    let next = builder
        .op("arith.addi")
        .operands(&[test.argument(0), step])
        .result(test.argument(0).ty())
        .value();
    let values: Vec<_> = std::iter::once(next).chain(end.operands()).collect();
    builder.br(test, &values);
    end.erase();
}
