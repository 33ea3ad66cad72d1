//===- plugin.cpp - tfx as a plugin of mlir-opt ---------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// The entry points of a plugin for tools that link libMLIR.so. docs/c-api.md
// describes it.
//
//   mlir-opt --load-dialect-plugin=tfx-mlir-plugin.so
//            --load-pass-plugin=tfx-mlir-plugin.so --pass-pipeline=...
//
//===----------------------------------------------------------------------===//

#include "tfx-mlir.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

// MLIR identifies a trait by its name as the compiler prints it, and g++ and clang print the names
// of traits differently. The code that asks first decides. Debian's MLIR is compiled by clang: here
// its own verifier asks for the traits that the C API asks for as well, with the same name.
static void resolveTraits() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect>();
  mlir::parseSourceString<mlir::ModuleOp>("func.func @f() { return }", &context);
}

static void registerDialects(mlir::DialectRegistry *registry) {
  resolveTraits();
  tfxRegisterAllDialects(wrap(registry));
}

static void registerPasses() {
  resolveTraits();
  tfxRegisterAllPasses();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tfx", TFX_VERSION, registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tfx", TFX_VERSION, registerPasses};
}
