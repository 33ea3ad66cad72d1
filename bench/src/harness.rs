//! Measuring: one process, one parse, fresh clones, alternately.
//!
//! ```text
//!   text ─parse─► module ─clone─► ours      ─clone─► upstream's ─clone─► ours ...      median, min, max of each
//! ```
//!
//! The clock runs while the pipeline runs, without the verifier that a pass manager puts after each pass. Making a clone, counting
//! its operations and destroying it are not in it. A contender that would take longer than the budget, judged by its time for the
//! size before and by how that grew, is left out.
//!
//! Memory gets slower as programs outgrow the caches, for every algorithm. A walk over the same clone that only reads names and operands says by how
//! much: what grows no faster than the walk grows with the machine, not with the algorithm.

use std::time::{Duration, Instant};

use melior::Context;
use melior::ir::Module;
use serde::Serialize;
use tfx_ir::{Op, module, pipeline};

use crate::memory;
use crate::shapes::Shape;
use crate::table::Row;

/// How much is measured.
pub(crate) struct Limits {
    /// Runs of each contender.
    pub(crate) runs: usize,
    /// Whether only the first contender runs.
    pub(crate) alone: bool,
    /// The longest that one run may be expected to take.
    pub(crate) budget: Duration,
}

/// A pipeline that takes part.
pub(crate) struct Contender {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// Its text, with its `builtin.module(...)` anchor.
    pub(crate) pipeline: &'static str,
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

/// One contender over the sizes of one shape.
pub(crate) struct Series<'c> {
    contender: &'c Contender,
    /// Size and seconds, of those that were measured.
    known: Vec<(usize, f64)>,
}

impl<'c> Series<'c> {
    pub(crate) fn new(contender: &'c Contender) -> Self {
        Self {
            contender,
            known: Vec::new(),
        }
    }

    /// What a run of that size is expected to take: as long as before, with the growth seen so far, which is taken as at least linear.
    fn expected(&self, size: usize) -> f64 {
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
            let (text, counted) = source(context, (shape.text)(size))?;
            let mut times = measure(context, &text, size, &mut series, limits)?.into_iter();
            rows.push(Row {
                shape: shape.name,
                size: counted,
                ours: times.next().flatten(),
                upstream: times.next().flatten(),
            });
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

/// Runs the contenders alternately on clones of `text`; none for one that is left out.
fn measure(
    context: &Context,
    text: &str,
    size: usize,
    series: &mut [Series<'_>],
    limits: &Limits,
) -> Result<Vec<Option<Time>>, String> {
    let texts = vec![text.to_owned(); series.len()];
    measure_each(context, &texts, size, series, limits)
}

/// The same, where each contender has a text of its own: the same program in another language.
pub(crate) fn measure_each(
    context: &Context,
    texts: &[String],
    size: usize,
    series: &mut [Series<'_>],
    limits: &Limits,
) -> Result<Vec<Option<Time>>, String> {
    let parse = |text: &String| module::parse(context, text, "bench.mlir");
    let originals: Option<Vec<_>> = texts.iter().map(parse).collect();
    let originals = originals.ok_or("a shape does not parse")?;
    let budget = limits.budget.as_secs_f64();
    let mut taken: Vec<Vec<f64>> = vec![Vec::new(); series.len()];
    let takes_part: Vec<bool> = series
        .iter()
        .enumerate()
        .map(|(index, one)| one.expected(size) <= budget && (index == 0 || !limits.alone))
        .collect();
    let mut operations = vec![None; series.len()];
    let mut peaks = vec![None; series.len()];
    let mut walks: Vec<Vec<f64>> = vec![Vec::new(); series.len()];
    for round in 0..limits.runs {
        for (index, one) in series.iter().enumerate() {
            // One run of something slow is enough to know it.
            let slow = taken[index]
                .first()
                .is_some_and(|&first| first > budget / 10.0);
            if !takes_part[index] || slow {
                continue;
            }
            let copy = module::copy(&originals[index]);
            walks[index].push(walk(&copy).as_secs_f64());
            if round > 0 {
                taken[index].push(run(&copy, one.contender)?.as_secs_f64());
                continue;
            }
            let (time, peak) = memory::peak(|| run(&copy, one.contender));
            taken[index].push(time?.as_secs_f64());
            peaks[index] = peak;
            operations[index] = count_canonical(&copy, size);
        }
    }
    let mut times = Vec::new();
    let results = series.iter_mut().zip(taken).zip(walks);
    let results = results.zip(operations).zip(peaks);
    for ((((one, mut taken), mut walks), operations), peak_bytes) in results {
        let (Some(median_seconds), Some(walk_seconds)) = (median(&mut taken), median(&mut walks))
        else {
            times.push(None);
            continue;
        };
        one.known.push((size, median_seconds));
        times.push(Some(Time {
            median_seconds,
            min_seconds: taken[0],
            max_seconds: taken[taken.len() - 1],
            runs: taken.len(),
            operations,
            peak_bytes,
            walk_seconds,
        }));
    }
    Ok(times)
}

/// The middle one, of sorted times; none of none.
fn median(times: &mut [f64]) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// How long it takes to read the name and the operands of each operation.
fn walk(module: &Module<'_>) -> Duration {
    let start = Instant::now();
    let read = module::as_op(module)
        .walk()
        .map(|op| op.name().len() + op.operands().count())
        .sum::<usize>();
    std::hint::black_box(read);
    start.elapsed()
}

fn run(module: &Module<'_>, contender: &Contender) -> Result<Duration, String> {
    let start = Instant::now();
    let outcome = pipeline::run_unverified(module::as_op(module), contender.pipeline);
    let taken = start.elapsed();
    outcome.map_err(|error| format!("{}: {error}", contender.name))?;
    Ok(taken)
}

/// Sizes from which `canonicalize` takes too long to be run on both results.
const LARGEST_COUNTED: usize = 10_000;

fn count_canonical(module: &Module<'_>, size: usize) -> Option<usize> {
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
