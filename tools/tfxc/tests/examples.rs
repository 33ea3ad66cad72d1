//! Tests that each example computes the same numbers on both executors, in memory and as an
//! executable.
//!
//! `tests/expected/NAME.txt` contains the expected output. Words and integers must be equal; a
//! number with a decimal point may differ by 1e-5 relative, since the executors add in different
//! orders.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// The maximal relative difference of two floating-point numbers.
const TOLERANCE: f64 = 1e-5;

/// An example with the arguments of its command line, and the number of warnings of its
/// compilation.
struct Example {
    name: &'static str,
    file: &'static str,
    arguments: &'static [&'static str],
    warnings: usize,
}

const EXAMPLES: [Example; 14] = [
    Example {
        name: "multiply_and_add",
        file: "multiply_and_add.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "conditional_true",
        file: "conditional.mlir",
        arguments: &["true"],
        warnings: 0,
    },
    Example {
        name: "conditional_false",
        file: "conditional.mlir",
        arguments: &["false"],
        warnings: 0,
    },
    Example {
        name: "simulator",
        file: "simulator.mlir",
        arguments: &[],
        warnings: 1,
    },
    Example {
        name: "regression",
        file: "regression.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "until_key_pressed",
        file: "until_key_pressed.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "train_linear",
        file: "train_linear.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "train_linear_cpu",
        file: "train_linear_cpu.mlir",
        arguments: &[],
        warnings: 1,
    },
    Example {
        name: "digits",
        file: "digits.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "layers",
        file: "layers.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "rnn",
        file: "rnn.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "newton",
        file: "newton.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "pendulum",
        file: "pendulum.mlir",
        arguments: &[],
        warnings: 0,
    },
    Example {
        name: "balance",
        file: "balance.mlir",
        arguments: &[],
        warnings: 0,
    },
];

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate lies in the repository")
}

fn tfxc() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tfxc"));
    command.current_dir(root());
    command
}

fn finish(command: &mut Command) -> (String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    );
    assert!(
        status.success(),
        "{command:?}: {status}\n{stdout}\n{stderr}"
    );
    (stdout, stderr)
}

fn expected(example: &Example) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/expected/{}.txt", example.name));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the words of a text, without brackets and commas.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || "[](),".contains(c))
        .filter(|word| !word.is_empty())
        .collect()
}

fn same_word(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    if !left.contains(['.', 'e']) && !right.contains(['.', 'e']) {
        return false;
    }
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
        _ => false,
    }
}

fn assert_same(actual: &str, wanted: &str, what: &str) {
    let (left, right) = (words(actual), words(wanted));
    let same = left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| same_word(a, b));
    assert!(
        same,
        "{what}\n--- printed\n{actual}\n--- expected\n{wanted}"
    );
}

/// Runs every example through `tfxc run` on an executor.
fn run_all(executor: &str) {
    for example in &EXAMPLES {
        let file = format!("examples/{}", example.file);
        let (stdout, stderr) = finish(
            tfxc()
                .args(["run", &file, "--executor", executor])
                .args(example.arguments),
        );
        assert_same(
            &stdout,
            &expected(example),
            &format!("{} on {executor}", example.name),
        );
        assert_eq!(
            stderr.matches(" warning: ").count(),
            example.warnings,
            "{}: {stderr}",
            example.name
        );
    }
}

#[test]
fn on_the_embedded_executor() {
    run_all("embedded");
}

/// Returns whether TensorFlow's libraries are in the folder in which the runtime looks for them.
fn tensorflow_is_there() -> bool {
    let named = env::var_os("TFX_TENSORFLOW_DIR").map(PathBuf::from);
    named
        .unwrap_or_else(|| root().join(".tensorflow"))
        .join("lib/libtensorflow.so")
        .exists()
}

#[test]
fn on_tensorflow() {
    if tensorflow_is_there() {
        run_all("tensorflow");
    } else {
        eprintln!("TensorFlow is not installed (make tensorflow): the examples are not run on it");
    }
}

#[test]
fn an_executable_runs_from_another_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let example = EXAMPLES
        .iter()
        .find(|example| example.name == "digits")
        .expect("digits is an example");
    let program = folder.path().join("digits");
    finish(
        tfxc()
            .args(["build", "examples/digits.mlir", "-o"])
            .arg(&program),
    );
    let (stdout, _) = finish(Command::new(&program).current_dir(folder.path()));
    assert_same(&stdout, &expected(example), "digits as an executable");
}

#[test]
fn the_comparison_sees_differences() {
    assert!(same_word("0.123456", "0.1234561"));
    assert!(!same_word("0.1234", "0.1235"));
    assert!(!same_word("3", "4"));
    assert!(!same_word("1.0", "one"));
}
