//! Many programs, shared among workers.
//!
//! ```text
//!   pool ──spawn──> worker --first 0 --step 2:  seeds 0, 2, 4, ...     one line on its output for each seed, before and after
//!        ──spawn──> worker --first 1 --step 2:  seeds 1, 3, 5, ...
//! ```
//!
//! A worker that ends before its time was killed by the program that it was at: that seed is a mismatch, and a new worker goes on
//! behind it.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use melior::Context;
use tfx::Error;
use tfx::runtime::ExecutorKind;

use crate::bytes::Target;
use crate::check::{Checker, Depth};
use crate::compiled::Runner;
use crate::counts::Counts;
use crate::ffi::process;
use crate::generate::{Generated, Overrides, generate};
use crate::print_line;

/// What to check.
#[derive(Clone, Debug)]
pub struct Job {
    /// The first seed.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// What is asked of all of them.
    pub overrides: Overrides,
    /// What of each.
    pub check: Check,
    /// How many workers.
    pub workers: u64,
    /// Where programs are written that show a mismatch; nothing: they are not, and nothing is told of them.
    pub folder: Option<PathBuf>,
    /// What a worker may use.
    pub bounds: Bounds,
    /// Whether one mismatch is enough.
    pub stop_at_first: bool,
    /// The program that the workers run, where it is not this one, with a variable in its environment.
    pub worker_program: Option<WorkerProgram>,
}

/// What is checked of a program.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// All stages, and compiled code on an executor, if there is one.
    Stages(Option<ExecutorKind>),
    /// What copy analysis says, and no more.
    Copies,
    /// That outlined expressions change nothing, and no more.
    Outlined,
    /// Bytes from outside.
    Bytes(Target),
}

/// Another build of this program.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    /// Where it is.
    pub program: PathBuf,
    /// A variable in its environment.
    pub variable: (String, String),
}

/// What a worker may use for one program. One that uses more is killed, which is a mismatch.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long it may take.
    pub timeout: Duration,
    /// How many bytes of address space it may have; nothing: as many as there are.
    pub memory: Option<u64>,
    /// How far it checks a program.
    pub depth: Depth,
}

impl Bounds {
    /// For inputs from outside.
    pub fn of_bytes() -> Self {
        Bounds {
            timeout: TIMEOUT_FOR_BYTES,
            memory: Some(MEMORY_FOR_BYTES),
            depth: Depth::All,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            timeout: TIMEOUT,
            memory: None,
            depth: Depth::All,
        }
    }
}

/// Longer than all oracles take on one program, on a machine with much else to do.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Many times what it takes to read and compile an input.
const TIMEOUT_FOR_BYTES: Duration = Duration::from_secs(30);
/// Many times what an input needs: one that says of itself that it is large must not be believed.
const MEMORY_FOR_BYTES: u64 = 4 << 30;

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was checked.
    pub counts: Counts,
    /// What is wrong: the seed, and what its program shows.
    pub mismatches: Vec<(u64, String)>,
}

/// Seeds of one worker: from a first one in steps.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The first seed.
    pub first: u64,
    /// How far the next one is.
    pub step: u64,
    /// How many.
    pub count: u64,
}

impl Share {
    fn seed(self, index: u64) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(index))
    }
}

/// Checks all programs of a job. Mismatches are told as they come.
///
/// # Errors
/// Workers that cannot be started.
pub fn run(job: &Job) -> io::Result<Outcome> {
    if let Some(folder) = &job.folder {
        fs::create_dir_all(folder)?;
    }
    let program = match &job.worker_program {
        Some(worker) => worker.program.clone(),
        None => env::current_exe()?,
    };
    let outcome = Mutex::new(Outcome::default());
    let stop = AtomicBool::new(false);
    let workers = job.workers.clamp(1, job.count.max(1));
    let shares = (0..workers).map(|worker| Share {
        first: job.seed.wrapping_add(worker),
        step: workers,
        count: job.count / workers + u64::from(worker < job.count % workers),
    });
    thread::scope(|scope| {
        let threads: Vec<_> = shares
            .map(|share| {
                let (program, outcome, stop) = (&program, &outcome, &stop);
                scope.spawn(move || supervise(program, job, share, outcome, stop))
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a supervisor does not panic"))
    })?;
    let mut outcome = outcome.into_inner().expect("no supervisor has panicked");
    outcome.mismatches.sort();
    Ok(outcome)
}

/// Runs workers until one has gone through its share.
fn supervise(
    program: &Path,
    job: &Job,
    mut share: Share,
    outcome: &Mutex<Outcome>,
    stop: &AtomicBool,
) -> io::Result<()> {
    while share.count > 0 && !stop.load(Ordering::Relaxed) {
        let mut command = Command::new(program);
        command
            .arg("worker")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command.args([
            "--first",
            &share.first.to_string(),
            "--step",
            &share.step.to_string(),
        ]);
        command.args(["--count", &share.count.to_string()]);
        command.args(["--mix", &job.overrides.to_string()]);
        command.args(["--timeout", &job.bounds.timeout.as_secs().to_string()]);
        command.args(["--depth", &job.bounds.depth.to_string()]);
        if let Some(memory) = job.bounds.memory {
            command.args(["--memory", &memory.to_string()]);
        }
        match job.check {
            Check::Stages(Some(executor)) => {
                command.args(["--executor", &executor.to_string()]);
            }
            Check::Stages(None) => {}
            Check::Copies => {
                command.arg("--copies");
            }
            Check::Outlined => {
                command.arg("--outline");
            }
            Check::Bytes(target) => {
                command.args(["--bytes", &target.to_string()]);
            }
        }
        if let Some(WorkerProgram { variable, .. }) = &job.worker_program {
            command.env(&variable.0, &variable.1);
        }
        let mut child = command.spawn()?;
        let mut done = 0;
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).lines() {
                let line = line?;
                let Some(report) = Report::parse(&line) else {
                    continue;
                };
                done += 1;
                let is_enough = job.stop_at_first && report.mismatch.is_some();
                stop.fetch_or(is_enough, Ordering::Relaxed);
                record(job, share.seed(done - 1), report, outcome)?;
                if stop.load(Ordering::Relaxed) {
                    child.kill()?;
                    child.wait()?;
                    return Ok(());
                }
            }
        }
        let status = child.wait()?;
        if done < share.count {
            let report = Report {
                mismatch: Some(format!("the compiler does not survive it: {status}")),
                ..Report::default()
            };
            stop.fetch_or(job.stop_at_first, Ordering::Relaxed);
            record(job, share.seed(done), report, outcome)?;
            done += 1;
        }
        share = Share {
            first: share.seed(done),
            count: share.count - done,
            ..share
        };
    }
    Ok(())
}

/// Keeps what a worker reports of a seed.
fn record(job: &Job, seed: u64, report: Report, outcome: &Mutex<Outcome>) -> io::Result<()> {
    let mut outcome = outcome.lock().expect("no supervisor has panicked");
    outcome.counts.add(&report.counts);
    if let Some(what) = report.mismatch {
        if let Some(folder) = &job.folder {
            let (name, kind, input) = match job.check {
                Check::Bytes(target) => {
                    let sample = target.sample(seed);
                    (format!("{target}-{seed}"), "input", sample)
                }
                _ => {
                    let Generated { text, in_place, .. } = generate(seed, &job.overrides);
                    if let Some(in_place) = in_place {
                        fs::write(folder.join(format!("seed-{seed}-in-place.mlir")), in_place)?;
                    }
                    (format!("seed-{seed}.mlir"), "program", text.into_bytes())
                }
            };
            let path = folder.join(name);
            fs::write(&path, input)?;
            let text = format!("seed {seed}: {what}\n  the {kind} is in {}", path.display());
            print_line(&text).map_err(io::Error::other)?;
        }
        outcome.mismatches.push((seed, what));
    }
    Ok(())
}

/// What a worker says of one seed, in one line.
#[derive(Debug, Default)]
struct Report {
    counts: Counts,
    mismatch: Option<String>,
}

/// What a line starts with that is a report.
const REPORT_PREFIX: &str = "tfx-fuzz-report";

impl Report {
    fn line(&self) -> String {
        let numbers = self.counts.all().map(|number| number.to_string());
        let what = self.mismatch.as_deref().unwrap_or_default();
        format!(
            "{REPORT_PREFIX} {} {}",
            numbers.join(" "),
            what.replace('\n', " | ")
        )
    }

    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.strip_prefix(REPORT_PREFIX)?.trim_start();
        let numbers = std::iter::from_fn(|| {
            let (number, rest) = parts.split_once(' ')?;
            parts = rest;
            number.parse().ok()
        });
        let counts = Counts::from_all(numbers)?;
        Some(Report {
            counts,
            mismatch: (!parts.is_empty()).then(|| parts.to_owned()),
        })
    }
}

/// A context for one thread: children are forked, which only a process with one thread may do.
pub(crate) fn context() -> Context {
    let context = Context::new();
    context.enable_multi_threading(false);
    tfx::prepare(&context);
    context
}

/// The smallest program that is found to show the same as that of a seed; nothing where that shows no mismatch.
///
/// # Errors
/// Foreign functions that cannot be compiled.
pub fn reduce(
    seed: u64,
    overrides: &Overrides,
    executor: Option<ExecutorKind>,
) -> Result<Option<Generated>, Error> {
    let context = context();
    let runner = executor.map(Runner::new).transpose()?;
    Ok(crate::reduce::reduce(
        &context,
        runner.as_ref(),
        &generate(seed, overrides),
    ))
}

/// Goes through a share, with a report for each seed on standard output.
///
/// # Errors
/// Foreign functions that cannot be compiled, and an output that nobody reads.
pub fn work(
    share: Share,
    overrides: &Overrides,
    check: Check,
    bounds: Bounds,
) -> Result<(), Error> {
    let context = context();
    let runner = match check {
        Check::Stages(executor) => executor.map(Runner::new).transpose()?,
        Check::Copies | Check::Outlined | Check::Bytes(_) => None,
    };
    process::limit_memory(bounds.memory);
    for index in 0..share.count {
        process::alarm(bounds.timeout);
        let seed = share.seed(index);
        let mut checker = Checker::new(&context, runner.as_ref());
        checker.depth = bounds.depth;
        let checked = match check {
            Check::Stages(_) => checker.check(&generate(seed, overrides)),
            Check::Copies => checker.check_copies(&generate(seed, overrides)),
            Check::Outlined => checker.check_outlined(&generate(seed, overrides)),
            Check::Bytes(target) => checker.check_bytes(target, &target.sample(seed)),
        };
        let mismatch = checked.err();
        let report = Report {
            counts: checker.counts,
            mismatch: mismatch.map(|mismatch| mismatch.to_string()),
        };
        let mut output = io::stdout().lock();
        writeln!(output, "{}", report.line())
            .and_then(|()| output.flush())
            .map_err(|error| Error::new(format!("cannot report: {error}")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_are_written() {
        let report = Report {
            counts: Counts {
                schedules: 1,
                steps: 2,
                endless: 3,
                with_graph: 4,
                ..Counts::default()
            },
            mismatch: Some("stage: two\nlines".to_owned()),
        };
        let read = Report::parse(&report.line()).expect("a report");
        assert_eq!(read.counts.steps, 2);
        assert_eq!(read.mismatch.as_deref(), Some("stage: two | lines"));
        assert!(Report::parse("what a pass prints").is_none());
        let good = Report::parse(&Report::default().line()).expect("a report");
        assert_eq!(good.mismatch, None);
    }
}
