//! The operations of host and graph, aligned at their transfers.
//!
//! ```text
//!   host function                 graph                            rows
//!   recv from 0                   op "MatMul"                      open: loop, 1000 iterations
//!   call @cpu_only                send to 0                          work: graph MatMul
//!   send to 1                     recv from 1                        transfer: channel 0 to the host
//!   ...                           op "Sub", ...                      work: host call of '@cpu_only'
//!                                                                    transfer: channel 1 to the graph
//!                                                                  close
//! ```
//!
//! Both sides execute the same transfers in the same loops and branches. These are the
//! synchronization points, and the rows follow the host's order of them. The work of the graph
//! precedes the same synchronization point as in the graph. Loops and branches without transfers
//! are work. Cost: linear in operations, and for each region and transfer the nesting depth.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::tensor;
use tfx_dialects::transfer::Transfer;
use tfx_ir::location::{Place, place};
use tfx_ir::ops::{arith, func, math, scf};
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Op, Region};

use crate::messages::describe;
use crate::program::{is_branch, is_loop};

/// A line of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The work of both sides up to the next row.
    Work {
        /// The work of the host.
        host: Vec<Work>,
        /// The work of the graph.
        graph: Vec<Work>,
    },
    /// A copy, by its index.
    Transfer(usize),
    /// The start of a loop or of a region of a branch.
    Open {
        /// Its description.
        what: String,
        /// Its source location.
        place: Option<Place>,
    },
    /// Its end.
    Close,
}

/// Consecutive operations of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The description.
    pub what: String,
    /// The number of operations.
    pub count: usize,
    /// The source location of the first.
    pub place: Option<Place>,
}

/// A synchronization point of both sides. The smallest channel in a scope and its depth identify
/// the scope on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Transfer(u32),
    Open(u32, usize),
    Close(u32, usize),
    End,
}

/// A loop, or the region with that number of a branch.
type Scope<'a> = (Op<'a>, usize);

/// The synchronization points of one side in order, and its work before each.
pub(crate) struct Timeline<'a> {
    order: Vec<(Point, Option<Scope<'a>>)>,
    work: BTreeMap<Point, Vec<Work>>,
}

impl<'a> Timeline<'a> {
    /// Returns the timeline of `owner`, from the operation after `start`.
    pub(crate) fn of(owner: Op<'a>, start: Option<Op<'a>>) -> Self {
        let smallest = smallest_channels(owner);
        let mut timeline = Timeline {
            order: Vec::new(),
            work: BTreeMap::new(),
        };
        // The scopes with transfers around the current operation, and the work since the last
        // synchronization point.
        let mut open: Vec<Scope<'a>> = Vec::new();
        let mut work: Vec<Work> = Vec::new();
        let mut started = start.is_none();
        let (mut region, mut around) = (None, Vec::new());
        for op in owner.walk().skip(1) {
            if Some(op) == start || !started {
                started |= Some(op) == start;
                continue;
            }
            // The work in a loop without transfers belongs to the scope around the loop.
            if region.replace(op.parent_region()) != Some(op.parent_region()) {
                around = enclosing(op, owner, &smallest);
            }
            let shared = open.iter().zip(&around).take_while(|(a, b)| a == b).count();
            timeline.close(&mut open, shared, &smallest, &mut work);
            for scope in &around[shared..] {
                let point = Point::Open(smallest[scope], open.len());
                timeline.add(point, Some(*scope), &mut work);
                open.push(*scope);
            }
            if let Some(transfer) = Transfer::cast(op) {
                timeline.add(Point::Transfer(transfer.channel()), None, &mut work);
            } else if !scopes_of(op).any(|scope| smallest.contains_key(&scope)) {
                add_work(&mut work, op);
            }
        }
        timeline.close(&mut open, 0, &smallest, &mut work);
        timeline.add(Point::End, None, &mut work);
        timeline
    }

    fn add(&mut self, point: Point, scope: Option<Scope<'a>>, work: &mut Vec<Work>) {
        self.order.push((point, scope));
        self.work.insert(point, std::mem::take(work));
    }

    /// Closes the innermost scopes until `depth` are open.
    fn close(
        &mut self,
        open: &mut Vec<Scope<'a>>,
        depth: usize,
        smallest: &FxHashMap<Scope<'a>, u32>,
        work: &mut Vec<Work>,
    ) {
        while open.len() > depth
            && let Some(scope) = open.pop()
        {
            self.add(Point::Close(smallest[&scope], open.len()), None, work);
        }
    }
}

/// Returns the scopes around an operation, the innermost first.
fn scopes_around<'a>(op: Op<'a>, owner: Op<'a>) -> impl Iterator<Item = Scope<'a>> {
    let regions = std::iter::successors(op.parent_region(), |region| {
        region.parent().and_then(Op::parent_region)
    });
    let below = regions.take_while(move |region| region.parent() != Some(owner));
    below.filter_map(|region| Some(scope_of(region.parent()?, region)))
}

/// Returns the scope of a region. Both regions of an `scf.while` are one scope.
fn scope_of<'a>(op: Op<'a>, region: Region<'a>) -> Scope<'a> {
    match is_loop(op) {
        true => (op, 0),
        false => (op, region.number()),
    }
}

fn scopes_of<'a>(op: Op<'a>) -> impl Iterator<Item = Scope<'a>> {
    op.regions().map(move |region| scope_of(op, region))
}

/// Returns the smallest channel in each scope of `owner` that has transfers.
fn smallest_channels(owner: Op<'_>) -> FxHashMap<Scope<'_>, u32> {
    let mut smallest: FxHashMap<Scope<'_>, u32> = FxHashMap::default();
    for transfer in owner.walk().filter_map(Transfer::cast) {
        for scope in scopes_around(transfer.op(), owner) {
            let known = smallest.entry(scope).or_insert(transfer.channel());
            *known = transfer.channel().min(*known);
        }
    }
    smallest
}

/// Returns the scopes with transfers around an operation, the outermost first.
fn enclosing<'a>(
    op: Op<'a>,
    owner: Op<'a>,
    smallest: &FxHashMap<Scope<'a>, u32>,
) -> Vec<Scope<'a>> {
    let mut around: Vec<_> = scopes_around(op, owner)
        .filter(|scope| smallest.contains_key(scope))
        .collect();
    around.reverse();
    around.dedup();
    around
}

/// Adds an operation to the work, unless users would not expect it there.
fn add_work(work: &mut Vec<Work>, op: Op<'_>) {
    let what = if let Some(operation) = tensor::Op::cast(op) {
        operation.tf_name().to_owned()
    } else if let Some(call) = func::Call::cast(op) {
        format!("call @{}", call.callee())
    } else if let Some(call) = tensor::Call::cast(op) {
        format!("call @{}", call.callee())
    } else if op.isa::<host::Print>() {
        "print".to_owned()
    } else if HostOp::cast(op).is_some() {
        describe(op)
    } else if is_loop(op) {
        "loop".to_owned()
    } else if is_branch(op) {
        "branch".to_owned()
    } else if is_scalar(op) {
        let name = op.name();
        name.split('.').next_back().unwrap_or(name).to_owned()
    } else {
        return;
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

fn is_scalar(op: Op<'_>) -> bool {
    let is_arith = arith::ArithOp::cast(op).is_some() && !op.isa::<arith::Constant>();
    is_arith || math::MathOp::cast(op).is_some()
}

/// Merges the timelines of both sides. `order` has the transfers of the host.
pub(crate) fn rows(
    host: &Timeline<'_>,
    graph: Option<&Timeline<'_>>,
    order: &[Transfer<'_>],
) -> Vec<Row> {
    let by_channel: FxHashMap<u32, usize> = order.iter().map(|op| op.channel()).zip(0..).collect();
    let mut rows = Vec::new();
    for (point, scope) in &host.order {
        let work = |side: &Timeline<'_>| side.work.get(point).cloned().unwrap_or_default();
        let (on_host, on_graph) = (work(host), graph.map(work).unwrap_or_default());
        if !on_host.is_empty() || !on_graph.is_empty() {
            rows.push(Row::Work {
                host: on_host,
                graph: on_graph,
            });
        }
        match point {
            Point::Transfer(channel) => {
                rows.extend(by_channel.get(channel).map(|&index| Row::Transfer(index)));
            }
            Point::Open(..) => rows.extend(scope.map(opening)),
            Point::Close(..) => rows.push(Row::Close),
            Point::End => {}
        }
    }
    rows
}

fn opening((owner, number): Scope<'_>) -> Row {
    let what = match is_loop(owner) {
        true => match trip_count(owner) {
            Some(1) => "loop, once".to_owned(),
            Some(count) => format!("loop, {count} iterations"),
            None => "loop".to_owned(),
        },
        false => match (owner.isa::<scf::If>(), number) {
            (true, 0) => "if it holds".to_owned(),
            (true, _) => "else".to_owned(),
            (false, 0) => "any other case".to_owned(),
            (false, _) => format!("case {number}"),
        },
    };
    Row::Open {
        what,
        place: place(owner.location()),
    }
}
