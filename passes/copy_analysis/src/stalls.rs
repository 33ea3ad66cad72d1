//! Order stalls: the accelerator waits for the host although no value makes a round trip.
//!
//! ```text
//!   graph                    host
//!   recv batch  ◄─────────── send batch            the host receives loss i before it logs it, and it
//!   loss = ...               │                     logs loss i before it loads batch i + 1; until
//!   send loss ──────► recv loss                    that batch arrives, the accelerator is idle
//!   (stalls)                 log(loss)
//!   recv batch  ◄─────────── batch = load()
//! ```
//!
//! An order stall is a receive in a loop, an effect that uses the received value, and a later send,
//! in the same iteration or in the next. The effects of a host function run in program order, so
//! the send waits for the effect, and the effect waits for the value.
//!
//! Not an order stall:
//! * a send or a receive that is part of a round trip, or that is intentional;
//! * a value that no effect uses;
//! * a value that the graph sends one iteration after it computed it: the accelerator still has the
//!   work of an iteration when the host waits. `tfx-delay-effects` produces this form;
//! * a send that the graph needs only in the next iteration, because the program loads one batch
//!   ahead;
//! * a receive after an inner loop of sends, which is rare compared with them.
//!
//! A receive in a branch that does not contain the send stalls some iterations only, and is a
//! remark. Cost: linear, times the nesting depth.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::comm::{self, CommOp};
use tfx_ir::ops::scf;
use tfx_ir::{Op, Value};

use crate::dependences::is_conversion;
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::program::{Program, is_loop, loops_around};

/// An order stall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall<'a> {
    /// The host's receive.
    pub(crate) receive: comm::Recv<'a>,
    /// The first effect that uses the received value.
    pub(crate) effect: Op<'a>,
    /// The first send after the effect.
    pub(crate) send: comm::Send<'a>,
    /// The innermost loop around both that sends.
    pub(crate) around: Op<'a>,
    /// The send belongs to the next iteration.
    pub(crate) wraps: bool,
    /// Some sends do not wait, because the receive is in a branch.
    pub(crate) conditional: bool,
}

/// Returns the order stalls of a program, by receive, in program order.
pub(crate) fn stalls<'a>(
    program: &Program<'a>,
    flow: &Flow<'a>,
    foreign: &Foreign<'a>,
) -> Vec<Stall<'a>> {
    let sources = flow.sources_of(program.reported_sends());
    let receives: Vec<_> = program
        .reported_receives()
        .filter(|receive| !sources.contains(&receive.op()))
        .filter(|receive| is_computed_when_sent(program, *receive))
        .collect();
    let mut sends: FxHashMap<Op<'a>, Vec<comm::Send<'a>>> = FxHashMap::default();
    for send in program.reported_sends() {
        if flow.round_trip(send).is_none()
            && is_needed_at_once(program, send)
            && let Some(around) = loops_around(send.op()).next()
        {
            sends.entry(around).or_default().push(send);
        }
    }
    if receives.is_empty() || sends.is_empty() {
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

/// Returns the transfers that wait for each other in order stalls, so that neither side runs ahead.
pub(crate) fn waiting<'a>(program: &Program<'a>, stalls: &[Stall<'a>]) -> FxHashSet<Op<'a>> {
    let loops: FxHashSet<Op<'a>> = stalls.iter().map(|stall| stall.around).collect();
    let in_loops = |send: &Op<'a>| {
        let around = loops_around(*send).next();
        around.is_some_and(|around| loops.contains(&around))
    };
    let sends = program.sends.iter().map(|send| send.op()).filter(in_loops);
    sends
        .chain(stalls.iter().map(|stall| stall.receive.op()))
        .collect()
}

/// Returns whether the graph computes the received value in the iteration in which it sends it.
fn is_computed_when_sent(program: &Program<'_>, receive: comm::Recv<'_>) -> bool {
    let Some(&send) = program.graph_sends.get(&receive.channel()) else {
        return false;
    };
    let mut value = send.value();
    while let Some(op) = value.defining_op().filter(|op| is_conversion(*op)) {
        value = op.operand(0);
    }
    let computes = |op: Op<'_>| {
        let around = loops_around(send.op()).next();
        around.is_none_or(|around| op.is_within(around))
    };
    value.defining_op().is_some_and(computes)
}

/// Returns whether the graph uses the sent value in the iteration in which it receives it.
fn is_needed_at_once(program: &Program<'_>, send: comm::Send<'_>) -> bool {
    let Some(receive) = program.graph_receives.get(&send.channel()) else {
        return false;
    };
    let is_carried = |user: Op<'_>| user.isa::<scf::Yield>() && user.parent().is_some_and(is_loop);
    let mut uses = receive.value().uses();
    uses.any(|used| !is_carried(used.owner))
}

struct Finder<'a> {
    /// The position of each operation in program order.
    order: FxHashMap<Op<'a>, usize>,
    effects: FxHashMap<Value<'a>, Op<'a>>,
    /// The sends of each loop that is the innermost around them, in program order.
    sends: FxHashMap<Op<'a>, Vec<comm::Send<'a>>>,
}

impl<'a> Finder<'a> {
    fn stall_of(&self, receive: comm::Recv<'a>) -> Option<Stall<'a>> {
        let effect = *self.effects.get(&receive.value())?;
        let (around, sends) = loops_around(receive.op())
            .find_map(|around| Some((around, self.sends.get(&around)?)))?;
        if !effect.is_within(around) {
            return None;
        }
        let branch = branch_around(receive.op(), around);
        let every = self.inside(sends, branch);
        let (sends, conditional) = match every.is_empty() {
            true => (&sends[..], true),
            false => (every, false),
        };
        let next = sends.partition_point(|send| self.order[&send.op()] < self.order[&effect]);
        Some(Stall {
            receive,
            effect,
            send: *sends.get(next).or(sends.first())?,
            around,
            wraps: next == sends.len(),
            conditional,
        })
    }

    /// Returns the sends in the region of a branch that starts with `first`; without a branch, all.
    fn inside<'s>(
        &self,
        sends: &'s [comm::Send<'a>],
        first: Option<Op<'a>>,
    ) -> &'s [comm::Send<'a>] {
        let Some(first) = first else {
            return sends;
        };
        let last = first.block().and_then(|block| block.last());
        let end = last.map_or(0, |last| self.order[&last]);
        let before = |limit: usize| sends.partition_point(|send| self.order[&send.op()] < limit);
        let (from, to) = (before(self.order[&first]), before(end));
        &sends[from..to.max(from)]
    }
}

/// Returns the first operation of the innermost region of a branch around `op`, inside of a loop.
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

/// Returns, for each value that an effect uses in its own iteration, the first such effect.
///
/// The operations are visited backwards, so the users of a value come before its definition.
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
        let of_result =
            |effects: &FxHashMap<_, _>, result: Value<'a>| effects.get(&result).copied();
        if op.isa::<scf::Yield>()
            && let Some(branch) = op.parent().filter(|owner| !is_loop(*owner))
        {
            for (operand, result) in op.operands().zip(branch.results()) {
                if let Some(effect) = of_result(&effects, result) {
                    effects.insert(operand, effect);
                }
            }
        } else if let Some(effect) =
            own.or_else(|| op.results().find_map(|result| of_result(&effects, result)))
        {
            effects.extend(op.operands().map(|operand| (operand, effect)));
        }
    }
    effects
}

/// Returns whether `op` itself has an effect that the host must keep in program order.
fn is_effect<'a>(op: Op<'a>, foreign: &Foreign<'a>) -> bool {
    let is_structure = op.num_regions() > 0 || op.is_terminator() || CommOp::cast(op).is_some();
    if is_structure || foreign.is_pure_call(op) {
        return false;
    }
    let effects = op.effects();
    effects.write || effects.unknown
}
