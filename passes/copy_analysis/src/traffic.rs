//! What crosses between the two halves of each program, as data.
//!
//! ```text
//!   host function                 graph                            rows
//!   recv from 0                   op "MatMul"                      open: loop, 1000 trips
//!   call @cpu_only                send to 0                          work: graph MatMul
//!   send to 1                     recv from 1                        transfer: channel 0 to the host
//!   ...                           op "Sub", ...                      work: host call of '@cpu_only'
//!                                                                    transfer: channel 1 to the accelerator
//!                                                                  close
//! ```
//!
//! Both sides run the same transfers inside of the same loops and branches, so the rows are those of the host, and the graph's
//! work stands before the transfer, the loop or the end that it comes before in the graph. Loops and branches without transfers are work.
//!
//! Cost: linear in operations, and for each region and each transfer the depth that it is nested in.

use std::collections::BTreeMap;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::ops::{arith, func, scf};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::location::{Place, place};
use tfx_ir::size::Size;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Op, Region};

use crate::calls::Calls;
use crate::copy_analysis::{functions, is_meant};
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::program::{
    Direction, Program, direction, is_loop, loops_around, programs, value_of, written,
};
use crate::report::{describe, subject};
use crate::stalls::stalls;

/// A program: a graph and the host function that runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The host function.
    pub function: String,
    /// Where it is.
    pub place: Option<Place>,
    /// The graph.
    pub graph: String,
    /// The types of what the graph is given at its start.
    pub inputs: Vec<String>,
    /// The types of what it gives at its end.
    pub results: Vec<String>,
    /// What crosses in between, in the host's order.
    pub transfers: Vec<Transfer>,
    /// Both sides, from the start to the end.
    pub rows: Vec<Row>,
}

/// A copy between start and end.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Its channel.
    pub channel: i64,
    /// Whether the host receives; else it sends.
    pub to_host: bool,
    /// What the user calls it.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// The bytes of one copy, with one element in each dimension that the type does not say; none where elements have no size of their own.
    pub bytes: Option<u64>,
    /// How many dimensions the type does not say.
    pub unknown_dimensions: usize,
    /// Where the value comes from.
    pub place: Option<Place>,
    /// How often it is made, as far as constants bound that; 1 outside of loops.
    pub trips: Option<u64>,
    /// Whether `trips` is an upper bound, because a branch decides.
    pub at_most: bool,
    /// The loops around it, the outermost first, with the trips of each.
    pub loops: Vec<(Option<Place>, Option<u64>)>,
    /// Whether the user marked it as meant.
    pub meant: bool,
    /// Whether it ends a round trip.
    pub round_trip: bool,
    /// Whether it is received before an effect that each send in a loop waits for.
    pub order_stall: bool,
}

/// One line of the two lanes.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// What both sides do until the next row.
    Work {
        /// On the host.
        host: Vec<Work>,
        /// In the graph.
        graph: Vec<Work>,
    },
    /// A copy, by its index.
    Transfer(usize),
    /// A loop or an arm of a branch begins.
    Open {
        /// In words.
        what: String,
        /// Where it is.
        place: Option<Place>,
    },
    /// It ends.
    Close,
}

/// Operations of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// In words.
    pub what: String,
    /// How many of them follow each other.
    pub count: usize,
    /// Where the first is.
    pub place: Option<Place>,
}

/// The traffic of all programs of a module after partition.
pub fn traffic(module: Op<'_>) -> Vec<Traffic> {
    let symbols = SymbolTable::new(module);
    let foreign = Foreign::of(&symbols).unwrap_or_default();
    let calls = Calls::of(&symbols, &foreign);
    let of_function = |func| {
        let programs = programs(func, &symbols);
        let flow = Flow::from(func, calls.starts(func), &symbols, &foreign);
        let all = programs.iter().map(|program| of(program, &flow, &foreign));
        all.collect::<Vec<_>>()
    };
    functions(&symbols).flat_map(of_function).collect()
}

fn of<'a>(program: &Program<'a>, flow: &Flow<'a>, foreign: &Foreign<'a>) -> Traffic {
    let mut order: Vec<Op<'a>> = program
        .sends
        .iter()
        .chain(&program.receives)
        .copied()
        .collect();
    let position: FxHashMap<Op<'a>, usize> = program.host.walk().zip(0..).collect();
    order.sort_by_key(|op| position[op]);
    let stalls = stalls(program, flow, foreign);
    let every = stalls.iter().filter(|stall| !stall.conditional);
    let stalled: FxHashSet<Op<'a>> = every.map(|stall| stall.receive).collect();
    let transfer = |op: &Op<'a>| Transfer {
        order_stall: stalled.contains(op),
        ..transfer(*op, flow)
    };
    let texts =
        |values: Vec<melior::ir::Type<'_>>| values.iter().map(ToString::to_string).collect();
    let (inputs, results) = program.graph.map(Op::signature).unwrap_or_default();
    let host = Script::of(program.host, Some(program.start));
    let graph = program.graph.map(|graph| Script::of(graph, None));
    Traffic {
        function: program.host.symbol_name().unwrap_or_default().to_owned(),
        place: place(program.host.location()),
        graph: program.start.symbol("graph").unwrap_or_default().to_owned(),
        inputs: texts(inputs),
        results: texts(results),
        rows: rows(&host, graph.as_ref(), &order),
        transfers: order.iter().map(transfer).collect(),
    }
}

fn transfer<'a>(op: Op<'a>, flow: &Flow<'a>) -> Transfer {
    let value = value_of(op);
    let to_host = direction(op) == Direction::ToHost;
    let mut loops: Vec<_> = loops_around(op)
        .map(|around| (place(around.location()), runs_in(op, around)))
        .collect();
    loops.reverse();
    let trips = loops
        .iter()
        .try_fold(1_u64, |all, (_, trips)| all.checked_mul((*trips)?));
    let size = Size::of(value.ty());
    let decides = |op: Op<'_>| matches!(op.name(), scf::If::NAME | scf::IndexSwitch::NAME);
    Transfer {
        channel: op.integer("channel").unwrap_or_default(),
        to_host,
        name: match to_host {
            true => made_by(op),
            false => subject(op),
        },
        ty: value.ty().to_string(),
        bytes: size.as_ref().map(|size| size.bytes),
        unknown_dimensions: size.map_or(0, |size| size.unknown_dimensions.len()),
        place: place(written(op).1),
        trips,
        at_most: op.ancestors().any(decides),
        loops,
        meant: is_meant(op),
        round_trip: !to_host && !is_meant(op) && flow.trip_to(op).is_some(),
        order_stall: false,
    }
}

/// How often `around` runs what is at `op`: what comes before the test of a loop runs once more than what comes after.
fn runs_in(op: Op<'_>, around: Op<'_>) -> Option<u64> {
    let trips = u64::try_from(trip_count(around)?).ok()?;
    let before_the_test = around.isa::<scf::While>() && around.region(0).contains(op);
    trips.checked_add(u64::from(before_the_test))
}

/// What the user calls a value that the host receives: its name, if the front end gave one.
fn made_by(receive: Op<'_>) -> String {
    match tfx_ir::location::name(receive.location()) {
        Some(name) => format!("'{name}'"),
        None => "a value of the graph".to_owned(),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The sides.

/// Something at which both sides meet. A region is known by the smallest channel inside of it, and by its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meeting {
    Transfer(i64),
    Open(i64, usize),
    Close(i64, usize),
    End,
}

/// A loop, or the arm of that number of a branch.
type Part<'a> = (Op<'a>, usize);

/// What one side does: its meetings in order, and its work before each.
struct Script<'a> {
    order: Vec<(Meeting, Option<Part<'a>>)>,
    work: BTreeMap<Meeting, Vec<Work>>,
}

impl<'a> Script<'a> {
    /// Of `owner`, from the operation after `start` on.
    fn of(owner: Op<'a>, start: Option<Op<'a>>) -> Self {
        let smallest = smallest_channels(owner);
        let mut script = Script {
            order: Vec::new(),
            work: BTreeMap::new(),
        };
        // The regions with transfers around what is looked at, and the work since the last meeting.
        let mut open: Vec<Part<'a>> = Vec::new();
        let mut work: Vec<Work> = Vec::new();
        let mut started = start.is_none();
        let (mut region, mut around) = (None, Vec::new());
        for op in owner.walk().skip(1) {
            if Some(op) == start || !started {
                started |= Some(op) == start;
                continue;
            }
            // Work in a loop without transfers belongs to the region around that.
            if region.replace(op.parent_region()) != Some(op.parent_region()) {
                around = enclosing(op, owner, &smallest);
            }
            let shared = open.iter().zip(&around).take_while(|(a, b)| a == b).count();
            for depth in (shared..open.len()).rev() {
                script.meet(
                    Meeting::Close(smallest[&open[depth]], depth),
                    None,
                    &mut work,
                );
            }
            open.truncate(shared);
            for part in &around[shared..] {
                let meeting = Meeting::Open(smallest[part], open.len());
                script.meet(meeting, Some(*part), &mut work);
                open.push(*part);
            }
            match op.name() {
                comm::Send::NAME | comm::Recv::NAME => {
                    let channel = op.integer("channel").unwrap_or_default();
                    script.meet(Meeting::Transfer(channel), None, &mut work);
                }
                _ if parts_of(op).any(|part| smallest.contains_key(&part)) => {}
                _ => add(&mut work, op),
            }
        }
        for depth in (0..open.len()).rev() {
            script.meet(
                Meeting::Close(smallest[&open[depth]], depth),
                None,
                &mut work,
            );
        }
        script.meet(Meeting::End, None, &mut work);
        script
    }

    fn meet(&mut self, meeting: Meeting, part: Option<Part<'a>>, work: &mut Vec<Work>) {
        self.order.push((meeting, part));
        self.work.insert(meeting, std::mem::take(work));
    }
}

/// The parts around an operation, the innermost first.
fn parts_around<'a>(op: Op<'a>, owner: Op<'a>) -> impl Iterator<Item = Part<'a>> {
    let regions = std::iter::successors(op.parent_region(), |region| {
        region.parent().and_then(Op::parent_region)
    });
    let below = regions.take_while(move |region| region.parent() != Some(owner));
    below.filter_map(|region| Some(part_of(region.parent()?, region)))
}

/// Both regions of a `scf.while` are one loop.
fn part_of<'a>(op: Op<'a>, region: Region<'a>) -> Part<'a> {
    match is_loop(op) {
        true => (op, 0),
        false => (op, region.number()),
    }
}

fn parts_of<'a>(op: Op<'a>) -> impl Iterator<Item = Part<'a>> {
    op.regions().map(move |region| part_of(op, region))
}

/// The smallest channel in each part of `owner` that has transfers.
fn smallest_channels(owner: Op<'_>) -> FxHashMap<Part<'_>, i64> {
    let mut smallest: FxHashMap<Part<'_>, i64> = FxHashMap::default();
    let is_transfer = |op: &Op<'_>| matches!(op.name(), comm::Send::NAME | comm::Recv::NAME);
    for op in owner.walk().filter(is_transfer) {
        let channel = op.integer("channel").unwrap_or_default();
        for part in parts_around(op, owner) {
            let known = smallest.entry(part).or_insert(channel);
            *known = channel.min(*known);
        }
    }
    smallest
}

/// The parts with transfers around an operation, the outermost first.
fn enclosing<'a>(op: Op<'a>, owner: Op<'a>, smallest: &FxHashMap<Part<'a>, i64>) -> Vec<Part<'a>> {
    let mut around: Vec<_> = parts_around(op, owner)
        .filter(|part| smallest.contains_key(part))
        .collect();
    around.reverse();
    around.dedup();
    around
}

/// Adds an operation to the work, unless no user would look for it there.
fn add(work: &mut Vec<Work>, op: Op<'_>) {
    let what = match op.name() {
        tensor::Op::NAME => op.string("tf_name").unwrap_or_default().to_owned(),
        func::Call::NAME | tensor::Call::NAME => {
            format!("call @{}", op.symbol("callee").unwrap_or_default())
        }
        host::Print::NAME => "print".to_owned(),
        scf::For::NAME | scf::While::NAME => "loop".to_owned(),
        scf::If::NAME | scf::IndexSwitch::NAME => "branch".to_owned(),
        name if name.starts_with("tfx_host.") => describe(op),
        name if name.starts_with("arith.") || name.starts_with("math.") => {
            if name == arith::Constant::NAME {
                return;
            }
            name.split('.').next_back().unwrap_or(name).to_owned()
        }
        _ => return,
    };
    match work.last_mut() {
        Some(last) if last.what == what => last.count += 1,
        _ => work.push(Work {
            what,
            count: 1,
            place: place(op.location()),
        }),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Both together.

fn rows(host: &Script<'_>, graph: Option<&Script<'_>>, order: &[Op<'_>]) -> Vec<Row> {
    let by_channel: FxHashMap<i64, usize> = order
        .iter()
        .zip(0..)
        .filter_map(|(op, index)| Some((op.integer("channel")?, index)))
        .collect();
    let mut rows = Vec::new();
    for (meeting, part) in &host.order {
        let done = |script: &Script<'_>| script.work.get(meeting).cloned().unwrap_or_default();
        let (on_host, on_graph) = (done(host), graph.map(done).unwrap_or_default());
        if !on_host.is_empty() || !on_graph.is_empty() {
            rows.push(Row::Work {
                host: on_host,
                graph: on_graph,
            });
        }
        match meeting {
            Meeting::Transfer(channel) => {
                rows.extend(by_channel.get(channel).map(|&index| Row::Transfer(index)));
            }
            Meeting::Open(..) => rows.extend(part.map(opening)),
            Meeting::Close(..) => rows.push(Row::Close),
            Meeting::End => {}
        }
    }
    rows
}

fn opening((owner, number): Part<'_>) -> Row {
    let what = match owner.name() {
        _ if is_loop(owner) => match trip_count(owner) {
            Some(1) => "loop, once".to_owned(),
            Some(trips) => format!("loop, {trips} trips"),
            None => "loop".to_owned(),
        },
        scf::If::NAME if number == 0 => "if it holds".to_owned(),
        scf::If::NAME => "else".to_owned(),
        _ if number == 0 => "any other case".to_owned(),
        _ => format!("case {number}"),
    };
    Row::Open {
        what,
        place: place(owner.location()),
    }
}
