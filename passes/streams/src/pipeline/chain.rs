//! The loop of a pipeline: its body, checked and unrolled.
//!
//! ```text
//!   scf.for %i = 0 to 2 iter_args(%v = %x)        %a = alloc          iteration 0
//!     %a = alloc                                  %w = launch (%a, %x)
//!     %w = launch (%a, %v)                 ──►    %b = alloc          iteration 1
//!     yield %w                                    launch (%b, %w)
//! ```

use melior::ir::Location;
use rustc_hash::FxHashMap;
use tfx_dialects::schedules::ScheduleType;
use tfx_dialects::stream::{Alloc, StreamOp, View};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::scf;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::names::is_stream;

/// The largest number of iterations. A pipeline of more is one of fewer in a loop.
pub(crate) const MOST_ITERATIONS: usize = 4096;
/// The largest number of operations of all iterations.
const MOST_OPERATIONS: usize = 1_000_000;

/// A loop that becomes a pipeline.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    repeated: scf::For<'a>,
    body: Block<'a>,
    iterations: usize,
    /// The first value of the induction variable, and its step.
    range: (i64, i64),
}

impl<'a> Chain<'a> {
    /// Returns the loop of an operation.
    ///
    /// # Errors
    ///
    /// It is no loop with a known number of iterations, or its body is not straight code.
    pub(super) fn new(op: Op<'a>) -> Result<Self, Diagnostic<'a>> {
        let error = |message: String| diag::error(op.location(), message);
        let Some(repeated) = scf::For::cast(op) else {
            return Err(error(format!(
                "a pipeline is an scf.for, got '{}'",
                op.name()
            )));
        };
        let bounds = (
            trip_count(op).and_then(|trips| usize::try_from(trips).ok()),
            repeated.lower_bound().constant_int(),
            repeated.step().constant_int(),
            repeated.region().entry(),
        );
        let (Some(iterations), Some(lower), Some(step), Some(body)) = bounds else {
            let note = "use constants for its bounds and its step; for more microbatches, put this \
                        loop into another one";
            let message = "the number of microbatches is not known".to_string();
            return Err(error(message).note(op.location(), note));
        };
        if iterations > MOST_ITERATIONS {
            let message = format!(
                "expected at most {MOST_ITERATIONS} microbatches, got {iterations}: each has its \
                 own commands"
            );
            return Err(error(message).note(op.location(), "use a loop of a shorter pipeline"));
        }
        let operations = body.ops().count().saturating_mul(iterations);
        if operations > MOST_OPERATIONS {
            let message = format!(
                "expected at most {MOST_OPERATIONS} operations in all microbatches, got \
                 {operations}"
            );
            return Err(error(message).note(op.location(), "use a loop of a shorter pipeline"));
        }
        match body.ops().find_map(unsupported) {
            Some(error) => Err(error.note(op.location(), "this loop becomes a pipeline")),
            None => Ok(Self {
                repeated,
                body,
                iterations,
                range: (lower, step),
            }),
        }
    }

    /// Returns the number of iterations.
    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Replaces the loop by the commands of its iterations.
    pub(super) fn unroll(self) -> Unrolled<'a> {
        let op = self.repeated.op();
        let mut builder = Builder::before(op);
        let mut values = self.repeated.init_args().to_vec();
        let mut arguments = self.body.arguments();
        let counter = arguments.next();
        let arguments: Vec<Value<'a>> = arguments.collect();
        let end = self.body.terminator();
        let mut iterations = Vec::with_capacity(self.iterations);
        let mut scalars = Vec::new();
        let (mut number, step) = self.range;
        for _ in 0..self.iterations {
            let mut mapping = Mapping::new();
            for (argument, value) in arguments.iter().zip(&values) {
                mapping.map(*argument, *value);
            }
            if let Some(counter) = counter.filter(|counter| !counter.is_unused()) {
                let constant = builder.constant_int(number, counter.ty());
                scalars.extend(constant.defining_op());
                mapping.map(counter, constant);
            }
            // The sum of the last iteration is not used.
            number = number.wrapping_add(step);
            let ops = self.body.ops().filter(|op| Some(*op) != end);
            let cloned = ops.map(|op| builder.clone_op(op, &mut mapping));
            iterations.push(cloned.collect());
            let next = end.into_iter().flat_map(|end| end.operands());
            values = next.map(|value| mapping.get_or_same(value)).collect();
        }
        let location = op.location();
        op.replace_with(&values);
        Unrolled {
            location,
            scalars,
            iterations,
            again: Vec::new(),
        }
    }
}

/// Returns an error for an operation that is not allowed in a pipeline.
fn unsupported<'a>(op: Op<'a>) -> Option<Diagnostic<'a>> {
    let (reason, advice) = match StreamOp::cast(op) {
        Some(StreamOp::Launch(_) | StreamOp::Copy(_) | StreamOp::Fill(_) | StreamOp::View(_)) => {
            return None;
        }
        Some(StreamOp::Host(host)) if host.stream().is_some() => return None,
        Some(StreamOp::Host(_) | StreamOp::Decide(_)) => (
            "blocks the host until it returns",
            "run it on the stream of a stage",
        ),
        Some(StreamOp::Alloc(alloc)) if alloc.stream().is_some() => return None,
        Some(StreamOp::Free(free)) if free.stream().is_some() => return None,
        Some(StreamOp::Alloc(_) | StreamOp::Free(_)) => {
            ("is in the order of the host", "write it on a stream")
        }
        Some(StreamOp::Record(_) | StreamOp::Wait(_) | StreamOp::HostWait(_)) => (
            "is about the order of commands, but they get another one",
            "leave the events out, and run tfx-insert-events after tfx-pipeline",
        ),
        Some(StreamOp::Call(_)) => (
            "is not split into stages",
            "write the commands of the part into the loop",
        ),
        Some(StreamOp::Slice(_) | StreamOp::Arena(_)) => (
            "is about the memory of commands in the order of the loop",
            "use tfx_stream.alloc, and run tfx-plan-memory after tfx-pipeline",
        ),
        None if op.isa::<scf::Yield<'a>>() => return None,
        None if op.num_regions() > 0 => (
            "is not split into stages",
            "write its commands into the loop, or unroll it",
        ),
        None if op.effects().is_none() && op.results().all(is_scalar) => return None,
        _ => ("is no command of a stage", "move it out of the loop"),
    };
    let message = format!("'{}' {reason}", op.name());
    Some(diag::error(op.location(), message).note(op.location(), advice))
}

fn is_scalar(value: Value<'_>) -> bool {
    ScheduleType::of(value.ty()).is_none()
}

/// The iterations of a pipeline, which follow each other.
#[derive(Debug)]
pub(super) struct Unrolled<'a> {
    /// The location of the loop.
    pub(super) location: Location<'a>,
    /// The operations of each iteration.
    pub(super) iterations: Vec<Vec<Op<'a>>>,
    /// The kernels that run again, with the commands before which they do.
    pub(super) again: Vec<(Op<'a>, Op<'a>)>,
    /// The values of the induction variable.
    scalars: Vec<Op<'a>>,
}

impl<'a> Unrolled<'a> {
    /// Moves the commands into an order.
    pub(super) fn place(&self, order: impl Iterator<Item = Op<'a>>) {
        let ops = || self.iterations.iter().flatten().copied();
        let Some(after) = ops().last().and_then(|op| op.next()) else {
            return;
        };
        // Views follow the allocations of their buffers, and others precede all commands.
        let mut allocations: FxHashMap<Value<'a>, Op<'a>> = FxHashMap::default();
        let mut views: FxHashMap<Op<'a>, Vec<Op<'a>>> = FxHashMap::default();
        let mut first = self.scalars.clone();
        for op in ops() {
            if let Some(alloc) = Alloc::cast(op) {
                allocations.insert(alloc.buffer(), op);
            } else if let Some(view) = View::cast(op) {
                match allocations.get(&view.buffer()).copied() {
                    Some(alloc) => {
                        allocations.insert(view.result(), alloc);
                        views.entry(alloc).or_default().push(op);
                    }
                    None => first.push(op),
                }
            } else if StreamOp::cast(op).is_none() {
                first.push(op);
            }
        }
        first.into_iter().for_each(|op| op.move_before(after));
        for op in order {
            op.move_before(after);
            for view in views.remove(&op).into_iter().flatten() {
                view.move_before(after);
            }
        }
    }
}

/// Lets memory be allocated on the stream of another command.
pub(super) fn move_to_stream_of<'a>(alloc: Op<'a>, user: Op<'a>) {
    let stream = user.operands().find(|operand| is_stream(*operand));
    let position = alloc.operands().position(is_stream);
    if let (Some(position), Some(stream)) = (position, stream) {
        alloc.set_operand(position, stream);
    }
}
