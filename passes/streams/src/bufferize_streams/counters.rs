//! The host computes the conditions of loops and branches that depend on small values only, such as
//! counters.
//!
//! ```text
//!   while (%i = 0, %s = %x) {          while (%i = 0, %s = %x, %h = 0) {
//!     Less(%i, %n)                       Less(%h, %n)                            at the host
//!   } do {                      ──►    } do {
//!     %f = Cast(%i) ...                  %f = Cast(%i) ...
//!     yield AddV2(%i, 1), ...            yield AddV2(%i, 1), ..., AddV2(%h, 1)   the last at the host
//!   }                                  }
//! ```
//!
//! A loop of a device whose number of iterations is not known ends when a byte says so that its
//! condition computes. If the device computes it, the host waits for the device in each iteration.
//! But often the condition is that of a counter.
//!
//! The *slice* of a condition are the operations that it depends on, in this iteration and in
//! earlier ones: those in the condition, and those in the body for each tensor of the slice that
//! iterations pass on, up to a fixed point. If all of them have no state and small operands and
//! results, the host computes them. What else the body uses of the slice, the device computes as
//! before: the host has clones of the operations, and the loop has clones of the tensors. Without
//! such uses, the operations themselves move to the host.
//!
//! What the slice uses from outside of the loop is copied to the host once, before the loop. If it
//! is computed of arguments and constants by small operations, the host computes it, too. So is the
//! condition of a branch, also of counters that the host has.
//!
//! Cost: linear in the slices of all loops, apart from sorting them.
//!
//! Not done: the counter of an outer loop with a known number of iterations is a tensor of the
//! device. An inner loop up to this counter waits for the device before it starts.

use std::collections::{BTreeSet, HashMap, HashSet};

use tfx_dialects::tensor::{Const, Graph, If, While};
use tfx_ir::diag;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use super::stages::{self, Control, Stages, Trips};
use super::{is_constant, store_constant};
use crate::places::{is_small, is_small_and_pure};

/// Lets the host compute the conditions of loops and branches where it can. Returns the operations
/// that it computes in blocks of a device. A loop may be replaced by another one, in `control` as
/// well.
pub(super) fn replicate<'a>(
    module: Op<'a>,
    control: &mut HashMap<Op<'a>, Control>,
    explain: bool,
) -> HashSet<Op<'a>> {
    let is_decided = |op: &Op<'a>| match control.get(op) {
        Some(Control::Loop(stages)) => [Trips::Device, Trips::Ahead].contains(&stages.trips),
        Some(Control::Branch) => true,
        None => false,
    };
    let decided: Vec<Op<'a>> = module.walk().filter(is_decided).collect();
    let mut replicator = Replicator::default();
    if !decided.is_empty() {
        replicator.order = module.walk().zip(0..).collect();
    }
    // Outer loops come first: what is inside uses their counters.
    for op in decided {
        if let Some(branch) = If::cast(op) {
            if !replicator.decide(branch) && explain {
                waits(
                    op,
                    "for the device before this branch",
                    branch.condition().defining_op(),
                );
            }
            continue;
        }
        let Some(repeated) = While::cast(op) else {
            continue;
        };
        match Slice::of(repeated) {
            Ok(slice) => {
                let new = replicator.replicate(repeated, &slice);
                if explain && replicator.is_at_home(new) {
                    let message = "the host runs this loop: its tensors are small, and they decide \
                                   how often it runs";
                    diag::remark(new.location(), message).emit();
                }
                if let Some(Control::Loop(found)) = control.remove(&op) {
                    let trips = Trips::Host;
                    control.insert(new, Control::Loop(Stages { trips, ..found }));
                }
            }
            Err(device) if explain => {
                let meanwhile = match control.get(&op) {
                    Some(Control::Loop(stages)) if stages.trips == Trips::Ahead => {
                        ", while the device runs the next one"
                    }
                    _ => "",
                };
                let when = format!("for the device in each iteration of this loop{meanwhile}");
                waits(op, &when, Some(device));
            }
            Err(_) => {}
        }
    }
    // The operations whose clones the host uses instead; those of later ones first.
    for op in replicator.replaced.into_iter().rev() {
        if op.is_unused() {
            op.erase();
        }
    }
    replicator.at_home
}

/// Reports that the host waits for what a device computes.
fn waits<'a>(op: Op<'a>, when: &str, device: Option<Op<'a>>) {
    let message =
        format!("the host waits {when}: its condition depends on what the device computes");
    let mut remark = diag::remark(op.location(), message);
    if let Some(device) = device {
        remark = remark.note(device.location(), "the device computes this");
    }
    remark.emit();
}

/// The operations and tensors that a condition depends on.
struct Slice<'a> {
    condition: Block<'a>,
    body: Block<'a>,
    /// Operations of both blocks.
    ops: HashSet<Op<'a>>,
    /// The positions of the tensors that iterations pass on.
    carried: BTreeSet<usize>,
    /// The values from outside of the loop.
    outside: Vec<Value<'a>>,
}

impl<'a> Slice<'a> {
    /// Returns the slice of a loop.
    ///
    /// # Errors
    ///
    /// This operation of it is not one for the host.
    fn of(repeated: While<'a>) -> Result<Self, Op<'a>> {
        let op = repeated.op();
        let (condition, body) = stages::blocks(repeated).ok_or(op)?;
        let (end, next) = (condition.terminator(), body.terminator());
        let (end, next) = (end.ok_or(op)?, next.ok_or(op)?);
        let mut slice = Self {
            condition,
            body,
            ops: HashSet::new(),
            carried: BTreeSet::new(),
            outside: Vec::new(),
        };
        let is_inside = |block| [Some(condition), Some(body)].contains(&block);
        let mut pending = vec![(end.operand(0), op)];
        while let Some((value, user)) = pending.pop() {
            if !is_small(value) {
                return Err(value.defining_op().unwrap_or(user));
            }
            if !is_inside(value.block()) {
                slice.outside.push(value);
            } else if let Some((_, index)) = value.as_argument() {
                if slice.carried.insert(index) {
                    slice.outside.push(repeated.inits().at(index));
                    pending.push((next.operand(index), op));
                }
            } else if let Some(producer) = value.defining_op().filter(|op| !op.isa::<Const>()) {
                if !is_small_and_pure(producer) {
                    return Err(producer);
                }
                if slice.ops.insert(producer) {
                    pending.extend(producer.operands().map(|operand| (operand, producer)));
                }
            }
        }
        Ok(slice)
    }

    /// Returns the operations of a block, in their order.
    fn ops_of(&self, block: Block<'a>) -> Vec<Op<'a>> {
        block.ops().filter(|op| self.ops.contains(op)).collect()
    }

    /// Returns whether the body uses a value of the slice for anything else.
    fn has_other_uses(&self) -> bool {
        let results = self.ops_of(self.body).into_iter().flat_map(Op::results);
        let arguments = self.carried.iter().map(|index| self.body.argument(*index));
        let mut uses = results.chain(arguments).flat_map(Value::uses);
        uses.any(|found| match Some(found.owner) == self.body.terminator() {
            true => !self.carried.contains(&found.operand),
            false => !self.ops.contains(&found.owner),
        })
    }
}

#[derive(Default)]
struct Replicator<'a> {
    /// The numbers of all operations in the order of the program.
    order: HashMap<Op<'a>, usize>,
    /// Values that the host has as well, or only it.
    hosted: HashMap<Value<'a>, Value<'a>>,
    /// Operations outside of loops that the host computes, too.
    replaced: Vec<Op<'a>>,
    at_home: HashSet<Op<'a>>,
}

impl<'a> Replicator<'a> {
    /// Lets the host compute a slice, and returns the loop that does so.
    fn replicate(&mut self, repeated: While<'a>, slice: &Slice<'a>) -> Op<'a> {
        self.clone_outside(&slice.outside);
        let (ops, carried) = match slice.has_other_uses() {
            true => return self.extend(repeated, slice),
            false => (slice.ops_of(slice.body), &slice.carried),
        };
        let op = repeated.op();
        for index in carried {
            let argument = slice.body.argument(*index);
            self.hosted.insert(argument, argument);
            op.set_operand(*index, self.hosted(op.operand(*index)));
        }
        for op in &ops {
            self.use_hosted(*op);
            for result in op.results() {
                self.hosted.insert(result, result);
            }
        }
        self.at_home.extend(ops);
        self.finish(op, slice, carried.iter().copied());
        op
    }

    /// Returns whether the host runs the body of a loop.
    fn is_at_home(&self, repeated: Op<'a>) -> bool {
        let blocks = While::cast(repeated).and_then(stages::blocks);
        let mut ops = blocks.into_iter().flat_map(|(_, body)| body.ops());
        ops.all(|op| op.isa::<Const>() || op.is_terminator() || self.at_home.contains(&op))
    }

    /// Lets a branch use the host's value of its condition, and returns whether it has one.
    fn decide(&mut self, branch: If<'a>) -> bool {
        let condition = branch.condition();
        self.clone_outside(&[condition]);
        branch.op().set_operand(0, self.hosted(condition));
        self.hosted.contains_key(&condition) || is_constant(condition) || is_argument(condition)
    }

    /// Adds the tensors of a slice to those that a loop passes on, for the host.
    fn extend(&mut self, repeated: While<'a>, slice: &Slice<'a>) -> Op<'a> {
        let old = repeated.op();
        let mut inits: Vec<Value<'a>> = old.operands().collect();
        let first = inits.len();
        let carried = slice.carried.iter();
        inits.extend(carried.map(|index| self.hosted(old.operand(*index))));
        let types: Vec<_> = inits.iter().map(|init| init.ty()).collect();
        let mut builder = Builder::before(old);
        let new = While::build(&mut builder, &types, &inits);
        for (name, attribute) in old.attributes() {
            new.op().set_attribute(name, attribute);
        }
        let regions = repeated.op().regions().zip(new.op().regions());
        for (from, to) in regions.collect::<Vec<_>>() {
            to.append_blocks_of(from);
        }
        let mut mapping = Mapping::default();
        for index in &slice.carried {
            let [old, inside] = [slice.condition, slice.body].map(|block| {
                let old = block.argument(*index);
                [old, block.add_argument(old.ty(), old.location())]
            });
            old[0].replace_all_uses_with(old[1]);
            mapping.map(inside[0], inside[1]);
            self.hosted.insert(inside[0], inside[1]);
        }
        for op in slice.ops_of(slice.body) {
            for operand in op.operands() {
                if mapping.get(operand).is_none() {
                    mapping.map(operand, self.hosted(operand));
                }
            }
            let clone = Builder::after(op).clone_op(op, &mut mapping);
            for (from, to) in op.results().zip(clone.results()) {
                self.hosted.insert(from, to);
            }
            self.at_home.insert(clone);
        }
        if let Some(end) = slice.body.terminator() {
            let mut next: Vec<Value<'a>> = end.operands().collect();
            for index in &slice.carried {
                let value = next[*index];
                next.push(mapping.get(value).unwrap_or_else(|| self.hosted(value)));
            }
            end.set_operands(&next);
        }
        let results: Vec<Value<'a>> = new.op().results().take(old.num_results()).collect();
        old.replace_with(&results);
        let last = first + slice.carried.len();
        self.finish(new.op(), slice, first..last);
        new.op()
    }

    /// Lets a condition use what the host has, and stores constants at the host that become tensors
    /// of a loop at these positions.
    fn finish(&mut self, op: Op<'a>, slice: &Slice<'a>, carried: impl Iterator<Item = usize>) {
        for op in slice.ops_of(slice.condition) {
            self.use_hosted(op);
        }
        if let Some(end) = slice.condition.terminator() {
            self.use_hosted(end);
        }
        let next = slice.body.terminator();
        for index in carried {
            self.at_home.extend(store_constant(op, index));
            self.at_home
                .extend(next.and_then(|next| store_constant(next, index)));
        }
    }

    /// Returns the value of the host instead of a value, if it has one.
    fn hosted(&self, value: Value<'a>) -> Value<'a> {
        self.hosted.get(&value).copied().unwrap_or(value)
    }

    fn use_hosted(&self, op: Op<'a>) {
        for index in 0..op.num_operands() {
            op.set_operand(index, self.hosted(op.operand(index)));
        }
    }

    /// Clones the operations outside of a loop with which the host computes values of arguments,
    /// constants and what it has already.
    fn clone_outside(&mut self, values: &[Value<'a>]) {
        let mut found = HashSet::new();
        let mut ops = Vec::new();
        let mut pending = values.to_vec();
        while let Some(value) = pending.pop() {
            if let Some(op) = value.defining_op()
                && !self.hosted.contains_key(&value)
                && is_small_and_pure(op)
                && found.insert(op)
            {
                ops.push(op);
                pending.extend(op.operands());
            }
        }
        ops.sort_by_key(|op| self.order.get(op).copied());
        for op in ops {
            let is_available = |value: Value<'a>| {
                self.hosted.contains_key(&value) || is_constant(value) || is_argument(value)
            };
            if !op.operands().all(is_available) {
                continue;
            }
            let mut mapping = Mapping::default();
            for operand in op.operands() {
                mapping.map(operand, self.hosted(operand));
            }
            let clone = Builder::after(op).clone_op(op, &mut mapping);
            for (from, to) in op.results().zip(clone.results()) {
                self.hosted.insert(from, to);
            }
            self.at_home.insert(clone);
            self.replaced.push(op);
        }
    }
}

/// Returns whether a value is an argument of a graph, which is in memory of the host.
fn is_argument(value: Value<'_>) -> bool {
    let block = value.as_argument().map(|(block, _)| block);
    let parent = block.and_then(|block| block.parent());
    parent.is_some_and(|parent| parent.isa::<Graph>())
}
