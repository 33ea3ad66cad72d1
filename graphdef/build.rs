//! Turns the descriptors of `data/tensorflow.fds` into Rust types. No protoc is needed: the descriptors are its output.

use std::{env, error::Error, fs, path::Path};

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=data/tensorflow.fds");
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let descriptors = fs::read(Path::new(&folder).join("data/tensorflow.fds"))?;
    prost_build::Config::new()
        // Attributes keep the order of their names, so the same graph is always the same bytes.
        .btree_map(["."])
        // Most attributes are a type or a number: the large kinds would make each of them take half a kilobyte, and each node of a map eleven.
        .boxed(".tensorflow.AttrValue.value.tensor")
        .boxed(".tensorflow.AttrValue.value.list")
        .compile_fds(FileDescriptorSet::decode(descriptors.as_slice())?)?;
    Ok(())
}
