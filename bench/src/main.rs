//! `tfx-bench`: measures passes, compared with upstream's counterparts, and the cost of executing
//! programs (`runtime.rs`).
//!
//! ```text
//!   cargo run --release -p tfx-bench -- sese --sizes 100,1000
//!        │
//!        ▼
//!   a family (sese.rs, ...)  ──►  shapes × sizes as IR text  ──►  harness.rs: parse, clone and run
//!                                                                      │
//!                                                     table.rs: a table, and a JSON file
//! ```
//!
//! Each family has a file: a list of [`shapes::Shape`]s and two [`harness::Contender`]s. The other
//! files are shared.

mod clock;
mod compile;
mod copies;
mod deabstraction;
mod differentiate;
mod harness;
mod infer;
mod keras;
mod memory;
mod native;
mod partition;
mod peer;
mod progress;
mod protocol;
mod runtime;
mod sese;
mod shapes;
mod streams;
mod table;
mod xla;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, Parser, Subcommand};

use crate::clock::Clock;
use crate::harness::Limits;
use crate::shapes::Shape;

/// The allocator of `tfx-opt`, also for upstream's passes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures passes, compared with MLIR's counterparts, and compiled programs.
#[derive(Parser)]
#[command(name = "tfx-bench")]
struct CommandLine {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// tfx-sese, compared with lift-cf-to-scf
    Sese(Settings),
    /// tfx-inline, tfx-ssa, tfx-scalarize, compared with inline, mem2reg, sroa; and all of
    /// tfx-deabstract
    Deabstraction(Settings),
    /// tfx-differentiate, compared with the passes that it runs on a clone of the function
    Differentiate(Settings),
    /// tfx-partition with its minimum cut, without a counterpart
    Partition(Settings),
    /// tfx-verify-protocol on the output of tfx-partition, compared with cse on the same IR
    Protocol(Settings),
    /// tfx-copy-analysis, compared with all of tfx-extract
    Copies(Settings),
    /// The execution of compiled programs: channels, overlap, training, compared with hand-written
    /// code
    Runtime(runtime::Settings),
    /// The native code of graphs, compared with numpy, JAX and TensorFlow
    Native(native::Settings),
    /// Keras models, compared with TensorFlow, XLA and JAX
    Keras(keras::Settings),
    /// tfx-infer-shapes on unranked types, compared with cse on the same IR
    Infer(Settings),
    /// tfx-cluster-xla and tfx-strip-mine, compared with cse on the same IR
    Xla(Settings),
    /// tfx-assign-streams, tfx-insert-events and tfx-plan-memory, compared with cse on the same IR
    Streams(Settings),
    /// All of tfx-compile by stages, and all of `tfxc run` on a program with many channels
    Compile(Settings),
    /// Runs a pipeline for another process of the benchmark
    #[command(name = peer::COMMAND, hide = true)]
    Peer(peer::Settings),
}

/// The options of all families.
#[derive(Args)]
struct Settings {
    /// Sizes, in blocks or operations
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000, 10_000, 100_000])]
    sizes: Vec<usize>,
    /// Only these shapes
    #[arg(long, value_delimiter = ',')]
    shapes: Vec<String>,
    /// The number of runs, of which the median is reported
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// The time limit for a run of tfx; runs that are expected to exceed it, from the previous
    /// size, are skipped
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    budget: f64,
    /// The time limit for a run of upstream's counterpart, which is stopped after it
    #[arg(long, default_value_t = PEER_LIMIT_SECONDS, value_name = "SECONDS")]
    peer_limit: f64,
    /// The clock
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    clock: Clock,
    /// Skip upstream's counterpart
    #[arg(long)]
    alone: bool,
    /// Write the measurements to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print the IR of one shape and size, without measuring
    #[arg(long, value_name = "SHAPE:SIZE")]
    emit: Option<String>,
}

impl Settings {
    fn limits(&self) -> Limits {
        Limits {
            sizes: self.sizes.clone(),
            runs: self.runs.max(1),
            alone: self.alone,
            clock: self.clock,
            budget: duration(self.budget),
            peer_limit: duration(self.peer_limit),
        }
    }

    /// Returns the selected shapes.
    fn choose(&self, all: &[Shape]) -> Result<Vec<Shape>> {
        if self.shapes.is_empty() {
            return Ok(all.to_vec());
        }
        self.shapes.iter().map(|name| find(all, name)).collect()
    }

    /// Returns the text for `--emit`.
    fn text(&self, all: &[Shape], selected: &str) -> Result<String> {
        let (name, size) = selected.split_once(':').with_context(|| {
            format!("expected SHAPE:SIZE, such as diamonds:100, found '{selected}'")
        })?;
        let size = size
            .parse()
            .map_err(|_| anyhow!("expected a number of blocks, found '{size}'"))?;
        Ok((find(all, name)?.text)(size))
    }
}

/// Long enough to distinguish upstream's quadratic passes from those of tfx, and short enough for
/// all shapes.
const PEER_LIMIT_SECONDS: f64 = 60.0;

/// Converts seconds to a duration, within its range.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

fn find(all: &[Shape], name: &str) -> Result<Shape> {
    let found = all.iter().find(|shape| shape.name == name).copied();
    found.with_context(|| {
        let names: Vec<&str> = all.iter().map(|shape| shape.name).collect();
        format!("there is no shape '{name}'; there are {}", names.join(", "))
    })
}

/// The results of upstream's passes can be nested as deeply as a program has blocks, and MLIR walks
/// and destroys regions recursively. The stack is only reserved: untouched pages take no memory.
const STACK_BYTES: usize = 8 << 30;

fn main() -> ExitCode {
    let family = CommandLine::parse().family;
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let outcome = match thread.spawn(move || run(&family)) {
        Ok(running) => running
            .join()
            .unwrap_or_else(|_| Err(anyhow!("a benchmark panicked"))),
        Err(error) => Err(anyhow!("cannot start a thread: {error}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A function that measures the shapes of a family.
type Measure = fn(&[Shape], &Limits) -> Result<Vec<table::Row>>;

fn run(family: &Family) -> Result<()> {
    let (settings, all, measure): (_, _, Measure) = match family {
        Family::Sese(settings) => (settings, sese::SHAPES.to_vec(), sese::measure),
        Family::Deabstraction(settings) => {
            (settings, deabstraction::shapes(), deabstraction::measure)
        }
        Family::Differentiate(settings) => (
            settings,
            differentiate::SHAPES.to_vec(),
            differentiate::measure,
        ),
        Family::Partition(settings) => (settings, partition::SHAPES.to_vec(), partition::measure),
        Family::Protocol(settings) => (settings, protocol::SHAPES.to_vec(), protocol::measure),
        Family::Infer(settings) => (settings, infer::SHAPES.to_vec(), infer::measure),
        Family::Xla(settings) => (settings, xla::SHAPES.to_vec(), xla::measure),
        Family::Streams(settings) => (settings, streams::SHAPES.to_vec(), streams::measure),
        Family::Copies(settings) => (settings, copies::SHAPES.to_vec(), copies::measure),
        Family::Compile(settings) => (settings, compile::SHAPES.to_vec(), compile::measure),
        Family::Runtime(settings) => {
            progress::start();
            return runtime::run(settings);
        }
        Family::Native(settings) => {
            progress::start();
            return native::run(settings);
        }
        Family::Keras(settings) => {
            progress::start();
            return keras::run(settings);
        }
        Family::Peer(settings) => return peer::serve(settings),
    };
    if let Some(selected) = &settings.emit {
        print!("{}", settings.text(&all, selected)?);
        return Ok(());
    }
    progress::start();
    let shapes = settings.choose(&all)?;
    let rows = measure(&shapes, &settings.limits())?;
    print!("{}", table::text(&rows));
    match &settings.json {
        Some(path) => table::write_json(&rows, path),
        None => Ok(()),
    }
}
