//===- diag.cpp - diagnostics of all severities, with source lines ---------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's C API emits only errors and has no printer that shows source lines.
//
//===----------------------------------------------------------------------===//

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static DiagnosticSeverity unwrapSeverity(int32_t severity) {
  switch (severity) {
  case MlirDiagnosticWarning:
    return DiagnosticSeverity::Warning;
  case MlirDiagnosticRemark:
    return DiagnosticSeverity::Remark;
  case MlirDiagnosticNote:
    return DiagnosticSeverity::Note;
  default:
    return DiagnosticSeverity::Error;
  }
}

void tfxEmitDiagnostic(MlirLocation location, int32_t severity, MlirStringRef message,
                       intptr_t numNotes, const MlirLocation *noteLocations,
                       const MlirStringRef *noteMessages) {
  DiagnosticEngine &engine = unwrap(location)->getContext()->getDiagEngine();
  InFlightDiagnostic diagnostic = engine.emit(unwrap(location), unwrapSeverity(severity));
  // The diagnostic copies a Twine, but keeps only a reference to a StringRef.
  diagnostic << Twine(unwrap(message));
  for (intptr_t i = 0; i < numNotes; ++i)
    diagnostic.attachNote(unwrap(noteLocations[i])) << Twine(unwrap(noteMessages[i]));
}

namespace {
struct SourcePrinter {
  SourcePrinter(MLIRContext *context, StringRef name, StringRef text, MlirStringCallback print,
                void *data)
      : stream(print, data) {
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
    llvm::raw_ostream &out = print ? static_cast<llvm::raw_ostream &>(stream) : llvm::errs();
    handler = std::make_unique<SourceMgrDiagnosticHandler>(sources, context, out);
  }

  llvm::SourceMgr sources;
  mlir::detail::CallbackOstream stream;
  std::unique_ptr<SourceMgrDiagnosticHandler> handler;
};
} // namespace

void *tfxSourcePrinterCreate(MlirContext context, MlirStringRef bufferName, MlirStringRef text,
                             MlirStringCallback print, void *printData) {
  return new SourcePrinter(unwrap(context), unwrap(bufferName), unwrap(text), print, printData);
}

void tfxSourcePrinterDestroy(void *printer) { delete static_cast<SourcePrinter *>(printer); }
