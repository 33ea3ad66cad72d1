//! What a compiled program costs while it runs, beside its peer in the same run: channels, host code in a loop, overlap, training.
//!
//! ```text
//!   a measurement  ──►  ours, peer, ours, peer, ...  ──►  median, min, max of each, the ratio, and whether what is asked for holds
//! ```
//!
//! Programs are compiled as `tfxc run` compiles them and called through their entry. The peers are what a user would write instead: a channel of the
//! standard library, the slower side alone, and TensorFlow in Python (`TFX_PYTHON`, or `python3` where it has TensorFlow), which is named where it is
//! not found. Both sides see the same machine at the same time, so ratios hold on a busy one; times do not.

mod channels;
mod compiled;
mod loader;
mod overlap;
mod python;
mod report;
mod tensorflow;

use std::path::PathBuf;

use clap::Args;

use report::Row;

/// What `tfx-bench runtime` takes.
#[derive(Args)]
pub(crate) struct Settings {
    /// Only these measurements
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Runs of each, of which the median counts
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Write the measurements to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs one measurement so many times.
type Measure = fn(usize) -> Result<Row, String>;

const MEASUREMENTS: &[(&str, Measure)] = &[
    ("channel", channels::round_trip),
    ("stream", channels::stream),
    ("booleans", channels::booleans),
    ("simulator", channels::simulator),
    ("overlap", overlap::measure),
    ("loader", loader::ahead),
    ("loader-in-turns", loader::in_turns),
    ("loader-prefetch", loader::prefetch),
    ("start", channels::start),
    ("tensorflow-simulator", tensorflow::simulator),
    ("tensorflow-training", tensorflow::training),
    ("tensorflow-training-xla", tensorflow::training_xla),
    ("tensorflow-start", tensorflow::start),
    ("tensorflow-loader", loader::ahead_on_tensorflow),
    ("tensorflow-loader-prefetch", loader::prefetch_on_tensorflow),
];

pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let names = || MEASUREMENTS.iter().map(|&(name, _)| name);
    if let Some(wrong) = settings
        .only
        .iter()
        .find(|name| !names().any(|known| known == **name))
    {
        let known: Vec<_> = names().collect();
        return Err(format!(
            "there is no measurement '{wrong}'; there are {}",
            known.join(", ")
        ));
    }
    let mut rows = Vec::new();
    for (name, measure) in MEASUREMENTS {
        if settings.only.is_empty() || settings.only.iter().any(|only| only == name) {
            crate::progress::doing(name);
            rows.push(measure(settings.runs.max(1)).map_err(|why| format!("{name}: {why}"))?);
        }
    }
    print!("{}", report::text(&rows));
    match &settings.json {
        Some(path) => report::write_json(&rows, path),
        None => Ok(()),
    }
}
