//! Order stalls: the accelerator waits for the host although no value makes a round trip.
//!
//! ```text
//!   graph                    host
//!   recv batch  ◄─────────── send batch            the host receives loss i before it may log it, it logs loss i
//!   loss = ...               │                     before it may load batch i + 1, and the accelerator has nothing
//!   send loss ──────► recv loss                    to do until that batch arrives
//!   (stalls)                 log(loss)
//!   recv batch  ◄─────────── batch = load()
//! ```
//!
//! A stall is a receive in a loop, an effect that uses what was received, and a send behind it, in the same
//! iteration or in the next. The effects of a host function run in program order, so the send waits for the
//! effect, and the effect for the value.
//!
//! What is no stall:
//! * a send or a receive that is part of a round trip, which is reported as such, or that is marked;
//! * a value that no effect uses;
//! * a value that the graph sends one iteration after it computed it: the accelerator has the work of an
//!   iteration left when the host waits for it. That is what `tfx-delay-effects` makes;
//! * a send that the graph needs in the next iteration only, because the program loads one batch ahead;
//! * a receive after an inner loop of sends: it is rare compared with them.
//!
//! A receive in a branch that the send does not depend on stalls some iterations only, and is no more than a
//! remark. Cost: linear, times the nesting.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::tensor;
use tfx_ir::ops::scf;
use tfx_ir::{Op, Value};

use crate::copy_analysis::is_meant;
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::program::{Program, is_loop, loops_around};

/// An order stall. See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall<'a> {
    /// The host's receive.
    pub(crate) receive: Op<'a>,
    /// The first effect that uses what it receives.
    pub(crate) effect: Op<'a>,
    /// The first send behind the effect.
    pub(crate) send: Op<'a>,
    /// The innermost loop around both that sends.
    pub(crate) around: Op<'a>,
    /// The send is one of the next iteration.
    pub(crate) wraps: bool,
    /// Not every send waits, because the receive is in a branch.
    pub(crate) conditional: bool,
}

/// The order stalls of a program, by receive, in program order.
pub(crate) fn stalls<'a>(
    program: &Program<'a>,
    flow: &Flow<'a>,
    foreign: &Foreign<'a>,
) -> Vec<Stall<'a>> {
    let sends = || program.sends.iter().copied().filter(|op| !is_meant(*op));
    let leaving = flow.leaves_for(sends());
    let receives = program.receives.iter().copied();
    let receives: Vec<_> = receives
        .filter(|op| !is_meant(*op) && !leaving.contains(op))
        .filter(|op| is_computed_when_sent(program, *op))
        .collect();
    let one_way = sends().filter(|send| flow.trip_to(*send).is_none());
    let one_way = one_way.filter(|send| is_needed_at_once(program, *send));
    let sends = Sends::of(one_way);
    if receives.is_empty() || sends.by_loop.is_empty() {
        return Vec::new();
    }
    let finder = Finder {
        order: program.host.walk().zip(0..).collect(),
        effects: first_effects(program.host, foreign),
        sends,
    };
    let found = receives
        .into_iter()
        .filter_map(|receive| finder.stall_of(receive));
    found.collect()
}

/// The transfers that wait for each other: nothing of them runs ahead.
pub(crate) fn waiting<'a>(program: &Program<'a>, stalls: &[Stall<'a>]) -> FxHashSet<Op<'a>> {
    let loops: FxHashSet<Op<'a>> = stalls.iter().map(|stall| stall.around).collect();
    let in_loops = |send: &Op<'a>| {
        let around = loops_around(*send).next();
        around.is_some_and(|around| loops.contains(&around))
    };
    let sends = program.sends.iter().copied().filter(in_loops);
    sends
        .chain(stalls.iter().map(|stall| stall.receive))
        .collect()
}

/// Whether the graph computes what the host receives in the iteration in which it sends it.
fn is_computed_when_sent(program: &Program<'_>, receive: Op<'_>) -> bool {
    let channel = receive.integer("channel");
    let Some(&send) = channel.and_then(|channel| program.graph_sends.get(&channel)) else {
        return false;
    };
    let mut value = send.operand(0);
    while let Some(op) = value.defining_op()
        && matches!(op.name(), tensor::FromScalar::NAME | tensor::ToScalar::NAME)
    {
        value = op.operand(0);
    }
    let computes = |op: Op<'_>| {
        let around = loops_around(send).next();
        around.is_none_or(|around| op.is_within(around))
    };
    value.defining_op().is_some_and(computes)
}

/// Whether the graph uses what the host sends in the iteration in which it receives it.
fn is_needed_at_once(program: &Program<'_>, send: Op<'_>) -> bool {
    let channel = send.integer("channel");
    let Some(receive) = channel.and_then(|channel| program.graph_receives.get(&channel)) else {
        return false;
    };
    let is_carried = |user: Op<'_>| user.isa::<scf::Yield>() && user.parent().is_some_and(is_loop);
    let mut uses = receive.result(0).uses();
    uses.any(|used| !is_carried(used.owner))
}

/// The sends of each loop that is the innermost around them, in program order.
struct Sends<'a> {
    by_loop: FxHashMap<Op<'a>, Vec<Op<'a>>>,
}

impl<'a> Sends<'a> {
    fn of(sends: impl Iterator<Item = Op<'a>>) -> Self {
        let mut by_loop: FxHashMap<Op<'a>, Vec<Op<'a>>> = FxHashMap::default();
        for send in sends {
            if let Some(around) = loops_around(send).next() {
                by_loop.entry(around).or_default().push(send);
            }
        }
        Sends { by_loop }
    }
}

struct Finder<'a> {
    /// The position of each operation in program order.
    order: FxHashMap<Op<'a>, usize>,
    effects: FxHashMap<Value<'a>, Op<'a>>,
    sends: Sends<'a>,
}

impl<'a> Finder<'a> {
    fn stall_of(&self, receive: Op<'a>) -> Option<Stall<'a>> {
        let effect = *self.effects.get(&receive.result(0))?;
        let (around, sends) = loops_around(receive)
            .find_map(|around| Some((around, self.sends.by_loop.get(&around)?)))?;
        if !effect.is_within(around) {
            return None;
        }
        let branch = branch_around(receive, around);
        let every = self.inside(sends, branch);
        let (sends, conditional) = match every.is_empty() {
            true => (&sends[..], true),
            false => (every, false),
        };
        let behind = sends.partition_point(|send| self.order[send] < self.order[&effect]);
        Some(Stall {
            receive,
            effect,
            send: *sends.get(behind).or(sends.first())?,
            around,
            wraps: behind == sends.len(),
            conditional,
        })
    }

    /// Those of `sends` that are in the arm of a branch that an operation is in; all, without a branch.
    fn inside<'s>(&self, sends: &'s [Op<'a>], first_of_arm: Option<Op<'a>>) -> &'s [Op<'a>] {
        let Some(first) = first_of_arm else {
            return sends;
        };
        let last = first.block().and_then(|block| block.last());
        let end = last.map_or(0, |last| self.order[&last]);
        let from = sends.partition_point(|send| self.order[send] < self.order[&first]);
        let to = sends.partition_point(|send| self.order[send] < end);
        &sends[from..to.max(from)]
    }
}

/// The first operation of the innermost arm of a branch around `op`, inside of a loop.
fn branch_around<'a>(op: Op<'a>, around: Op<'a>) -> Option<Op<'a>> {
    let mut at = op;
    loop {
        let owner = at.parent().filter(|owner| *owner != around)?;
        if !is_loop(owner) {
            return at.block()?.first();
        }
        at = owner;
    }
}

/// For each value of a function that an effect uses, in its own iteration, the first such effect.
///
/// Operations are visited from the last to the first, so what uses a value was visited before what makes it.
fn first_effects<'a>(func: Op<'a>, foreign: &Foreign<'a>) -> FxHashMap<Value<'a>, Op<'a>> {
    let mut effects: FxHashMap<Value<'a>, Op<'a>> = FxHashMap::default();
    // The first effect inside of an operation with regions.
    let mut inside: FxHashMap<Op<'a>, Op<'a>> = FxHashMap::default();
    let order: Vec<Op<'a>> = func.walk().skip(1).collect();
    for &op in order.iter().rev() {
        let own = is_effect(op, foreign).then_some(op);
        let own = own.or_else(|| inside.get(&op).copied());
        if let (Some(effect), Some(owner)) = (own, op.parent()) {
            inside.insert(owner, effect);
        }
        match op.name() {
            scf::Yield::NAME if op.parent().is_some_and(|owner| !is_loop(owner)) => {
                let results = op.parent().into_iter().flat_map(Op::results);
                for (operand, result) in op.operands().zip(results) {
                    if let Some(&effect) = effects.get(&result) {
                        effects.insert(operand, effect);
                    }
                }
            }
            _ => {
                let through = || {
                    op.results()
                        .find_map(|result| effects.get(&result).copied())
                };
                if let Some(effect) = own.or_else(through) {
                    op.operands().for_each(|operand| {
                        effects.insert(operand, effect);
                    });
                }
            }
        }
    }
    effects
}

/// Whether `op` itself does something that the host's order holds for.
fn is_effect<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> bool {
    if op.num_regions() > 0 || op.is_terminator() || op.dialect() == "tfx_comm" {
        return false;
    }
    if foreign.called_by(op).is_some_and(|known| known.pure) {
        return false;
    }
    let effects = op.effects();
    effects.write || effects.unknown
}
