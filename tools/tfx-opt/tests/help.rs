//! Tests that the help describes options of LLVM's parser, and that it is printed quickly.

use std::process::Command;
use std::time::{Duration, Instant};

/// A time too short to be noticed, and too short for registration; a loaded machine may need
/// several attempts.
const HELP_TIME: Duration = Duration::from_millis(30);
const TRIES: usize = 50;

fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tfx-opt"))
        .args(arguments)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the words that start with two dashes, without their values.
fn options(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words
        .filter(|word| word.starts_with("--") && !word.starts_with("---") && word.len() > 2)
        .collect()
}

#[test]
fn every_described_option_is_an_option() {
    let help = output(&["--help"]);
    let (described, _) = help
        .split_once("\nPasses:")
        .expect("the options come before the passes");
    let hidden = output(&["--help-hidden"]);
    let known = options(&hidden);
    let own = ["--completions"];
    let described = options(described);
    assert!(described.len() > 40, "{described:?}");
    for option in described {
        assert!(
            known.contains(&option) || own.contains(&option),
            "{option} is described but is not an option"
        );
    }
}

#[test]
fn help_is_printed_quickly() {
    let time = || {
        let start = Instant::now();
        output(&["--help"]);
        start.elapsed()
    };
    let best = (0..TRIES).map(|_| time()).find(|time| *time <= HELP_TIME);
    assert!(
        best.is_some(),
        "--help took more than {HELP_TIME:?} {TRIES} times"
    );
}
