//! `tfx-fuzz`: tests the compiler with random programs.
//!
//! This file parses the command line and prints a summary; the library does the work.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use tfx::runtime::ExecutorKind;
use tfx::runtime::executor::UnknownExecutor;
use tfx_fuzz::bytes::Target;
use tfx_fuzz::check::Depth;
use tfx_fuzz::counts::Copies;
use tfx_fuzz::generate::{Overrides, derivatives, generate};
use tfx_fuzz::mutants::{self, MutationRun};
use tfx_fuzz::pool::{self, Bounds, Check, Job, Share};
use tfx_fuzz::print_line;

/// Tests the compiler with random programs: every stage must preserve the behaviour of the source.
#[derive(Parser)]
#[command(version = tfx::VERSION)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check programs, and print a summary: programs, schedules, mismatches.
    Run(Run),
    /// Print the program of a seed.
    Show {
        /// The seed.
        seed: u64,
        #[arg(long, value_name = "WEIGHTS", default_value_t, help = Overrides::help())]
        mix: Overrides,
        /// Print the program with derivatives.
        #[arg(long)]
        derivatives: bool,
    },
    /// Reduce the program of a seed while it shows the same mismatch, and print it.
    Reduce {
        /// The seed.
        seed: u64,
        #[arg(long, value_name = "WEIGHTS", default_value_t, help = Overrides::help())]
        mix: Overrides,
        /// The executor of compiled programs: embedded, native, tensorflow or tensorflow-queues;
        /// none checks only the stages up to the graphs.
        #[arg(long, value_name = "EXECUTOR", default_value = "embedded", value_parser = executor)]
        executor: Executor,
    },
    /// Check damaged external input: it must not cause a crash, a hang or an internal error.
    Bytes(Bytes),
    /// Print an input of a kind.
    Sample {
        /// The kind: ir, bytecode, pipeline, graphdef, npy or dlpack.
        target: Target,
        /// The seed.
        seed: u64,
    },
    /// Process files as inputs of a kind, and print whether each is accepted.
    Feed {
        /// The kind: ir, bytecode, pipeline, graphdef, npy or dlpack.
        target: Target,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Run mutation testing: report which mutants of the compiler random programs kill.
    Mutants(Mutants),
    /// Check a share of the seeds; `run` starts workers with this command.
    #[command(hide = true)]
    Worker(Worker),
}

#[derive(Args)]
struct Run {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The number of programs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    #[arg(long, value_name = "WEIGHTS", default_value_t, help = Overrides::help())]
    mix: Overrides,
    /// The executor of compiled programs: embedded, native, tensorflow or tensorflow-queues; none
    /// checks only the stages up to the graphs.
    #[arg(long, value_name = "EXECUTOR", default_value = "embedded", value_parser = executor)]
    executor: Executor,
    /// The last stage to check: deabstracted, structured, partitioned, or all.
    #[arg(long, value_name = "STAGE", default_value_t)]
    depth: Depth,
    /// Check only the warnings of copy analysis.
    #[arg(long)]
    copies: bool,
    /// Check only that outlining of expressions changes neither results nor messages nor warnings.
    #[arg(long, conflicts_with = "copies")]
    outline: bool,
    /// Check programs that request derivatives: these against central differences, and then all
    /// stages.
    #[arg(long, conflicts_with_all = ["copies", "outline"])]
    derivatives: bool,
    /// The number of worker processes.
    #[arg(long, default_value_t = 2)]
    workers: u64,
    /// The folder for programs that show a mismatch.
    #[arg(long, value_name = "FOLDER", default_value = "fuzz-mismatches")]
    folder: PathBuf,
}

#[derive(Args)]
struct Bytes {
    /// The kind of input; may be repeated: ir, bytecode, pipeline, graphdef, npy, dlpack [default:
    /// all].
    #[arg(long = "target", value_name = "KIND")]
    targets: Vec<Target>,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of inputs of each kind.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The number of worker processes.
    #[arg(long, default_value_t = 2)]
    workers: u64,
    /// The folder for inputs that show a mismatch.
    #[arg(long, value_name = "FOLDER", default_value = "fuzz-mismatches")]
    folder: PathBuf,
}

#[derive(Args)]
struct Worker {
    #[arg(long)]
    first: u64,
    #[arg(long)]
    step: u64,
    #[arg(long)]
    count: u64,
    #[arg(long)]
    mix: Overrides,
    #[arg(long)]
    executor: Option<ExecutorKind>,
    #[arg(long)]
    copies: bool,
    #[arg(long)]
    outline: bool,
    #[arg(long)]
    derivatives: bool,
    #[arg(long)]
    bytes: Option<Target>,
    /// In seconds.
    #[arg(long)]
    timeout: u64,
    /// In bytes.
    #[arg(long)]
    memory: Option<u64>,
    #[arg(long)]
    depth: Depth,
}

#[derive(Args)]
struct Mutants {
    /// The source tree.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    sources: PathBuf,
    /// The folder in which the mutated copy is built.
    #[arg(long, value_name = "FOLDER", default_value = "target/mutants")]
    folder: PathBuf,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The maximal number of programs per mutant.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    #[arg(long, value_name = "WEIGHTS", default_value_t, help = Overrides::help())]
    mix: Overrides,
    /// The number of worker processes.
    #[arg(long, default_value_t = 2)]
    workers: u64,
    /// Parts of the names of the mutants to test [default: all].
    names: Vec<String>,
}

/// An executor, or none.
#[derive(Clone, Copy)]
struct Executor(Option<ExecutorKind>);

fn executor(text: &str) -> Result<Executor, UnknownExecutor> {
    match text {
        "none" => Ok(Executor(None)),
        _ => text.parse().map(|kind| Executor(Some(kind))),
    }
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(run) => self::run(run),
        Command::Show {
            seed,
            derivatives: true,
            ..
        } => tfx::files::print(derivatives(seed).text)
            .map(|()| ExitCode::SUCCESS)
            .map_err(Into::into),
        Command::Show { seed, mix, .. } => tfx::files::print(generate(seed, &mix).text)
            .map(|()| ExitCode::SUCCESS)
            .map_err(Into::into),
        Command::Reduce {
            seed,
            mix,
            executor,
        } => reduce(seed, &mix, executor.0),
        Command::Bytes(bytes) => self::bytes(&bytes),
        Command::Sample { target, seed } => sample(target, seed),
        Command::Feed { target, files } => feed(target, &files),
        Command::Mutants(mutants) => self::mutants(mutants),
        Command::Worker(worker) => work(&worker),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(run: Run) -> Result<ExitCode> {
    let job = Job {
        seed: run.seed,
        count: run.count,
        overrides: run.mix,
        check: match (run.copies, run.outline) {
            (true, _) => Check::Copies,
            (false, true) => Check::Outlined,
            (false, false) if run.derivatives => Check::Derivatives(run.executor.0),
            (false, false) => Check::Stages(run.executor.0),
        },
        workers: run.workers,
        folder: Some(run.folder),
        bounds: Bounds {
            depth: run.depth,
            ..Bounds::default()
        },
        stop_at_first: false,
        worker_program: None,
    };
    let outcome = pool::run(&job).context("cannot run workers")?;
    let counts = outcome.counts;
    if run.outline {
        print_line(&format!(
            "{} programs, {} with outlined expressions ({} messages), {} too long to check, {} mismatches",
            run.count,
            counts.outlined,
            counts.messages,
            counts.endless,
            outcome.mismatches.len()
        ))?;
        return Ok(ExitCode::from(u8::from(!outcome.mismatches.is_empty())));
    }
    if run.derivatives {
        print_line(&format!(
            "{} programs with derivatives ({} with graphs, {} too long to check), {} partial derivatives compared, {} schedules of {} steps, {} mismatches",
            run.count,
            counts.with_graph,
            counts.endless,
            counts.derivatives,
            counts.schedules,
            counts.steps,
            outcome.mismatches.len()
        ))?;
        return Ok(ExitCode::from(u8::from(!outcome.mismatches.is_empty())));
    }
    let Copies {
        sends,
        round_trips,
        warned,
        warned_unexecuted,
        unexecuted_in_branches,
        unexecuted_in_loops,
        warned_without_round_trip,
    } = counts.copies;
    print_line(&format!(
        "{sends} copies to the accelerator: {round_trips} end a round trip in some run, {warned} are reported; of these, {warned_unexecuted} are never executed ({unexecuted_in_branches} in unreached branches, {unexecuted_in_loops} in unreached loops), {warned_without_round_trip} are executed without a round trip"
    ))?;
    print_line(&format!(
        "{} programs ({} with graphs, {} too long to check), {} schedules of {} steps, {} mismatches",
        run.count,
        counts.with_graph,
        counts.endless,
        counts.schedules,
        counts.steps,
        outcome.mismatches.len()
    ))?;
    Ok(if outcome.mismatches.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn reduce(seed: u64, overrides: &Overrides, executor: Option<ExecutorKind>) -> Result<ExitCode> {
    let reduced = pool::reduce(seed, overrides, executor)?;
    let reduced =
        reduced.with_context(|| format!("the program of seed {seed} shows no mismatch"))?;
    tfx::files::print(reduced.text)?;
    Ok(ExitCode::SUCCESS)
}

fn bytes(bytes: &Bytes) -> Result<ExitCode> {
    let targets = match &bytes.targets[..] {
        [] => &Target::ALL,
        some => some,
    };
    let mut mismatches = 0;
    for &target in targets {
        let job = Job {
            seed: bytes.seed,
            count: bytes.count,
            overrides: Overrides::default(),
            check: Check::Bytes(target),
            workers: bytes.workers,
            folder: Some(bytes.folder.clone()),
            bounds: Bounds::of_bytes(),
            stop_at_first: false,
            worker_program: None,
        };
        let outcome = pool::run(&job).context("cannot run workers")?;
        let unreadable = match outcome.counts.unreadable {
            0 => String::new(),
            some => format!(", {some} that crash MLIR's own reader"),
        };
        print_line(&format!(
            "{} inputs of kind {target}, {} accepted{unreadable}, {} mismatches",
            bytes.count,
            outcome.counts.accepted,
            outcome.mismatches.len()
        ))?;
        mismatches += outcome.mismatches.len();
    }
    Ok(ExitCode::from(u8::from(mismatches > 0)))
}

fn sample(target: Target, seed: u64) -> Result<ExitCode> {
    let written = io::stdout().write_all(&target.sample(seed));
    written.context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}

fn feed(target: Target, files: &[PathBuf]) -> Result<ExitCode> {
    for file in files {
        let name = file.display();
        let bytes = std::fs::read(file).with_context(|| format!("cannot read '{name}'"))?;
        match target.run(&bytes) {
            Ok(()) => print_line(&format!("{name}: accepted"))?,
            Err(why) => print_line(&format!("{name}: rejected: {why}"))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn mutants(mutants: Mutants) -> Result<ExitCode> {
    let options = MutationRun {
        sources: mutants.sources,
        folder: mutants.folder,
        seed: mutants.seed,
        count: mutants.count,
        workers: mutants.workers,
        overrides: mutants.mix,
        names: mutants.names,
    };
    Ok(if mutants::run(&options)? {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn work(worker: &Worker) -> Result<ExitCode> {
    let share = Share {
        first: worker.first,
        step: worker.step,
        count: worker.count,
    };
    let check = match (worker.copies, worker.bytes) {
        (true, _) => Check::Copies,
        (false, _) if worker.outline => Check::Outlined,
        (false, _) if worker.derivatives => Check::Derivatives(worker.executor),
        (false, Some(target)) => Check::Bytes(target),
        (false, None) => Check::Stages(worker.executor),
    };
    let bounds = Bounds {
        timeout: Duration::from_secs(worker.timeout),
        memory: worker.memory,
        depth: worker.depth,
    };
    pool::work(share, &worker.mix, check, bounds)?;
    Ok(ExitCode::SUCCESS)
}
