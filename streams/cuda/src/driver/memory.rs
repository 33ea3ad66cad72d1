//! Memory of devices, and page-locked memory of the host.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::api::Address;
use super::{Context, CudaError};

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`: all contexts use the memory, at the
/// address of the host.
const FLAGS: u32 = 1 | 2;

/// Memory of a device.
#[derive(Debug)]
pub struct DeviceMemory {
    pub(super) context: Arc<Context>,
    address: Address,
    size: u64,
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: the memory was allocated, and this is its only release.
        unsafe { (self.context.driver.api.cuMemFree)(self.address) };
    }
}

impl DeviceMemory {
    /// Allocates bytes, at least one. Their content is undefined.
    ///
    /// # Errors
    ///
    /// The device has no such memory.
    pub fn new(context: &Arc<Context>, size: u64) -> Result<Self, CudaError> {
        let bytes = host_size("cuMemAlloc", size)?;
        context.enter()?;
        let mut address = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (context.driver.api.cuMemAlloc)(&raw mut address, bytes.max(1)) };
        context.check("cuMemAlloc", code)?;
        Ok(Self {
            context: Arc::clone(context),
            address,
            size,
        })
    }

    /// Returns the address of the first byte on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the address of a range.
    pub(super) fn range(
        &self,
        call: &'static str,
        start: u64,
        bytes: u64,
    ) -> Result<Address, CudaError> {
        check_range(call, self.size, start, bytes)?;
        Ok(self.address + start)
    }
}

/// Page-locked memory of the host, which devices access asynchronously.
#[derive(Debug)]
pub struct PinnedMemory {
    context: Arc<Context>,
    start: NonNull<u8>,
    size: u64,
}

// SAFETY: the bytes are plain numbers, and are accessed by copies only: see the contract.
unsafe impl Send for PinnedMemory {}
// SAFETY: as above.
unsafe impl Sync for PinnedMemory {}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _ = self.context.enter();
        let start = self.start.as_ptr().cast();
        // SAFETY: the memory was allocated, and this is its only release.
        unsafe { (self.context.driver.api.cuMemFreeHost)(start) };
    }
}

impl PinnedMemory {
    /// Allocates bytes, at least one, and fills them with zeros. The memory belongs to a context,
    /// and all contexts of the process use it.
    ///
    /// # Errors
    ///
    /// The host has no such memory.
    pub fn new(context: &Arc<Context>, size: u64) -> Result<Self, CudaError> {
        const CALL: &str = "cuMemHostAlloc";
        let bytes = host_size(CALL, size)?;
        context.enter()?;
        let mut start: *mut c_void = std::ptr::null_mut();
        let function = context.driver.api.cuMemHostAlloc;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { function(&raw mut start, bytes.max(1), FLAGS) };
        context.check(CALL, code)?;
        let start = NonNull::new(start.cast::<u8>());
        let start = start.ok_or_else(|| CudaError::invalid(CALL, "no address"))?;
        // SAFETY: the memory has so many bytes, and nobody else knows it.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self {
            context: Arc::clone(context),
            start,
            size,
        })
    }

    /// Returns the address of the first byte, which is the same on the host and on devices.
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Copies bytes from a position on. Commands that write them are complete.
    ///
    /// # Errors
    ///
    /// The range is not within the memory.
    pub fn read(&self, start: u64, to: &mut [u8]) -> Result<(), CudaError> {
        let from = self.range("a read of pinned memory", start, to.len() as u64)?;
        // SAFETY: the ranges are valid; the slice is exclusive, and so does not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// Writes bytes from a position on. Commands that use them are complete.
    ///
    /// # Errors
    ///
    /// The range is not within the memory.
    pub fn write(&self, start: u64, from: &[u8]) -> Result<(), CudaError> {
        let to = self.range("a write of pinned memory", start, from.len() as u64)?;
        // SAFETY: the ranges are valid; no slice overlaps pinned memory.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), from.len()) };
        Ok(())
    }

    /// Copies bytes of another memory. Commands that use them are complete.
    ///
    /// # Errors
    ///
    /// A range is not within its memory.
    pub fn copy(&self, to: u64, other: &Self, from: u64, bytes: u64) -> Result<(), CudaError> {
        const CALL: &str = "a copy of pinned memory";
        let to = self.range(CALL, to, bytes)?;
        let from = other.range(CALL, from, bytes)?;
        let bytes = host_size(CALL, bytes)?;
        // SAFETY: the ranges are valid, and may overlap.
        unsafe { std::ptr::copy(from.as_ptr(), to.as_ptr(), bytes) };
        Ok(())
    }

    /// Returns the address of a range.
    pub(super) fn range(
        &self,
        call: &'static str,
        start: u64,
        bytes: u64,
    ) -> Result<NonNull<u8>, CudaError> {
        check_range(call, self.size, start, bytes)?;
        let start = host_size(call, start)?;
        // SAFETY: the position is within the memory.
        Ok(unsafe { self.start.add(start) })
    }
}

fn check_range(call: &'static str, size: u64, start: u64, bytes: u64) -> Result<(), CudaError> {
    match start.checked_add(bytes) {
        Some(end) if end <= size => Ok(()),
        _ => Err(CudaError::invalid(call, "a range outside of the memory")),
    }
}

/// Returns a number of bytes as the type of sizes of the host.
pub(super) fn host_size(call: &'static str, bytes: u64) -> Result<usize, CudaError> {
    usize::try_from(bytes).map_err(|_| CudaError::invalid(call, "a size out of range"))
}
