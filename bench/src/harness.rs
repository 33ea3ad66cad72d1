//! The measurement of passes: one parse, then runs on fresh clones, alternately. Passes of tfx run
//! in this process, and each peer in a separate one (`peer.rs`).
//!
//! ```text
//!   text ─parse─► module ─clone─► ours   ─clone─► ours ...            median, min, max of each
//!      └──────────────────── peer: clone ─► run ─► clone ─► run ...  > N s if a run takes longer
//! ```
//!
//! The clock (`clock.rs`) measures only the pipeline, without the verifier that a pass manager runs
//! after each pass, and without creating a clone, counting its operations and destroying it. A run
//! of tfx that is expected to exceed the budget, from the time of the previous size and its growth,
//! is skipped. A peer is stopped at its limit, and does not run on larger sizes of that shape.
//!
//! For every algorithm, memory accesses become slower when programs exceed the caches. A walk over
//! the same clone that only reads names and operands measures this effect: a time that grows no
//! faster than the walk grows because of the machine, not because of the algorithm.

use std::time::Duration;

use anyhow::{Context as _, Result};
use tfx_ir::ops::{builtin, scf};

use melior::Context;
use melior::ir::Module;
use serde::{Deserialize, Serialize};
use tfx_ir::{Op, module, pipeline};

use crate::clock::Clock;
use crate::peer::Peer;
use crate::shapes::Shape;
use crate::table::{Figure, Row};
use crate::{memory, progress};

/// The extent of the measurements.
pub(crate) struct Limits {
    /// The sizes of the programs.
    pub(crate) sizes: Vec<usize>,
    /// The number of runs of each contender.
    pub(crate) runs: usize,
    /// The clock.
    pub(crate) clock: Clock,
    /// `true` to run only the first contender.
    pub(crate) alone: bool,
    /// The maximal expected time of a run of tfx.
    pub(crate) budget: Duration,
    /// The time after which a run of a peer is stopped.
    pub(crate) peer_limit: Duration,
}

/// The fraction of its time limit from which a contender runs only once.
const SLOW: f64 = 0.1;

/// A pipeline to measure.
pub(crate) struct Contender {
    /// The name in the table.
    pub(crate) name: &'static str,
    /// The textual pipeline, with its `builtin.module(...)` anchor.
    pub(crate) pipeline: &'static str,
}

impl Contender {
    pub(crate) const fn new(name: &'static str, pipeline: &'static str) -> Self {
        Contender { name, pipeline }
    }
}

/// One run of a contender.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) walk_seconds: f64,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) operations: Option<usize>,
}

/// The times of a contender for one program.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Time {
    pub(crate) median_seconds: f64,
    pub(crate) min_seconds: f64,
    pub(crate) max_seconds: f64,
    pub(crate) runs: usize,
    /// The number of operations of the result after `canonicalize`; `None` if counting would take
    /// too long.
    pub(crate) operations: Option<usize>,
    /// The peak memory of the first run in addition to the program itself; `None` if the system
    /// does not report it.
    pub(crate) peak_bytes: Option<u64>,
    /// The time of a walk over the program before the run.
    pub(crate) walk_seconds: f64,
}

impl Time {
    /// Summarizes runs; returns `None` without runs.
    pub(crate) fn of(samples: &[Sample]) -> Option<Self> {
        let sorted = |of: fn(&Sample) -> f64| {
            let mut values: Vec<f64> = samples.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let (seconds, walks) = (sorted(|one| one.seconds), sorted(|one| one.walk_seconds));
        Some(Time {
            median_seconds: *seconds.get(seconds.len() / 2)?,
            min_seconds: *seconds.first()?,
            max_seconds: *seconds.last()?,
            runs: seconds.len(),
            operations: samples.iter().find_map(|one| one.operations),
            peak_bytes: samples.iter().find_map(|one| one.peak_bytes),
            walk_seconds: *walks.get(walks.len() / 2)?,
        })
    }
}

/// The runs of one contender on the sizes of one shape.
pub(crate) struct Series<'c> {
    contender: &'c Contender,
    /// The measured sizes, with their seconds.
    known: Vec<(usize, f64)>,
    /// The size at which the contender was stopped.
    stopped: Option<usize>,
}

impl<'c> Series<'c> {
    pub(crate) fn new(contender: &'c Contender) -> Self {
        Self {
            contender,
            known: Vec::new(),
            stopped: None,
        }
    }

    /// Returns the expected time of a run, from the previous time and the growth so far, which is
    /// assumed to be at least linear.
    pub(crate) fn expected(&self, size: usize) -> f64 {
        let Some(&(last_size, last)) = self.known.last() else {
            return 0.0;
        };
        let growth = match self.known[..] {
            [.., (before_size, before), _] if last_size > before_size && before > 0.0 => {
                (last / before).ln() / (last_size as f64 / before_size as f64).ln()
            }
            _ => 1.0,
        };
        last * (size as f64 / last_size as f64).powf(growth.max(1.0))
    }

    /// Records the time of a size.
    pub(crate) fn learn(&mut self, size: usize, seconds: f64) {
        self.known.push((size, seconds));
    }
}

/// The state of a contender.
enum Runner<'c> {
    Ours(Module<'c>),
    Peer(Peer),
    Out(Figure),
}

/// Creates a context with a single thread.
pub(crate) fn context() -> Context {
    let context = Context::new();
    tfx::prepare(&context);
    context.enable_multi_threading(false);
    context
}

/// Measures shapes. `source` converts the text of a shape to the program, and returns
/// its size for the table.
pub(crate) fn measure_shapes(
    context: &Context,
    shapes: &[Shape],
    contenders: &[Contender],
    limits: &Limits,
    source: impl Fn(&Context, String) -> Result<(String, usize)>,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for shape in shapes {
        let mut series: Vec<_> = contenders.iter().map(Series::new).collect();
        for &size in &limits.sizes {
            progress::start_run(&format!("{}, {size}: the program", shape.name));
            let (text, counted) = source(context, (shape.text)(size))?;
            let texts = vec![text; series.len()];
            let figures = measure_each(context, &texts, (shape.name, size), &mut series, limits)?;
            rows.push(Row::new(shape.name, counted, figures));
        }
    }
    Ok(rows)
}

/// Measures shapes as they are, of which each has a contender of its own, compared with [`CSE`].
pub(crate) fn measure_with_cse(
    context: &Context,
    shapes: &[Shape],
    ours: impl Fn(&Shape) -> Contender,
    limits: &Limits,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for shape in shapes {
        let contenders = [ours(shape), CSE];
        let shape = std::slice::from_ref(shape);
        rows.extend(measure_shapes(
            context,
            shape,
            &contenders,
            limits,
            unchanged,
        )?);
    }
    Ok(rows)
}

/// The contender for passes without a counterpart in upstream: it visits each operation once, too.
pub(crate) const CSE: Contender = Contender::new("cse", "builtin.module(cse)");

/// A source for [`measure_shapes`] that does not change the program, and returns its number of
/// operations.
pub(crate) fn unchanged(context: &Context, text: String) -> Result<(String, usize)> {
    let operations = operations(context, &text)?;
    Ok((text, operations))
}

/// Returns the number of operations of a program.
pub(crate) fn operations(context: &Context, text: &str) -> Result<usize> {
    let module = module::parse(context, text, "bench.mlir").context("a shape does not parse")?;
    Ok(module::as_op(&module).walk().count())
}

/// Runs the contenders alternately, each on clones of its own text, which may express the same
/// program in another dialect. The first contender is that of tfx.
pub(crate) fn measure_each(
    context: &Context,
    texts: &[String],
    (shape, size): (&str, usize),
    series: &mut [Series<'_>],
    limits: &Limits,
) -> Result<Vec<Figure>> {
    let mut runners = Vec::new();
    for (index, (one, text)) in series.iter().zip(texts).enumerate() {
        runners.push(match index {
            0 => ours(context, one, text, size, limits)?,
            _ => peer(one, text, size, limits)?,
        });
    }
    let mut samples: Vec<Vec<Sample>> = runners.iter().map(|_| Vec::new()).collect();
    for round in 0..limits.runs {
        for (index, one) in series.iter_mut().enumerate() {
            let may_take = if index == 0 {
                limits.budget
            } else {
                limits.peer_limit
            };
            let is_slow = |first: &Sample| first.seconds > may_take.as_secs_f64() * SLOW;
            if matches!(runners[index], Runner::Out(_))
                || samples[index].first().is_some_and(is_slow)
            {
                continue;
            }
            if round == 0 {
                progress::start_run(&format!("{shape}, {size}: {}", one.contender.name));
            }
            match run(&mut runners[index], one, size, round == 0, limits)? {
                Some(sample) => samples[index].push(sample),
                None => {
                    let seconds = limits.peer_limit.as_secs_f64();
                    progress::note(&format!("stopped after {seconds} s"));
                    one.stopped = Some(size);
                    runners[index] = Runner::Out(Figure::Stopped { seconds });
                }
            }
        }
    }
    let figures = series.iter_mut().zip(runners).zip(samples);
    let figure = |((one, runner), samples): ((&mut Series<'_>, _), Vec<Sample>)| match runner {
        Runner::Out(figure) => figure,
        _ => Time::of(&samples).map_or(Figure::Absent, |time| {
            one.learn(size, time.median_seconds);
            Figure::Measured(time)
        }),
    };
    Ok(figures.map(figure).collect())
}

fn ours<'c>(
    context: &'c Context,
    series: &Series<'_>,
    text: &str,
    size: usize,
    limits: &Limits,
) -> Result<Runner<'c>> {
    if series.expected(size) > limits.budget.as_secs_f64() {
        return Ok(Runner::Out(Figure::Skipped));
    }
    let module = module::parse(context, text, "bench.mlir").context("a shape does not parse")?;
    Ok(Runner::Ours(module))
}

fn peer<'c>(series: &Series<'_>, text: &str, size: usize, limits: &Limits) -> Result<Runner<'c>> {
    if limits.alone {
        return Ok(Runner::Out(Figure::Absent));
    }
    if let Some(stopped_at) = series.stopped.filter(|stopped| *stopped <= size) {
        return Ok(Runner::Out(Figure::NotRun { stopped_at }));
    }
    Peer::start(series.contender, text, size, limits.clock).map(Runner::Peer)
}

/// Runs a contender once; returns `None` if it was stopped.
fn run(
    runner: &mut Runner<'_>,
    series: &Series<'_>,
    size: usize,
    is_first: bool,
    limits: &Limits,
) -> Result<Option<Sample>> {
    match runner {
        Runner::Ours(module) => {
            let (mut sample, copy) =
                run_once(module, series.contender.pipeline, is_first, limits.clock)
                    .with_context(|| series.contender.name.to_string())?;
            if is_first {
                sample.operations = count_canonical(&copy, size);
            }
            Ok(Some(sample))
        }
        Runner::Peer(peer) => peer.run(limits.peer_limit),
        Runner::Out(_) => Ok(None),
    }
}

/// Runs a pipeline on a fresh clone, which is returned; the first run measures peak memory.
pub(crate) fn run_once<'c>(
    original: &Module<'c>,
    pipeline: &str,
    is_first: bool,
    clock: Clock,
) -> Result<(Sample, Module<'c>)> {
    let copy = module::copy(original);
    let sample = run_on(&copy, pipeline, is_first, clock)?;
    Ok((sample, copy))
}

/// Runs a pipeline; the first run measures peak memory.
pub(crate) fn run_on(
    module: &Module<'_>,
    pipeline: &str,
    is_first: bool,
    clock: Clock,
) -> Result<Sample> {
    let ((), walk_seconds) = clock.time(|| walk(module));
    let timed = || clock.time(|| pipeline::run_unverified(module::as_op(module), pipeline));
    let ((outcome, seconds), peak_bytes) = match is_first {
        true => memory::peak(timed),
        false => (timed(), None),
    };
    outcome?;
    Ok(Sample {
        seconds,
        walk_seconds,
        peak_bytes,
        operations: None,
    })
}

/// Reads the name and the operands of each operation.
fn walk(module: &Module<'_>) {
    let read = module::as_op(module)
        .walk()
        .map(|op| op.name().len() + op.operands().count())
        .sum::<usize>();
    std::hint::black_box(read);
}

/// The largest size for which `canonicalize` is fast enough to run on both results.
const LARGEST_COUNTED: usize = 10_000;

/// Returns the number of operations that `canonicalize` leaves, or `None` if it would take too
/// long.
pub(crate) fn count_canonical(module: &Module<'_>, size: usize) -> Option<usize> {
    if size > LARGEST_COUNTED {
        return None;
    }
    pipeline::run(module::as_op(module), "builtin.module(canonicalize)").ok()?;
    Some(module::as_op(module).walk().filter(is_counted).count())
}

/// Mandatory terminators are not counted: they are no measure of the output.
fn is_counted(op: &Op<'_>) -> bool {
    !op.isa::<scf::Yield>() && !op.isa::<builtin::Module>()
}
