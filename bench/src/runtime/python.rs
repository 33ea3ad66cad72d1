//! The peers that are TensorFlow in Python: `peers.py`, in a process of its own.

use std::process::Command;

use super::report::{Peer, Sample};

const SCRIPT: &str = include_str!("peers.py");

/// Names the Python that has TensorFlow.
const PYTHON_VARIABLE: &str = "TFX_PYTHON";

/// Runs a peer so many times, with so many trips in each; `scale` turns seconds into the unit of the figures.
pub(super) fn measure(name: &str, runs: usize, trips: i32, scale: f64) -> Peer {
    const WHAT: &str = "TensorFlow in Python";
    match seconds(name, runs, trips) {
        Ok((what, seconds)) => Peer::Measured {
            what,
            sample: Sample::new(
                seconds
                    .into_iter()
                    .map(|seconds| seconds * scale / f64::from(trips))
                    .collect(),
            ),
        },
        Err(why) => Peer::Absent { what: WHAT, why },
    }
}

/// The seconds of each run, with what was run.
fn seconds(name: &str, runs: usize, trips: i32) -> Result<(&'static str, Vec<f64>), String> {
    let python = std::env::var(PYTHON_VARIABLE).unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(&python)
        .args(["-c", SCRIPT, name, &runs.to_string(), &trips.to_string()])
        .output()
        .map_err(|error| format!("'{python}' does not run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = |text: &str| text.lines().last().unwrap_or("it says nothing").to_owned();
    if !output.status.success() {
        return Err(format!(
            "'{python}': {}; set {PYTHON_VARIABLE}",
            last(&errors)
        ));
    }
    let measured: (String, Vec<f64>) =
        serde_json::from_str(&last(&text)).map_err(|error| error.to_string())?;
    let what = match measured.0.as_str() {
        "numpy_function" => "tf.numpy_function",
        "py_function" => "tf.py_function",
        _ => "tf.function",
    };
    Ok((what, measured.1))
}
