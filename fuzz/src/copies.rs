//! What copy analysis says of a program, beside what its runs do.
//!
//! ```text
//!   partitioned ──tfx-copy-analysis──> warnings at places ──┐
//!       │    └────traffic────────────> round trips ─────────┤ each send that ends a round trip in a run is warned of
//!       └─────────runs with taint────> round trips ─────────┘ a warned send that ran and never ended one is counted
//! ```
//!
//! A warning too few is a mismatch. A warning too many is none: what was tried are some inputs, and the analysis answers for all. How many of
//! those there are is what [`Copies`] counts.

use std::collections::{BTreeMap, BTreeSet};

use tfx::Program;
use tfx::diag::Severity;
use tfx::location::Place;
use tfx_copy_analysis::traffic;
use tfx_ir::{Op, Region, module};
use tfx_oracle::{HostFirst, Library, Limits};

use crate::check::Mismatch;
use crate::generate::Generated;
use crate::runs::{FUEL, MAIN, run};

/// How many sends of a host there are, and of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// All, but for those that the program marks as meant.
    pub sends: u64,
    /// Those that ended a round trip on some input that was tried.
    pub round_trips: u64,
    /// Those that are warned of.
    pub warned: u64,
    /// Those that are warned of and ran on no input.
    pub warned_unexecuted: u64,
    /// Of these, those in an arm of a branch that control never came to.
    pub unexecuted_in_branches: u64,
    /// Of these, those in a loop that control never came to.
    pub unexecuted_in_loops: u64,
    /// Those that are warned of, ran, and ended no round trip on any input.
    pub warned_without_round_trip: u64,
}

/// A send by its program and channel.
type Key = (String, String, i64);

/// Checks what is said of a program after partition, and counts.
///
/// # Errors
/// A round trip that no warning stands for, or a warning that stands for none that the analysis knows.
pub(crate) fn check(program: &mut Program<'_>, generated: &Generated) -> Result<Copies, Mismatch> {
    let failed = |what: String| Mismatch {
        stage: "copy analysis".to_owned(),
        what,
    };
    let said = program.run("tfx-copy-analysis");
    let said = said.map_err(|error| failed(format!("it fails: {error}")))?;
    let warnings = said
        .iter()
        .filter(|one| one.severity == Severity::Warning)
        .filter_map(|one| one.place.clone());
    let warned: BTreeSet<Place> = warnings.collect();

    let module = module::as_op(program.module());
    let mut expected = BTreeSet::new();
    // Whether each send is warned of.
    let mut sends: BTreeMap<Key, bool> = BTreeMap::new();
    for program in traffic(module) {
        for transfer in program.transfers {
            if transfer.order_stall {
                expected.extend(transfer.place.clone());
            }
            if transfer.to_host || transfer.meant {
                continue;
            }
            if transfer.round_trip {
                expected.extend(transfer.place.clone());
            }
            let key = (
                program.function.clone(),
                program.graph.clone(),
                transfer.channel,
            );
            sends.insert(key, transfer.round_trip);
        }
    }
    if warned != expected {
        let odd: Vec<_> = warned.symmetric_difference(&expected).collect();
        return Err(failed(format!(
            "the report and the warnings do not agree on {odd:?}"
        )));
    }

    let Followed { ran, entered } = followed(module, generated)?;
    let is_send = |op: &Op<'_>| op.is("tfx_comm.send") && !key_of(*op).1.is_empty();
    let ops: BTreeMap<Key, Op<'_>> = module
        .walk()
        .filter(is_send)
        .map(|op| (key_of(op), op))
        .collect();
    let mut copies = Copies::default();
    for (key, is_warned) in &sends {
        let trip = ran.get(key);
        let ends_one = trip.is_some_and(|from| !from.is_empty());
        if ends_one && !is_warned {
            let (function, graph, channel) = key;
            return Err(failed(format!(
                "in '@{function}', what is sent to '@{graph}' on channel {channel} was made from what was received at {}, and no warning says so",
                trip.into_iter()
                    .flatten()
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", ")
            )));
        }
        copies.sends += 1;
        copies.round_trips += u64::from(ends_one);
        copies.warned += u64::from(*is_warned);
        if *is_warned && trip.is_none() {
            copies.warned_unexecuted += 1;
            match ops.get(key).and_then(|send| skipped(*send, &entered)) {
                Some("scf.while" | "scf.for") => copies.unexecuted_in_loops += 1,
                Some(_) => copies.unexecuted_in_branches += 1,
                None => {}
            }
        }
        copies.warned_without_round_trip += u64::from(*is_warned && trip.is_some() && !ends_one);
    }
    Ok(copies)
}

/// The outermost operation around a send whose region around it control never came to.
fn skipped<'a>(send: Op<'a>, entered: &BTreeSet<Region<'a>>) -> Option<&'a str> {
    let regions = std::iter::successors(send.parent_region(), |region| {
        region.parent().and_then(Op::parent_region)
    });
    let owners = regions
        .take_while(|region| !entered.contains(region))
        .filter_map(|region| region.parent());
    let names = owners.map(Op::name).take_while(|name| *name != "func.func");
    names.last()
}

/// What ran on any input.
struct Followed<'a> {
    /// The sends, each with the places of the receives that what it sent was made from.
    ran: BTreeMap<Key, BTreeSet<String>>,
    /// The regions of hosts.
    entered: BTreeSet<Region<'a>>,
}

fn followed<'a>(module: Op<'a>, generated: &Generated) -> Result<Followed<'a>, Mismatch> {
    let library = Library::new(module);
    let limits = Limits {
        fuel: FUEL,
        capacity: None,
        follow: true,
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
        name(send.ancestors().find(|op| op.is("func.func"))),
        graph.unwrap_or_default().to_owned(),
        send.integer("channel").unwrap_or_default(),
    )
}
