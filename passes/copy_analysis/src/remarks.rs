//! Remarks: what is worth knowing of copies that nothing is wrong with.
//!
//! ```text
//!   one way in a loop       who sends may run ahead, and what was not taken yet waits in memory
//!   made on both sides      the graph computes what the host computes, too, so that it need not be copied
//! ```
//!
//! Both are found after partition: a copy is one way if nothing that was received has to do
//! with it, and if no order stall keeps it from running ahead; a scalar operation is made on both sides
//! if the graph has one from the same place in the source. Linear.

use rustc_hash::FxHashSet;
use tfx_dialects::replicable::replicable;
use tfx_dialects::{host, tensor};
use tfx_ir::Op;
use tfx_ir::diag::Severity;
use tfx_ir::location::{Place, place};
use tfx_ir::ops::arith;

use crate::copy_analysis::is_meant;
use crate::flow::Flow;
use crate::program::{Direction, Program, direction, loops_around};
use crate::report::{amount, loops, subject};
use crate::said::{Message, Said};
use crate::stalls::{self, Stall};

/// Remarks on one program.
pub(crate) fn of<'a>(
    program: &Program<'a>,
    flow: Option<&Flow<'a>>,
    stalls: &[Stall<'a>],
    said: &mut Said<'a>,
) {
    let waiting = stalls::waiting(program, stalls);
    let sends = program.sends.iter().copied().filter(|op| !is_meant(*op));
    let leaving = flow.map(|flow| flow.leaves_for(sends)).unwrap_or_default();
    let transfers = program.receives.iter().chain(&program.sends);
    for &transfer in transfers.filter(|op| !is_meant(**op)) {
        let Some(around) = loops_around(transfer).next() else {
            continue;
        };
        let way = direction(transfer);
        let reported = match way {
            _ if waiting.contains(&transfer) => true,
            Direction::ToHost => leaving.contains(&transfer),
            Direction::ToAccelerator => flow.is_some_and(|flow| flow.trip_to(transfer).is_some()),
        };
        if !reported {
            said.say(Severity::Remark, transfer, way, || {
                let mut message = Message::new(one_way(transfer, way));
                loops(&mut message, around);
                message
            });
        }
    }
    replicated(program, said);
}

fn one_way(transfer: Op<'_>, way: Direction) -> String {
    let amount = amount(transfer);
    match way {
        Direction::ToHost => format!(
            "a value is copied to the host{amount}: the accelerator may run ahead, and what the host did not take yet waits in memory"
        ),
        Direction::ToAccelerator => format!(
            "{} is copied to the accelerator{amount}: the host may run ahead, and what the accelerator did not take yet waits in memory",
            subject(transfer)
        ),
    }
}

/// Says of each scalar operation of the graph that the host has as well.
fn replicated<'a>(program: &Program<'a>, said: &mut Said<'a>) {
    let computes = |op: &Op<'_>| replicable(*op) && !is_constant(*op);
    let on_host: FxHashSet<Place> = program
        .host
        .walk()
        .filter(computes)
        .filter_map(|op| place(op.location()))
        .collect();
    for op in program
        .graph
        .into_iter()
        .flat_map(Op::walk)
        .filter(computes)
    {
        let Some(place) = place(op.location()) else {
            continue;
        };
        if on_host.contains(&place) {
            let text = "both sides compute this, so that it need not be copied";
            said.remark(op.location(), text);
        }
    }
}

fn is_constant(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        arith::Constant::NAME | tensor::Const::NAME | host::Undef::NAME
    )
}
