//! Modules of PTX, and their kernels.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use super::api::Handle;
use super::{Context, CudaError, Current};

/// The threads of a block: a multiple of the 32 threads of a warp, of which any device runs several
/// blocks at a time.
pub const THREADS: u32 = 256;
/// The most blocks in the first dimension of a grid, by the CUDA C programming guide.
pub const MAX_BLOCKS: u32 = i32::MAX as u32;

/// `CU_JIT_ERROR_LOG_BUFFER`.
const ERROR_LOG: i32 = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
const ERROR_LOG_BYTES: i32 = 6;
/// The bytes of the log: some hundred lines.
const LOG_BYTES: usize = 16 << 10;

/// A module on a device.
#[derive(Debug)]
pub struct Module {
    pub(super) context: Arc<Context>,
    handle: Handle,
}

impl Drop for Module {
    fn drop(&mut self) {
        let _current = Current::keep(&self.context.driver);
        let _ = self.context.enter();
        // SAFETY: the module was loaded, and no function of it is left.
        unsafe { (self.context.driver.api.cuModuleUnload)(self.handle) };
    }
}

impl Module {
    /// Compiles PTX for the device of a context.
    ///
    /// # Errors
    ///
    /// The text is no PTX for the device: the error has the log of the compiler.
    pub fn new(context: &Arc<Context>, ptx: &str) -> Result<Arc<Self>, CudaError> {
        const CALL: &str = "cuModuleLoadDataEx";
        let text = CString::new(ptx);
        let text = text.map_err(|_| CudaError::invalid(CALL, "PTX with a zero byte"))?;
        context.enter()?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        let size = std::ptr::without_provenance_mut::<c_void>(LOG_BYTES);
        let mut values = [log.as_mut_ptr().cast::<c_void>(), size];
        let mut handle = 0;
        // SAFETY: the text ends with a zero; both options have values; the log has its size.
        let code = unsafe {
            (context.driver.api.cuModuleLoadDataEx)(
                &raw mut handle,
                text.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        context.check(CALL, code).map_err(|error| {
            let end = log.iter().position(|byte| *byte == 0);
            let log = String::from_utf8_lossy(&log[..end.unwrap_or(LOG_BYTES)]);
            match log.trim() {
                "" => error,
                log => CudaError {
                    text: format!("{}: {log}", error.text),
                    ..error
                },
            }
        })?;
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            handle,
        }))
    }

    /// Finds a kernel.
    ///
    /// # Errors
    ///
    /// The module has no entry of this name.
    pub fn function(self: &Arc<Self>, entry: &str) -> Result<Function, CudaError> {
        const CALL: &str = "cuModuleGetFunction";
        let name = CString::new(entry);
        let name = name.map_err(|_| CudaError::invalid(CALL, "a name with a zero byte"))?;
        self.context.enter()?;
        let mut handle = 0;
        let function = self.context.driver.api.cuModuleGetFunction;
        // SAFETY: the name ends with a zero, and the module is loaded.
        let code = unsafe { function(&raw mut handle, self.handle, name.as_ptr()) };
        self.context.check(CALL, code).map_err(|error| CudaError {
            text: format!("{}: the entry '{entry}'", error.text),
            ..error
        })?;
        Ok(Function {
            module: Arc::clone(self),
            handle,
        })
    }
}

/// A kernel on a device.
#[derive(Clone, Debug)]
pub struct Function {
    pub(super) module: Arc<Module>,
    pub(super) handle: Handle,
}
