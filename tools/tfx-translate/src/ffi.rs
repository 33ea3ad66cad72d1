//! MLIR's own translation to LLVM IR. All `unsafe` of the tool is here.

use std::ffi::CStr;

use melior::Context;
use melior::ir::Module;
use mlir_sys::{
    LLVMDisposeMessage, mlirRegisterAllLLVMTranslations, mlirTranslateModuleToLLVMIRToString,
};

/// LLVM IR as text; `None` where the module is not in the LLVM dialect, and MLIR has said why.
pub(crate) fn llvm_ir(context: &Context, module: &Module<'_>) -> Option<String> {
    // SAFETY: the context and the module are alive. The text is one that LLVM has allocated (or null), ends with a NUL, and is given back
    // to LLVM once it was copied.
    unsafe {
        mlirRegisterAllLLVMTranslations(context.to_raw());
        let text = mlirTranslateModuleToLLVMIRToString(module.as_operation().to_raw());
        if text.is_null() {
            return None;
        }
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        Some(copy)
    }
}
