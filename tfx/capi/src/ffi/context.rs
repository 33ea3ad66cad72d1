//! Contexts.

use std::ffi::{CString, c_char};
use std::sync::{Arc, LazyLock};

use melior::Context;

use super::error::TfxError;
use super::guard::{Out, c_string, destroy, guarded};

/// The context of MLIR.
pub(super) struct Shared(Context);

// SAFETY: the header permits one thread at a time to use a context and what refers to it.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// A context: the dialects, types and attributes of programs. One thread at a time uses it and its
/// programs.
pub struct TfxContext {
    context: Arc<Shared>,
}

impl TfxContext {
    pub(super) fn context(&self) -> &Arc<Shared> {
        &self.context
    }
}

/// Returns a context with the lifetime of its last owner.
///
/// # Safety
/// The result, and what refers to it, are not used after the last reference is dropped.
pub(super) unsafe fn extended(context: &Arc<Shared>) -> &'static Context {
    // SAFETY: as promised by the caller.
    unsafe { &(*Arc::as_ptr(context)).0 }
}

/// Returns the version of tfx, and that of its MLIR: `0.1.0 (LLVM 22.1.8)`.
#[unsafe(no_mangle)]
pub extern "C" fn tfxGetVersion() -> *const c_char {
    static VERSION: LazyLock<CString> = LazyLock::new(|| c_string(tfx::VERSION));
    VERSION.as_ptr()
}

/// Creates a context with all dialects and passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxContextCreate(context: *mut *mut TfxContext) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let result = unsafe { Out::new(context, "context") }?;
        let context = Context::new();
        tfx::prepare(&context);
        result.set(TfxContext {
            context: Arc::new(Shared(context)),
        });
        Ok(())
    })
}

/// Destroys a context. Its programs keep what they need. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxContextDestroy(context: *mut TfxContext) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(context) }
}
