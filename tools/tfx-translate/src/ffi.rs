//! MLIR's own translation to LLVM IR. All `unsafe` of the tool is here.

use std::ffi::CStr;

use melior::Context;
use melior::ir::Module;
use mlir_sys::{
    LLVMContextCreate, LLVMContextDispose, LLVMDisposeMessage, LLVMDisposeModule,
    LLVMPrintModuleToString, mlirRegisterAllLLVMTranslations, mlirTranslateModuleToLLVMIR,
};

/// LLVM IR as text; `None` where the module is not in the LLVM dialect, and MLIR has said why.
///
/// MLIR 22 has a function that gives the text at once; it crashes where the translation fails.
pub(crate) fn llvm_ir(context: &Context, module: &Module<'_>) -> Option<String> {
    // SAFETY: the MLIR context and module are alive. What LLVM makes here is given back to it once, the text after it was copied, the
    // module before its context; the text is not null and ends with a NUL.
    unsafe {
        mlirRegisterAllLLVMTranslations(context.to_raw());
        let llvm_context = LLVMContextCreate();
        let llvm_module = mlirTranslateModuleToLLVMIR(module.as_operation().to_raw(), llvm_context);
        let copy = (!llvm_module.is_null()).then(|| {
            let text = LLVMPrintModuleToString(llvm_module);
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            LLVMDisposeModule(llvm_module);
            copy
        });
        LLVMContextDispose(llvm_context);
        copy
    }
}
