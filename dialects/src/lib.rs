//! The tfx_host, tfx_tensor and tfx_comm dialects: ODS, C++ registration, typed Rust builders.
