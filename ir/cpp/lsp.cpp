//===- lsp.cpp - MLIR's language server -----------------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

using namespace mlir;

int32_t tfxLspServerMain(int32_t numArguments, const char **arguments,
                         MlirDialectRegistry registry) {
  return failed(MlirLspServerMain(numArguments, const_cast<char **>(arguments), *unwrap(registry)));
}
