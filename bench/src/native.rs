//! Native code of graphs, compared with numpy, JAX and TensorFlow in Python, on as many threads.
//!
//! ```text
//!   a case  ──►  ours, all peers, ours, all peers, ...  ──►  a row for each peer: medians, ratio
//! ```
//!
//! A case is a program whose inputs are filled by a formula, which `native/peers.py` shares.
//! Each round times several calls of the compiled program, then starts each peer in a process that
//! may use as many processors as the program has threads: one, unless `--threads` says otherwise. A
//! peer that is missing is named.
//!
//! The targets are ratios to JAX.

use std::num::NonZeroUsize;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use serde::Deserialize;
use tfx::runtime::{ExecutorKind, Tensor, parallel};

use crate::runtime::compiled::Compiled;
use crate::runtime::python;
use crate::runtime::report::{self, Peer, Row, Sample, Target};

mod cases;

use cases::{CASES, Case, RowNumbers};

/// The options of `tfx-bench native`.
#[derive(Args)]
pub(crate) struct Settings {
    /// Only these cases
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The number of rounds
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The number of calls in a round, after one that is not measured
    #[arg(long, default_value_t = 7)]
    calls: usize,
    /// Run with the interpreter instead of native code
    #[arg(long)]
    embedded: bool,
    /// The number of threads of each system
    #[arg(long, default_value = "1", value_parser = parallel::parse_threads)]
    threads: NonZeroUsize,
}

const SCRIPT: &str = include_str!("native/peers.py");

/// The peers, by their names in the script.
const PEERS: [(&str, &str); 3] = [
    ("numpy", "numpy"),
    ("jax", "JAX"),
    ("tensorflow", "TensorFlow"),
];

const MILLISECOND: f64 = 1e-3;

/// A line of the script's output.
#[derive(Deserialize)]
struct Measured {
    /// The seconds of each call.
    seconds: Vec<f64>,
    /// The sum of the squares of the result.
    squares: f64,
}

pub(crate) fn run(settings: &Settings) -> Result<()> {
    let is_chosen = |case: &&Case| {
        settings.only.is_empty() || settings.only.iter().any(|only| only == case.name)
    };
    if let Some(wrong) = settings
        .only
        .iter()
        .find(|only| !CASES.iter().any(|case| case.name == **only))
    {
        let known: Vec<_> = CASES.iter().map(|case| case.name).collect();
        let known = known.join(", ");
        return Err(anyhow!("there is no case '{wrong}'; there are {known}"));
    }
    parallel::set_threads(settings.threads);
    let mut rows = Vec::new();
    for case in CASES.iter().filter(is_chosen) {
        crate::progress::start_run(case.name);
        rows.extend(measure(case, settings).context(case.name)?);
    }
    print!("{}", report::text(&rows));
    Ok(())
}

fn measure(case: &Case, settings: &Settings) -> Result<Vec<Row>> {
    let executor = match settings.embedded {
        true => ExecutorKind::Embedded,
        false => ExecutorKind::Native,
    };
    let program = match settings.embedded {
        true => Compiled::new(&case.text(), "")?,
        false => Compiled::native(&case.text(), "")?,
    };
    let arguments: Result<Vec<_>> = case.inputs.iter().map(|sizes| filled(sizes)).collect();
    let mut arguments = arguments?;
    if let Some(rows) = case.rows {
        let numbers: Vec<i32> = (0..rows.count).map(|at| row_number(at, rows)).collect();
        arguments.push(Tensor::from_slice(&[rows.count], &numbers)?);
    }
    if let Some(steps) = case.steps {
        arguments.push(Tensor::from_slice(&[], &[steps])?);
    }
    let mut ours = Vec::new();
    let mut peers: [Result<Vec<f64>>; 3] = [const { Ok(Vec::new()) }; 3];
    for _ in 0..settings.rounds.max(1) {
        let results = program.call(executor, &arguments)?;
        for _ in 0..settings.calls.max(1) {
            ours.push(program.seconds(executor, &arguments)? / MILLISECOND);
        }
        for ((name, _), figures) in PEERS.iter().zip(&mut peers) {
            let measured = peer(name, case, settings.calls.max(1), settings.threads);
            match (measured, figures) {
                (Ok(measured), Ok(figures)) => {
                    check(&results[0], &measured).context(*name)?;
                    figures.extend(measured.seconds.iter().map(|it| it / MILLISECOND));
                }
                (Err(error), figures) => *figures = Err(error),
                (Ok(_), Err(_)) => {}
            }
        }
    }
    let ours = Sample::new(ours);
    let rows = PEERS.iter().zip(peers).map(|((name, what), figures)| Row {
        name: case.name,
        unit: "ms",
        ours: ours.clone(),
        peer: match figures {
            Ok(figures) => Peer::Measured {
                what,
                sample: Sample::new(figures),
            },
            Err(error) => Peer::Absent {
                what,
                why: format!("{error:#}"),
            },
        },
        target: match *name {
            "jax" => Target::TimesPeer(case.target),
            _ => Target::Nothing,
        },
    });
    Ok(rows.collect())
}

/// Returns the elements of an input: small numbers without a pattern that a compiler could use.
fn filled(sizes: &[usize]) -> Result<Tensor> {
    let count = sizes.iter().product::<usize>();
    let element = |index: usize| ((index * 37 + 11) % 101) as f32 / 101.0 - 0.5;
    let elements: Vec<f32> = (0..count).map(element).collect();
    Ok(Tensor::from_slice(sizes, &elements)?)
}

/// Returns one of the numbers of rows, which are spread over all rows and occur several times if
/// there are more of them than rows.
fn row_number(index: usize, rows: RowNumbers) -> i32 {
    ((index * 7919 + 11) % rows.below) as i32
}

/// Compares the sum of the squares of a result with that of a peer.
fn check(result: &Tensor, measured: &Measured) -> Result<()> {
    const TOLERANCE: f64 = 1e-3;
    let square = |x: &f32| f64::from(*x) * f64::from(*x);
    let ours: f64 = result.values::<f32>()?.iter().map(square).sum();
    let theirs = measured.squares;
    match (ours - theirs).abs() <= TOLERANCE * theirs.abs().max(ours.abs()) {
        true => Ok(()),
        false => Err(anyhow!(
            "the sum of squares is {theirs}, and ours is {ours}"
        )),
    }
}

/// Runs a case of a peer.
fn peer(name: &str, case: &Case, calls: usize, threads: NonZeroUsize) -> Result<Measured> {
    let (calls, steps) = (calls.to_string(), case.steps.unwrap_or(0).to_string());
    let (shapes, threads) = (serde_json::to_string(case.inputs)?, threads.to_string());
    let rows = case.rows.map_or([0, 1], |it| [it.count, it.below]);
    let rows = serde_json::to_string(&rows)?;
    let arguments = [name, case.name, &calls, &steps, &shapes, &threads, &rows];
    python::run(SCRIPT, &arguments)
}
