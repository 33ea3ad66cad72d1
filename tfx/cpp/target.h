//===- target.h - LLVM's target of this machine ---------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_TARGET_H
#define TFX_TARGET_H

#include "mlir-c/Support.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

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

/// Returns true if AddressSanitizer checks a function of a module.
inline bool isSanitized(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.hasFnAttribute(llvm::Attribute::SanitizeAddress);
  });
}

/// Adds AddressSanitizer's checks to the functions that have its attribute.
inline void sanitize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::AddressSanitizerOptions options;
  // A variable of AddressSanitizer's runtime, which other runtimes do not have, would choose.
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  // Calls instead of inline checks: tests take much longer to compile code than to run it.
  options.InstrumentationWithCallsThreshold = 0;
  // A process that has the runtime has initialized it. A linker in memory runs no constructors.
  llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false,
                             llvm::AsanDtorKind::None, llvm::AsanCtorKind::None)
      .run(module, modules);
}

/// Optimizes a module for a machine, and then adds the checks that its functions ask for.
inline llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned level) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (llvm::Error failure =
          mlir::makeOptimizingTransformer(level, /*sizeLevel=*/0, &machine)(&module))
    return failure;
  if (isSanitized(module))
    sanitize(module, machine);
  return llvm::Error::success();
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
