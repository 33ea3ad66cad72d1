//! MLIR's translation to LLVM IR. All `unsafe` code of the tool is in this module.

use std::ffi::CStr;

use melior::Context;
use melior::ir::Module;
use mlir_sys::{
    LLVMContextCreate, LLVMContextDispose, LLVMDisposeMessage, LLVMDisposeModule,
    LLVMPrintModuleToString, mlirRegisterAllLLVMTranslations, mlirTranslateModuleToLLVMIR,
};

/// Returns LLVM IR as text, or `None` if the module is not in the LLVM dialect; MLIR has then
/// emitted a diagnostic.
///
/// The function of MLIR 22 that returns the text directly crashes if the translation fails.
pub(crate) fn llvm_ir(context: &Context, module: &Module<'_>) -> Option<String> {
    // SAFETY: the MLIR context and module are alive. Each object of LLVM is disposed of once: the
    // text after it was copied, the module before its context. The text is not null and ends with a
    // NUL.
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
