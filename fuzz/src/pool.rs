//! Distribution of programs among worker processes.
//!
//! ```text
//!   pool ──spawn──> worker --first 0 --step 2:  seeds 0, 2, 4, ...     one line of output per seed
//!        ──spawn──> worker --first 1 --step 2:  seeds 1, 3, 5, ...
//! ```
//!
//! A worker that ends early was killed by its current program. The seed of that program is a
//! mismatch, and a new worker continues with the next seed.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use anyhow::{Context as _, Result};
use tfx::runtime::ExecutorKind;

use crate::bytes::Target;
use crate::check::{Checker, Depth};
use crate::compiled::Runner;
use crate::context::context;
use crate::counts::Counts;
use crate::ffi::process;
use crate::generate::{Generated, Overrides, derivatives, generate};

/// A set of programs to check.
#[derive(Clone, Debug)]
pub struct Job {
    /// The first seed.
    pub seed: u64,
    /// The number of programs.
    pub count: u64,
    /// The weights that override those of the seeds.
    pub overrides: Overrides,
    /// The check.
    pub check: Check,
    /// The number of workers.
    pub workers: u64,
    /// The folder for programs that show a mismatch; `None` neither writes nor prints them.
    pub folder: Option<PathBuf>,
    /// The limits of a worker.
    pub bounds: Bounds,
    /// `true` to stop at the first mismatch.
    pub stop_at_first: bool,
    /// The executable of the workers, if it is not this one.
    pub worker_program: Option<WorkerProgram>,
}

/// The check of a program.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// All stages, and compiled code on an executor, if there is one.
    Stages(Option<ExecutorKind>),
    /// Only the warnings of copy analysis.
    Copies,
    /// Only that outlining changes nothing.
    Outlined,
    /// Derivatives, and then all stages, and compiled code on an executor, if there is one.
    Derivatives(Option<ExecutorKind>),
    /// External input.
    Bytes(Target),
}

/// Another build of this executable.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    /// The path.
    pub program: PathBuf,
    /// A variable in its environment.
    pub variable: (String, String),
}

/// The limits for one program. A worker that exceeds them is killed, which is a mismatch.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The maximal time.
    pub timeout: Duration,
    /// The maximal address space, in bytes; `None` means no limit.
    pub memory: Option<u64>,
    /// The last stage that is checked.
    pub depth: Depth,
}

impl Bounds {
    /// Returns the limits for external input.
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

/// A multiple of the time of all oracles for one program on a loaded machine.
const TIMEOUT: Duration = Duration::from_secs(600);

/// A multiple of the time to read and compile an input.
const TIMEOUT_FOR_BYTES: Duration = Duration::from_secs(30);
/// A multiple of the memory that an input needs: the sizes that an input declares must not be
/// trusted.
const MEMORY_FOR_BYTES: u64 = 4 << 30;

/// The result of a job.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The numbers of checked items.
    pub counts: Counts,
    /// The mismatches: the seed, and the message.
    pub mismatches: Vec<(u64, String)>,
}

/// The seeds of one worker.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The first seed.
    pub first: u64,
    /// The distance to the next seed.
    pub step: u64,
    /// The number of seeds.
    pub count: u64,
}

impl Share {
    fn seed(self, index: u64) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(index))
    }
}

/// Checks all programs of a job, and prints mismatches immediately.
///
/// # Errors
/// Workers cannot be started.
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

/// Runs workers until the share is complete.
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
            Check::Derivatives(executor) => {
                command.arg("--derivatives");
                if let Some(executor) = executor {
                    command.args(["--executor", &executor.to_string()]);
                }
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
                mismatch: Some(format!("the compiler crashes: {status}")),
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

/// Records the report of a worker about a seed.
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
                Check::Derivatives(_) => {
                    let text = derivatives(seed).text;
                    (
                        format!("derivatives-{seed}.mlir"),
                        "program",
                        text.into_bytes(),
                    )
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
            tfx::files::print(text + "\n").map_err(io::Error::other)?;
        }
        outcome.mismatches.push((seed, what));
    }
    Ok(())
}

/// The report of a worker about one seed, in one line.
#[derive(Debug, Default)]
struct Report {
    counts: Counts,
    mismatch: Option<String>,
}

/// The prefix of a line that is a report.
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

/// Returns the smallest program found with the mismatch of a seed, or `None` if its program shows
/// no mismatch.
///
/// # Errors
/// Foreign functions cannot be compiled.
pub fn reduce(
    seed: u64,
    overrides: &Overrides,
    executor: Option<ExecutorKind>,
) -> Result<Option<Generated>> {
    let context = context();
    let runner = executor.map(Runner::new).transpose()?;
    Ok(crate::reduce::reduce(
        &context,
        runner.as_ref(),
        &generate(seed, overrides),
    ))
}

/// Checks a share, with a report for each seed on standard output.
///
/// # Errors
/// Foreign functions cannot be compiled; the output cannot be written.
pub fn work(share: Share, overrides: &Overrides, check: Check, bounds: Bounds) -> Result<()> {
    let context = context();
    let runner = match check {
        Check::Stages(executor) | Check::Derivatives(executor) => {
            executor.map(Runner::new).transpose()?
        }
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
            Check::Derivatives(_) => checker.check_derivatives(&derivatives(seed)),
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
            .context("cannot report")?;
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
