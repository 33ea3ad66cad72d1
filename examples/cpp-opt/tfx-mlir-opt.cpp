//===- tfx-mlir-opt.cpp - mlir-opt with the dialects and passes of tfx ----===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// A tool with its own MLIR and its own registry. docs/c-api.md describes it.
//
//   tfx-mlir-opt program.mlir --tfx-extract
//   tfx-mlir-opt program.mlir --pass-pipeline='builtin.module(canonicalize,tfx-deabstract)'
//
//===----------------------------------------------------------------------===//

#include "tfx-mlir.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  tfxRegisterAllPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  tfxRegisterAllDialects(wrap(&registry));

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "MLIR optimizer with tfx\n", registry));
}
