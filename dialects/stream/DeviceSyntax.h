//===- DeviceSyntax.h - the syntax of devices -------------------------*- C++ -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_DIALECTS_STREAM_DEVICE_SYNTAX_H
#define TFX_DIALECTS_STREAM_DEVICE_SYNTAX_H

#include "Stream.h"

#include "mlir/IR/OpImplementation.h"

namespace tfx::stream {

/// Parses the number of a device after a colon. Without one, it is the first device.
inline mlir::ParseResult parseNumber(mlir::AsmParser &parser, uint32_t &number) {
  number = 0;
  return parser.parseOptionalColon() ? mlir::success() : parser.parseInteger(number);
}

inline void printNumber(mlir::AsmPrinter &printer, uint32_t number) {
  if (number)
    printer << ':' << number;
}

/// The custom directive `Device` of ODS: `cpu`, `cuda` or `cuda:1`.
inline mlir::ParseResult parseDevice(mlir::AsmParser &parser, Device &device, uint32_t &number) {
  llvm::SMLoc at = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  std::optional<Device> found = symbolizeDevice(keyword);
  if (!found)
    return parser.emitError(at, "expected the device 'cpu' or 'cuda', got '") << keyword << "'";
  device = *found;
  return parseNumber(parser, number);
}

inline void printDevice(mlir::AsmPrinter &printer, Device device, uint32_t number) {
  printer << stringifyDevice(device);
  printNumber(printer, number);
}

} // namespace tfx::stream

#endif // TFX_DIALECTS_STREAM_DEVICE_SYNTAX_H
