//===- target.h - LLVM's target of this machine ---------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_TARGET_H
#define TFX_TARGET_H

#include "mlir-c/Support.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <string>

/// Initializes the target. Threads may call it at once, unlike LLVM's functions: two threads that
/// add a target to LLVM's list make the list a cycle.
inline void initializeTarget() {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmParser();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
}

/// Passes a reason to a callback, and returns false.
inline bool fail(MlirStringCallback error, void *data, const llvm::Twine &message) {
  std::string text = message.str();
  error(mlirStringRefCreate(text.data(), text.size()), data);
  return false;
}

/// Optimizes a module for a machine.
inline llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned level) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  return mlir::makeOptimizingTransformer(level, /*sizeLevel=*/0, &machine)(&module);
}

/// Writes the code of a module. Returns false if there is no writer for files of this kind.
inline bool generate(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::raw_pwrite_stream &output, llvm::CodeGenFileType type) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, output, nullptr, type))
    return false;
  passes.run(module);
  return true;
}

#endif // TFX_TARGET_H
