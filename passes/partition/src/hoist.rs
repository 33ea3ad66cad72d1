//! Hoists loop-invariant computations whose values cross in each iteration.
//!
//! ```text
//!   scf.for %i = %0 to %n {                 %sum = scf.if (%0 < %n) {
//!     scf.if %show {                          scf.if %show { op "AddV2"(%a, %a) } else { undef }
//!       %sum = op "AddV2"(%a, %a)   ──►     } else { undef }
//!       call @host_op(%sum)                 scf.for %i = %0 to %n {
//!     }                                       scf.if %show { call @host_op(%sum) }
//!   }                                       }
//! ```
//!
//! The code before the loop computes what the first iteration of the loop would compute, under the
//! same conditions ([`crate::first_iteration`]): it adds no computation and no transfer that would
//! not have happened. So a value leaves a loop
//!
//! * if it is invariant ([`crate::invariants`]), and so are the conditions on the path to it;
//! * if both sides know by themselves whether the loop runs an iteration, and each inner loop on
//!   the path;
//! * if its computation cannot fail ([`crate::failing`]), or no effect of the host, abort or other
//!   operation that may trap comes before it: the observable behaviour before a failure stays the
//!   same.
//!
//! The plan of the transfers tells which values cross in loops. Others stay: values that do not
//! cross are left to the executor's optimizer. The result is an ordinary program, and is
//! partitioned again.
//!
//! Cost: linear in the function, times its nesting; one look at the plan if no value crosses in a
//! loop.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use melior::ir::Location;
use tfx_ir::diag;
use tfx_ir::symbols::SymbolTable;

use crate::demand::Demand;
use crate::first_iteration::{can_decide_entry, copy_before_loop, runs_once};
use crate::function::{Function, Kind, OpId, ValueId};
use crate::invariants::{Held, Invariants, last_inside, loops_around, regions_up_to};
use crate::place::Plan;
use crate::read::Source;
use crate::side::Side;
use crate::writes::Writes;

/// The reason why a value stays in a loop.
#[derive(Clone, Copy, Debug)]
enum Stays {
    /// This branch may be taken in some iterations only.
    Branch(OpId),
    /// At least one side does not know by itself whether this loop runs an iteration.
    Entry(OpId),
    /// This comes before the value is computed, which may fail.
    Fails(OpId),
    /// It is read from a field that may be written.
    Written(Held),
}

/// Hoists the values that `plan` lets cross in loops, where possible. Returns whether anything has
/// changed, so that `source` and the plan are out of date. With `remarks`, reports why values stay.
/// `module` has the symbols and the written fields, computed once for all functions.
pub(crate) fn hoist<'a>(
    source: &Source<'a>,
    demand: &Demand<'_>,
    plan: &Plan,
    module: (&SymbolTable<'a>, &OnceCell<Writes<'a>>),
    remarks: bool,
) -> bool {
    let function = &source.function;
    let candidates = candidates(function, plan);
    if candidates.is_empty() {
        return false;
    }
    let decider = Decider {
        source,
        demand,
        invariants: Invariants::of(source, module.0, module.1),
        last: last_inside(function),
        entries: RefCell::default(),
    };
    let mut leaving: BTreeMap<OpId, BTreeSet<ValueId>> = BTreeMap::new();
    for (value, receiver) in candidates {
        let (left, stays) = decider.value(value);
        if let Some(left) = left {
            leaving.entry(left).or_default().insert(value);
        }
        if let Some((from, why)) = stays.filter(|_| remarks) {
            report(source, value, receiver, from, why);
        }
    }
    for (from, values) in &leaving {
        copy_before_loop(source, &decider.last, *from, values);
    }
    !leaving.is_empty()
}

/// Returns the values that cross in loops, in the order of their definitions.
fn candidates(function: &Function, plan: &Plan) -> Vec<(ValueId, Side)> {
    let in_loop = |value: ValueId| {
        let owner = function[function.region_of(value)].owner;
        owner.is_some_and(|op| loops_around_or_at(function, op).next().is_some())
    };
    let crossings = plan.crossings.iter();
    let crossings = crossings.map(|crossing| (crossing.value, crossing.receiver));
    let mut candidates: Vec<_> = crossings.filter(|&(value, _)| in_loop(value)).collect();
    candidates.sort_unstable_by_key(|&(value, _)| value);
    candidates.dedup_by_key(|&mut (value, _)| value);
    candidates
}

/// Decides on values.
struct Decider<'s, 'f, 'a> {
    source: &'s Source<'a>,
    demand: &'s Demand<'f>,
    invariants: Invariants<'a>,
    last: Vec<OpId>,
    /// Caches whether both sides can decide before a loop whether another, which is inside or the
    /// same, runs an iteration.
    entries: RefCell<BTreeMap<(OpId, OpId), bool>>,
}

impl Decider<'_, '_, '_> {
    /// Returns the outermost loop that a value may leave, and the reason why it stays in an outer
    /// one in which it is invariant.
    fn value(&self, value: ValueId) -> (Option<OpId>, Option<(OpId, Stays)>) {
        let function = &self.source.function;
        let facts = self.invariants.value(value);
        let region = function.region_of(value);
        let owner = function[region].owner.into_iter();
        let mut loops: Vec<OpId> = owner
            .flat_map(|op| loops_around_or_at(function, op))
            .collect();
        // Outermost first: the level of the value is the number of loops in which it changes.
        loops.reverse();
        let changes = loops[..facts.level as usize].last();
        let held = facts.held.zip(changes);
        let mut stays = held.map(|(held, &from)| (from, Stays::Written(held)));
        for &from in &loops[facts.level as usize..] {
            match self.leaves(value, from) {
                Ok(()) => return (Some(from), stays),
                // A path to an abort is taken once.
                Err(None) => return (None, None),
                Err(Some(why)) => _ = stays.get_or_insert((from, why)),
            }
        }
        (None, stays)
    }

    /// Returns whether a value that is invariant in the loop `from` may leave it, and the reason if
    /// it may not.
    fn leaves(&self, value: ValueId, from: OpId) -> Result<(), Option<Stays>> {
        let function = &self.source.function;
        self.computed_early(value, from)?;
        for (op, region) in regions_up_to(function, function.region_of(value), from) {
            let decision = function[op].regions[0];
            let ends_first = function[op].kind == Kind::While && function[decision].aborts;
            if function[region].aborts || ends_first {
                return Err(None);
            }
            match function[op].kind {
                Kind::If | Kind::Switch => self.branch(op, from)?,
                Kind::While if region == function[op].regions[0] => {}
                _ => self.entry(op, from)?,
            }
        }
        Ok(())
    }

    /// No operation that must happen first comes before one that may fail.
    fn computed_early(&self, value: ValueId, from: OpId) -> Result<(), Option<Stays>> {
        let facts = self.invariants.value(value);
        let first = self.invariants.of_loop(from).comes_before(facts);
        first.map_or(Ok(()), |first| Err(Some(Stays::Fails(first))))
    }

    /// A branch on the path: both sides take it by an invariant condition.
    fn branch(&self, op: OpId, from: OpId) -> Result<(), Option<Stays>> {
        let function = &self.source.function;
        let condition = function[op].operands[0].value;
        let inside = self.invariants.depth(function[from].regions[0]);
        let changes = self.invariants.value(condition).level >= inside;
        let has = |side| self.demand.is_present(side, op) && self.demand.bypass(side, op).is_none();
        if changes || !Side::BOTH.into_iter().all(has) {
            return Err(Some(Stays::Branch(op)));
        }
        self.computed_early(condition, from)
    }

    /// A loop on the path: both sides know before it whether it runs an iteration.
    fn entry(&self, op: OpId, from: OpId) -> Result<(), Option<Stays>> {
        let mut entries = self.entries.borrow_mut();
        let is_known = entries.entry((from, op)).or_insert_with(|| {
            runs_once(&self.source.function, op) || self.decides_early(op, from)
        });
        match is_known {
            true => Ok(()),
            false => Err(Some(Stays::Entry(op))),
        }
    }

    /// Returns whether both sides can decide before the loop `from` whether `op` runs an iteration.
    fn decides_early(&self, op: OpId, from: OpId) -> bool {
        let function = &self.source.function;
        let inside = self.invariants.depth(function[from].regions[0]);
        let both = |is_there: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().all(is_there);
        let stays = |value: ValueId| {
            let is_same = self.invariants.value(value).level < inside;
            is_same && self.computed_early(value, from).is_ok()
        };
        // The bounds of a counter may have been received before it.
        let mut known = true;
        function.controls(op, |control, _| {
            let is_made = |side| self.demand.is_made(side, control.value);
            known &= function[op].kind == Kind::For || both(&is_made);
        });
        known
            && both(&|side| self.demand.is_present(side, op))
            && can_decide_entry(self.source, &self.last, op, from, stays)
    }
}

/// Returns `op`, if it is a loop, and the loops around it, innermost first.
fn loops_around_or_at(function: &Function, op: OpId) -> impl Iterator<Item = OpId> {
    let own = function[op].kind.is_loop().then_some(op);
    own.into_iter().chain(loops_around(function, op))
}

/// Reports why a value is copied in each iteration of the loop `from`.
fn report(source: &Source<'_>, value: ValueId, receiver: Side, from: OpId, why: Stays) {
    let place = |op: OpId| source.ops[op.index()].location();
    let to = match receiver {
        Side::Host => "the host",
        Side::Graph => "the accelerator",
    };
    let (reason, at, note) = match why {
        Stays::Branch(op) => (
            "it is computed, and therefore copied, in some iterations only",
            op,
            "this condition changes between iterations, or is unknown to one side",
        ),
        Stays::Entry(op) => (
            "the two sides do not both know before the loop whether an iteration needs it",
            op,
            "whether this loop runs an iteration is decided inside of it, or on one side only",
        ),
        Stays::Fails(op) => (
            "it may fail, and an operation before it must happen first",
            op,
            "this comes before it",
        ),
        Stays::Written(held) => (
            "the field that it is read from may be written in the loop",
            held.writer,
            "this may write it",
        ),
    };
    let location: Location<'_> = source.values[value.index()].location();
    let (changes, but) = match why {
        Stays::Written(_) => ("is read again", "and"),
        _ => ("is the same", "but"),
    };
    let message = format!(
        "this {changes} in each iteration of a loop, {but} is copied to {to} in each: {reason}"
    );
    let mut remark = diag::remark(location, message);
    if at != from {
        remark = remark.note(place(from), "in this loop");
    }
    if let Stays::Written(held) = why {
        remark = remark.note(place(held.load), "it is read here");
    }
    remark.note(place(at), note).emit();
}
