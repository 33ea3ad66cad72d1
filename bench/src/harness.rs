//! Measuring: one parse, fresh clones, alternately; ours in this process, and each peer in one of its own (`peer.rs`).
//!
//! ```text
//!   text ─parse─► module ─clone─► ours   ─clone─► ours ...                    median, min, max of each
//!      └──────────────────── peer: clone ─► run ─► clone ─► run ...          > N s, where a run takes longer
//! ```
//!
//! The clock (`clock.rs`) runs while the pipeline runs, without the verifier that a pass manager puts after each pass. Making a clone, counting
//! its operations and destroying it are not in it. One of ours that would take longer than the budget, judged by its time for the
//! size before and by how that grew, is left out. A peer is stopped at its limit, and is not run for larger sizes of that shape.
//!
//! Memory gets slower as programs outgrow the caches, for every algorithm. A walk over the same clone that only reads names and operands says by how
//! much: what grows no faster than the walk grows with the machine, not with the algorithm.

use std::time::Duration;

use melior::Context;
use melior::ir::Module;
use serde::{Deserialize, Serialize};
use tfx_ir::{Op, module, pipeline};

use crate::clock::Clock;
use crate::peer::Peer;
use crate::shapes::Shape;
use crate::table::{Figure, Row};
use crate::{memory, progress};

/// How much is measured.
pub(crate) struct Limits {
    /// Runs of each contender.
    pub(crate) runs: usize,
    /// What is measured.
    pub(crate) clock: Clock,
    /// Whether only the first contender runs.
    pub(crate) alone: bool,
    /// The longest that one run of ours may be expected to take.
    pub(crate) budget: Duration,
    /// When a run of a peer is stopped.
    pub(crate) peer_limit: Duration,
}

/// Time of one run, as a part of what it may take, from which one run is enough to know it.
const SLOW: f64 = 0.1;

/// A pipeline that takes part.
pub(crate) struct Contender {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// Its text, with its `builtin.module(...)` anchor.
    pub(crate) pipeline: &'static str,
}

/// One run of a contender.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) walk_seconds: f64,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) operations: Option<usize>,
}

/// What one contender took for one program.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Time {
    pub(crate) median_seconds: f64,
    pub(crate) min_seconds: f64,
    pub(crate) max_seconds: f64,
    pub(crate) runs: usize,
    /// Operations of the result after `canonicalize`; none if counting it would take longer than the budget.
    pub(crate) operations: Option<usize>,
    /// Memory that the first run needed at its peak, beyond the program itself; none if the system does not tell.
    pub(crate) peak_bytes: Option<u64>,
    /// A walk over the program before the run.
    pub(crate) walk_seconds: f64,
}

impl Time {
    /// Of all runs; nothing of none.
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

/// One contender over the sizes of one shape.
pub(crate) struct Series<'c> {
    contender: &'c Contender,
    /// Size and seconds, of those that were measured.
    known: Vec<(usize, f64)>,
    /// The size at which it was stopped.
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

    /// What a run of that size is expected to take: as long as before, with the growth seen so far, which is taken as at least linear.
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

    /// Remembers what a size took.
    pub(crate) fn learn(&mut self, size: usize, seconds: f64) {
        self.known.push((size, seconds));
    }
}

/// Who runs, and what is known of it.
enum Runner<'c> {
    Ours(Module<'c>),
    Peer(Peer),
    Out(Figure),
}

/// A context for one program at a time, on one thread.
pub(crate) fn context() -> Context {
    let context = Context::new();
    tfx::prepare(&context);
    context.enable_multi_threading(false);
    context
}

/// Measures shapes in all sizes on one program each, which `source` makes of the shape's text, with what it counts of it.
pub(crate) fn measure_shapes(
    context: &Context,
    (shapes, sizes): (&[Shape], &[usize]),
    contenders: &[Contender],
    limits: &Limits,
    source: impl Fn(&Context, String) -> Result<(String, usize), String>,
) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for shape in shapes {
        let mut series: Vec<_> = contenders.iter().map(Series::new).collect();
        for &size in sizes {
            progress::doing(&format!("{}, {size}: the program", shape.name));
            let (text, counted) = source(context, (shape.text)(size))?;
            let texts = vec![text; series.len()];
            let figures = measure_each(context, &texts, (shape.name, size), &mut series, limits)?;
            rows.push(Row::new(shape.name, counted, figures));
        }
    }
    Ok(rows)
}

/// What passes are measured beside for which upstream has none of the kind: it looks at each operation once, too.
pub(crate) const CSE: Contender = Contender {
    name: "cse",
    pipeline: "builtin.module(cse)",
};

/// A program as it is, and how many operations it has: a source for [`measure_shapes`].
pub(crate) fn as_it_is(context: &Context, text: String) -> Result<(String, usize), String> {
    let operations = operations(context, &text)?;
    Ok((text, operations))
}

/// How many operations a program has.
pub(crate) fn operations(context: &Context, text: &str) -> Result<usize, String> {
    let module = module::parse(context, text, "bench.mlir").ok_or("a shape does not parse")?;
    Ok(module::as_op(&module).walk().count())
}

/// Runs the contenders alternately, each on clones of its own text: the same program, maybe in another language. The first one is ours.
pub(crate) fn measure_each(
    context: &Context,
    texts: &[String],
    (shape, size): (&str, usize),
    series: &mut [Series<'_>],
    limits: &Limits,
) -> Result<Vec<Figure>, String> {
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
                progress::doing(&format!("{shape}, {size}: {}", one.contender.name));
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
) -> Result<Runner<'c>, String> {
    if series.expected(size) > limits.budget.as_secs_f64() {
        return Ok(Runner::Out(Figure::LeftOut));
    }
    let module = module::parse(context, text, "bench.mlir").ok_or("a shape does not parse")?;
    Ok(Runner::Ours(module))
}

fn peer<'c>(
    series: &Series<'_>,
    text: &str,
    size: usize,
    limits: &Limits,
) -> Result<Runner<'c>, String> {
    if limits.alone {
        return Ok(Runner::Out(Figure::Absent));
    }
    if let Some(stopped_at) = series.stopped.filter(|stopped| *stopped <= size) {
        return Ok(Runner::Out(Figure::NotRun { stopped_at }));
    }
    Peer::start(series.contender, text, size, limits.clock).map(Runner::Peer)
}

/// One run of a contender that takes part; nothing where it was stopped.
fn run(
    runner: &mut Runner<'_>,
    series: &Series<'_>,
    size: usize,
    is_first: bool,
    limits: &Limits,
) -> Result<Option<Sample>, String> {
    match runner {
        Runner::Ours(module) => {
            let (mut sample, copy) =
                run_once(module, series.contender.pipeline, is_first, limits.clock)
                    .map_err(|why| format!("{}: {why}", series.contender.name))?;
            if is_first {
                sample.operations = count_canonical(&copy, size);
            }
            Ok(Some(sample))
        }
        Runner::Peer(peer) => peer.run(limits.peer_limit),
        Runner::Out(_) => Ok(None),
    }
}

/// Runs a pipeline on a fresh clone, which it gives back; the first time with its peak of memory.
pub(crate) fn run_once<'c>(
    original: &Module<'c>,
    pipeline: &str,
    is_first: bool,
    clock: Clock,
) -> Result<(Sample, Module<'c>), String> {
    let copy = module::copy(original);
    let sample = run_on(&copy, pipeline, is_first, clock)?;
    Ok((sample, copy))
}

/// Runs a pipeline; the first time with its peak of memory.
pub(crate) fn run_on(
    module: &Module<'_>,
    pipeline: &str,
    is_first: bool,
    clock: Clock,
) -> Result<Sample, String> {
    let ((), walk_seconds) = clock.time(|| walk(module));
    let timed = || clock.time(|| pipeline::run_unverified(module::as_op(module), pipeline));
    let ((outcome, seconds), peak_bytes) = match is_first {
        true => memory::peak(timed),
        false => (timed(), None),
    };
    outcome.map_err(|error| error.to_string())?;
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

/// Sizes from which `canonicalize` takes too long to be run on both results.
const LARGEST_COUNTED: usize = 10_000;

/// How many operations `canonicalize` leaves of a result; nothing where it would take too long.
pub(crate) fn count_canonical(module: &Module<'_>, size: usize) -> Option<usize> {
    if size > LARGEST_COUNTED {
        return None;
    }
    pipeline::run(module::as_op(module), "builtin.module(canonicalize)").ok()?;
    Some(module::as_op(module).walk().filter(is_counted).count())
}

/// The terminators that every region must have say nothing about the output.
fn is_counted(op: &Op<'_>) -> bool {
    !op.is("scf.yield") && !op.is("builtin.module")
}
