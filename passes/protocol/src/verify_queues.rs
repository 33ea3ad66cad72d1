//! `tfx-verify-queues`: proves that each queue of prefetched results is closed, and that its thread
//! shares no state with other code.
//!
//! ```text
//!   %q = prefetch @next(...)     opened   ┐  on each path: closed exactly once, in the same function;
//!   %x = next %q                 used     │  used only while it is open; meanwhile no other code
//!   close %q                     closed   ┘  accesses the states of @next, which tfx.state names
//! ```
//!
//! For each function with a queue, the pass proves:
//!
//! * The queue is closed exactly once on each path that returns, and used only before
//!   ([`crate::queue_flow`]). A path that aborts needs no `close`: the runtime stops the thread.
//! * The queue stays in the function: it is not returned, stored or passed to a call.
//! * The states that the thread's function accesses are named and are not standard output, and no
//!   other code accesses them while the queue is open ([`crate::accesses`]). The thread and the
//!   host thus share only the queue, and the results are those of direct calls.
//!
//! The thread waits only for a free slot in the queue, which closing makes unnecessary, and the
//! host only for the thread. The arguments of the thread's function are scalars and tensors, not
//! programs, so it has no channel to a graph of the host, and only it communicates with its own
//! graphs. No cycle of waiting processes can therefore include a queue, and the proofs of
//! `tfx-verify-protocol` hold with and without queues.
//!
//! The pass runs before control flow is structured, when each path is a path of the source. It
//! marks the queues that it has verified with `tfx.closed` and does not verify them again:
//! structuring may put the parts of a path under separate equal conditions, which a path-based
//! analysis cannot relate.
//!
//! Cost: linear in the size of the functions, times the queues that are open at a time.

use std::collections::{BTreeMap, BTreeSet};

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use rustc_hash::FxHashSet;
use tfx_dialects::foreign::{PURE, STANDARD_OUTPUT, STATE};
use tfx_dialects::host;
use tfx_dialects::types::is_generic;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::{func, scf};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;

use crate::accesses::{Access, Accesses, callee};
use crate::queue_flow::{
    QueueFlow, QueueState, QueueStates, has_known_control_flow, is_queue, is_queue_type,
};

/// The pass `tfx-verify-queues`.
#[derive(Debug, Default)]
pub struct VerifyQueues;

const QUEUES: Statistic = Statistic::new(
    "queues",
    "Queues that were proved to be closed on each path",
);

/// The mark of a verified `tfx_host.prefetch`.
const CLOSED: &str = "tfx.closed";

impl Pass for VerifyQueues {
    type Options = ();
    const NAME: &'static str = "TfxVerifyQueues";
    const ARGUMENT: &'static str = "tfx-verify-queues";
    const DESCRIPTION: &'static str =
        "Verify that queues of prefetched results are closed on each path and share no state";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[QUEUES];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        let symbols = SymbolTable::new(module);
        let functions = symbols.ops().filter_map(func::Func::cast);
        let functions = functions.filter(|op| !is_generic(op.op()));
        let functions: Vec<func::Func<'a>> = functions.filter(|op| has_queues(*op)).collect();
        if functions.is_empty() {
            return Ok(());
        }
        let accesses = Accesses::of(&symbols);
        let mut errors = Diagnostics::default();
        let mut verified = Vec::new();
        for function in functions {
            let queues = function.walk().filter_map(host::Prefetch::cast);
            let queues = queues.filter(|op| op.attribute(CLOSED).is_none());
            let queues: Vec<host::Prefetch<'a>> = queues.collect();
            let mut verifier = Verifier::new(function, &accesses, &queues);
            verifier.verify();
            errors.extend(verifier.errors);
            verified.extend(queues);
        }
        errors.finish()?;
        cx.count(QUEUES, verified.len() as u64);
        for op in verified {
            op.set_attribute(CLOSED, Attribute::unit(op.context()));
        }
        Ok(())
    }
}

fn has_queues(function: func::Func<'_>) -> bool {
    has_queues_in_signature(function)
        || function.walk().any(|op| {
            matches!(
                op.name(),
                host::Prefetch::NAME | host::Next::NAME | host::Close::NAME
            )
        })
}

/// Returns whether a function with a body has queues among its parameters and results.
fn has_queues_in_signature(function: func::Func<'_>) -> bool {
    let (inputs, results) = function.signature();
    !function.is_declaration() && inputs.into_iter().chain(results).any(is_queue_type)
}

/// The verification of one function.
struct Verifier<'p, 'a> {
    function: func::Func<'a>,
    accesses: &'p Accesses<'a>,
    /// The queues that are not verified yet, in program order.
    queues: &'p [host::Prefetch<'a>],
    errors: Vec<Diagnostic<'a>>,
    /// The accesses of the thread of each queue, by the number of the operation.
    of_thread: BTreeMap<usize, BTreeSet<Access<'a>>>,
    /// The queues with an error.
    reported: FxHashSet<Op<'a>>,
}

impl<'p, 'a> Verifier<'p, 'a> {
    fn new(
        function: func::Func<'a>,
        accesses: &'p Accesses<'a>,
        queues: &'p [host::Prefetch<'a>],
    ) -> Self {
        Verifier {
            function,
            accesses,
            queues,
            errors: Vec::new(),
            of_thread: BTreeMap::new(),
            reported: FxHashSet::default(),
        }
    }

    fn verify(&mut self) {
        for &op in self.queues {
            self.check_thread(op);
        }
        if !self.check_uses() {
            return;
        }
        let flow = QueueFlow::of(self.function.op());
        flow.visit(|op, states| self.visit(&flow, op, states));
    }

    /// Checks that the states of a thread's function are known, and that it does not print.
    fn check_thread(&mut self, op: host::Prefetch<'a>) {
        let name = op.callee();
        let accesses = self.accesses.of_function(name);
        let mut report = |access: Access<'a>, message: String, note: String| {
            let source = self.accesses.source(name, access);
            let source = source.map_or(op.location(), Op::location);
            self.errors
                .push(diag::error(op.location(), message).note(source, note));
            self.reported.insert(op.op());
        };
        if accesses.contains(&Access::Unknown) {
            let message = format!(
                "'@{name}' runs on its own thread, and the states that it accesses are unknown"
            );
            let source = self.accesses.source(name, Access::Unknown);
            report(Access::Unknown, message, fix_for_unknown_access(source));
        }
        let output = Access::State(STANDARD_OUTPUT);
        if accesses.contains(&output) {
            let message = format!(
                "'@{name}' prints and runs on its own thread: the order of the output would not be deterministic"
            );
            let note =
                "it prints here; return the values instead, and print them after tfx_host.next";
            report(output, message, note.to_owned());
        }
    }

    /// Checks that all queues stay in the function.
    fn check_uses(&mut self) -> bool {
        let before = self.errors.len();
        if has_queues_in_signature(self.function) {
            let message = format!(
                "'@{}' has a queue among its parameters or results and is not inlined: cannot prove that the queue is closed",
                self.function.sym_name()
            );
            let note = "open, use and close a queue in one function; a private function that is not recursive may take a queue, because it is inlined";
            let location = self.function.location();
            self.errors
                .push(diag::error(location, message).note(location, note));
        }
        for op in self.function.walk().skip(1) {
            let has_control_flow = has_known_control_flow(op);
            let is_known = has_control_flow
                || op.isa::<host::Next>()
                || op.isa::<host::Close>()
                || op.isa::<func::Return>()
                || op.is_terminator() && (op.num_successors() > 0 || is_scf_terminator(op));
            if !is_known && op.operands().any(is_queue) {
                let user = match callee(op) {
                    Some(callee) => format!("'@{callee}', which is not inlined"),
                    None => format!("'{}'", op.name()),
                };
                let message =
                    format!("a queue is passed to {user}: cannot prove that it is closed there");
                let note = "open, use and close a queue in one function, and do not store it in a shared variable, an object or a closure";
                let error = diag::error(op.location(), message);
                self.errors.push(error.note(op.location(), note));
            }
            let uses_queue = |op: Op<'a>| op.operands().chain(op.results()).any(is_queue);
            if op.num_regions() > 0 && !has_control_flow && op.walk().skip(1).any(uses_queue) {
                let message = format!(
                    "a queue is used inside of '{}', whose control flow is unknown",
                    op.name()
                );
                self.errors.push(diag::error(op.location(), message));
            }
        }
        self.errors.len() == before
    }

    /// Checks a reachable operation.
    fn visit(&mut self, flow: &QueueFlow<'a>, op: Op<'a>, states: &QueueStates<'a>) {
        let state = |queue| flow.number(queue).and_then(|number| states.get(&number));
        if let Some(next) = host::Next::cast(op) {
            self.check_use(op, "read", state(next.queue()));
        } else if let Some(close) = host::Close::cast(op) {
            self.check_use(op, "closed", state(close.queue()));
        } else if op.isa::<func::Return>() {
            for state in states.values().filter(|state| state.is_open) {
                self.left_open(op, state);
            }
        } else {
            if let Some(prefetch) = host::Prefetch::cast(op)
                && state(prefetch.queue()).is_some_and(|state| state.is_open)
            {
                let message = "this queue may still be open when this operation is executed again";
                let note = "close it before the next iteration, or open it before the loop";
                let error = diag::error(op.location(), message);
                self.report(op, error.note(op.location(), note));
            }
            self.check_accesses(op, states);
        }
    }

    /// Checks that a queue is open on each path to its use.
    fn check_use(&mut self, op: Op<'a>, what: &str, state: Option<&QueueState<'a>>) {
        let error =
            |message: &str| diag::error(op.location(), format!("this queue is {what}{message}"));
        let opened = state.and_then(|state| Some((state, *state.opened.values().next()?)));
        let Some((state, opened)) = opened else {
            self.errors.push(error(", but it is never opened"));
            return;
        };
        let closed = state.closed.values().next();
        let (message, other, note) = match (closed, state.forwarded.values().next()) {
            (Some(close), _) if state.is_open => (
                ", but it may already be closed",
                close,
                "it is closed here, on a path to that operation",
            ),
            (Some(close), _) => (", but it is already closed", close, "it is closed here"),
            (_, Some(by)) => (
                " through a value that has been forwarded",
                by,
                "it is forwarded here; use the block argument or result that it is forwarded to",
            ),
            _ => return,
        };
        let error = error(message).note(other.location(), note);
        self.report(opened, error.note(opened.location(), "it is opened here"));
    }

    /// Reports a queue that is open at a return.
    fn left_open(&mut self, end: Op<'a>, state: &QueueState<'a>) {
        let Some(&opened) = state.opened.values().next() else {
            return;
        };
        let message = match state.closed.is_empty() {
            true => "this queue is not closed on each path",
            false => "this queue is closed on some paths only",
        };
        let note = "it may be open at this return; insert tfx_host.close before it";
        let error = diag::error(opened.location(), message);
        self.report(opened, error.note(end.location(), note));
    }

    /// Checks that an operation accesses no state of the thread of an open queue.
    fn check_accesses(&mut self, op: Op<'a>, states: &QueueStates<'a>) {
        let open = states.values().filter(|state| state.is_open);
        let open: BTreeMap<usize, Op<'a>> = open.flat_map(|state| state.opened.clone()).collect();
        if open.is_empty() {
            return;
        }
        let of_op = self.accesses.of_op(op);
        if of_op.is_empty() {
            return;
        }
        for (number, opened) in open {
            let accesses = self.accesses;
            let of_thread = self
                .of_thread
                .entry(number)
                .or_insert_with(|| accesses.of_function(callee(opened).unwrap_or_default()));
            let shared = of_op.iter().find(|access| {
                **access == Access::Unknown && !of_thread.is_empty() || of_thread.contains(access)
            });
            if let Some(&shared) = shared {
                self.report_shared(opened, op, shared);
            }
        }
    }

    fn report_shared(&mut self, opened: Op<'a>, op: Op<'a>, shared: Access<'a>) {
        let name = callee(opened).unwrap_or_default();
        let error = |what: String| {
            let message = format!(
                "'@{name}' runs on its own thread while this queue is open, and other code {what} meanwhile"
            );
            diag::error(opened.location(), message)
        };
        let error = match shared {
            Access::State(state) => {
                let note = "the access is here; move it before the queue is opened or after it is closed, or use different states with tfx.state";
                error(format!("accesses its state \"{state}\"")).note(op.location(), note)
            }
            Access::Unknown => {
                let source = match callee(op) {
                    Some(callee) => self.accesses.source(callee, shared),
                    None => Some(op),
                };
                let location = source.map_or(op.location(), Op::location);
                error("may access its state".to_owned())
                    .note(op.location(), "this may access any state")
                    .note(location, fix_for_unknown_access(source))
            }
        };
        self.report(opened, error);
    }

    /// Adds the first error of a queue that is not verified yet.
    fn report(&mut self, opened: Op<'a>, error: Diagnostic<'a>) {
        if self.queues.iter().any(|queue| queue.op() == opened) && self.reported.insert(opened) {
            self.errors.push(error);
        }
    }
}

fn is_scf_terminator(op: Op<'_>) -> bool {
    op.isa::<scf::Yield>() || op.isa::<scf::Condition>()
}

/// Returns the fix for code that accesses unknown states.
fn fix_for_unknown_access(source: Option<Op<'_>>) -> String {
    match source.and_then(func::Func::cast) {
        Some(function) => format!(
            "name the state of foreign function '@{}' with {STATE}, or mark it {PURE} if it has none",
            function.sym_name()
        ),
        None => "the callee is known only at run time; call a function by name".to_owned(),
    }
}
