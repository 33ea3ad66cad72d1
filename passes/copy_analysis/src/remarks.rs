//! Remarks: copies in loops that do not stall the accelerator, and values that both sides compute.
//!
//! ```text
//!   one way in a loop       the sender may run ahead, and unreceived values stay in memory
//!   replicated              the graph computes the same as the host, so that it is not copied
//! ```
//!
//! A copy is one way if it is not part of a round trip or of an order stall. A scalar operation is
//! replicated if both sides have one from the same source location. Cost: linear.

use rustc_hash::FxHashSet;
use tfx_dialects::replicable::replicable;
use tfx_dialects::transfer::Transfer;
use tfx_dialects::{host, tensor};
use tfx_ir::Op;
use tfx_ir::diag::Severity;
use tfx_ir::location::{Place, place};
use tfx_ir::ops::arith;

use crate::diagnostics::Diagnostics;
use crate::flow::Flow;
use crate::messages;
use crate::program::{Program, loops_around};
use crate::stalls::{self, Stall};

/// Remarks on one program.
pub(crate) fn of<'a>(
    program: &Program<'a>,
    flow: Option<&Flow<'a>>,
    stalls: &[Stall<'a>],
    diagnostics: &mut Diagnostics<'a>,
) {
    let waiting = stalls::waiting(program, stalls);
    let sources = flow.map(|flow| flow.sources_of(program.reported_sends()));
    let sources = sources.unwrap_or_default();
    let receives = program.reported_receives().map(Transfer::Recv);
    for transfer in receives.chain(program.reported_sends().map(Transfer::Send)) {
        let Some(around) = loops_around(transfer.op()).next() else {
            continue;
        };
        let is_reported = waiting.contains(&transfer.op())
            || match transfer {
                Transfer::Recv(receive) => sources.contains(&receive.op()),
                Transfer::Send(send) => flow.is_some_and(|flow| flow.round_trip(send).is_some()),
            };
        if !is_reported {
            diagnostics.report(Severity::Remark, transfer, || {
                messages::one_way(transfer, around)
            });
        }
    }
    replicated(program, diagnostics);
}

/// Remarks on each scalar operation of the graph that the host has as well.
fn replicated<'a>(program: &Program<'a>, diagnostics: &mut Diagnostics<'a>) {
    let computes = |op: &Op<'_>| replicable(*op) && !is_constant(*op);
    let on_host: FxHashSet<Place> = program
        .host
        .walk()
        .filter(computes)
        .filter_map(|op| place(op.location()))
        .collect();
    for op in program.graph_ops().filter(computes) {
        if place(op.location()).is_some_and(|place| on_host.contains(&place)) {
            diagnostics.remark_replicated(op.location());
        }
    }
}

fn is_constant(op: Op<'_>) -> bool {
    op.isa::<arith::Constant>() || op.isa::<tensor::Const>() || op.isa::<host::Undef>()
}
