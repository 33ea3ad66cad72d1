//! Rewrites a loop so that it carries the values that the delayed operations use, and runs these
//! operations one iteration later.
//!
//! ```text
//!   carried by the loop           at first     from an iteration to the next
//!   is anything pending           false        true
//!   each value that is used       undefined    the value of the iteration
//! ```
//!
//! Both kinds of loops, and both regions of an `scf.while`, take and yield these values after their
//! own. The loop is created again, since an operation cannot gain results; its blocks move.

use melior::ir::r#type::IntegerType;
use tfx_dialects::host;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use super::plan::Plan;

/// Delays the effects of `plan`. Its loop is replaced.
pub(super) fn rotate(plan: &Plan<'_>) {
    let old = plan.around;
    let location = old.location();
    let mut before = Builder::before(old);
    let flag = IntegerType::new(old.context(), 1).into();
    let [no, yes] = [0, 1].map(|value| before.constant_int(value, flag));
    let mut first = vec![no];
    let mut last = vec![yes];
    for &value in &plan.carried {
        let undef = host::Undef::build(&mut before, value.ty()).result();
        first.push(undef);
        last.push(value);
    }

    let new = grown(old, &mut before, &first);
    let blocks: Vec<Block<'_>> = old.regions().filter_map(|it| it.single_block()).collect();
    let mut carried = Vec::new();
    for (index, &block) in blocks.iter().enumerate() {
        let arguments: Vec<Value<'_>> = first
            .iter()
            .map(|value| block.add_argument(value.ty(), location))
            .collect();
        // The block of the delayed operations yields its own values, any other block forwards its
        // arguments.
        let gives = match block == plan.block {
            true => &last,
            false => &arguments,
        };
        if let Some(end) = block.last() {
            let operands: Vec<_> = end.operands().chain(gives.iter().copied()).collect();
            end.set_operands(&operands);
        }
        if block == plan.block {
            carried.clone_from(&arguments);
        }
        block.move_to_end(new.region(index));
    }

    let mut inside = match plan.behind {
        Some(behind) => Builder::after(behind),
        None => Builder::at_start(plan.block, location),
    };
    run_pending(plan, &mut inside, &carried);
    let own = old.num_results();
    let left: Vec<Value<'_>> = new.results().skip(own).collect();
    run_pending(plan, &mut Builder::after(new), &left);
    for &op in plan.delayed.iter().rev() {
        op.erase();
    }
    for &op in plan.remade.iter().rev().filter(|op| op.is_unused()) {
        op.erase();
    }
    let results: Vec<Value<'_>> = new.results().take(own).collect();
    old.replace_with(&results);
}

/// Creates the loop with more initial values and results, and empty regions.
fn grown<'a>(old: Op<'a>, builder: &mut Builder<'a>, first: &[Value<'a>]) -> Op<'a> {
    let operands: Vec<Value<'a>> = old.operands().chain(first.iter().copied()).collect();
    let types = first.iter().map(|value| value.ty());
    let types: Vec<_> = old.result_types().into_iter().chain(types).collect();
    builder
        .op(old.name())
        .operands(&operands)
        .results(&types)
        .attributes_of(old)
        .regions(old.num_regions())
        .build()
}

/// Runs the delayed operations of the previous iteration, if there was one. `carried` holds this
/// condition, and the values that the operations use.
fn run_pending<'a>(plan: &Plan<'a>, builder: &mut Builder<'a>, carried: &[Value<'a>]) {
    let location = plan
        .delayed
        .first()
        .map_or(builder.location(), |op| op.location());
    builder.set_location(location);
    let branch = scf::If::build(builder, &[], carried[0]);
    let block = branch.then_region().add_block(&[]);
    let mut inside = builder.to_end_of(block, location);
    let mut mapping = Mapping::new();
    for (&from, &to) in plan.carried.iter().zip(&carried[1..]) {
        mapping.map(from, to);
    }
    for &op in plan.remade.iter().chain(&plan.delayed) {
        inside.clone_op(op, &mut mapping);
    }
    scf::Yield::build(&mut inside, &[]);
}
