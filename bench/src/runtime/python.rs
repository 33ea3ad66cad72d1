//! The peers in TensorFlow for Python: `peers.py`, in a separate process.

use std::process::Command;

use super::report::{Peer, Sample};
use anyhow::{Context as _, Result, anyhow};
use serde::de::DeserializeOwned;

const SCRIPT: &str = include_str!("peers.py");

/// The environment variable that names a Python with TensorFlow.
const PYTHON_VARIABLE: &str = "TFX_PYTHON";

/// Runs a peer the given number of times, with the given number of iterations each; `scale`
/// converts seconds to the unit of the figures.
pub(super) fn measure(name: &str, runs: usize, iterations: i32, scale: f64) -> Peer {
    const WHAT: &str = "TensorFlow in Python";
    match seconds(name, runs, iterations) {
        Ok((what, seconds)) => Peer::Measured {
            what,
            sample: Sample::new(
                seconds
                    .into_iter()
                    .map(|seconds| seconds * scale / f64::from(iterations))
                    .collect(),
            ),
        },
        Err(error) => Peer::Absent {
            what: WHAT,
            why: format!("{error:#}"),
        },
    }
}

/// Runs a script in the Python of the peers, and reads the last line that it prints as JSON.
pub(crate) fn run<T: DeserializeOwned>(script: &str, arguments: &[&str]) -> Result<T> {
    let python = std::env::var(PYTHON_VARIABLE).unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(&python)
        .args(["-c", script])
        .args(arguments)
        .output()
        .with_context(|| format!("cannot run '{python}'"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = |text: &str| text.lines().last().unwrap_or("no output").to_owned();
    if !output.status.success() {
        return Err(anyhow!(
            "'{python}': {}; set {PYTHON_VARIABLE}",
            last(&errors)
        ));
    }
    Ok(serde_json::from_str(&last(&text))?)
}

/// Returns the seconds of each run, and the name of the peer.
fn seconds(name: &str, runs: usize, iterations: i32) -> Result<(&'static str, Vec<f64>)> {
    let (runs, iterations) = (runs.to_string(), iterations.to_string());
    let measured: (String, Vec<f64>) = run(SCRIPT, &[name, &runs, &iterations])?;
    let what = match measured.0.as_str() {
        "numpy_function" => "tf.numpy_function",
        "py_function" => "tf.py_function",
        _ => "tf.function",
    };
    Ok((what, measured.1))
}
