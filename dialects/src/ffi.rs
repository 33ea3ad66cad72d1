//! The border to C++: the handles of the dialects. All `unsafe` of the crate is here.
//!
//! Contract: the three functions are defined by `capi/Dialects.cpp`, which the build script links in, take nothing, and return handles
//! to static tables.

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use mlir_sys::MlirDialectHandle;

unsafe extern "C" {
    safe fn mlirGetDialectHandle__tfx_host__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_tensor__() -> MlirDialectHandle;
    safe fn mlirGetDialectHandle__tfx_comm__() -> MlirDialectHandle;
}

fn handles() -> [DialectHandle; 3] {
    [mlirGetDialectHandle__tfx_host__(), mlirGetDialectHandle__tfx_tensor__(), mlirGetDialectHandle__tfx_comm__()].map(|handle| {
        // SAFETY: the handle comes from MLIR's own registration macro and lives as long as the process.
        unsafe { DialectHandle::from_raw(handle) }
    })
}

/// Puts the three dialects into a registry; a context that takes the registry loads each when it meets it.
pub fn register(registry: &DialectRegistry) {
    for handle in handles() {
        handle.insert_dialect(registry);
    }
}

/// Loads the three dialects into a context at once.
pub fn load(context: &Context) {
    for handle in handles() {
        handle.register_dialect(context);
        handle.load_dialect(context);
    }
}
