//! Erases code that only computed attributes needed.
//!
//! ```text
//!   cf.br ^header(%zero, %one)                              cf.br ^exit
//!   ^header(%i, %n): ...            n = n * 2
//!     cf.cond_br %go, ^body, ^exit                  ──►
//!   ^exit: "Op"(...) computed(x = %n)                       ^exit: "Op"(...) {x = 8}
//! ```
//!
//! An operation is erased if it is unused and has no effects; a call, if it has no effects and
//! terminated during evaluation; a block argument, if only itself depends on it; a loop, if it
//! terminated, has no effects, and no value of it is used outside. A branch that always takes one
//! path, where an operation on another path is never reached, is folded.
//!
//! Cost: each value is visited when it loses a use; a cycle of arguments is followed up to a fixed
//! size.

use std::collections::{HashMap, HashSet};
use tfx_dialects::host::{self, HostOp};
use tfx_ir::ops::func;

use tfx_ir::{Block, Builder, Definition, Op, Region, Value};

use super::code::deciders;
use super::demand::{Demand, Ran};
use super::machine::Machine;
use crate::cfg::unreachable_blocks;

/// The largest number of values that depend on an iteration argument which is erased: visiting more
/// for each attribute would not be linear.
const MAX_CYCLE: usize = 64;

/// The actions once all attributes are known.
#[derive(Default)]
pub(super) struct Sweep<'a> {
    pending: Vec<Value<'a>>,
    /// Those of `pending` that still exist.
    alive: HashSet<Value<'a>>,
    /// Branches with the successor that they always take, in the order of discovery.
    jumps: Vec<(Op<'a>, usize)>,
    harmless: HashMap<Op<'a>, bool>,
}

impl<'a> Sweep<'a> {
    /// Records values that have lost a use.
    pub(super) fn unused(&mut self, values: impl IntoIterator<Item = Value<'a>>) {
        for value in values {
            self.alive.insert(value);
            self.pending.push(value);
        }
    }

    /// Records a branch that always takes this successor, while an operation on another one must be
    /// removed.
    pub(super) fn jump(&mut self, branch: Op<'a>, successor: usize) {
        if !self.jumps.contains(&(branch, successor)) {
            self.jumps.push((branch, successor));
        }
    }

    /// Returns whether control flow has changed.
    pub(super) fn run(&mut self, demand: &mut Demand<'a>) -> bool {
        self.erase_values(demand);
        let mut regions = Vec::new();
        for ran in demand.loops_that_ran() {
            if self.leave_out(&ran, demand) {
                regions.extend(ran.blocks[0].region());
            }
        }
        for (branch, successor) in std::mem::take(&mut self.jumps) {
            regions.extend(branch.parent_region());
            self.make_jump(branch, successor);
        }
        let mut done = HashSet::new();
        for &region in &regions {
            if done.insert(region) {
                self.erase_unreachable(region);
            }
        }
        self.erase_values(demand);
        !regions.is_empty()
    }
}

/// Values.
impl<'a> Sweep<'a> {
    fn erase_values(&mut self, demand: &mut Demand<'a>) {
        while let Some(value) = self.pending.pop() {
            if !self.alive.remove(&value) {
                continue;
            }
            match value.definition() {
                Definition::Result(op, _) => {
                    if op.is_unused() && self.is_removable(op, demand) {
                        self.erase(op);
                    }
                }
                Definition::Argument(block, _) if !block.is_entry() => {
                    if let Some(cycle) = cycle(value) {
                        self.erase_cycle(&cycle);
                    }
                }
                Definition::Argument(..) => {}
            }
        }
    }

    fn erase(&mut self, op: Op<'a>) {
        let operands: Vec<_> = op.operands().collect();
        for result in op.results() {
            self.alive.remove(&result);
        }
        op.erase();
        self.unused(operands);
    }

    /// Returns whether an unused operation can be erased.
    fn is_removable(&mut self, op: Op<'a>, demand: &mut Demand<'a>) -> bool {
        if op.is_trivially_dead() {
            return true;
        }
        if let Some(get) = host::ArrayGet::cast(op) {
            return demand.is_constant(get.element(), op);
        }
        op.isa::<func::Call>()
            && demand.has_run(op)
            && demand
                .machine
                .symbols
                .resolve(op, "callee")
                .is_some_and(|callee| self.is_harmless(callee, &demand.machine))
    }

    /// Returns whether a function and its callees only compute. Operations that may trap have been
    /// executed.
    fn is_harmless(&mut self, function: Op<'a>, machine: &Machine<'a>) -> bool {
        if let Some(known) = self.harmless.get(&function) {
            return *known;
        }
        let mut seen = HashSet::from([function]);
        let mut pending = vec![function];
        let mut harmless = true;
        while let Some(function) = pending.pop() {
            harmless &= function.isa::<func::Func>() && !function.is_declaration();
            let inside = function
                .regions()
                .flat_map(Region::blocks)
                .flat_map(Block::ops);
            for op in inside {
                if op.isa::<func::Call>() {
                    match machine.symbols.resolve(op, "callee") {
                        Some(callee) if seen.insert(callee) => pending.push(callee),
                        Some(_) => {}
                        None => harmless = false,
                    }
                } else {
                    harmless &= op.is_terminator() || only_computes(op);
                }
            }
        }
        self.harmless.insert(function, harmless);
        harmless
    }

    fn erase_cycle(&mut self, cycle: &[Value<'a>]) {
        let inside: HashSet<_> = cycle.iter().copied().collect();
        let mut arguments: Vec<_> = cycle
            .iter()
            .filter_map(|value| value.as_argument())
            .collect();
        // The last argument of a block first, so that the indices of the others stay valid.
        arguments.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        let mut lost = Vec::new();
        let mut numbers: HashMap<_, Vec<_>> = HashMap::new();
        for &(block, number) in &arguments {
            numbers.entry(block).or_default().push(number);
        }
        for (block, _) in &arguments {
            if let Some(numbers) = numbers.remove(block) {
                lost.extend(block.erase_forwarded(&numbers));
            }
        }
        let mut seen = HashSet::new();
        let ops = cycle.iter().filter_map(|value| value.defining_op());
        let ops: Vec<Op<'a>> = ops.filter(|op| seen.insert(*op)).collect();
        for op in &ops {
            lost.extend(op.operands());
            op.drop_all_references();
        }
        for value in cycle {
            self.alive.remove(value);
        }
        ops.into_iter().for_each(Op::erase);
        for (block, number) in arguments {
            block.erase_argument(number);
        }
        self.unused(lost.into_iter().filter(|value| !inside.contains(value)));
    }
}

/// Returns a value and all values that depend on it, if it has no other use: block arguments, and
/// results of operations without effects.
fn cycle<'a>(first: Value<'a>) -> Option<Vec<Value<'a>>> {
    let mut cycle = vec![first];
    let mut seen = HashSet::from([first]);
    let mut next = 0;
    while next < cycle.len() {
        let value = cycle[next];
        next += 1;
        for user in value.uses().map(|found| found.owner) {
            let made: Vec<_> = if user.is_terminator() {
                forwarded_to(user, value)?
            } else if user.would_be_trivially_dead() && user.num_regions() == 0 {
                user.results().collect()
            } else {
                return None;
            };
            cycle.extend(made.into_iter().filter(|made| seen.insert(*made)));
        }
        if cycle.len() > MAX_CYCLE {
            return None;
        }
    }
    let can_go = |value: &Value<'a>| {
        value.as_argument().is_none_or(|(block, number)| {
            !block.is_entry()
                && block.incoming().into_iter().all(|(branch, successor)| {
                    let forwarded = branch.successor_operands(successor);
                    forwarded.is_some_and(|forwarded| forwarded.value(number).is_some())
                })
        })
    };
    cycle.iter().all(can_go).then_some(cycle)
}

/// Returns the block arguments to which a terminator forwards a value; `None` if it has another use
/// there.
fn forwarded_to<'a>(terminator: Op<'a>, value: Value<'a>) -> Option<Vec<Value<'a>>> {
    if deciders(terminator).contains(&value) {
        return None;
    }
    let mut arguments = Vec::new();
    for (number, successor) in terminator.successors().enumerate() {
        let forwarded = terminator.successor_operands(number)?;
        for (position, other) in forwarded.values().into_iter().enumerate() {
            if other == value {
                arguments.push(successor.argument(forwarded.produced() + position));
            }
        }
    }
    Some(arguments)
}

/// Returns whether an operation has no observable behaviour, if its possible traps do not happen.
fn only_computes(op: Op<'_>) -> bool {
    match HostOp::cast(op) {
        Some(HostOp::ArrayGet(_) | HostOp::Assert(_) | HostOp::Var(_)) => true,
        Some(HostOp::Store(store)) => {
            let mut reference = store.reference().defining_op();
            while let Some(part) = reference.and_then(host::FieldRef::cast) {
                reference = part.reference().defining_op();
            }
            reference.is_some_and(|op| op.isa::<host::Var>())
        }
        _ => op.num_regions() == 0 && op.would_be_trivially_dead(),
    }
}

/// Blocks.
impl<'a> Sweep<'a> {
    /// Branches from before a loop to its exit, if it only computes unneeded values.
    fn leave_out(&mut self, ran: &Ran<'a>, demand: &mut Demand<'a>) -> bool {
        let inside: HashSet<_> = ran.blocks.iter().copied().collect();
        let is_inside =
            |value: Value<'a>| value.block().is_some_and(|block| inside.contains(&block));
        let (branch, successor) = ran.exit;
        let Some(forwarded) = branch.successor_operands(successor) else {
            return false;
        };
        let values = forwarded.values();
        if forwarded.produced() > 0 || values.iter().any(|value| is_inside(*value)) {
            return false;
        }
        for block in &ran.blocks {
            for op in block.ops() {
                let stays = |result: Value<'a>| {
                    let mut users = result.uses().map(|found| found.owner.block());
                    users.any(|user| user.is_none_or(|user| !inside.contains(&user)))
                };
                let computes = match op.name() {
                    func::Call::NAME => {
                        let callee = demand.machine.symbols.resolve(op, "callee");
                        ran.whole
                            && ran.run.contains(&op)
                            && callee
                                .is_some_and(|callee| self.is_harmless(callee, &demand.machine))
                    }
                    host::ArrayGet::NAME => ran.whole,
                    _ => {
                        op.is_terminator() || op.num_regions() == 0 && op.would_be_trivially_dead()
                    }
                };
                if !computes || op.results().any(stays) {
                    return false;
                }
            }
            let used_outside = |argument: Value<'a>| {
                let mut users = argument.uses().map(|found| found.owner.block());
                users.any(|user| user.is_none_or(|user| !inside.contains(&user)))
            };
            if block.arguments().any(used_outside) {
                return false;
            }
        }
        let incoming: Vec<_> = ran
            .blocks
            .iter()
            .flat_map(|block| block.incoming())
            .filter(|(branch, _)| branch.block().is_none_or(|block| !inside.contains(&block)))
            .collect();
        let [(entering, number)] = incoming[..] else {
            return false;
        };
        let Some(before) = entering.successor_operands(number) else {
            return false;
        };
        if before.produced() > 0 {
            return false;
        }
        self.unused(before.values());
        for position in (0..before.values().len()).rev() {
            entering
                .successor_operands(number)
                .expect("it is still a branch")
                .erase(position);
        }
        entering.set_successor(number, branch.successor(successor));
        entering
            .successor_operands(number)
            .expect("it is still a branch")
            .append(&values);
        true
    }

    fn make_jump(&mut self, branch: Op<'a>, successor: usize) {
        let operands = branch.successor_operands(successor);
        let values = operands.map_or(Vec::new(), |operands| operands.values());
        self.unused(branch.operands());
        Builder::before(branch).br(branch.successor(successor), &values);
        branch.erase();
    }

    fn erase_unreachable(&mut self, region: Region<'a>) {
        let dead = unreachable_blocks(region);
        let mut operands = Vec::new();
        for op in dead.iter().flat_map(|block| block.ops()).flat_map(Op::walk) {
            operands.extend(op.operands());
        }
        self.unused(operands);
        for block in &dead {
            let results = block.ops().flat_map(Op::walk).flat_map(|op| op.results());
            for value in block.arguments().chain(results) {
                self.alive.remove(&value);
            }
        }
        Block::erase_all(&dead);
    }
}
