//! Unrolls loops over literal arrays, one copy of the body for each element, with the option
//! `unroll`.
//!
//! ```text
//!   %a = array(%x, %y)
//!   br ^h(0, %r)                                      %e0 = f(%x, %r)
//!   ^h(%i, %s): cond_br (%i < 2), ^body, ^out  ──►    %e1 = f(%y, %e0)
//!   ^body: %e = f(array_get %a[%i], %s)               out(%e1)
//!          br ^h(%i + 1, %e)
//! ```
//!
//! A loop qualifies if an index of an array read in it, or the trip count of an inner loop with
//! reads, depends on an iteration argument.
//!
//! # Algorithm
//!
//! `partial.rs` evaluates an iteration with the facts that are known at its start; values that
//! every remaining path forwards to the header are known in the next iteration. If some iteration
//! has no path back, the loop is replaced by as many copies of its body, each without unreachable
//! code. Nothing is changed before that is known. A value that is used after the loop is stored in
//! a variable, which `tfx-ssa` promotes.
//!
//! Inner loops come first; a loop around one that was unrolled waits for the next round, and an
//! inner loop that was not may qualify with the constants of a copy.
//!
//! # Cost
//!
//! Linear in the output for each level of nesting, and in [`MAX_TRIPS`] times the body for a loop
//! that stays.
//!
//! # Non-guarantees
//!
//! A loop stays, with a remark, if its trip count cannot be determined this way or is above
//! [`MAX_TRIPS`], if its copies would be above [`MAX_COPIED`], or if a variable that is declared in
//! it is used after it.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_dialects::host;
use tfx_dialects::types::reference;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::scalars::Scalars;
use tfx_ir::{Block, Builder, Definition, Op, Region, Value};

use crate::arrays::{MAX_CHOICES, constant_index};
use crate::flow::{Flow, LoopId};
use crate::layout::is_reference;
use crate::partial::{Blocks, Known, Trip, constant, join_facts};
use crate::{arrays, clean_up, ssa};

/// The largest trip count: a longer array cannot be read with a dynamic index either.
const MAX_TRIPS: usize = MAX_CHOICES;

/// The largest number of operations in the copies of one loop: it serves loops over the layers of a
/// model.
const MAX_COPIED: usize = 1_000_000;

/// Unrolls the loops over arrays in a region of a function, and reports why one stays.
pub(crate) fn unroll<'a>(func: Op<'a>, region: Region<'a>) -> Result<(), Diagnostics<'a>> {
    let mut stayed = Vec::new();
    arrays::resolve_known(region);
    while unroll_once(region, &mut stayed) {
        stayed.clear();
        ssa::promote_all(func, false)?;
        arrays::resolve_known(region);
    }
    // An array without reads keeps no operand alive.
    clean_up::clean_up(func);
    for (read, why) in stayed {
        remark(read, why);
    }
    Ok(())
}

/// The reason why a loop stays.
#[derive(Clone, Copy)]
enum Why<'a> {
    ManyEntries,
    NotConstant,
    TooManyTrips,
    TooLarge,
    Variable(Value<'a>),
}

fn remark(read: Op<'_>, why: Why<'_>) {
    let reason = match why {
        Why::ManyEntries => "it has several entries".to_owned(),
        Why::NotConstant => {
            "its trip count is not a constant; count from a constant to the number of elements of the array".to_owned()
        }
        Why::TooManyTrips => format!("it has more than {MAX_TRIPS} iterations"),
        Why::TooLarge => format!("its copies would have more than {MAX_COPIED} operations"),
        Why::Variable(_) => "a variable that is declared in it is used after it".to_owned(),
    };
    let message = format!("the loop that reads this element is not unrolled: {reason}");
    let remark = diag::remark(read.location(), message);
    match why {
        Why::Variable(variable) => {
            remark.note(variable.location(), "the variable is declared here")
        }
        _ => remark,
    }
    .emit();
}

/// Unrolls each qualifying loop without a qualifying inner loop. Returns whether there was one.
fn unroll_once<'a>(region: Region<'a>, stayed: &mut Vec<(Op<'a>, Why<'a>)>) -> bool {
    let ops = region.blocks().flat_map(|block| block.ops());
    let reads = ops.filter_map(host::ArrayGet::cast);
    let reads: Vec<_> = reads
        .filter(|read| constant_index(*read).is_none())
        .collect();
    if reads.is_empty() {
        return false;
    }
    let flow = Flow::new(region);
    let with_blocks = |(id, read)| (flow.blocks_of(id), id, read);
    let mut loops: Vec<_> = loops_of(&reads, &flow)
        .into_iter()
        .map(with_blocks)
        .collect();
    // Inner ones have fewer blocks than those around them.
    loops.sort_by_key(|(blocks, ..)| blocks.len());
    let mut copied: HashSet<Block<'a>> = HashSet::default();
    let mut scalars = Scalars::new();
    for (blocks, id, read) in loops {
        if blocks.iter().any(|block| copied.contains(block)) {
            continue;
        }
        let unrolled = Loop::new(&flow, id, blocks)
            .and_then(|looped| looped.unroll(&mut scalars).map(|()| looped));
        match unrolled {
            Ok(looped) => copied.extend(looped.blocks.all()),
            Err(why) => stayed.push((read, why)),
        }
    }
    // Their blocks are unreachable now, except those that other loops were copied from.
    drop(scalars);
    let any = !copied.is_empty();
    if any {
        crate::cfg::erase_unreachable_blocks(region);
    }
    any
}

/// Returns the loops whose headers forward a value that the index of a read depends on, with the
/// first such read, in the order of discovery.
fn loops_of<'a>(reads: &[host::ArrayGet<'a>], flow: &Flow<'a>) -> Vec<(LoopId, Op<'a>)> {
    let mut found: Vec<(LoopId, Op<'a>)> = Vec::new();
    let mut known = HashSet::default();
    for read in reads {
        let mut seen = HashSet::default();
        let mut pending = vec![read.index()];
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            match value.definition() {
                Definition::Result(op, _) => pending.extend(op.operands()),
                Definition::Argument(block, index) => {
                    if !flow.reaches(block) || block.is_entry() {
                        continue;
                    }
                    if let Some(id) = flow.innermost(block).filter(|id| flow.is_entry(*id, block)) {
                        let around = read.block().is_some_and(|reader| flow.contains(id, reader));
                        if around && known.insert(id) {
                            found.push((id, read.op()));
                        }
                        // The trip count of an inner loop may be known only in a copy of the loop
                        // around it.
                        let exits = flow.exits(id).into_iter();
                        pending.extend(exits.filter_map(|(branch, _)| branch.operands().next()));
                    }
                    let incoming = block.incoming().into_iter();
                    pending.extend(incoming.filter_map(|(branch, number)| {
                        branch.successor_operands(number)?.value(index)
                    }));
                }
            }
        }
    }
    found
}

/// A loop with one entry.
struct Loop<'a> {
    /// The header first.
    blocks: Blocks<'a>,
}

impl<'a> Loop<'a> {
    fn new(flow: &Flow<'a>, id: LoopId, blocks: Vec<Block<'a>>) -> Result<Self, Why<'a>> {
        let mut entries = flow.entries(id);
        if entries.next() != Some(blocks[0]) || entries.next().is_some() {
            return Err(Why::ManyEntries);
        }
        let blocks = Blocks::new(flow, blocks);
        Ok(Self { blocks })
    }

    /// Replaces the loop by copies; the loop is unreachable afterwards.
    fn unroll(&self, scalars: &mut Scalars<'a>) -> Result<(), Why<'a>> {
        if let Some(variable) = self
            .defined()
            .find(|value| is_reference(value.ty()) && self.is_used_outside(*value))
        {
            return Err(Why::Variable(variable));
        }
        let trips = self.trips(scalars)?;
        self.forward_in_variables();
        let region = self.blocks.first().region().expect("a loop is in a region");
        let entries = self.entries();
        let mut target: Option<Block<'a>> = None;
        let mut back: Vec<(Op<'a>, usize)> = Vec::new();
        for trip in &trips {
            let (header, latches) = self.blocks.copy(trip, region);
            target.get_or_insert(header);
            for (branch, number) in back {
                branch.set_successor(number, header);
            }
            back = latches;
        }
        let first = target.expect("a loop runs its header at least once");
        for (branch, number) in entries {
            branch.set_successor(number, first);
        }
        Ok(())
    }

    /// Returns the branches from outside.
    fn entries(&self) -> Vec<(Op<'a>, usize)> {
        let mut incoming = self.blocks.first().incoming();
        incoming.retain(|(branch, _)| {
            branch
                .block()
                .is_none_or(|block| !self.blocks.contains(block))
        });
        incoming
    }

    /// Evaluates one iteration after another, until one has no path back.
    fn trips(&self, scalars: &mut Scalars<'a>) -> Result<Vec<Trip<'a>>, Why<'a>> {
        let size = self.blocks.size();
        let mut arguments: Option<Vec<Known<'a>>> = None;
        for (branch, number) in self.entries() {
            let forwarded = branch.successor_operands(number);
            let values = (0..self.blocks.first().num_arguments())
                .map(|index| constant(forwarded.as_ref()?.value(index)?));
            join_facts(&mut arguments, values.collect());
        }
        let mut trips = Vec::new();
        while let Some(known) = arguments {
            if known.iter().all(Option::is_none) {
                return Err(Why::NotConstant);
            }
            if trips.len() > MAX_TRIPS {
                return Err(Why::TooManyTrips);
            }
            if size * trips.len() > MAX_COPIED {
                return Err(Why::TooLarge);
            }
            let trip = self.blocks.trip(known, scalars);
            if !trip.decides {
                return Err(Why::NotConstant);
            }
            arguments = trip.next.clone();
            trips.push(trip);
        }
        Ok(trips)
    }

    /// Returns the values that the loop defines.
    fn defined(&self) -> impl Iterator<Item = Value<'a>> + '_ {
        self.blocks.all().flat_map(|block| {
            let results = block.ops().flat_map(|op| op.results());
            block.arguments().chain(results)
        })
    }

    fn is_used_outside(&self, value: Value<'a>) -> bool {
        value.uses().any(|found| !self.is_inside(found.owner))
    }

    fn is_inside(&self, user: Op<'a>) -> bool {
        self.block_around(user)
            .is_some_and(|block| self.blocks.contains(block))
    }

    /// Returns the block of the loop's region that contains an operation, at any depth.
    fn block_around(&self, user: Op<'a>) -> Option<Block<'a>> {
        let region = self.blocks.first().region();
        std::iter::once(user)
            .chain(user.ancestors())
            .find(|op| op.parent_region() == region)?
            .block()
    }

    /// Stores each value that is used after the loop in a variable, so that every copy can write
    /// it.
    fn forward_in_variables(&self) {
        let region = self.blocks.first().region().expect("a loop is in a region");
        let entry = region.entry().expect("a region with a loop has an entry");
        let outside: Vec<_> = self
            .defined()
            .filter(|value| self.is_used_outside(*value))
            .collect();
        for value in outside {
            let users: Vec<_> = value
                .uses()
                .map(|found| found.owner)
                .filter(|user| !self.is_inside(*user))
                .collect();
            let mut builder = Builder::at_start(entry, value.location());
            let variable = host::Var::build(&mut builder, reference(value.ty())).reference();
            let mut writer = match value.definition() {
                Definition::Result(op, _) => Builder::after(op),
                Definition::Argument(block, _) => Builder::at_start(block, value.location()),
            };
            host::Store::build(&mut writer, value, variable);
            let mut loaded: HashMap<Block<'a>, Value<'a>> = HashMap::default();
            for user in users {
                let block = self
                    .block_around(user)
                    .expect("a user is in the region of what it uses");
                let read = *loaded.entry(block).or_insert_with(|| {
                    let mut builder = Builder::at_start(block, value.location());
                    host::Load::build(&mut builder, variable).value()
                });
                user.replace_operand(value, read);
            }
        }
    }
}
