//! `tfx-unstructure`: turns structured control flow into blocks and branches.
//!
//! ```text
//!   a                                a; cf.cond_br %c, ^then, ^after(%y)
//!   %r = scf.if %c { b; yield %x }   ^then:  b; cf.br ^after(%x)
//!        else { yield %y }           ^else:  cf.br ^after(%y)
//!   d(%r)                            ^after(%r): d(%r)
//! ```
//!
//! The pass replaces the structured operations of a block from the last to the first: the
//! operations after one are split off and never moved again. A work list holds the blocks of the
//! regions inside. Upstream's `convert-scf-to-cf` proceeds forwards, so it moves the rest of a
//! block once more at each structured operation: it is quadratic in their number, 20 seconds for
//! 10,000 branches in sequence. It runs after this pass for `scf.parallel`, `scf.forall` and
//! `scf.execute_region`.
//!
//! The selector of a `cf.switch` has 64 bits, as an index has: with upstream's 32 bits, 2^32
//! selects case 0.
//!
//! Cost: linear in the operations; each is moved at most once.

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::Location;
use melior::ir::r#type::IntegerType;
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{Structured, arith, cf, scf};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::{Block, Builder, Op, Region, Value, location};

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Unstructure;

/// The pipeline that turns all structured control flow of functions into blocks: this pass, and
/// upstream's for the rest.
pub const UNSTRUCTURE: &str = "func.func(tfx-unstructure,convert-scf-to-cf)";

/// The passes of [`UNSTRUCTURE`], for a pipeline on functions.
pub(crate) const ON_BLOCKS: &str = "tfx-unstructure,convert-scf-to-cf";

/// The attribute of a loop with what LLVM is told about it, and that of the branch back, which
/// `llvm.br` has under the same name.
const LOOP_ANNOTATION: &str = "llvm.loop_annotation";
const BRANCH_ANNOTATION: &str = "loop_annotation";

/// The width of `index`, on the host and in the graph.
const INDEX_BITS: u32 = 64;

impl Pass for Unstructure {
    type Options = ();
    const NAME: &'static str = "TfxUnstructure";
    const ARGUMENT: &'static str = "tfx-unstructure";
    const DESCRIPTION: &'static str = "Turn structured control flow into branches, in linear time";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        for dialect in [DialectHandle::arith(), DialectHandle::cf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, func: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
        unstructure(func);
        Ok(())
    }
}

fn unstructure(func: Op<'_>) {
    let mut todo: Vec<Block<'_>> = func.regions().flat_map(Region::blocks).collect();
    while let Some(block) = todo.pop() {
        let with_regions: Vec<_> = block
            .ops_backwards()
            .filter(|op| op.num_regions() > 0)
            .collect();
        for op in with_regions {
            // The blocks move to this region, or stay inside of an operation of another kind.
            todo.extend(op.regions().flat_map(Region::blocks));
            if let Some(structured) = Structured::cast(op) {
                replace(block, structured);
            }
        }
    }
}

/// Replaces the last structured operation of a block.
fn replace<'a>(block: Block<'a>, structured: Structured<'a>) {
    let op = structured.op();
    let next = op.next().expect("a structured operation is no terminator");
    let after = block.split_before(next);
    match structured {
        Structured::If(op) => branch(block, op, after),
        Structured::Switch(op) => switch(block, op, after),
        Structured::While(op) => repeat(block, op, after),
        Structured::For(op) => count(block, op, after),
    }
    op.erase();
}

/// Turns the results of an operation into arguments of the block after it.
fn forward_results<'a>(op: Op<'a>, after: Block<'a>) {
    for result in op.results() {
        let argument = after.add_argument(result.ty(), result.location());
        result.replace_all_uses_with(argument);
    }
}

/// Moves the blocks of a region before `after`, and returns the first one, if there is any.
fn splice<'a>(region: Region<'a>, after: Block<'a>) -> Option<Block<'a>> {
    let entry = region.entry();
    region.splice_before(after);
    entry
}

/// Turns the `scf.yield` at the end of a block into a branch.
fn yield_to<'a>(block: Block<'a>, target: Block<'a>) {
    if let Some(end) = block.last().and_then(scf::Yield::cast) {
        let values: Vec<_> = end.operands().collect();
        cf::Branch::build(&mut Builder::before(end.op()), &values, target);
        end.erase();
    }
}

fn branch<'a>(block: Block<'a>, op: scf::If<'a>, after: Block<'a>) {
    forward_results(op.op(), after);
    let arm = |region| match splice(region, after) {
        Some(entry) => {
            yield_to(entry, after);
            entry
        }
        None => after,
    };
    let (then, otherwise) = (arm(op.then_region()), arm(op.else_region()));
    let mut builder = Builder::at_end(block, op.location());
    builder.cond_br(op.condition(), (then, &[]), (otherwise, &[]));
}

fn switch<'a>(block: Block<'a>, op: scf::IndexSwitch<'a>, after: Block<'a>) {
    forward_results(op.op(), after);
    let default = splice(op.default_region(), after).expect("a verified region has a block");
    let entries: Vec<_> = op
        .case_regions()
        .filter_map(|region| splice(region, after))
        .collect();
    yield_to(default, after);
    entries.iter().for_each(|entry| yield_to(*entry, after));
    let mut builder = Builder::at_end(block, op.location());
    let wide = IntegerType::new(builder.context(), INDEX_BITS).into();
    let made = location::made(builder.context(), op.location());
    let selector = arith::IndexCast::build(&mut builder.at(made), wide, op.arg()).out();
    let mut cases = Vec::new();
    for (number, entry) in op.cases().into_iter().zip(entries) {
        if number >= 0 {
            cases.push((number, entry, &[][..]));
            continue;
        }
        // MLIR cannot read back a negative number of 64 bits that it prints: it gets a comparison.
        let rest = Block::new(&[]);
        rest.move_before(default);
        let number = builder.constant_int(number, wide);
        let equal = arith::CmpI::build(&mut builder.at(made), CmpIPredicate::Eq, selector, number);
        builder.cond_br(equal.result(), (entry, &[]), (rest, &[]));
        builder = Builder::at_end(rest, op.location());
    }
    builder.cf_switch(selector, (default, &[]), &cases);
}

/// `scf.while`: the condition forwards its values to the body and to the block after the loop.
fn repeat<'a>(block: Block<'a>, op: scf::While<'a>, after: Block<'a>) {
    let end = op.end().expect("a verified header is one block");
    let before = splice(op.before(), after).expect("a verified loop has a header");
    let body = splice(op.after(), after).expect("a verified loop has a body");
    cf::Branch::build(
        &mut Builder::at_end(block, op.location()),
        &op.inits().to_vec(),
        before,
    );
    let forwarded = end.args().to_vec();
    for (result, value) in op.results().zip(&forwarded) {
        result.replace_all_uses_with(*value);
    }
    Builder::before(end.op()).cond_br(end.condition(), (body, &forwarded), (after, &[]));
    end.erase();
    yield_to(body, before);
}

/// `scf.for`: a test before each iteration, and an increment after it.
fn count<'a>(block: Block<'a>, op: scf::For<'a>, after: Block<'a>) {
    let location = op.location();
    let body = splice(op.region(), after).expect("a verified loop has a body");
    // The body's arguments, induction variable first, become those of the test.
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
    let inits = op.init_args().iter();
    let initial: Vec<Value<'a>> = std::iter::once(op.lower_bound()).chain(inits).collect();
    cf::Branch::build(&mut Builder::at_end(block, location), &initial, test);

    let less = match op.unsigned_cmp() {
        true => CmpIPredicate::Ult,
        false => CmpIPredicate::Slt,
    };
    let mut builder = Builder::at_end(test, location);
    let induction = test.argument(0);
    let goes_on = arith::CmpI::build(&mut builder, less, induction, op.upper_bound()).result();
    builder.cond_br(goes_on, (body, &[]), (after, &[]));
    for (result, argument) in op.results().zip(test.arguments().skip(1)) {
        result.replace_all_uses_with(argument);
    }

    let end = body.last().expect("a verified block has a terminator");
    let mut builder = Builder::before(end).at(location);
    let next = arith::AddI::build(&mut builder, induction, op.step()).result();
    let values: Vec<_> = std::iter::once(next).chain(end.operands()).collect();
    let latch = cf::Branch::build(&mut builder, &values, test).op();
    if let Some(annotation) = op.op().attribute(LOOP_ANNOTATION) {
        latch.set_attribute(BRANCH_ANNOTATION, annotation);
    }
    end.erase();
}
