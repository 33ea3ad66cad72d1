//! The cost of executing compiled programs, compared with a peer in the same run: channels, host
//! code in a loop, overlap, training.
//!
//! ```text
//!   a measurement  ──►  ours, peer, ours, peer, ...  ──►  median, min, max of each, ratio, target
//! ```
//!
//! Programs are compiled as by `tfxc run` and called through their entry. The peers are
//! alternatives that a user would write: a channel of the standard library, the longer side alone,
//! and TensorFlow in Python (`TFX_PYTHON`, or `python3` if it has TensorFlow); a missing peer is
//! named. Both sides run on the same machine at the same time, so ratios are valid on a loaded
//! machine, whereas times are not.

mod channels;
pub(crate) mod compiled;
mod loader;
mod native;
mod overlap;
pub(crate) mod python;
pub(crate) mod report;
mod schedules;
mod tensorflow;

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;

use report::Row;

use crate::table;

/// The options of `tfx-bench runtime`.
#[derive(Args)]
pub(crate) struct Settings {
    /// Only these measurements
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The number of runs, of which the median is reported
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Write the measurements to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs one measurement the given number of times.
type Measure = fn(usize) -> Result<Row>;

const MEASUREMENTS: &[(&str, Measure)] = &[
    ("channel", channels::round_trip),
    ("stream", channels::stream),
    ("booleans", channels::booleans),
    ("simulator", channels::simulator),
    ("native-simulator", channels::native_simulator),
    ("native-training", native::training),
    ("overlap", overlap::measure),
    ("streams-switch", schedules::switch),
    ("streams-copies", schedules::copies),
    ("loader", loader::ahead),
    ("loader-sequential", loader::sequential),
    ("loader-prefetch", loader::prefetch),
    ("start", channels::start),
    ("tensorflow-simulator", tensorflow::simulator),
    ("tensorflow-training", tensorflow::training),
    ("tensorflow-training-xla", tensorflow::training_xla),
    ("tensorflow-start", tensorflow::start),
    ("tensorflow-loader", loader::ahead_on_tensorflow),
    ("tensorflow-loader-prefetch", loader::prefetch_on_tensorflow),
];

pub(crate) fn run(settings: &Settings) -> Result<()> {
    let names = || MEASUREMENTS.iter().map(|&(name, _)| name);
    if let Some(wrong) = settings
        .only
        .iter()
        .find(|name| !names().any(|known| known == **name))
    {
        let known: Vec<_> = names().collect();
        return Err(anyhow!(
            "there is no measurement '{wrong}'; there are {}",
            known.join(", ")
        ));
    }
    let mut rows = Vec::new();
    for (name, measure) in MEASUREMENTS {
        if settings.only.is_empty() || settings.only.iter().any(|only| only == name) {
            crate::progress::start_run(name);
            rows.push(measure(settings.runs.max(1)).context(name)?);
        }
    }
    print!("{}", report::text(&rows));
    match &settings.json {
        Some(path) => table::write_json(&rows, path),
        None => Ok(()),
    }
}
