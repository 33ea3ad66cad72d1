//! TensorFlow's protobuf messages and its operation registry.
//!
//! * [`proto`]: the messages (`GraphDef`, `NodeDef`, `AttrValue`, `OpDef`, ...), made from TensorFlow's own descriptors.

pub mod proto;
