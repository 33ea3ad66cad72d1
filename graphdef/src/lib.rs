//! TensorFlow's protobuf messages and its operation registry.
