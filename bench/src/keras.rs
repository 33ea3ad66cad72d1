//! Keras models on native code, compared with TensorFlow, XLA and JAX in Python, on as many
//! threads: one, unless `--threads` says otherwise.
//!
//! ```text
//!   keras/models.py export  ──►  graph.pb, arg-N.npy, result-N.npy
//!                                   │
//!   ours: compiled from the GraphDef, called, its results compared with TensorFlow's
//!   peers: the same model and weights in Keras  ──►  a row for each peer: medians, ratio
//! ```
//!
//! A model is a function of its input and its weights. `MODEL-train` is a loop of steps of gradient
//! descent in the graph, whose derivatives TensorFlow has written. Nothing is downloaded: the
//! weights come from a formula.
//!
//! The targets are ratios to the best of the peers.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use serde::Deserialize;
use tfx::codegen::BuildFolder;
use tfx::runtime::{ExecutorKind, Tensor, npy, parallel};

use crate::runtime::compiled::Compiled;
use crate::runtime::python;
use crate::runtime::report::{self, Peer, Row, Sample, Target};

/// The options of `tfx-bench keras`.
#[derive(Args)]
pub(crate) struct Settings {
    /// Only these models
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The number of calls, after the first one, which is not measured
    #[arg(long, default_value_t = 15)]
    calls: usize,
    /// Run with the interpreter instead of native code
    #[arg(long)]
    embedded: bool,
    /// Only compare the results with TensorFlow's
    #[arg(long)]
    check: bool,
    /// The number of threads of each system
    #[arg(long, default_value = "1", value_parser = parallel::parse_threads)]
    threads: NonZeroUsize,
    /// Keep the GraphDefs and arrays in this folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

const SCRIPT: &str = include_str!("keras/models.py");

/// The models of the script, with the targets: at most this multiple of the best peer's time.
const MODELS: &[(&str, f64)] = &[
    ("mlp", 1.0),
    ("cnn", 1.0),
    ("lstm", 1.0),
    ("gru", 1.0),
    ("transformer", 1.0),
    ("autoencoder", 1.0),
    ("batch-norm", 1.0),
    ("segmentation", 1.0),
    ("mobilenet", 1.3),
    ("resnet50", 1.3),
    ("mlp-train", 1.0),
    ("cnn-train", 1.0),
    ("lstm-train", 1.0),
    ("gru-train", 1.0),
    ("transformer-train", 1.0),
    ("autoencoder-train", 1.0),
    ("batch-norm-train", 1.0),
];

/// The peers, by their names in the script.
const PEERS: [(&str, &str); 3] = [
    ("tensorflow", "TensorFlow"),
    ("xla", "TensorFlow, XLA"),
    ("jax", "JAX"),
];

const MILLISECOND: f64 = 1e-3;

/// The largest difference of a result from TensorFlow's, in multiples of its largest element. The
/// systems add in different orders; ResNet50 has 50 layers of sums of up to 4,608 products.
const TOLERANCE: f64 = 2e-5;

/// The last line of `models.py export`.
#[derive(Deserialize)]
struct Exported {
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// The last line of a peer.
#[derive(Deserialize)]
struct Measured {
    /// The seconds of each call.
    seconds: Vec<f64>,
    /// The largest difference of a result from the exported one, in multiples of its largest
    /// element.
    difference: f64,
}

pub(crate) fn run(settings: &Settings) -> Result<()> {
    let known = || MODELS.iter().map(|(name, _)| *name);
    let is_unknown = |only: &&String| !known().any(|name| name == only.as_str());
    if let Some(wrong) = settings.only.iter().find(is_unknown) {
        let known = known().collect::<Vec<_>>().join(", ");
        return Err(anyhow!("there is no model '{wrong}'; there are {known}"));
    }
    parallel::set_threads(settings.threads);
    let temporary = BuildFolder::new()?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (name, target) in MODELS {
        if !settings.only.is_empty() && !settings.only.iter().any(|only| only == name) {
            continue;
        }
        crate::progress::start_run(name);
        let folder = match &settings.folder {
            Some(folder) => folder.join(name),
            None => temporary.path(name),
        };
        match measure(name, *target, &folder, settings) {
            Ok(found) => rows.extend(found),
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
    }
    if !rows.is_empty() {
        print!("{}", report::text(&rows));
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(anyhow!("{}", failures.join("\n"))),
    }
}

fn measure(
    name: &'static str,
    target: f64,
    folder: &Path,
    settings: &Settings,
) -> Result<Vec<Row>> {
    let place = folder.to_str().ok_or_else(|| anyhow!("not UTF-8"))?;
    let exported: Exported = python::run(SCRIPT, &["export", name, place])?;
    let executor = match settings.embedded {
        true => ExecutorKind::Embedded,
        false => ExecutorKind::Native,
    };
    let program = Compiled::read(&folder.join("graph.pb"), !settings.embedded)?;
    let arguments = arrays(folder, "arg", exported.inputs.len())?;
    let expected = arrays(folder, "result", exported.outputs.len())?;
    let difference = difference(&program.call(executor, &arguments)?, &expected)?;
    if difference > TOLERANCE {
        return Err(anyhow!(
            "a result differs by {difference:.1e} of its largest element from TensorFlow's"
        ));
    }
    if settings.check {
        println!("{name}: the largest difference is {difference:.1e}");
        return Ok(Vec::new());
    }
    let calls = settings.calls.max(1);
    let mut ours = Vec::new();
    for _ in 0..calls {
        ours.push(program.seconds(executor, &arguments)? / MILLISECOND);
    }
    let ours = Sample::new(ours);
    let (calls, threads) = (calls.to_string(), settings.threads.to_string());
    let arguments = [name, place, &calls, &threads];
    let peers = PEERS.map(|(peer, what)| (what, measured(peer, arguments)));
    let median = |(_, sample): &(_, Result<Sample>)| sample.as_ref().ok().map(|it| it.median);
    let best = peers.iter().filter_map(median).min_by(f64::total_cmp);
    let rows = peers.into_iter().map(|(what, sample)| Row {
        name,
        unit: "ms",
        ours: ours.clone(),
        target: match &sample {
            Ok(sample) if Some(sample.median) == best => Target::TimesPeer(target),
            _ => Target::Nothing,
        },
        peer: match sample {
            Ok(sample) => Peer::Measured { what, sample },
            Err(error) => Peer::Absent {
                what,
                why: format!("{error:#}"),
            },
        },
    });
    Ok(rows.collect())
}

/// Measures a peer.
fn measured(peer: &str, [model, folder, calls, threads]: [&str; 4]) -> Result<Sample> {
    let arguments = [peer, model, folder, calls, threads];
    let measured: Measured = python::run(SCRIPT, &arguments)?;
    if measured.difference > TOLERANCE {
        return Err(anyhow!(
            "its result differs by {:.1e} of the largest element from TensorFlow's",
            measured.difference
        ));
    }
    let figures = measured.seconds.iter().map(|it| it / MILLISECOND);
    Ok(Sample::new(figures.collect()))
}

fn arrays(folder: &Path, role: &str, count: usize) -> Result<Vec<Tensor>> {
    let path = |number: usize| folder.join(format!("{role}-{number}.npy"));
    let arrays = (0..count).map(|number| Ok(npy::read(&path(number))?));
    arrays.collect()
}

/// Returns the largest difference of an element, in multiples of the largest element of its tensor.
fn difference(ours: &[Tensor], expected: &[Tensor]) -> Result<f64> {
    if ours.len() != expected.len() {
        return Err(anyhow!(
            "there are {} results, and TensorFlow has {}",
            ours.len(),
            expected.len()
        ));
    }
    let mut largest = 0.0_f64;
    for (ours, expected) in ours.iter().zip(expected) {
        let (ours, expected) = (ours.values::<f32>()?, expected.values::<f32>()?);
        if ours.len() != expected.len() {
            return Err(anyhow!("a result has another size than TensorFlow's"));
        }
        let scale = expected.iter().map(|it| f64::from(it.abs()));
        let scale = scale.fold(f64::MIN_POSITIVE, f64::max);
        let pairs = ours.iter().zip(expected.iter());
        let differences = pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        let worst = differences.fold(0.0, |worst, it| if it <= worst { worst } else { it });
        if worst.is_nan() {
            return Err(anyhow!("a result is not a number"));
        }
        largest = largest.max(worst / scale);
    }
    Ok(largest)
}
