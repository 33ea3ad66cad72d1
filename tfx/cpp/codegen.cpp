//===- codegen.cpp - LLVM IR, assembly and object files from the LLVM dialect -===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// Translation, optimization and emission for the host machine. The C APIs of
// MLIR and LLVM do not offer this independently of the target.
//
//===----------------------------------------------------------------------===//

#include "target.h"

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <memory>

using namespace llvm;

enum TfxEmit : int32_t { TFX_EMIT_OBJECT, TFX_EMIT_ASSEMBLY, TFX_EMIT_LLVM };

/// Creates a target machine for the host's triple with the baseline CPU of its architecture, so
/// that the code also runs on other machines.
static std::unique_ptr<TargetMachine> makeTargetMachine(std::string &error, unsigned level) {
  initializeTarget();
  Triple triple(sys::getDefaultTargetTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  auto codegen = static_cast<CodeGenOptLevel>(level);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, /*CPU=*/"", /*Features=*/"", TargetOptions(), Reloc::PIC_, std::nullopt, codegen));
}

/// Makes the directories of source files in debug information absolute, so that a debugger with
/// another working directory finds them.
extern "C" void tfxMakeSourceFilesAbsolute(MlirOperation module) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::LLVM::DIFileAttr file) {
    SmallString<128> directory(file.getDirectory().getValue());
    if (sys::fs::make_absolute(directory))
      return file;
    return mlir::LLVM::DIFileAttr::get(file.getContext(), file.getName().getValue(), directory);
  });
  replacer.recursivelyReplaceElementsIn(unwrap(module), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/true);
}

/// Writes `module`, which is in the LLVM dialect, to `path`. On failure, passes the reason to
/// `error` and returns false.
extern "C" bool tfxEmit(MlirOperation module, MlirStringRef path, int32_t what, uint32_t level,
                        MlirStringCallback error, void *errorData) {
  mlir::Operation *op = unwrap(module);
  mlir::registerBuiltinDialectTranslation(*op->getContext());
  mlir::registerLLVMDialectTranslation(*op->getContext());
  LLVMContext context;
  std::unique_ptr<Module> llvmModule = mlir::translateModuleToLLVMIR(op, context);
  if (!llvmModule)
    return fail(error, errorData, "the module cannot be translated to LLVM IR");

  std::string reason;
  std::unique_ptr<TargetMachine> machine = makeTargetMachine(reason, level);
  if (!machine)
    return fail(error, errorData, reason);
  if (Error failure = optimize(*llvmModule, *machine, level))
    return fail(error, errorData, toString(std::move(failure)));

  std::error_code code;
  raw_fd_ostream output(unwrap(path), code, sys::fs::OF_None);
  if (code)
    return fail(error, errorData, code.message());
  if (what == TFX_EMIT_LLVM) {
    llvmModule->print(output, nullptr);
  } else {
    auto type =
        what == TFX_EMIT_OBJECT ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
    if (!generate(*llvmModule, *machine, output, type))
      return fail(error, errorData,
                  "the code generator for this machine cannot write a file of this kind");
  }
  output.close();
  if (output.has_error())
    return fail(error, errorData, output.error().message());
  return true;
}
