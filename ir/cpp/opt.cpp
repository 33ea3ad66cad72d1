//===- opt.cpp - the driver of tfx-opt ------------------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// Does what `mlir-opt` does after its registrations, except that it opens the
// output file only when there is output to write: after an error, an existing
// file is unchanged.
//
//===----------------------------------------------------------------------===//

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cstdio>

using namespace mlir;

/// Writes `text` to `filename`, or prints the reason for the failure.
static LogicalResult writeFile(StringRef filename, StringRef text) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(filename, &message);
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  output->os() << text;
  output->os().close();
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    llvm::errs() << "cannot write output file '" << filename << "': " << error.message() << "\n";
    return failure();
  }
  output->keep();
  return success();
}

static LogicalResult runOn(StringRef inputFilename, StringRef outputFilename,
                           DialectRegistry &registry, const MlirOptMainConfig &config) {
  if (inputFilename == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to interrupt)\n";

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputFilename, &message);
  if (!file) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (outputFilename == "-")
    return MlirOptMain(llvm::outs(), std::move(file), registry, config);

  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(MlirOptMain(stream, std::move(file), registry, config)))
    return failure();
  return writeFile(outputFilename, text);
}

static LogicalResult listPasses() {
  printRegisteredPasses();
  return success();
}

static LogicalResult showDialects(DialectRegistry &registry) {
  llvm::outs() << "Available Dialects: ";
  llvm::interleave(registry.getDialectNames(), llvm::outs(), ",");
  llvm::outs() << "\n";
  return success();
}

int32_t tfxOptMain(int32_t numArguments, const char **arguments,
                   void (*registerDialects)(MlirDialectRegistry registry, void *data),
                   void (*registerPasses)(void *data), void *data) {
  int argc = numArguments;
  llvm::InitLLVM init(argc, arguments);
  DialectRegistry registry;
  registerDialects(wrap(&registry), data);
  registerPasses(data);

  StringRef tool = "MLIR modular optimizer driver of tfx\n";
  auto [input, output] =
      registerAndParseCLIOptions(argc, const_cast<char **>(arguments), tool, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects())
    return asMainReturnCode(showDialects(registry));
  if (config.shouldListPasses())
    return asMainReturnCode(listPasses());
  return asMainReturnCode(runOn(input, output, registry, config));
}
