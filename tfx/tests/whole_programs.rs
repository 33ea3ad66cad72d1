//! Whole programs in the cache: found, equal to compiled ones, and compiled again where they must.

use std::fs;
use std::path::Path;

use melior::Context;
use tfx::codegen::Cache;
use tfx::run::{Executable, ForeignFunctions, LoadOptions};
use tfx::runtime::Tensor;
use tfx::{Error, Source};

/// A loop whose decision is made by the host, which is a warning, and a quotient that may fail.
const TEXT: &str = r#"
func.func private @stop(f32) -> i1
func.func @quotient(%from: i64, %by: i64) -> i64 {
  %t = tfx_tensor.from_scalar %from : i64
  %u = tfx_tensor.from_scalar %by : i64
  %start = arith.constant dense<1.0> : tensor<f32>
  cf.br ^loop(%start : tensor<f32>)
^loop(%x: tensor<f32>):
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %stops = func.call @stop(%z) : (f32) -> i1
  cf.cond_br %stops, ^done, ^loop(%y : tensor<f32>)
^done:
  %q = tfx_tensor.op "FloorDiv"(%t, %u) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = tfx_tensor.to_scalar %q : tensor<i64> -> i64
  return %r : i64
}
"#;

fn load(folder: &Path, name: &str, limit: f32) -> Result<Executable, Error> {
    let context = Context::new();
    tfx::prepare(&context);
    let program = Source::new(name, TEXT).parse(&context)?;
    let mut functions = ForeignFunctions::new();
    functions.add("stop", move |x: f32| x > limit);
    let options = LoadOptions {
        cache: Some(Cache::at(folder)),
        whole_programs: true,
        ..LoadOptions::default()
    };
    program.load(functions, &options)
}

fn quotient(executable: &Executable, from: i64, by: i64) -> Result<i64, Error> {
    let arguments = [Tensor::scalar(from), Tensor::scalar(by)];
    let results = executable.function("quotient")?.call(&arguments)?;
    Ok(results[0].item::<i64>().expect("an integer"))
}

/// The files of a cache with their contents, sorted.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let folders = fs::read_dir(folder)
        .expect("the cache")
        .map(|it| it.expect("an entry").path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let mut files: Vec<_> = files
        .map(|file| {
            let path = file.expect("an entry").path();
            (path.display().to_string(), fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_program_is_found_and_behaves_as_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = load(folder.path(), "test.mlir", 100.0).expect("it compiles");
    let before = files(folder.path());
    // The closure is another one; its code is not in the cache.
    let found = load(folder.path(), "test.mlir", 10.0).expect("it is found");
    assert_eq!(files(folder.path()), before);
    assert_eq!(found.diagnostics(), compiled.diagnostics());
    let [warning] = found.diagnostics() else {
        panic!("one warning: {:?}", found.diagnostics());
    };
    assert!(
        warning
            .to_string()
            .starts_with("test.mlir:11:12: warning: ")
    );
    for executable in [&compiled, &found] {
        assert_eq!(quotient(executable, 17, 5).expect("it returns"), 3);
        let failure = quotient(executable, 17, 0).expect_err("a division by zero");
        assert!(failure.to_string().starts_with("test.mlir:14:8: error: "));
    }
}

#[test]
fn places_are_a_part_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    load(folder.path(), "one.mlir", 1.0).expect("it compiles");
    let other = load(folder.path(), "other.mlir", 1.0).expect("it compiles");
    let failure = quotient(&other, 17, 0).expect_err("a division by zero");
    assert!(failure.to_string().starts_with("other.mlir:14:8: error: "));
}

#[test]
fn a_program_without_its_objects_is_compiled_again() {
    let folder = tempfile::tempdir().expect("a folder");
    load(folder.path(), "test.mlir", 1.0).expect("it compiles");
    let complete = files(folder.path());
    for (path, content) in &complete {
        // Damaged, then missing.
        fs::write(path, &content[1..]).expect("a shorter file");
        let executable = load(folder.path(), "test.mlir", 1.0).expect("it compiles");
        assert_eq!(quotient(&executable, -17, 5).expect("it returns"), -4);
        assert_eq!(files(folder.path()), complete);
        fs::remove_file(path).expect("the file");
        load(folder.path(), "test.mlir", 1.0).expect("it compiles");
        assert_eq!(files(folder.path()), complete);
    }
}

#[test]
fn an_error_is_reported_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    load(folder.path(), "test.mlir", 1.0).expect("it compiles");
    for _ in 0..2 {
        let context = Context::new();
        tfx::prepare(&context);
        let program = Source::new("test.mlir", TEXT)
            .parse(&context)
            .expect("it is IR");
        let options = LoadOptions {
            cache: Some(Cache::at(folder.path())),
            whole_programs: true,
            ..LoadOptions::default()
        };
        let error = program.load(ForeignFunctions::new(), &options);
        let error = error.expect_err("no function '@stop'").to_string();
        assert!(error.contains("'@stop'"), "{error}");
    }
}
