//! Registration of tfx with the MLIR of a C++ tool: `tfx/capi/include/tfx-mlir.h`.
//!
//! ```text
//!   C++ tool ──┬─► libtfx_mlir.a ──► passes in Rust ──┐
//!              └─► MLIR ◄─────────────────────────────┘
//! ```
//!
//! rustc puts MLIR into this static library; `scripts/mlir-library` removes it, because the tool
//! has its own. The shared library of the C API does not have these functions: nobody can use its
//! MLIR.
//!
//! Contract: the arguments are handles of the MLIR that the tool links. The functions have no
//! failures to report. A panic in one of them, which no input can cause, ends
//! the process, as in each `extern "C"` function.

use mlir_sys::{MlirDialectHandle, MlirDialectRegistry, mlirDialectHandleInsertDialect};

// Declared in `dialects/capi/tfx_dialects.h`.
unsafe extern "C" {
    safe fn mlirGetDialectHandle__tfx_host__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_tensor__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_comm__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_ad__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_stream__() -> MlirDialectHandle;
}

/// Adds the dialects of tfx to a registry.
///
/// # Safety
/// The registry is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxRegisterAllDialects(registry: MlirDialectRegistry) {
    let handles = [
        mlirGetDialectHandle__tfx_host__(),
        mlirGetDialectHandle__tfx_tensor__(),
        mlirGetDialectHandle__tfx_comm__(),
        mlirGetDialectHandle__tfx_ad__(),
        mlirGetDialectHandle__tfx_stream__(),
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
