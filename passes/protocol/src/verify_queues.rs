//! `tfx-verify-queues`: a proof that each queue of prefetched results lives and works alone.
//!
//! ```text
//!   %q = prefetch @next(...)     opened   ┐  on each path: closed exactly once, in the function that opens it; no next
//!   %x = next %q                 used     │  before or after; and meanwhile nothing else touches what @next touches,
//!   close %q                     closed   ┘  which it says with tfx.state
//! ```
//!
//! For each function with a queue it proves that
//!
//! * the queue is closed exactly once on each path that returns, and used only before ([`crate::queue_flow`]). A path
//!   that aborts needs no `close`: the runtime stops the thread;
//! * it does not leave the function: it is not returned, stored or given to a call;
//! * what the thread's function touches has a name, is not standard output, and is touched by nothing else while the
//!   queue is open ([`crate::queue_states`]). So the thread and the host share nothing but the queue, and the results
//!   are those of calls in place.
//!
//! The thread waits for nothing but room, which closing makes needless, and the host for nothing but the thread. The
//! function of the thread is given scalars and tensors and no program, so it has no channel with a graph of the host,
//! and its own graphs talk with it alone. So there is no circle of waits through a queue, and what
//! `tfx-verify-protocol` proves of the channels holds with queues as without.
//!
//! The pass runs before control flow is structured, where each path is one of the source. What it has proved it marks
//! with `tfx.closed`, and does not ask again: structuring may put the parts of a path under conditions that are the
//! same, which no look at paths tells from others.
//!
//! Cost: linear in the size of the functions, times the queues that are open at a time.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::func;

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use rustc_hash::FxHashSet;
use tfx_dialects::foreign::{PURE, STANDARD_OUTPUT, STATE};
use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::queue_flow::{Life, Lives, QueueFlow, is_looked_into, is_queue, is_queue_type};
use crate::queue_states::{States, Touched, callee};
use crate::reject::Reject;

/// See the module.
#[derive(Debug, Default)]
pub struct VerifyQueues;

const QUEUES: Statistic = Statistic {
    name: "queues",
    description: "Queues that were proved to be closed on each path",
};

/// The mark of a `tfx_host.prefetch` that was proved.
const CLOSED: &str = "tfx.closed";

impl Pass for VerifyQueues {
    type Options = ();
    const NAME: &'static str = "TfxVerifyQueues";
    const ARGUMENT: &'static str = "tfx-verify-queues";
    const DESCRIPTION: &'static str =
        "Prove that queues of prefetched results are closed on each path and share nothing";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[QUEUES];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let symbols = SymbolTable::new(module);
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        let functions = functions.filter(|op| op.attribute(TYPE_PARAMS).is_none());
        let functions: Vec<Op<'a>> = functions.filter(|op| has_queues(*op)).collect();
        if functions.is_empty() {
            return Ok(());
        }
        let states = States::of(&symbols);
        let mut rejects = Vec::new();
        let mut opened = Vec::new();
        for function in functions {
            let all = function.collect(host::Prefetch::NAME);
            let new = all.into_iter().filter(|op| op.attribute(CLOSED).is_none());
            let new: Vec<Op<'a>> = new.collect();
            let mut proof = Proof::new(function, &states, &new);
            proof.prove();
            rejects.append(&mut proof.rejects);
            opened.extend(new);
        }
        let mut result = Ok(());
        for reject in rejects {
            result = Err(reject.fail(false));
        }
        result?;
        cx.count(QUEUES, opened.len() as u64);
        for op in opened {
            op.set_attribute(CLOSED, Attribute::unit(op.context()));
        }
        Ok(())
    }
}

/// Whether a function has anything to do with queues.
fn has_queues(function: Op<'_>) -> bool {
    const USES: [&str; 3] = [host::Prefetch::NAME, host::Next::NAME, host::Close::NAME];
    takes_or_gives(function)
        || function
            .walk()
            .any(|op| op.dialect() == "tfx_host" && USES.contains(&op.name()))
}

/// Whether a function with a body has queues among its parameters and results.
fn takes_or_gives(function: Op<'_>) -> bool {
    let (inputs, results) = function.signature();
    !function.is_declaration() && inputs.into_iter().chain(results).any(is_queue_type)
}

/// The proof of one function.
struct Proof<'p, 'a> {
    function: Op<'a>,
    states: &'p States<'a>,
    /// The operations that open what is to be proved.
    opened: FxHashSet<Op<'a>>,
    order: &'p [Op<'a>],
    rejects: Vec<Reject<'a>>,
    /// What each of them touches.
    touched: BTreeMap<usize, BTreeSet<Touched<'a>>>,
    /// The queues about which something was said.
    said: FxHashSet<Op<'a>>,
}

impl<'p, 'a> Proof<'p, 'a> {
    fn new(function: Op<'a>, states: &'p States<'a>, order: &'p [Op<'a>]) -> Self {
        Proof {
            function,
            states,
            opened: order.iter().copied().collect(),
            order,
            rejects: Vec::new(),
            touched: BTreeMap::new(),
            said: FxHashSet::default(),
        }
    }

    fn prove(&mut self) {
        for &op in self.order {
            self.check_function(op);
        }
        if !self.stays() {
            return;
        }
        let flow = QueueFlow::of(self.function);
        flow.visit(|op, lives| self.visit(&flow, op, lives));
    }

    //===-- The function of the thread ----------------------------------------------------------------------------===//

    /// What the thread's function touches is known by name, and it does not print.
    fn check_function(&mut self, op: Op<'a>) {
        let Some(name) = callee(op) else { return };
        let touched = self.states.of_function(name);
        let witness = |touched| {
            let found = self.states.witness(name, touched);
            found.map_or(op.location(), Op::location)
        };
        if touched.contains(&Touched::Anything) {
            let at = self.states.witness(name, Touched::Anything);
            let message = format!(
                "'@{name}' runs on a thread of its own here, and nothing says what it touches"
            );
            let reject = Reject::new(op.location(), message);
            self.rejects
                .push(reject.note(witness(Touched::Anything), what_to_say(at)));
            self.said.insert(op);
        }
        let output = Touched::State(STANDARD_OUTPUT);
        if touched.contains(&output) {
            let message = format!(
                "'@{name}' prints, and runs on a thread of its own here: the order of what is printed would not be fixed"
            );
            let note = "it prints here; hand what is to be printed over as a result, and print it where it is taken";
            let reject = Reject::new(op.location(), message);
            self.rejects.push(reject.note(witness(output), note));
            self.said.insert(op);
        }
    }

    //===-- Where queues go ---------------------------------------------------------------------------------------===//

    /// Whether all queues stay in the function.
    fn stays(&mut self) -> bool {
        let before = self.rejects.len();
        if takes_or_gives(self.function) {
            let name = self.function.symbol_name().unwrap_or_default();
            let message = format!(
                "'@{name}' takes or gives a queue and stays a function: nothing proves there that the queue is closed"
            );
            let note = "open, use and close a queue in one function; a private function that is not recursive is inlined, so that it may take one";
            let at = self.function.location();
            self.rejects.push(Reject::new(at, message).note(at, note));
        }
        for op in self.function.walk().skip(1) {
            let is_known = matches!(op.name(), host::Next::NAME | host::Close::NAME)
                || is_looked_into(op)
                || op.is_terminator() && (op.num_successors() > 0 || op.dialect() == "scf");
            if !is_known && op.operands().any(is_queue) && !op.isa::<func::Return>() {
                let user = match callee(op) {
                    Some(callee) => format!("'@{callee}', which is not inlined"),
                    None => format!("'{}'", op.name()),
                };
                let message =
                    format!("a queue is given to {user}: nothing proves that it is closed there");
                let note = "open, use and close a queue in one function, without keeping it in a variable that is shared, an object or a closure";
                let reject = Reject::new(op.location(), message);
                self.rejects.push(reject.note(op.location(), note));
            }
            if op.num_regions() > 0 && !is_looked_into(op) && op.walk().skip(1).any(uses_queue) {
                let message = format!(
                    "a queue is used inside of '{}', whose control flow is not known",
                    op.name()
                );
                self.rejects.push(Reject::new(op.location(), message));
            }
        }
        self.rejects.len() == before
    }

    //===-- Paths -------------------------------------------------------------------------------------------------===//

    fn visit(&mut self, flow: &QueueFlow<'a>, op: Op<'a>, lives: &Lives<'a>) {
        match op.name() {
            host::Next::NAME | host::Close::NAME => {
                let life = flow.name(op.operand(0)).and_then(|name| lives.get(&name));
                self.used(op, life);
            }
            host::Prefetch::NAME => {
                let life = flow.name(op.result(0)).and_then(|name| lives.get(&name));
                if life.is_some_and(|life| life.is_open) {
                    let message = "this queue may still be open when control comes here again";
                    let note = "close it before the next iteration, or open it before the loop";
                    self.reject(
                        op,
                        Reject::new(op.location(), message).note(op.location(), note),
                    );
                }
                self.disturbed(op, lives);
            }
            func::Return::NAME => {
                for life in lives.values().filter(|life| life.is_open) {
                    self.left_open(op, life);
                }
            }
            _ => self.disturbed(op, lives),
        }
    }

    /// A queue that is used is open, on each path.
    fn used(&mut self, op: Op<'a>, life: Option<&Life<'a>>) {
        let what = match op.isa::<host::Next>() {
            true => "taken from",
            false => "closed",
        };
        let none = Life::default();
        let life = life.unwrap_or(&none);
        let Some((_, &opened)) = life.opened.first_key_value() else {
            let message = format!("this queue is {what}, and was never opened");
            self.rejects.push(Reject::new(op.location(), message));
            return;
        };
        let (message, other, note) = match (
            life.closed.values().next(),
            life.forwarded.values().next(),
        ) {
            (Some(&close), _) if life.is_open => (
                format!("this queue is {what}, and may have been closed before"),
                close,
                "it is closed here, on a path that leads there",
            ),
            (Some(&close), _) => (
                format!("this queue is {what}, and was closed before"),
                close,
                "it is closed here",
            ),
            (_, Some(&by)) => (
                format!("this queue is {what} by a name that it does not have any more"),
                by,
                "it is forwarded here; use the block argument or the result that it is from here on",
            ),
            _ => return,
        };
        let reject = Reject::new(op.location(), message).note(other.location(), note);
        self.reject(opened, reject.note(opened.location(), "it is opened here"));
    }

    fn left_open(&mut self, end: Op<'a>, life: &Life<'a>) {
        let Some((_, &opened)) = life.opened.first_key_value() else {
            return;
        };
        let message = match life.closed.is_empty() {
            true => "this queue is not closed on each path",
            false => "this queue is closed on some paths only",
        };
        let note = "it may be open when control returns here; write tfx_host.close before";
        let reject = Reject::new(opened.location(), message).note(end.location(), note);
        self.reject(opened, reject);
    }

    /// Nothing touches what the thread of an open queue touches.
    fn disturbed(&mut self, op: Op<'a>, lives: &Lives<'a>) {
        let open = lives.values().filter(|life| life.is_open);
        let open: BTreeMap<usize, Op<'a>> = open.flat_map(|life| life.opened.clone()).collect();
        if open.is_empty() {
            return;
        }
        let by_op = self.states.of_op(op);
        if by_op.is_empty() {
            return;
        }
        for (number, opened) in open {
            let states = self.states;
            let of_queue = self
                .touched
                .entry(number)
                .or_insert_with(|| states.of_function(callee(opened).unwrap_or_default()));
            let shared = by_op.iter().find(|touched| {
                **touched == Touched::Anything && !of_queue.is_empty() || of_queue.contains(touched)
            });
            if let Some(&shared) = shared {
                self.reject_shared(opened, op, shared);
            }
        }
    }

    fn reject_shared(&mut self, opened: Op<'a>, op: Op<'a>, shared: Touched<'a>) {
        let name = callee(opened).unwrap_or_default();
        let reject = match shared {
            Touched::State(state) => {
                let message = format!(
                    "'@{name}' runs on a thread of its own while this queue is open, and other code touches its state \"{state}\" meanwhile"
                );
                let note = "here; do it before the queue is opened or after it is closed, or name different states with tfx.state";
                Reject::new(opened.location(), message).note(op.location(), note)
            }
            Touched::Anything => {
                let message = format!(
                    "'@{name}' runs on a thread of its own while this queue is open, and other code may touch its state meanwhile"
                );
                let at = match callee(op) {
                    Some(callee) => self.states.witness(callee, shared),
                    None => Some(op),
                };
                let reject = Reject::new(opened.location(), message);
                let reject = reject.note(op.location(), "here, where nothing says what is touched");
                let place = at.map_or(op.location(), Op::location);
                reject.note(place, what_to_say(at))
            }
        };
        self.reject(opened, reject);
    }

    /// Says one thing about each queue that is to be proved.
    fn reject(&mut self, opened: Op<'a>, reject: Reject<'a>) {
        if self.opened.contains(&opened) && self.said.insert(opened) {
            self.rejects.push(reject);
        }
    }
}

fn uses_queue(op: Op<'_>) -> bool {
    op.operands()
        .chain(op.results())
        .any(|value: Value<'_>| is_queue(value))
}

/// How to say what code touches that does not say it.
fn what_to_say(at: Option<Op<'_>>) -> String {
    match at {
        Some(function) if function.isa::<func::Func>() => format!(
            "name the state of foreign function '@{}' with {STATE}, or mark it {PURE} if it has none",
            function.symbol_name().unwrap_or_default()
        ),
        _ => "only the run knows what is called here; call a function by its name".to_owned(),
    }
}
