//! Registration with the MLIR of a C++ tool: `include/tfx-mlir.h`.
//!
//! The functions have no failures to report. A panic in one of them, which no input can cause, ends
//! the process, as in each `extern "C"` function.

use mlir_sys::{MlirDialectHandle, MlirDialectRegistry, mlirDialectHandleInsertDialect};

// Declared in `dialects/capi/tfx_dialects.h`.
unsafe extern "C" {
    safe fn mlirGetDialectHandle__tfx_host__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_tensor__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_comm__() -> MlirDialectHandle;
}

/// Adds the dialects of tfx to a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxRegisterAllDialects(registry: MlirDialectRegistry) {
    let handles = [
        mlirGetDialectHandle__tfx_host__(),
        mlirGetDialectHandle__tfx_tensor__(),
        mlirGetDialectHandle__tfx_comm__(),
    ];
    for handle in handles {
        // SAFETY: the caller owns the registry, which lives through the call.
        unsafe { mlirDialectHandleInsertDialect(handle, registry) };
    }
}

/// Registers the passes and pipelines of tfx, not those of upstream. Further calls have no effect.
#[unsafe(no_mangle)]
pub extern "C" fn tfxRegisterAllPasses() {
    tfx::register_passes();
}
