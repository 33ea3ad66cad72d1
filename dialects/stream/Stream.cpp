//===- Stream.cpp - the tfx_stream dialect: registration, types, schedules ----===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The verifiers check what one operation shows. `tfx-verify-schedule` checks what depends on the
// order of commands.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "../capi/FunctionSyntax.h"
#include "DeviceSyntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::stream;

#include "StreamDialect.cpp.inc"
#include "StreamEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The custom directive `Space` of ODS: `host`, `pinned`, `cuda` or `cuda:1`.
static ParseResult parseSpace(AsmParser &parser, Space &space, uint32_t &number) {
  SMLoc at = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Space> found = symbolizeSpace(keyword);
  if (!found)
    return parser.emitError(at, "expected the memory space 'host', 'pinned' or 'cuda', got '")
           << keyword << "'";
  space = *found;
  number = 0;
  return *found == Space::cuda ? parseNumber(parser, number) : success();
}

static void printSpace(AsmPrinter &printer, Space space, uint32_t number) {
  printer << stringifySpace(space);
  printNumber(printer, number);
}

static LogicalResult verifySize(function_ref<InFlightDiagnostic()> emitError, uint64_t size) {
  // Offsets are signed.
  if (size == 0 || size > uint64_t(std::numeric_limits<int64_t>::max()))
    return emitError() << "expected a size of 1 to 2^63 - 1 bytes, got " << size;
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError, uint64_t size, Space,
                                 uint32_t) {
  return verifySize(emitError, size);
}

LogicalResult ArenaType::verify(function_ref<InFlightDiagnostic()> emitError, uint64_t size, Space,
                                uint32_t) {
  return verifySize(emitError, size);
}

#define GET_TYPEDEF_CLASSES
#include "StreamTypes.cpp.inc"

void TfxStreamDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "StreamTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "StreamOps.cpp.inc"
      >();
}

/// Checks `tfx_stream.access`, the only attribute of the dialect on parameters.
LogicalResult TfxStreamDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                         NamedAttribute attribute) {
  auto schedule = dyn_cast<ScheduleOp>(op);
  if (!schedule || attribute.getName() != "tfx_stream.access")
    return op->emitError() << attribute.getName()
                           << " is not an attribute of parameters; tfx_stream.schedule has "
                              "tfx_stream.access on buffers";
  if (!isa<BufferType>(schedule.getArgumentTypes()[argument]))
    return op->emitError() << "expected tfx_stream.access on a buffer, got it on parameter #"
                           << argument << " of type " << schedule.getArgumentTypes()[argument];
  auto mode = dyn_cast<StringAttr>(attribute.getValue());
  if (!mode || !llvm::is_contained({"read", "write", "update", "scratch"}, mode.getValue()))
    return op->emitError() << "expected \"read\", \"write\", \"update\" or \"scratch\" as "
                              "tfx_stream.access of parameter #"
                           << argument << ", got " << attribute.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

ParseResult ScheduleOp::parse(OpAsmParser &parser, OperationState &state) {
  tfx::FunctionHead head;
  return failure(tfx::parseFunctionHead<ScheduleOp>(parser, state, head) ||
                 tfx::parseFunctionEnd<ScheduleOp>(parser, state, head));
}

void ScheduleOp::print(OpAsmPrinter &printer) {
  tfx::printFunctionHead(printer, *this);
  tfx::printFunctionEnd(printer, *this);
}

LogicalResult ScheduleOp::verify() {
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    if (isa<StreamType, BufferType, IntegerType, FloatType, IndexType>(type))
      continue;
    if (!isa<EventType, ValueType>(type))
      return emitOpError(
                 "expected a stream, a buffer, an event, a value or a scalar as parameter #")
             << index << ", got " << type;
    if (!isPrivate())
      return emitOpError("is public, so nothing precedes it that has ")
             << (isa<EventType>(type) ? "recorded the event" : "written the value")
             << " of parameter #" << index << ": "
             << (isa<EventType>(type) ? "make the schedule private"
                                      : "use tfx_stream.input, or make the schedule private");
  }
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (!isa<EventType, ValueType>(type))
      return emitOpError("expected an event or a value as result #") << index << ", got " << type;
  if (!isa_and_nonnull<ReturnOp>(getBody().front().empty() ? nullptr : &getBody().front().back()))
    return emitOpError("expected tfx_stream.return at the end of the body");
  return success();
}

LogicalResult ReturnOp::verify() {
  auto schedule = cast<ScheduleOp>((*this)->getParentOp());
  if (getOperandTypes() == TypeRange(schedule.getResultTypes()))
    return success();
  InFlightDiagnostic error = emitOpError("expected results of types (")
                             << schedule.getResultTypes() << "), got (" << getOperandTypes() << ")";
  error.attachNote(schedule.getLoc()) << "the types are declared here";
  return error;
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<ScheduleOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("calls ") << getCalleeAttr()
                                 << ", but no tfx_stream.schedule of that name is defined";
  auto explain = [&](InFlightDiagnostic error) {
    error.attachNote(callee.getLoc()) << "defined here";
    return error;
  };
  if (!callee.isPrivate())
    return explain(emitOpError("calls the public schedule ")
                   << getCalleeAttr()
                   << ", which expects that no other command runs: make it private");
  if (getOperandTypes() != TypeRange(callee.getArgumentTypes()))
    return explain(emitOpError("expected arguments of types (")
                   << callee.getArgumentTypes() << ") for " << getCalleeAttr() << ", got ("
                   << getOperandTypes() << ")");
  if (getResultTypes() != TypeRange(callee.getResultTypes()))
    return explain(emitOpError("expected results of types (")
                   << callee.getResultTypes() << ") from " << getCalleeAttr() << ", got ("
                   << getResultTypes() << ")");
  return success();
}
