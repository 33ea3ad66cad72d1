//! Lowering: graphs to functional form, host code to LLVM.
