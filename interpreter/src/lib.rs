//! Reference kernels and the embedded graph executor.
