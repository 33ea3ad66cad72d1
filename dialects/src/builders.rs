//! Typed builders and accessors, made from the same ODS files as the C++ classes.
//!
//! `host::StructOperationBuilder`, `tensor::OpOperation` and so on: see melior's documentation of `dialect!` for their shape.

#![allow(missing_docs, unreachable_pub, clippy::all)]

melior::dialect! {
    name: "tfx_host",
    files: ["host/HostOps.td"],
    include_directory_env_vars: ["CARGO_MANIFEST_DIR"],
}

melior::dialect! {
    name: "tfx_tensor",
    files: ["tensor/TensorOps.td"],
    include_directory_env_vars: ["CARGO_MANIFEST_DIR"],
}

melior::dialect! {
    name: "tfx_comm",
    files: ["comm/CommOps.td"],
    include_directory_env_vars: ["CARGO_MANIFEST_DIR"],
}
