//! Streams, their commands, and events.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use super::api::Handle;
use super::memory::host_size;
use super::module::THREADS;
use super::{Context, CudaError, DeviceMemory, Function, Graph, PinnedMemory};

/// `CU_STREAM_NON_BLOCKING`: no synchronization with the legacy default stream.
const NON_BLOCKING: u32 = 1;
/// `CU_EVENT_DEFAULT`: records have a time.
const DEFAULT_EVENT: u32 = 0;
/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: i32 = 600;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: calls that are not captured are allowed meanwhile.
const RELAXED: u32 = 2;

/// A stream of a context.
#[derive(Debug)]
pub struct Stream {
    context: Arc<Context>,
    pub(super) handle: Handle,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: the stream was created, and this is its only release.
        unsafe { (self.context.driver.api.cuStreamDestroy)(self.handle) };
    }
}

impl Stream {
    /// Creates a stream.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn new(context: &Arc<Context>) -> Result<Self, CudaError> {
        context.enter()?;
        let mut handle = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (context.driver.api.cuStreamCreate)(&raw mut handle, NON_BLOCKING) };
        context.check("cuStreamCreate", code)?;
        Ok(Self {
            context: Arc::clone(context),
            handle,
        })
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Waits until all commands are complete.
    ///
    /// # Errors
    ///
    /// A command has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.context.enter()?;
        // SAFETY: the stream exists.
        let code = unsafe { (self.context.driver.api.cuStreamSynchronize)(self.handle) };
        self.context.check("cuStreamSynchronize", code)
    }

    /// Returns whether all commands are complete.
    ///
    /// # Errors
    ///
    /// A command has failed.
    pub fn query(&self) -> Result<bool, CudaError> {
        self.context.enter()?;
        // SAFETY: the stream exists.
        let code = unsafe { (self.context.driver.api.cuStreamQuery)(self.handle) };
        match code {
            NOT_READY => Ok(false),
            _ => self.context.check("cuStreamQuery", code).map(|()| true),
        }
    }

    /// Records an event of the same context.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn record(&self, event: &Event) -> Result<(), CudaError> {
        self.context.enter()?;
        // SAFETY: both exist.
        let code = unsafe { (self.context.driver.api.cuEventRecord)(event.handle, self.handle) };
        self.context.check("cuEventRecord", code)
    }

    /// Lets later commands wait for the last record of an event of any context.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        self.context.enter()?;
        let function = self.context.driver.api.cuStreamWaitEvent;
        // SAFETY: both exist.
        let code = unsafe { function(self.handle, event.handle, 0) };
        self.context.check("cuStreamWaitEvent", code)
    }

    // ---------------------------------------------------------------------------------- memory

    /// Copies bytes from the host to a device. Both memories live until the copy is complete.
    ///
    /// # Errors
    ///
    /// A range is not within its memory, or the call fails.
    pub fn upload(
        &self,
        (to, to_start): (&DeviceMemory, u64),
        (from, from_start): (&PinnedMemory, u64),
        bytes: u64,
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuMemcpyHtoDAsync";
        let to = to.range(CALL, to_start, bytes)?;
        let from = from.range(CALL, from_start, bytes)?.as_ptr().cast();
        let bytes = host_size(CALL, bytes)?;
        self.context.enter()?;
        let function = self.context.driver.api.cuMemcpyHtoDAsync;
        // SAFETY: the ranges are valid, and live until the copy is complete, by the contract.
        let code = unsafe { function(to, from, bytes, self.handle) };
        self.context.check(CALL, code)
    }

    /// Copies bytes from a device to the host. Both memories live until the copy is complete.
    ///
    /// # Errors
    ///
    /// A range is not within its memory, or the call fails.
    pub fn download(
        &self,
        (to, to_start): (&PinnedMemory, u64),
        (from, from_start): (&DeviceMemory, u64),
        bytes: u64,
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuMemcpyDtoHAsync";
        let to = to.range(CALL, to_start, bytes)?.as_ptr().cast();
        let from = from.range(CALL, from_start, bytes)?;
        let bytes = host_size(CALL, bytes)?;
        self.context.enter()?;
        let function = self.context.driver.api.cuMemcpyDtoHAsync;
        // SAFETY: the ranges are valid, and live until the copy is complete, by the contract.
        let code = unsafe { function(to, from, bytes, self.handle) };
        self.context.check(CALL, code)
    }

    /// Copies bytes on the device of the stream, or on or between other devices.
    ///
    /// # Errors
    ///
    /// A range is not within its memory, or the call fails.
    pub fn copy(
        &self,
        (to, to_start): (&DeviceMemory, u64),
        (from, from_start): (&DeviceMemory, u64),
        bytes: u64,
    ) -> Result<(), CudaError> {
        let contexts = [to.context.handle, from.context.handle];
        let is_local = contexts == [self.context.handle; 2];
        let call = match is_local {
            true => "cuMemcpyDtoDAsync",
            false => "cuMemcpyPeerAsync",
        };
        let to = to.range(call, to_start, bytes)?;
        let from = from.range(call, from_start, bytes)?;
        let bytes = host_size(call, bytes)?;
        self.context.enter()?;
        let api = &self.context.driver.api;
        let code = match is_local {
            // SAFETY: the ranges are valid, and live until the copy is complete, by the contract.
            true => unsafe { (api.cuMemcpyDtoDAsync)(to, from, bytes, self.handle) },
            // SAFETY: as above; the contexts are those of the memories.
            false => unsafe {
                let [to_context, from_context] = contexts;
                (api.cuMemcpyPeerAsync)(to, to_context, from, from_context, bytes, self.handle)
            },
        };
        self.context.check(call, code)
    }

    /// Fills memory with bytes.
    ///
    /// # Errors
    ///
    /// The range is not within the memory, or the call fails.
    pub fn fill8(
        &self,
        (to, start): (&DeviceMemory, u64),
        value: u8,
        count: u64,
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuMemsetD8Async";
        let to = to.range(CALL, start, count)?;
        let count = host_size(CALL, count)?;
        self.context.enter()?;
        let function = self.context.driver.api.cuMemsetD8Async;
        // SAFETY: the range is valid, and lives until the fill is complete, by the contract.
        let code = unsafe { function(to, value, count, self.handle) };
        self.context.check(CALL, code)
    }

    /// Fills memory with words of two bytes, at an even address.
    ///
    /// # Errors
    ///
    /// The range is not within the memory, or the call fails.
    pub fn fill16(
        &self,
        (to, start): (&DeviceMemory, u64),
        value: u16,
        count: u64,
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuMemsetD16Async";
        let to = to.range(CALL, start, count.saturating_mul(2))?;
        let count = host_size(CALL, count)?;
        self.context.enter()?;
        let function = self.context.driver.api.cuMemsetD16Async;
        // SAFETY: the range is valid, and lives until the fill is complete, by the contract.
        let code = unsafe { function(to, value, count, self.handle) };
        self.context.check(CALL, code)
    }

    /// Fills memory with words of four bytes, at an address that is a multiple of four.
    ///
    /// # Errors
    ///
    /// The range is not within the memory, or the call fails.
    pub fn fill32(
        &self,
        (to, start): (&DeviceMemory, u64),
        value: u32,
        count: u64,
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuMemsetD32Async";
        let to = to.range(CALL, start, count.saturating_mul(4))?;
        let count = host_size(CALL, count)?;
        self.context.enter()?;
        let function = self.context.driver.api.cuMemsetD32Async;
        // SAFETY: the range is valid, and lives until the fill is complete, by the contract.
        let code = unsafe { function(to, value, count, self.handle) };
        self.context.check(CALL, code)
    }

    // --------------------------------------------------------------------------------- kernels

    /// Launches a kernel with addresses as parameters, in blocks of [`THREADS`] threads.
    ///
    /// # Errors
    ///
    /// The call fails. A kernel that fails is reported by a later call.
    pub fn launch(
        &self,
        function: &Function,
        blocks: u32,
        addresses: &[u64],
    ) -> Result<(), CudaError> {
        const CALL: &str = "cuLaunchKernel";
        if function.module.context.handle != self.context.handle {
            return Err(CudaError::invalid(CALL, "a kernel of another device"));
        }
        self.context.enter()?;
        let mut values = addresses.to_vec();
        let pointers = values.iter_mut().map(|value| (&raw mut *value).cast());
        let mut pointers: Vec<*mut c_void> = pointers.collect();
        let launch = self.context.driver.api.cuLaunchKernel;
        let no_options = std::ptr::null_mut();
        // SAFETY: the function is loaded, and has as many parameters, by the contract; the driver
        // copies them during the call.
        let code = unsafe {
            let (function, stream) = (function.handle, self.handle);
            let parameters = pointers.as_mut_ptr();
            launch(
                function, blocks, 1, 1, THREADS, 1, 1, 0, stream, parameters, no_options,
            )
        };
        self.context.check(CALL, code)
    }

    // ---------------------------------------------------------------------------------- graphs

    /// Starts to capture commands instead of running them: those of this stream, and of streams
    /// that wait for its events.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn begin_capture(&self) -> Result<(), CudaError> {
        self.context.enter()?;
        let function = self.context.driver.api.cuStreamBeginCapture;
        // SAFETY: the stream exists.
        let code = unsafe { function(self.handle, RELAXED) };
        self.context.check("cuStreamBeginCapture", code)
    }

    /// Ends the capture. All other streams that take part have been waited for by this one.
    ///
    /// # Errors
    ///
    /// A call fails. The capture has ended then, too.
    pub fn end_capture(&self) -> Result<Graph, CudaError> {
        self.context.enter()?;
        let mut handle = 0;
        let function = self.context.driver.api.cuStreamEndCapture;
        // SAFETY: the stream exists, and the pointer is valid for the call.
        let code = unsafe { function(self.handle, &raw mut handle) };
        self.context.check("cuStreamEndCapture", code)?;
        Graph::instantiate(&self.context, handle)
    }

    /// Runs a graph. Memory that it uses lives until it is complete.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn replay(&self, graph: &Graph) -> Result<(), CudaError> {
        self.context.enter()?;
        let function = self.context.driver.api.cuGraphLaunch;
        // SAFETY: both exist.
        let code = unsafe { function(graph.handle(), self.handle) };
        self.context.check("cuGraphLaunch", code)
    }
}

/// An event, without a time unless it is created with one.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    handle: Handle,
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: the event was created, and this is its only release.
        unsafe { (self.context.driver.api.cuEventDestroy)(self.handle) };
    }
}

impl Event {
    /// Creates an event, which counts as complete before its first record.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn new(context: &Arc<Context>) -> Result<Self, CudaError> {
        Self::create(context, DISABLE_TIMING)
    }

    /// Creates an event whose records have a time.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn with_time(context: &Arc<Context>) -> Result<Self, CudaError> {
        Self::create(context, DEFAULT_EVENT)
    }

    fn create(context: &Arc<Context>, flags: u32) -> Result<Self, CudaError> {
        context.enter()?;
        let mut handle = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { (context.driver.api.cuEventCreate)(&raw mut handle, flags) };
        context.check("cuEventCreate", code)?;
        Ok(Self {
            context: Arc::clone(context),
            handle,
        })
    }

    /// Waits until the last record is complete.
    ///
    /// # Errors
    ///
    /// A command has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.context.enter()?;
        // SAFETY: the event exists.
        let code = unsafe { (self.context.driver.api.cuEventSynchronize)(self.handle) };
        self.context.check("cuEventSynchronize", code)
    }

    /// Returns the time from the last record of another event with a time, of the same context, to
    /// that of this one. Both are complete.
    ///
    /// # Errors
    ///
    /// An event has no time, or is not complete.
    pub fn since(&self, earlier: &Event) -> Result<Duration, CudaError> {
        self.context.enter()?;
        let mut milliseconds = 0f32;
        let function = self.context.driver.api.cuEventElapsedTime;
        // SAFETY: both events exist, and the pointer is valid for the call.
        let code = unsafe { function(&raw mut milliseconds, earlier.handle, self.handle) };
        self.context.check("cuEventElapsedTime", code)?;
        // The number is finite, and below zero only by rounding.
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    /// Returns whether the last record is complete.
    ///
    /// # Errors
    ///
    /// A command has failed.
    pub fn query(&self) -> Result<bool, CudaError> {
        self.context.enter()?;
        // SAFETY: the event exists.
        let code = unsafe { (self.context.driver.api.cuEventQuery)(self.handle) };
        match code {
            NOT_READY => Ok(false),
            _ => self.context.check("cuEventQuery", code).map(|()| true),
        }
    }
}
