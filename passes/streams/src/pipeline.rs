//! `tfx-pipeline`: overlaps the iterations of a loop over the stages of a model on several devices.
//!
//! ```text
//!   scf.for %i = 0 to 4 {                           F0          on %s
//!     launch %s @forward                            F1          on %s        F0 on %t
//!     launch %t @forward        schedule=1f1b                                B0 on %t
//!     launch %t @backward           ──►             B0          on %s        F1 on %t
//!     launch %s @backward                           F2          on %s        B1 on %t
//!   } {tfx_stream.pipeline}                         B1 ...
//! ```
//!
//! The body of a loop with the attribute `tfx_stream.pipeline` is the chain of stages for one
//! *microbatch*: straight code, whose commands are on the streams of several devices. Issued in the
//! order of the loop, the stream of a first stage waits for the last command of a microbatch before
//! it starts the next one. So the pass unrolls the loop, and issues the commands of all
//! microbatches in the order of a pipeline: `gpipe`, `1f1b`, `interleaved` or `zero-bubble`. The
//! algorithm, the orders and their ideal times are in [`tfx_order::pipeline()`].
//!
//! Commands stay on their streams, and conflicting ones keep the order of the loop, so the values
//! are those of the loop. The pass adds no events: `tfx-insert-events` runs afterwards, then
//! `tfx-plan-memory`, and `tfx-verify-schedule` proves the result. A buffer that the body allocates
//! is one for each microbatch. It is allocated on the stream of its first user, right before that,
//! and released as soon as its users have ended. Microbatches that write the same buffer are not in
//! flight at the same time, so buffers of a microbatch are allocated in the body.
//!
//! With `recompute`, forward kernels run again right before the backward that reads what they
//! computed, on buffers of their own, and the first buffers are released after the forward:
//! [`tfx_order::recompute()`] chooses them. A kernel is assumed to compute the same from the same
//! values, as for the values of a schedule in general.
//!
//! Times are those of `cost` on a launch, and the bytes of a command over the bandwidth elsewhere.
//!
//! Cost: near linear in the commands of all iterations, of which there are at most a million.
//!
//! Not guaranteed: the shortest time. The order is as good as the times of commands are: a device
//! that is slower than its `cost` delays others, but breaks nothing.

mod again;
mod chain;

use melior::dialect::DialectRegistry;
use melior::ir::Location;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::schedules::COMMANDS;
use tfx_dialects::stream::Schedule;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::options::OptionValue;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_order::{Microbatches, PipelineRule, Unpipelined};
use tfx_schedule::CommandId;

pub(crate) use chain::MOST_ITERATIONS;
use chain::{Chain, Unrolled};

use crate::costs::{Bandwidths, time};
use crate::feed::{Fed, feed};
use crate::parts::{CallGraph, schedules};
use crate::texts::counted;

tfx_ir::option_enum! {
    /// The order of the commands of a pipeline.
    pub enum PipelineSchedule {
        /// All forwards before any backward.
        Gpipe = "gpipe",
        /// Backwards before forwards.
        OneForwardOneBackward = "1f1b",
        /// Groups of microbatches in turn, for devices that have several stages.
        Interleaved = "interleaved",
        /// Backwards before forwards, and gradients of weights when nothing else can run.
        ZeroBubble = "zero-bubble",
    }
}

tfx_ir::options! {
    /// The options of `tfx-pipeline`.
    pub struct PipelineOptions {
        /// The order of the commands: gpipe, 1f1b, interleaved or zero-bubble.
        schedule: PipelineSchedule = PipelineSchedule::OneForwardOneBackward,
        /// Compute what backwards read again right before them, and do not keep it.
        recompute: bool = false,
        /// Report the expected time of each pipeline, and its iterations in flight.
        explain: bool = false,
        /// The bandwidth of memory in bytes per nanosecond.
        bandwidth: u64 = 500,
        /// The bandwidth of copies between devices, or host and device, in bytes per nanosecond.
        link: u64 = 12,
    }
}

/// The attribute of a loop that becomes a pipeline.
pub(crate) const PIPELINE: &str = "tfx_stream.pipeline";

const MICROBATCHES: Statistic = Statistic::new("microbatches", "Iterations of pipelines");
const MOVED: Statistic = Statistic::new("commands", "Commands of pipelines");
const AGAIN: Statistic = Statistic::new("again", "Kernels of pipelines that run again");

/// The pass `tfx-pipeline`.
#[derive(Debug, Default)]
pub struct Pipeline;

impl Pass for Pipeline {
    type Options = PipelineOptions;
    const NAME: &'static str = "TfxPipeline";
    const ARGUMENT: &'static str = "tfx-pipeline";
    const DESCRIPTION: &'static str =
        "Overlap the iterations of loops over the stages of a model on several devices";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[MICROBATCHES, MOVED, AGAIN];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, PipelineOptions>) -> PassResult {
        let (mut chains, mut errors) = (Vec::new(), Vec::new());
        for schedule in schedules(module) {
            if schedule.op().attribute(COMMANDS).is_some() {
                continue;
            }
            for op in schedule
                .walk()
                .filter(|op| op.attribute(PIPELINE).is_some())
            {
                match Chain::new(op) {
                    Ok(chain) => chains.push((schedule, chain)),
                    Err(error) => errors.push(error),
                }
            }
        }
        Diagnostics::from_iter(errors).finish()?;
        let mut pipelines: Vec<(Schedule<'a>, Unrolled<'a>)> = Vec::new();
        for (schedule, chain) in chains {
            cx.count(MICROBATCHES, chain.iterations() as u64);
            pipelines.push((schedule, chain.unroll()));
        }
        if pipelines.is_empty() {
            return Ok(());
        }
        if cx.options().recompute {
            each_program(module, &mut pipelines, |unrolled, schedule, commands| {
                recompute(unrolled, schedule, commands, cx)
            })?;
        }
        each_program(module, &mut pipelines, |unrolled, schedule, commands| {
            order(unrolled, schedule, commands, cx)
        })?;
        Ok(())
    }
}

/// Calls a function for each pipeline, with the schedule of its program and its commands there, and
/// reports why it fails.
fn each_program<'a>(
    module: Op<'a>,
    pipelines: &mut [(Schedule<'a>, Unrolled<'a>)],
    mut visit: impl FnMut(
        &mut Unrolled<'a>,
        &tfx_schedule::Schedule<Op<'a>>,
        &Microbatches,
    ) -> Result<(), Unpipelined>,
) -> Result<(), Diagnostics<'a>> {
    let mut done = FxHashSet::default();
    for program in CallGraph::of(module).programs()? {
        let fed = feed(&program)?;
        let ids = ids(&fed);
        for (number, (schedule, unrolled)) in pipelines.iter_mut().enumerate() {
            if !program.parts.iter().any(|part| part.op() == schedule.op()) {
                continue;
            }
            if !done.insert(number) {
                let message = "several schedules call the part with this pipeline, and their \
                               buffers may overlap differently";
                let note = "call it in one of them, or move the loop out of the part";
                let location = unrolled.location;
                Err(diag::error(location, message).note(location, note))?;
            }
            let commands = microbatches(unrolled, &ids);
            visit(unrolled, &fed.schedule, &commands)
                .map_err(|error| failed(error, unrolled.location, &fed.schedule.places))?;
        }
    }
    Ok(())
}

/// Returns the commands of operations.
fn ids<'a>(fed: &Fed<'a>) -> FxHashMap<Op<'a>, CommandId> {
    let mut ids = FxHashMap::default();
    for (id, op) in (0..).zip(&fed.schedule.places) {
        ids.entry(*op).or_insert(CommandId(id));
    }
    ids
}

/// Returns the times of commands.
fn cost<'a>(places: &[Op<'a>], options: &PipelineOptions) -> impl Fn(CommandId) -> u64 {
    let bandwidths = Bandwidths {
        memory: options.bandwidth,
        link: options.link,
    };
    move |id: CommandId| time(places[id.0 as usize], bandwidths)
}

fn rule(schedule: PipelineSchedule) -> PipelineRule {
    match schedule {
        PipelineSchedule::Gpipe => PipelineRule::Gpipe,
        PipelineSchedule::OneForwardOneBackward => PipelineRule::OneForwardOneBackward,
        PipelineSchedule::Interleaved => PipelineRule::Interleaved,
        PipelineSchedule::ZeroBubble => PipelineRule::ZeroBubble,
    }
}

/// Returns the commands of a pipeline.
fn microbatches<'a>(unrolled: &Unrolled<'a>, ids: &FxHashMap<Op<'a>, CommandId>) -> Microbatches {
    let id = |op: &Op<'a>| ids.get(op).copied();
    let iterations = unrolled.iterations.iter();
    let iterations = iterations.map(|ops| ops.iter().filter_map(id).collect());
    let again = unrolled.again.iter();
    Microbatches {
        iterations: iterations.collect(),
        again: again
            .filter_map(|(op, user)| id(op).zip(id(user)))
            .collect(),
    }
}

/// Lets forward kernels run again.
fn recompute<'a>(
    unrolled: &mut Unrolled<'a>,
    schedule: &tfx_schedule::Schedule<Op<'a>>,
    commands: &Microbatches,
    cx: &PassContext<'a, PipelineOptions>,
) -> Result<(), Unpipelined> {
    let options = cx.options();
    let cost = cost(&schedule.places, options);
    let batches = tfx_order::recompute(schedule, commands, rule(options.schedule), cost)?;
    unrolled.run_again(&batches, &schedule.places);
    cx.count(AGAIN, unrolled.again.len() as u64);
    Ok(())
}

/// Moves the commands of a pipeline into its order.
fn order<'a>(
    unrolled: &Unrolled<'a>,
    schedule: &tfx_schedule::Schedule<Op<'a>>,
    commands: &Microbatches,
    cx: &PassContext<'a, PipelineOptions>,
) -> Result<(), Unpipelined> {
    if commands.iterations.is_empty() {
        return Ok(());
    }
    let (options, places) = (cx.options(), &schedule.places);
    let cost = cost(places, options);
    let pipeline = tfx_order::pipeline(schedule, commands, rule(options.schedule), cost)?;
    for (alloc, user) in &pipeline.moved {
        chain::move_to_stream_of(places[alloc.0 as usize], places[user.0 as usize]);
    }
    unrolled.place(pipeline.order.iter().map(|id| places[id.0 as usize]));
    cx.count(MOVED, pipeline.order.len() as u64);
    if options.explain {
        let text = text(&pipeline, unrolled, options);
        diag::remark(unrolled.location, text).emit();
    }
    Ok(())
}

fn failed<'a>(error: Unpipelined, at: Location<'a>, places: &[Op<'a>]) -> Diagnostic<'a> {
    let place = |id: CommandId| places[id.0 as usize].location();
    match error {
        Unpipelined::Order(tfx_order::Error::Ring(id)) | Unpipelined::Unsupported(id) => {
            diag::error(place(id), error.to_string()).note(at, "this loop becomes a pipeline")
        }
        Unpipelined::NotInterleaved => {
            let message = "no device has several stages of this pipeline, so they cannot be \
                           interleaved";
            let note = "let the commands of a microbatch return to the device of its first stage \
                        before its last one, or use schedule=1f1b";
            diag::error(at, message).note(at, note)
        }
    }
}

/// Returns the remark about a pipeline.
fn text(
    pipeline: &tfx_order::Pipeline,
    unrolled: &Unrolled<'_>,
    options: &PipelineOptions,
) -> String {
    let order = match pipeline.is_kept {
        true => "the order of the loop, which takes less time than".to_string() + " ",
        false => String::new(),
    };
    let again = match options.recompute {
        true => format!("; {} run again", counted(unrolled.again.len(), "kernel")),
        false => String::new(),
    };
    format!(
        "a pipeline of {}, {}, {order}{}: {} expected, {} ideal; at most {} in flight{again}",
        counted(pipeline.stages, "stage"),
        counted(unrolled.iterations.len(), "microbatch"),
        options.schedule.print(),
        duration(pipeline.time),
        duration(pipeline.ideal),
        counted(pipeline.in_flight, "microbatch"),
    )
}

/// Returns a time in a unit of its size.
fn duration(nanoseconds: u64) -> String {
    let time = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} us", time / 1e3),
        _ => format!("{:.1} ms", time / 1e6),
    }
}
