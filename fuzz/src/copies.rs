//! The warnings of copy analysis, compared with executions.
//!
//! ```text
//!   partitioned ──tfx-copy-analysis──> warnings ────┐
//!       │    └────traffic────────────> round trips ─┤ each send that ends one is reported;
//!       └─────────runs with taint────> round trips ─┘ other reported sends are counted
//! ```
//!
//! A missing warning is a mismatch. An additional warning is not: only some inputs are tried, and
//! the analysis covers all. [`Copies`] counts additional warnings.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::comm;
use tfx_ir::ops::{func, scf};

use tfx::Program;
use tfx::diag::Severity;
use tfx::location::Place;
use tfx_copy_analysis::traffic;
use tfx_ir::{Op, Region, module};
use tfx_oracle::{HostFirst, Library, Limits};

use crate::counts::Copies;
use crate::generate::Generated;
use crate::mismatch::Mismatch;
use crate::runs::{FUEL, MAIN, run};

/// A send: its host function, graph and channel.
type Key = (String, String, i64);

/// Checks the warnings of a program after partition, and counts its sends.
///
/// # Errors
/// A round trip without a warning, or a warning that does not correspond to the analysis.
pub(crate) fn check(program: &mut Program<'_>, generated: &Generated) -> Result<Copies, Mismatch> {
    let failed = |what: String| Mismatch::new("copy analysis", what);
    let reported = program.run("tfx-copy-analysis");
    let reported = reported.map_err(|error| failed(format!("it fails: {error}")))?;
    let warnings = reported
        .iter()
        .filter(|one| one.severity == Severity::Warning)
        .filter_map(|one| one.place.clone());
    let warned: BTreeSet<Place> = warnings.collect();

    let module = module::as_op(program.module());
    let mut expected = BTreeSet::new();
    // For each send, whether it has a warning.
    let mut sends: BTreeMap<Key, bool> = BTreeMap::new();
    for program in traffic(module) {
        for transfer in program.transfers {
            if transfer.order_stall {
                expected.extend(transfer.place.clone());
            }
            if transfer.to_host || transfer.intentional {
                continue;
            }
            if transfer.round_trip {
                expected.extend(transfer.place.clone());
            }
            let key = (
                program.function.clone(),
                program.graph.clone(),
                i64::from(transfer.channel),
            );
            sends.insert(key, transfer.round_trip);
        }
    }
    if warned != expected {
        let odd: Vec<_> = warned.symmetric_difference(&expected).collect();
        return Err(failed(format!(
            "the report and the warnings differ on {odd:?}"
        )));
    }

    let Followed { ran, entered } = followed(module, generated)?;
    let is_send = |op: &Op<'_>| op.isa::<comm::Send>() && !key_of(*op).1.is_empty();
    let ops: BTreeMap<Key, Op<'_>> = module
        .walk()
        .filter(is_send)
        .map(|op| (key_of(op), op))
        .collect();
    let mut copies = Copies::default();
    for (key, is_warned) in &sends {
        let receives = ran.get(key);
        let ends_one = receives.is_some_and(|from| !from.is_empty());
        if ends_one && !is_warned {
            let (function, graph, channel) = key;
            return Err(failed(format!(
                "in '@{function}', the value that is sent to '@{graph}' on channel {channel} depends on the value received at {}, but there is no warning",
                receives
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", ")
            )));
        }
        copies.sends += 1;
        copies.round_trips += u64::from(ends_one);
        copies.warned += u64::from(*is_warned);
        if *is_warned && receives.is_none() {
            copies.warned_unexecuted += 1;
            match ops.get(key).and_then(|send| skipped(*send, &entered)) {
                Some(scf::While::NAME | scf::For::NAME) => copies.unexecuted_in_loops += 1,
                Some(_) => copies.unexecuted_in_branches += 1,
                None => {}
            }
        }
        copies.warned_without_round_trip +=
            u64::from(*is_warned && receives.is_some() && !ends_one);
    }
    Ok(copies)
}

/// Returns the outermost operation around a send whose region was not entered.
fn skipped<'a>(send: Op<'a>, entered: &BTreeSet<Region<'a>>) -> Option<&'a str> {
    let regions = std::iter::successors(send.parent_region(), |region| {
        region.parent().and_then(Op::parent_region)
    });
    let owners = regions
        .take_while(|region| !entered.contains(region))
        .filter_map(|region| region.parent());
    let names = owners
        .map(Op::name)
        .take_while(|name| *name != func::Func::NAME);
    names.last()
}

/// The observations of all executions.
struct Followed<'a> {
    /// The executed sends, each with the locations of the receives that its value depends on.
    ran: BTreeMap<Key, BTreeSet<String>>,
    /// The entered regions of hosts.
    entered: BTreeSet<Region<'a>>,
}

fn followed<'a>(module: Op<'a>, generated: &Generated) -> Result<Followed<'a>, Mismatch> {
    let library = Library::new(module);
    let limits = Limits {
        fuel: FUEL,
        follow: true,
        ..Limits::default()
    };
    let mut ran: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
    let mut entered = BTreeSet::new();
    for arguments in generated.inputs() {
        let behaviour = run(&library, MAIN, arguments, &mut HostFirst, limits)?;
        entered.extend(behaviour.transfers.entered);
        for (send, receives) in behaviour.transfers.sent {
            let from = ran.entry(key_of(send)).or_default();
            let places = receives.into_iter().map(|receive| receive.location());
            from.extend(places.map(|place| place.to_string()));
        }
    }
    Ok(Followed { ran, entered })
}

fn key_of(send: Op<'_>) -> Key {
    let name = |op: Option<Op<'_>>| {
        let name = op.and_then(Op::symbol_name);
        name.unwrap_or_default().to_owned()
    };
    let program = send
        .operands()
        .last()
        .and_then(|program| program.defining_op());
    let graph = program.and_then(|start| start.symbol("graph"));
    (
        name(send.ancestors().find(|op| op.isa::<func::Func>())),
        graph.unwrap_or_default().to_owned(),
        send.integer("channel").unwrap_or_default(),
    )
}
