//===- Types.cpp - syntax and verifiers of the types of tfx_host -------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Closures, whose syntax ODS cannot express, and queues, whose element types are restricted.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace tfx::host;

Type ClosureType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  bool escaping = succeeded(parser.parseOptionalKeyword("escaping"));
  FunctionType signature;
  if (parser.parseType(signature) || parser.parseGreater())
    return {};
  return ClosureType::get(parser.getContext(), signature, escaping);
}

void ClosureType::print(AsmPrinter &printer) const {
  printer << '<';
  if (getEscaping())
    printer << "escaping ";
  printer << getSignature() << '>';
}

bool tfx::host::isQueueElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isIndex() || type.isF32() || type.isF64() || isa<TensorType>(type);
}

LogicalResult QueueType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Type> elements) {
  if (elements.empty())
    return emitError() << "expected at least one element type of a queue";
  for (Type element : elements)
    if (!isQueueElement(element))
      return emitError() << "a queue cannot hold " << element << "; expected " << kQueueElements;
  return success();
}
