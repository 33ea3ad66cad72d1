//! The GraphDef of every example goes into TensorFlow, with the bodies of all its functions; and it is the same each time.

#[path = "../../../graphdef/mlir/tests/tensorflow/mod.rs"]
mod tensorflow;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use prost::Message;
use tfx_graphdef::proto::GraphDef;

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut examples: Vec<_> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "mlir")
        })
        .collect();
    examples.sort();
    examples
}

fn translate(example: &Path) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_tfx-translate"))
        .args(["--mlir-to-graphdef"])
        .arg(example)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", example.display());
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
