//! The driver API of CUDA and cuBLAS: functions that are found at run time, and wrappers of their
//! objects.
//!
//! ```text
//!   libcuda.so.1 ──load──► Driver ── table of functions
//!                            └─ Context (of a device) ── Stream, Event, Graph
//!                                  ├─ DeviceMemory, PinnedMemory
//!                                  ├─ Module ── Function
//!   libcublas.so ──load──► Blas ───┴─ BlasHandle
//! ```
//!
//! Each wrapper keeps the object that it belongs to, and releases itself when it is dropped. A
//! failed call is a [`CudaError`]. A failed release has no effect: the driver releases everything
//! with the process.
//!
//! # Contract
//!
//! * Commands of streams run after the call that issues them has returned. Memory that they use
//!   lives until they are complete: the executor synchronizes all streams before it drops memory.
//!   Devices cannot reach memory of Rust objects by mistake: addresses of commands are those of
//!   [`DeviceMemory`] and [`PinnedMemory`], with ranges that are checked when they are issued.
//! * The host accesses pinned memory by copies of raw bytes and never by references, because a
//!   device may change it at any time. Which bytes a copy finds is decided by the order of streams
//!   and events, which the checker proves for the executor.
//! * Kernels are trusted code: they access the operands that they are launched with, and nothing
//!   else. The launch passes as many parameters as the entry has.
//! * A product of cuBLAS accesses the matrices that it is issued with and the workspace of its
//!   stream, and nothing else. The executor has checked that each matrix is within its operand.
//! * The libraries are never unloaded, because the driver has threads of its own.
//!
//! Sources: CUDA Driver API, Reference Manual; cuBLAS Library, User Guide.

mod api;
mod blas;
mod context;
mod error;
mod graph;
mod memory;
mod module;
mod stream;

use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::Api;
use libloading::Library;

pub use blas::{Blas, BlasHandle};
pub use context::{Context, Current};
pub use error::{BlasError, BlasLoadError, CudaError, LoadError};
pub use graph::Graph;
pub use memory::{DeviceMemory, PinnedMemory};
pub use module::{Function, MAX_BLOCKS, Module, THREADS};
pub use stream::{Event, Stream};

/// The library that the NVIDIA driver installs.
const LIBRARY: &str = "libcuda.so.1";
/// `CUDA_ERROR_NO_DEVICE`.
const NO_DEVICE: i32 = 100;
/// The bytes of a device's name, with the final zero.
const NAME_BYTES: usize = 256;

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
const CAPABILITY_MAJOR: i32 = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`.
const CAPABILITY_MINOR: i32 = 76;

/// The loaded driver.
pub struct Driver {
    api: Api,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name, such as `NVIDIA H200`.
    pub name: String,
    /// The compute capability: major and minor number.
    pub capability: [i32; 2],
}

impl Driver {
    /// Loads the library of the NVIDIA driver, or the one that a path names, and initializes it.
    ///
    /// # Errors
    ///
    /// The library cannot be loaded, has no function of a name, or finds no device.
    pub fn load(path: Option<&Path>) -> Result<Arc<Self>, LoadError> {
        let file = path.map_or_else(|| PathBuf::from(LIBRARY), Path::to_path_buf);
        // SAFETY: the initializers of a CUDA driver have no preconditions.
        let library = unsafe { Library::new(&file) };
        let library = library.map_err(|error| LoadError::Library {
            file: file.clone(),
            reason: error.to_string(),
        })?;
        let library = ManuallyDrop::new(library);
        // SAFETY: the library implements the driver API, whose signatures the table has, and is
        // never unloaded.
        let api = unsafe { Api::load(&library) };
        let api = api.map_err(|symbol| LoadError::Symbol { file, symbol })?;
        let driver = Arc::new(Self { api });
        // SAFETY: the function has no preconditions.
        let code = unsafe { (driver.api.cuInit)(0) };
        if code == NO_DEVICE {
            return Err(LoadError::NoDevice);
        }
        driver.check("cuInit", code)?;
        if driver.device_count()? == 0 {
            return Err(LoadError::NoDevice);
        }
        Ok(driver)
    }

    /// Returns the version of CUDA that the driver supports: 1000 times the major number plus 10
    /// times the minor number.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn version(&self) -> Result<i32, CudaError> {
        let mut version = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (self.api.cuDriverGetVersion)(&raw mut version) };
        self.check("cuDriverGetVersion", code)?;
        Ok(version)
    }

    /// Returns the number of devices.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn device_count(&self) -> Result<u32, CudaError> {
        let mut count = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (self.api.cuDeviceGetCount)(&raw mut count) };
        self.check("cuDeviceGetCount", code)?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// Describes a device by its ordinal.
    ///
    /// # Errors
    ///
    /// There is no such device, or a call fails.
    pub fn device_info(&self, ordinal: u32) -> Result<DeviceInfo, CudaError> {
        let device = self.device(ordinal)?;
        let mut name = [0 as c_char; NAME_BYTES];
        // SAFETY: the pointer is valid for so many bytes.
        let code =
            unsafe { (self.api.cuDeviceGetName)(name.as_mut_ptr(), NAME_BYTES as i32, device) };
        self.check("cuDeviceGetName", code)?;
        name[NAME_BYTES - 1] = 0;
        // SAFETY: the array ends with a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        Ok(DeviceInfo {
            name: name.to_string_lossy().into_owned(),
            capability: [
                self.attribute(device, CAPABILITY_MAJOR)?,
                self.attribute(device, CAPABILITY_MINOR)?,
            ],
        })
    }

    fn attribute(&self, device: i32, attribute: i32) -> Result<i32, CudaError> {
        let mut value = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (self.api.cuDeviceGetAttribute)(&raw mut value, attribute, device) };
        self.check("cuDeviceGetAttribute", code)?;
        Ok(value)
    }

    fn device(&self, ordinal: u32) -> Result<i32, CudaError> {
        let mut device = 0;
        let ordinal = i32::try_from(ordinal).unwrap_or(i32::MAX);
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (self.api.cuDeviceGet)(&raw mut device, ordinal) };
        self.check("cuDeviceGet", code)?;
        Ok(device)
    }

    /// Turns the result of a call into a value.
    fn check(&self, call: &'static str, code: i32) -> Result<(), CudaError> {
        match code {
            0 => Ok(()),
            _ => Err(CudaError {
                call,
                code,
                name: self.text(self.api.cuGetErrorName, code),
                text: self.text(self.api.cuGetErrorString, code),
            }),
        }
    }

    fn text(&self, function: api::TextOf, code: i32) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { function(code, &raw mut text) };
        if result != 0 || text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: the driver returns a constant string.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}
