//===- Effects.cpp - host effects: queues and print ---------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifiers of prefetch, next and print.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace tfx::host;

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

ParseResult tfx::host::parseDepth(OpAsmParser &parser, IntegerAttr &depth) {
  int32_t value;
  if (parser.parseInteger(value))
    return failure();
  depth = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}

void tfx::host::printDepth(OpAsmPrinter &printer, Operation *, IntegerAttr depth) {
  printer << depth.getInt();
}

LogicalResult PrefetchOp::verify() {
  if (static_cast<int32_t>(getDepth()) < 1)
    return emitOpError("expected a depth of at least 1, got ") << static_cast<int32_t>(getDepth());
  for (Type type : getArguments().getTypes())
    if (!isQueueElement(type))
      return emitOpError("cannot pass a value of type ")
             << type << " to its thread; expected " << kQueueElements;
  return success();
}

LogicalResult PrefetchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp function = lookUpFunction(*this, symbols, getCalleeAttr());
  if (!function)
    return failure();
  FailureOr<FunctionType> expected = instantiate(*this, function, {});
  if (failed(expected))
    return failure();
  return checkSignature(*this, *expected, getArguments().getTypes(), getType().getElements(),
                        "@" + getCallee(), function.getLoc());
}

ParseResult NextOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand queue;
  QueueType type;
  if (parser.parseOperand(queue) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.resolveOperand(queue, type, state.operands))
    return failure();
  state.addTypes(type.getElements());
  return success();
}

void NextOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getQueue();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getQueue().getType();
}

LogicalResult NextOp::verify() {
  TypeRange elements = getQueue().getType().getElements();
  if (elements != getResultTypes())
    return emitOpError("expected result types (")
           << elements << ") for " << getQueue().getType() << ", got (" << getResultTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// print, assert, abort
//===----------------------------------------------------------------------===//

/// Returns the number of placeholders `{}` in a format, or nothing if a brace is unmatched.
static std::optional<size_t> countPlaceholders(StringRef format) {
  size_t count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if (format[i] == '{' && next == '}')
      ++count;
    else if ((format[i] != '{' && format[i] != '}'))
      continue;
    else if (next != format[i])
      return std::nullopt;
    ++i;
  }
  return count;
}

/// Verifies that a format has a placeholder for each value.
static LogicalResult verifyFormat(Operation *op, StringRef format, size_t values) {
  std::optional<size_t> placeholders = countPlaceholders(format);
  if (!placeholders)
    return op->emitOpError("has an unmatched brace in its format; write '{}' for a value, '{{' or "
                           "'}}' for a literal brace");
  if (*placeholders != values)
    return op->emitOpError("expected ")
           << *placeholders << " value(s) for the placeholders of the format, got " << values;
  return success();
}

LogicalResult PrintOp::verify() { return verifyFormat(*this, getFormat(), getValues().size()); }

/// A message without values is no format: its braces stand for themselves.
static LogicalResult verifyMessage(Operation *op, StringRef message, size_t values) {
  return values == 0 ? success() : verifyFormat(op, message, values);
}

LogicalResult AssertOp::verify() { return verifyMessage(*this, getMessage(), getValues().size()); }

LogicalResult AbortOp::verify() { return verifyMessage(*this, getMessage(), getValues().size()); }
