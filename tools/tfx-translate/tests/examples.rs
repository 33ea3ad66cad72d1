//! Tests that TensorFlow loads the GraphDef of each example, with the bodies of all its functions,
//! and that the translation is deterministic; the same for a program with graph functions, each of
//! which must occur once.

#[path = "../../../graphdef/mlir/tests/tensorflow/mod.rs"]
mod tensorflow;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use prost::Message;
use tfx_graphdef::proto::GraphDef;

/// Returns the examples with a graph: one of them is a simulator of the host alone.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|end| end == "mlir");
    let has_graph = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("tfx_tensor.op");
    let mut examples: Vec<_> = files.filter(is_program).filter(has_graph).collect();
    examples.sort();
    examples
}

fn translate(example: &Path) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_tfx-translate"))
        .args(["--mlir-to-graphdef"])
        .arg(example)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", example.display());
    output.stdout
}

#[test]
fn every_example_goes_into_tensorflow() {
    let examples = examples();
    assert!(!examples.is_empty());
    let tensorflow = tensorflow::TensorFlow::load();
    for example in examples {
        let bytes = translate(&example);
        let graph = GraphDef::decode(bytes.as_slice()).unwrap();
        assert!(!graph.node.is_empty(), "{}", example.display());
        if let Err(error) = tensorflow.check(&graph) {
            panic!("{}: {error}", example.display());
        }
        assert_eq!(translate(&example), bytes, "{}", example.display());
    }
}

/// `@outer` calls `@inner` in a loop and in a branch, and `@main` calls both.
const GRAPH_FUNCTIONS: &str = r#"
func.func private @inner(%x: tensor<2xf32>, %i: i32) -> (tensor<2xf32>, f32) attributes {tfx.graph_function} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %f = arith.sitofp %i : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %y = tfx_tensor.op "AddV2"(%x, %t) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %e = tfx_tensor.op "GatherV2"(%y, %zero, %zero) : (tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %e : tensor<f32> -> f32
  return %y, %s : tensor<2xf32>, f32
}
func.func private @outer(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> attributes {tfx.graph_function} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 10.0 : f32
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> tensor<2xf32> : i32 {
    %w, %s = func.call @inner(%v, %i) : (tensor<2xf32>, i32) -> (tensor<2xf32>, f32)
    %big = arith.cmpf ogt, %s, %limit : f32
    %z = scf.if %big -> tensor<2xf32> {
      %u, %t = func.call @inner(%w, %n) : (tensor<2xf32>, i32) -> (tensor<2xf32>, f32)
      scf.yield %u : tensor<2xf32>
    } else {
      scf.yield %w : tensor<2xf32>
    }
    scf.yield %z : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %a = func.call @outer(%x, %n) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %b, %s = func.call @inner(%a, %n) : (tensor<2xf32>, i32) -> (tensor<2xf32>, f32)
  tfx_host.print "{}"(%s) : f32
  %c = func.call @outer(%b, %n) : (tensor<2xf32>, i32) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
"#;

#[test]
fn graph_functions_go_into_tensorflow_once() {
    let file = tempfile::Builder::new().suffix(".mlir").tempfile().unwrap();
    fs::write(file.path(), GRAPH_FUNCTIONS).unwrap();
    let bytes = translate(file.path());
    assert_eq!(translate(file.path()), bytes);
    let graph = GraphDef::decode(bytes.as_slice()).unwrap();
    if let Err(error) = tensorflow::TensorFlow::load().check(&graph) {
        panic!("{error}");
    }

    let functions = &graph.library.as_ref().unwrap().function;
    let names: Vec<_> = functions
        .iter()
        .map(|function| function.signature.as_ref().unwrap().name.as_str())
        .collect();
    let count = |name: &str| names.iter().filter(|found| **found == name).count();
    for name in ["main_graph", "outer_graph", "inner_graph"] {
        assert_eq!(count(name), 1, "{names:?}");
    }
    let operations = functions.iter().flat_map(|function| &function.node_def);
    let calls = operations.filter(|node| node.op == "PartitionedCall");
    assert_eq!(calls.count(), 5);
    // No host function starts graphs that are only called.
    assert!(
        graph
            .node
            .iter()
            .all(|node| node.name.starts_with("main_graph/"))
    );
}
