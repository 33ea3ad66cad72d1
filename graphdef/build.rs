//! Generates Rust types from the descriptors of `data/tensorflow.fds`, which are the output of
//! protoc.

use std::{env, error::Error, fs, path::Path};

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=data/tensorflow.fds");
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let descriptors = fs::read(Path::new(&folder).join("data/tensorflow.fds"))?;
    prost_build::Config::new()
        // Attributes are ordered by name, so the bytes of a graph are deterministic.
        .btree_map(["."])
        // Most attributes are a type or a number. Without boxes for the large kinds, each attribute
        // would take half a kilobyte, and each node of a map eleven.
        .boxed(".tensorflow.AttrValue.value.tensor")
        .boxed(".tensorflow.AttrValue.value.list")
        .compile_fds(FileDescriptorSet::decode(descriptors.as_slice())?)?;
    Ok(())
}
