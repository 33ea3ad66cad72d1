//! The copies of each program of a module, as data for reports.
//!
//! A program has its copies in the host's order ([`Transfer`]), a timeline of both sides
//! (`timeline.rs`), and the tapes of derivatives ([`Tape`]).
//!
//! Cost: linear in operations, and for each copy or tape the nesting depth.

use melior::ir::Type;
use rustc_hash::FxHashSet;
use tfx_dialects::{ad, comm, transfer};
use tfx_ir::Op;
use tfx_ir::location::{self, Place, place};
use tfx_ir::ops::scf;
use tfx_ir::size::Size;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::trip_count::trip_count;

use crate::calls::Calls;
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::messages::subject;
use crate::program::{
    Program, functions, is_branch, is_intentional, loops_around, programs, source_location,
};
use crate::stalls::stalls;
use crate::timeline::{Row, Timeline, rows};

/// The copies of a program: a graph and the host function that runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The name of the host function.
    pub function: String,
    /// The source location of the function.
    pub place: Option<Place>,
    /// The name of the graph.
    pub graph: String,
    /// The types of the program inputs.
    pub inputs: Vec<String>,
    /// The types of the results.
    pub results: Vec<String>,
    /// The copies between start and finish, in the host's order.
    pub transfers: Vec<Transfer>,
    /// The timeline of both sides.
    pub rows: Vec<Row>,
    /// The tapes, those of the host first.
    pub tapes: Vec<Tape>,
}

/// The bytes of a value, and how often it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// The bytes of one value, with one element in each unknown dimension; none if an element has
    /// no fixed size.
    pub bytes: Option<u64>,
    /// The number of unknown dimensions.
    pub unknown_dimensions: usize,
    /// The number of values, if constants bound it; 1 outside of loops.
    pub executions: Option<u64>,
    /// `executions` is an upper bound, because a branch decides.
    pub at_most: bool,
    /// The loops around, the outermost first, with the executions in each.
    pub loops: Vec<(Option<Place>, Option<u64>)>,
}

impl Amount {
    /// Returns the amount of values of a type that an operation makes.
    fn of<'a>(op: Op<'a>, ty: Type<'a>) -> Self {
        let mut loops: Vec<_> = loops_around(op)
            .map(|around| (place(around.location()), executions_in(around, op)))
            .collect();
        loops.reverse();
        let mut counts = loops.iter().map(|(_, count)| *count);
        let size = Size::of(ty);
        Amount {
            bytes: size.as_ref().map(|size| size.bytes),
            unknown_dimensions: size.map_or(0, |size| size.unknown_dimensions.len()),
            executions: counts.try_fold(1_u64, |all, count| all.checked_mul(count?)),
            at_most: op.ancestors().any(is_branch),
            loops,
        }
    }
}

/// The values that a derivative of a loop needs: one side stores them in the loop, and reads them
/// in the opposite order afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Tape {
    /// The graph stores the values; otherwise, the host stores them.
    pub in_graph: bool,
    /// The type of a value.
    pub ty: String,
    /// The bytes, and how many values are stored.
    pub amount: Amount,
    /// The source location of the value.
    pub place: Option<Place>,
}

/// A copy between start and finish.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// The channel.
    pub channel: u32,
    /// The host receives the value; otherwise, it sends the value.
    pub to_host: bool,
    /// The name of the value for users.
    pub name: String,
    /// The type of the value.
    pub ty: String,
    /// The bytes, and how often they are copied.
    pub amount: Amount,
    /// The source location of the value.
    pub place: Option<Place>,
    /// The source program marks the copy as intentional.
    pub intentional: bool,
    /// The copy completes a round trip.
    pub round_trip: bool,
    /// The copy is part of an order stall in every iteration.
    pub order_stall: bool,
}

/// Returns the copies of all programs of a module after partition.
pub fn traffic(module: Op<'_>) -> Vec<Traffic> {
    let symbols = SymbolTable::new(module);
    let foreign = Foreign::of(&symbols).unwrap_or_default();
    let calls = Calls::of(&symbols, &foreign);
    let of_function = |func| {
        let programs = programs(func, &symbols);
        let flow = Flow::new(func, calls.starts(func), &symbols, &foreign);
        let all = programs.iter().map(|program| of(program, &flow, &foreign));
        all.collect::<Vec<_>>()
    };
    functions(&symbols).flat_map(of_function).collect()
}

fn of<'a>(program: &Program<'a>, flow: &Flow<'a>, foreign: &Foreign<'a>) -> Traffic {
    let handle = Some(program.start.program());
    let transfers = program.host.walk().filter_map(transfer::Transfer::cast);
    let order: Vec<_> = transfers.filter(|op| op.program() == handle).collect();
    let stalls = stalls(program, flow, foreign);
    let every = stalls.iter().filter(|stall| !stall.conditional);
    let stalled: FxHashSet<Op<'a>> = every.map(|stall| stall.receive.op()).collect();
    let texts = |values: Vec<Type<'_>>| values.iter().map(ToString::to_string).collect();
    let (inputs, results) = program.graph.map(Op::signature).unwrap_or_default();
    let host = Timeline::of(program.host, Some(program.start.op()));
    let graph = program.graph.map(|graph| Timeline::of(graph, None));
    Traffic {
        function: program.host.symbol_name().unwrap_or_default().to_owned(),
        place: place(program.host.location()),
        graph: program.start.graph().to_owned(),
        inputs: texts(inputs),
        results: texts(results),
        rows: rows(&host, graph.as_ref(), &order),
        transfers: order.iter().map(|op| row(*op, flow, &stalled)).collect(),
        tapes: tapes(program),
    }
}

/// Returns the tapes of both sides. A tape whose pushes are at several places, such as the arms of
/// a branch, has an entry for each.
fn tapes(program: &Program<'_>) -> Vec<Tape> {
    let of_side = |(function, in_graph): (Op<'_>, bool)| {
        let pushes = function.walk().filter_map(ad::Push::cast);
        let tapes = pushes.map(|push| Tape {
            in_graph,
            ty: push.value().ty().to_string(),
            amount: Amount::of(push.op(), push.value().ty()),
            place: place(push.location()),
        });
        tapes.collect::<Vec<_>>()
    };
    let graph = program.graph.map(|graph| (graph, true));
    let sides = std::iter::once((program.host, false)).chain(graph);
    sides.flat_map(of_side).collect()
}

fn row<'a>(
    transfer: transfer::Transfer<'a>,
    flow: &Flow<'a>,
    stalled: &FxHashSet<Op<'a>>,
) -> Transfer {
    let op = transfer.op();
    let ty = transfer.value().ty();
    let (name, round_trip) = match transfer {
        transfer::Transfer::Send(send) => (subject(send), flow.round_trip(send).is_some()),
        transfer::Transfer::Recv(receive) => (received(receive), false),
    };
    Transfer {
        channel: transfer.channel(),
        to_host: !transfer.is_send(),
        name,
        ty: ty.to_string(),
        amount: Amount::of(op, ty),
        place: place(source_location(transfer)),
        intentional: is_intentional(op),
        round_trip: round_trip && !is_intentional(op),
        order_stall: stalled.contains(&op),
    }
}

/// Returns how often the loop `around` executes `op`: once more before its condition than after.
fn executions_in(around: Op<'_>, op: Op<'_>) -> Option<u64> {
    let count = u64::try_from(trip_count(around)?).ok()?;
    let before = scf::While::cast(around).is_some_and(|around| around.before().contains(op));
    count.checked_add(u64::from(before))
}

/// Names a value that the host receives, by its name in the source if it has one.
fn received(receive: comm::Recv<'_>) -> String {
    match location::name(receive.location()) {
        Some(name) => format!("'{name}'"),
        None => "a value of the graph".to_owned(),
    }
}
