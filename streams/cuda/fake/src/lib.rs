//! A CUDA driver without a device, for tests.
//!
//! ```text
//!   test ── tfx-cuda ──► libtfx_fake_cuda.so ── abi      exported functions, host memory
//!                                            ├─ state    objects; one lock
//!                                            ├─ queue    commands of streams, in the worst order
//!                                            ├─ capture  graphs
//!                                            ├─ blas     products of matrices
//!                                            └─ memory   fake addresses, of each device its own
//! ```
//!
//! Programs that use the driver API load it in place of `libcuda.so.1`. Its results are those that
//! CUDA specifies, and its timing is the worst one that CUDA allows: commands are queued, and run
//! only when something waits, or at random moments, in a random order among those that streams and
//! events allow. A missing wait is a wrong result for some seed. Commands run on the thread that
//! waits, so that tests are deterministic.
//!
//! * Memory of a device is at addresses at which the host has none. An address that is out of
//!   range, or was released, is an error as in CUDA, and addresses are never used again.
//! * A copy of pageable memory reads it when the copy runs. CUDA allows this for some sizes and
//!   versions only; it is the worst case.
//! * Kernels are PTX, which `tfx-ptx` interprets. A kernel that fails makes its device unusable.
//! * The library is also one of cuBLAS, whose products are commands of streams. Two that share a
//!   workspace, and that run at the same time, fail for some seed.
//! * The functions are those that `tfx-cuda` uses.
//!
//! The environment has the settings; `tfx_fake_cuda_set` changes them in a process:
//!
//! | variable | |
//! |---|---|
//! | `TFX_FAKE_CUDA_SEED` | the order of commands |
//! | `TFX_FAKE_CUDA_DEVICES` | the number of devices, 1 by default |
//! | `TFX_FAKE_CUDA_MEMORY` | the bytes of each device, 1 GiB by default |
//! | `TFX_FAKE_CUDA_FAIL` | `call:k` or `call:k:code`: the k-th call of a function fails |
//! | `TFX_FAKE_CUDA_TRACE` | a file to which each call is appended, as a line of JSON |
//!
//! `tfx_fake_cuda_count` returns the number of calls of a function, or of objects that exist.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "exported functions, and memory of the caller")]
mod abi;
mod blas;
mod capture;
mod codes;
mod memory;
mod queue;
mod settings;
mod state;
