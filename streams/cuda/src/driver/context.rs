//! The primary contexts of devices.
//!
//! Most functions of the driver use the context that is *current* on the calling thread. Each
//! wrapper makes its own one current before it calls. [`Current`] restores the one of the caller,
//! which may use CUDA itself.

use std::sync::Arc;

use super::api::{Device, Handle};
use super::{CAPABILITY_MAJOR, CudaError, Driver};

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
const ALREADY_ENABLED: i32 = 704;

/// The primary context of a device, which all users in the process share.
#[derive(Debug)]
pub struct Context {
    pub(super) driver: Arc<Driver>,
    device: Device,
    pub(super) handle: Handle,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was retained, and this is its only release.
        unsafe { (self.driver.api.cuDevicePrimaryCtxRelease)(self.device) };
    }
}

impl Context {
    /// Retains the primary context of a device, by its ordinal.
    ///
    /// # Errors
    ///
    /// There is no such device, or the context cannot be created.
    pub fn new(driver: &Arc<Driver>, ordinal: u32) -> Result<Arc<Self>, CudaError> {
        let device = driver.device(ordinal)?;
        let mut handle = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (driver.api.cuDevicePrimaryCtxRetain)(&raw mut handle, device) };
        driver.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Arc::new(Self {
            driver: Arc::clone(driver),
            device,
            handle,
        }))
    }

    /// Makes the context current on this thread.
    pub(super) fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context is retained.
        let code = unsafe { (self.driver.api.cuCtxSetCurrent)(self.handle) };
        self.check("cuCtxSetCurrent", code)
    }

    /// Returns the major number of the compute capability of the device.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub(super) fn major(&self) -> Result<i32, CudaError> {
        self.driver.attribute(self.device, CAPABILITY_MAJOR)
    }

    /// Waits until all streams of the context are complete.
    ///
    /// # Errors
    ///
    /// A command has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.enter()?;
        // SAFETY: the function has no preconditions.
        let code = unsafe { (self.driver.api.cuCtxSynchronize)() };
        self.check("cuCtxSynchronize", code)
    }

    /// Lets commands of this context access memory of another one, if the devices can. Copies
    /// between them are then direct; without, they go through the host.
    ///
    /// # Errors
    ///
    /// A call fails.
    pub fn enable_peer(&self, other: &Context) -> Result<(), CudaError> {
        let mut can = 0;
        let function = self.driver.api.cuDeviceCanAccessPeer;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { function(&raw mut can, self.device, other.device) };
        self.check("cuDeviceCanAccessPeer", code)?;
        if can == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the other context is retained.
        let code = unsafe { (self.driver.api.cuCtxEnablePeerAccess)(other.handle, 0) };
        match code {
            ALREADY_ENABLED => Ok(()),
            _ => self.check("cuCtxEnablePeerAccess", code),
        }
    }

    pub(super) fn check(&self, call: &'static str, code: i32) -> Result<(), CudaError> {
        self.driver.check(call, code)
    }
}

/// The context that was current on this thread, which is current again when this is dropped.
#[derive(Debug)]
pub struct Current {
    driver: Arc<Driver>,
    handle: Handle,
}

impl Current {
    /// Keeps the current context of this thread, or that there is none.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn keep(driver: &Arc<Driver>) -> Result<Self, CudaError> {
        let mut handle = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (driver.api.cuCtxGetCurrent)(&raw mut handle) };
        driver.check("cuCtxGetCurrent", code)?;
        Ok(Self {
            driver: Arc::clone(driver),
            handle,
        })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        // SAFETY: the context was current, and its owner has not destroyed it during this call.
        unsafe { (self.driver.api.cuCtxSetCurrent)(self.handle) };
    }
}
