//! The diagnostics of attributes that cannot be computed.

use std::collections::HashMap;

use tfx_graphdef_mlir::operations::NAME_ATTRIBUTE;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Block, Op, Region, location};

use super::demand::Demand;
use super::pool::{Pool, Reason, ReasonId, What};

/// The number of notes of a path: for a longer path, the first ones and its end are shown.
const MAX_STEPS: usize = 8;

/// Reports an attribute that depends on a value that is known only at run time, or that does not
/// exist.
pub(super) fn not_constant<'a>(
    op: Op<'a>,
    name: &str,
    reason: ReasonId,
    pool: &Pool<'a>,
) -> Diagnostic<'a> {
    let (steps, culprit, because, here) = path(reason, pool);
    let message = format!("{} is not a constant: {because}", attribute(op, name));
    with_path(diag::error(op.location(), message), steps, culprit, here)
}

/// Adds to [`not_constant`] that the host could run the operation.
pub(super) fn or_on_host<'a>(op: Op<'a>, error: Diagnostic<'a>) -> Diagnostic<'a> {
    error.note(
        op.location(),
        "with the option dynamic=host, the host runs this operation by itself once the value is known",
    )
}

/// Reports the same for an operation that moves to the host.
pub(super) fn runs_on_host<'a>(
    op: Op<'a>,
    name: &str,
    reason: ReasonId,
    pool: &Pool<'a>,
) -> Diagnostic<'a> {
    let (steps, culprit, because, here) = path(reason, pool);
    let message = format!(
        "{} is not a constant: {because}; so the operation runs by itself on the host, outside of any graph",
        attribute(op, name)
    );
    let remark = with_path(diag::remark(op.location(), message), steps, culprit, here);
    remark.note(
        op.location(),
        format!(
            "to keep it in a graph, make \"{name}\" a constant, or use an operation that takes it as a tensor, as built by tfx_tensor.from_scalar"
        ),
    )
}

/// Returns the path from an attribute to the cause; the cause, and its texts in the message and at
/// its location.
fn path<'p, 'a>(
    reason: ReasonId,
    pool: &'p Pool<'a>,
) -> (Vec<&'p Reason<'a>>, &'p Reason<'a>, &'p str, &'p str) {
    let mut steps: Vec<&Reason<'a>> = pool.chain(reason).collect();
    let culprit = steps.pop().expect("a chain of reasons ends in a culprit");
    let What::Culprit { because, here } = &culprit.what else {
        unreachable!("a chain of reasons ends in a culprit");
    };
    (steps, culprit, because, here)
}

/// Adds notes for the path, up to a limit, and for its end.
fn with_path<'a>(
    mut diag: Diagnostic<'a>,
    steps: Vec<&Reason<'a>>,
    culprit: &Reason<'a>,
    here: &str,
) -> Diagnostic<'a> {
    let mut last = String::new();
    let left_out = steps.len().saturating_sub(MAX_STEPS);
    for step in steps.into_iter().take(MAX_STEPS) {
        let What::Via(what) = &step.what else {
            continue;
        };
        let shown = format!("{:?} {what}", location::place(step.location));
        if shown != last {
            diag = diag.note(step.location, what.clone());
        }
        last = shown;
    }
    if left_out > 0 {
        diag = diag.note(
            culprit.location,
            format!("and {left_out} more steps, which end here: {here}"),
        );
    } else {
        diag = diag.note(culprit.location, here.to_owned());
    }
    diag
}

/// Reports an attribute that exceeds its budget.
pub(super) fn too_many_steps<'a>(
    op: Op<'a>,
    name: &str,
    demand: &mut Demand<'a>,
) -> Diagnostic<'a> {
    let limit = demand.machine.steps.limit();
    let message = format!(
        "{} takes more than {limit} steps to evaluate; if this is intended, give tfx-constexpr a larger budget",
        attribute(op, name)
    );
    let diag = diag::error(op.location(), message);
    let Some((region, steps, hottest)) = hottest(demand) else {
        return diag;
    };
    let flow = demand.flow(region);
    let function = region
        .parent()
        .map_or(String::new(), |parent| match parent.symbol_name() {
            Some(name) => format!("'@{name}'"),
            None => format!("'{}'", parent.name()),
        });
    match flow.innermost(hottest) {
        Some(id) => {
            let entry = flow.entries(id).next().expect("a loop has an entry");
            let header = entry.last().expect("a verified block ends in a terminator");
            diag.note(
                header.location(),
                format!("{steps} of them in {function}, most in this loop"),
            )
        }
        None => {
            let place = region.parent().map_or(op.location(), Op::location);
            diag.note(
                place,
                format!("{steps} of them in {function}, which is called repeatedly"),
            )
        }
    }
}

/// Returns the function with the most steps, and its block with the most; of equal ones the first.
fn hottest<'a>(demand: &Demand<'a>) -> Option<(Region<'a>, u64, Block<'a>)> {
    let mut order: Vec<Region<'a>> = Vec::new();
    let mut totals: HashMap<Region<'a>, (u64, u64, Block<'a>)> = HashMap::new();
    for (block, steps) in demand.machine.steps.by_block() {
        let region = block.region()?;
        let entry = totals.entry(region).or_insert_with(|| {
            order.push(region);
            (0, 0, block)
        });
        entry.0 += steps;
        if steps > entry.1 {
            (entry.1, entry.2) = (steps, block);
        }
    }
    let mut best: Option<(Region<'a>, u64, Block<'a>)> = None;
    for region in order {
        let (total, _, block) = totals[&region];
        if best.is_none_or(|(_, most, _)| total > most) {
            best = Some((region, total, block));
        }
    }
    best
}

fn attribute(op: Op<'_>, name: &str) -> String {
    let operation = op.string(NAME_ATTRIBUTE).unwrap_or_default();
    format!("attribute \"{name}\" of \"{operation}\"")
}
