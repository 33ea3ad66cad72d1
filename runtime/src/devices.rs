//! CUDA devices: the driver, and the executables of schedules that use it.
//!
//! ```text
//!   schedule with PTX ──► DeviceKernels ──► tfx_cuda::Executable ──► libcuda.so.1, libcublas.so
//! ```
//!
//! The driver is loaded when a program with a schedule for devices starts. The library that
//! [`DRIVER_VARIABLE`] names takes the place of the installed one. So does that of
//! [`BLAS_VARIABLE`] for cuBLAS; without an installed cuBLAS, products run by their PTX. Another
//! driver does not work with the installed cuBLAS, which is then not looked for.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};

use tfx_commands::{Memory, Verified};
use tfx_cuda::{
    Counts, DeviceKernels, Error, Executable, Options, PtxKernel, RunOptions, Spans,
    driver::{Blas, BlasLoadError, Driver},
};
use tfx_schedule::Device;

use crate::{failure::Failure, schedule::Schedule, stats, trace};

/// The environment variable with the file of another CUDA driver.
pub const DRIVER_VARIABLE: &str = "TFX_CUDA_DRIVER";

/// The environment variable with the file of another cuBLAS, or [`NO_BLAS`].
pub const BLAS_VARIABLE: &str = "TFX_CUBLAS";

/// The value of [`BLAS_VARIABLE`] for products by PTX.
pub const NO_BLAS: &str = "none";

/// Returns whether a list has streams of CUDA devices.
pub(crate) fn has_devices(verified: &Verified) -> bool {
    verified.list().schedule().devices.contains(&Device::Cuda)
}

/// Adds the code of a schedule for devices.
pub(crate) fn add_code(schedule: &Schedule, kernels: &mut DeviceKernels) {
    let Some(ptx) = &schedule.ptx else {
        return;
    };
    kernels.add_module(ptx);
    for (kernel, launches) in schedule.kernels.iter().zip(&schedule.launches) {
        if let Some(launches) = launches {
            let launches = launches.clone();
            kernels.add_ptx(&kernel.symbol, PtxKernel { launches });
        }
    }
}

/// Prepares a list.
///
/// # Errors
/// There is no driver, or too few devices, or a kernel does not compile for them.
pub(crate) fn executable(
    verified: Verified,
    kernels: &DeviceKernels,
) -> Result<Executable, Failure> {
    let failed = |error: &dyn std::fmt::Display, advice: &str| {
        Failure::new(format!(
            "the program has parts for CUDA devices, but {error}; {advice}"
        ))
    };
    let another = format!("{DRIVER_VARIABLE} names another driver");
    let driver = driver().map_err(|error| failed(&error, &another))?;
    let blas = blas().map_err(|error| {
        let advice = format!("{BLAS_VARIABLE} names a library of cuBLAS, or is '{NO_BLAS}'");
        failed(&error, &advice)
    })?;
    let options = Options {
        blas,
        ..Options::default()
    };
    let executable = Executable::new(verified, kernels, &driver, &options);
    executable.map_err(|error| failed(&error, &another))
}

/// Returns the driver, which is loaded once.
fn driver() -> Result<Arc<Driver>, String> {
    static DRIVER: OnceLock<Result<Arc<Driver>, String>> = OnceLock::new();
    let load = || {
        let file = variable(DRIVER_VARIABLE);
        Driver::load(file.as_deref()).map_err(|error| error.to_string())
    };
    DRIVER.get_or_init(load).clone()
}

/// Returns the library for products of matrices, which is loaded once; none if their entries
/// compute them.
fn blas() -> Result<Option<Arc<Blas>>, BlasLoadError> {
    static BLAS: OnceLock<Result<Option<Arc<Blas>>, BlasLoadError>> = OnceLock::new();
    let load = || match variable(BLAS_VARIABLE) {
        Some(file) if file.as_os_str() == NO_BLAS => Ok(None),
        Some(file) => Blas::load(&file).map(Some),
        None if variable(DRIVER_VARIABLE).is_some() => Ok(None),
        None => Ok(Blas::find()),
    };
    BLAS.get_or_init(load).clone()
}

/// Returns the file that an environment variable names.
fn variable(name: &str) -> Option<PathBuf> {
    let file = std::env::var_os(name).filter(|file| !file.is_empty());
    file.map(PathBuf::from)
}

/// Runs a list of a function, counts what its runs have done, and adds its commands to the trace.
///
/// # Errors
/// As for [`Executable::run`].
pub(crate) fn run(
    executable: &Executable,
    memory: &mut [Memory<'_>],
    cancelled: &AtomicBool,
    function: &str,
) -> Result<(), Error> {
    let mut counts = Counts::default();
    let mut spans = trace::is_on().then(Spans::default);
    let mut options = RunOptions {
        cancelled: Some(cancelled),
        counts: Some(&mut counts),
        spans: spans.as_mut(),
        ..RunOptions::default()
    };
    let outcome = executable.run(memory, &mut options);
    stats::count_devices(counts);
    if let Some(spans) = spans {
        trace::device_spans(function, &spans);
    }
    outcome
}
