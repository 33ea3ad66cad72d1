//! Command lines, and their errors.

use std::{cell::Cell, ffi::OsString, path::PathBuf};

use super::*;

fn parameter(name: &str, is_tensor: bool, dtype: DType, shape: &[Option<usize>]) -> Parameter {
    Parameter {
        name: name.into(),
        is_tensor,
        dtype,
        shape: is_tensor.then(|| shape.to_vec()),
        location: Some("p.mlir:1:2".into()),
    }
}

fn options(arguments: &[&str]) -> Result<RunOptions, Failure> {
    match RunOptions::parse(arguments.iter().map(OsString::from))? {
        Request::Run(options) => Ok(options),
        Request::Help => Err(Failure::new("help")),
    }
}

/// Runs `@main(x: tensor<?x2xf32>, n: i32) -> y` with a command line; returns also whether it
/// was called.
fn outcome(arguments: &[&str]) -> (Result<(), String>, bool) {
    let called = Cell::new(false);
    let entry = Entry {
        name: "main".into(),
        location: None,
        parameters: vec![
            parameter("x", true, DType::F32, &[None, Some(2)]),
            parameter("n", false, DType::I32, &[]),
        ],
        results: vec![parameter("y", true, DType::F32, &[None])],
        check: Box::new(|_| Ok(())),
        call: Box::new(|mut values| {
            called.set(true);
            values.truncate(1);
            Ok(values)
        }),
    };
    let ran = options(arguments)
        .and_then(|options| run(&entry, &options))
        .map_err(|failure| failure.to_string());
    drop(entry);
    (ran, called.get())
}

#[test]
fn command_lines_are_parsed() {
    let read = options(&[
        "--input",
        "x=a.npy",
        "-3",
        "--stats",
        "--executor=tensorflow",
        "-2.5e3",
        "--output",
        "y=b.npy",
        "7",
    ])
    .expect("good");
    assert_eq!(read.scalars, ["-3", "-2.5e3", "7"]);
    assert_eq!(read.inputs, [("x".to_owned(), PathBuf::from("a.npy"))]);
    assert_eq!(read.executor, Some(ExecutorKind::TensorFlow));
    assert!(read.stats);
    assert!(options(&["--inptu", "x"]).is_err());
    assert!(options(&["--input", "x"]).is_err());
    assert!(options(&["--executor", "gpu"]).is_err());
}

#[test]
fn invalid_inputs_are_reported_before_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, tensor: &Tensor| {
        let path = folder.path().join(name);
        npy::write(&path, tensor).expect("written");
        format!("x={}", path.display())
    };
    let good = file(
        "good.npy",
        &Tensor::from_slice(&[1, 2], &[1.0f32, 2.0]).expect("a tensor"),
    );
    let wide = file(
        "wide.npy",
        &Tensor::from_slice(&[1, 3], &[1.0f32; 3]).expect("a tensor"),
    );
    let double = file(
        "double.npy",
        &Tensor::from_slice(&[1, 2], &[1.0f64; 2]).expect("a tensor"),
    );
    let cases: &[(&[&str], &str)] = &[
        (
            &["3"],
            "p.mlir:1:2: error: input 'x' is missing: add --input x=FILE.npy with a tensor<?x2xf32>",
        ),
        (
            &["--input", &good],
            "@main expects 1 scalar argument, n (i32), but got 0",
        ),
        (&["--input", &good, "1", "2"], "but got 2"),
        (
            &["--input", &good, "x1"],
            "p.mlir:1:2: error: scalar 'n': 'x1' is not a valid i32",
        ),
        (
            &["--input", &good, "--input", "z=q.npy", "1"],
            "the program has no input 'z'; there are 'x'",
        ),
        (
            &["--input", &good, "--output", "z=q.npy", "1"],
            "the program has no output 'z'; there are 'y'",
        ),
        (&["--input", "n=q.npy", "1"], "input 'n' is a scalar"),
        (
            &["--input", &wide, "1"],
            "the file contains a tensor<1x3xf32>, but the program expects a tensor<?x2xf32>",
        ),
        (
            &["--input", &double, "1"],
            "p.mlir:1:2: error: input 'x': the file contains elements of type f64, but the program expects f32",
        ),
        (
            &["--input", "x=/nowhere/x.npy", "1"],
            "input 'x': cannot read",
        ),
    ];
    for (arguments, expected) in cases {
        let (ran, called) = outcome(arguments);
        let problem = ran.expect_err("wrong");
        assert!(problem.contains(expected), "{problem}");
        assert!(!called, "{problem}");
    }
    let output = folder.path().join("y.npy");
    let (ran, called) = outcome(&[
        "--input",
        &good,
        "--output",
        &format!("y={}", output.display()),
        "-1",
    ]);
    assert_eq!((ran, called), (Ok(()), true));
    assert_eq!(npy::read(&output).expect("written").shape(), [1, 2]);
}
