//===- Comm.cpp - the tfx_comm dialect: registration, syntax, verifiers ------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Comm.h"

#include "../stream/DeviceSyntax.h"
#include "../tensor/Tensor.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::comm;

#include "CommDialect.cpp.inc"
#include "CommEnums.cpp.inc"

/// The custom directive `Direction` of ODS: a bare keyword.
static ParseResult parseDirection(AsmParser &parser, Direction &direction) {
  StringRef keyword;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Direction> found = symbolizeDirection(keyword);
  if (!found)
    return parser.emitError(at, "expected to_host or to_graph as the direction of a channel, got '")
           << keyword << "'";
  direction = *found;
  return success();
}

static void printDirection(AsmPrinter &printer, Direction direction) {
  printer << stringifyDirection(direction);
}

using tfx::stream::parseDevice;
using tfx::stream::printDevice;

#define GET_TYPEDEF_CLASSES
#include "CommTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "CommAttrs.cpp.inc"

void TfxCommDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "CommTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "CommAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "CommOps.cpp.inc"
      >();
}

LogicalResult ChannelAttr::verify(function_ref<InFlightDiagnostic()> emitError, uint32_t, Direction,
                                  Type type, uint32_t) {
  if (!isa<TensorType, IntegerType, FloatType, IndexType>(type))
    return emitError() << "expected a tensor or a scalar as the type of a channel, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// A copy to the same place is its operand. A copy of a copy starts from the first place.
OpFoldResult CopyOp::fold(FoldAdaptor) {
  if (getSourceAttr() == getDestinationAttr())
    return getValue();
  auto first = getValue().getDefiningOp<CopyOp>();
  if (!first || first.getDestinationAttr() != getSourceAttr())
    return {};
  setSourceAttr(first.getSourceAttr());
  getValueMutable().assign(first.getValue());
  return getResult();
}

//===----------------------------------------------------------------------===//
// The lifetime of a program
//===----------------------------------------------------------------------===//

LogicalResult StartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto graph = symbols.lookupNearestSymbolFrom<tfx::tensor::GraphOp>(*this, getGraphAttr());
  if (!graph)
    return emitOpError("refers to ")
           << getGraphAttr() << ", but no tfx_tensor.graph of that name is declared";
  if (TypeRange(graph.getArgumentTypes()) != TypeRange(getInputs().getTypes())) {
    InFlightDiagnostic error = emitOpError("expected input types (")
                               << graph.getArgumentTypes() << ") for " << getGraphAttr()
                               << ", got (" << getInputs().getTypes() << ")";
    error.attachNote(graph.getLoc()) << "declared here";
    return error;
  }
  return success();
}

/// Returns the graph of a program, or null if `program` is not the result of a `start`.
///
/// Only `verifySymbolUses` may call it: MLIR runs the other verifiers first, so the start and the
/// graph are known to have their required attributes.
static tfx::tensor::GraphOp graphOf(Value program, SymbolTableCollection &symbols) {
  auto start = program.getDefiningOp<StartOp>();
  if (!start)
    return {};
  return symbols.lookupNearestSymbolFrom<tfx::tensor::GraphOp>(start, start.getGraphAttr());
}

LogicalResult FinishOp::verifySymbolUses(SymbolTableCollection &symbols) {
  tfx::tensor::GraphOp graph = graphOf(getProgram(), symbols);
  if (!graph || TypeRange(graph.getResultTypes()) == getResultTypes())
    return success();
  InFlightDiagnostic error = emitOpError("expected result types (")
                             << graph.getResultTypes() << ") from @" << graph.getSymName()
                             << ", got (" << getResultTypes() << ")";
  error.attachNote(graph.getLoc()) << "declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// Sends and receives
//===----------------------------------------------------------------------===//

/// Returns the declaration of a channel, or null if there is none.
///
/// A graph may have as many channels as uses, so a linear search for each use takes quadratic time.
/// The declarations are nearly always sorted by id: a binary search precedes the linear one.
static ChannelAttr channelOf(tfx::tensor::GraphOp graph, uint32_t id) {
  ArrayAttr channels = graph.getChannelsAttr();
  ArrayRef<Attribute> all = channels ? channels.getValue() : ArrayRef<Attribute>();
  auto isBefore = [](Attribute attribute, uint32_t id) {
    auto channel = dyn_cast<ChannelAttr>(attribute);
    return channel && channel.getId() < id;
  };
  auto hasId = [id](Attribute attribute) {
    auto channel = dyn_cast<ChannelAttr>(attribute);
    return channel && channel.getId() == id;
  };
  const Attribute *found = llvm::lower_bound(all, id, isBefore);
  if (found == all.end() || !hasId(*found))
    found = llvm::find_if(all, hasId);
  return found == all.end() ? ChannelAttr() : cast<ChannelAttr>(*found);
}

/// Checks the use of a channel against its declaration. `direction` is the direction that the
/// channel must have.
static LogicalResult checkChannel(Operation *op, SymbolTableCollection &symbols, Value program,
                                  uint32_t id, Direction direction, Type type, StringRef verb) {
  auto enclosing = op->getParentOfType<tfx::tensor::GraphOp>();
  if (enclosing && program)
    return op->emitOpError() << "names a program inside a graph; omit the program to use a channel "
                                "of the graph";
  if (!enclosing && !program)
    return op->emitOpError()
           << "expected the program of the channel, since the operation is outside a graph";
  tfx::tensor::GraphOp graph = enclosing ? enclosing : graphOf(program, symbols);
  if (!graph)
    return success();
  if (ChannelAttr channel = channelOf(graph, id)) {
    if (channel.getDirection() != direction)
      return op->emitOpError() << verb << " channel " << id << ", whose direction is "
                               << stringifyDirection(channel.getDirection());
    if (channel.getType() != type)
      return op->emitOpError() << "expected type " << channel.getType() << " for channel " << id
                               << ", got " << type;
    return success();
  }
  InFlightDiagnostic error = op->emitOpError() << "uses channel " << id << ", which @"
                                               << graph.getSymName() << " does not declare";
  error.attachNote(graph.getLoc()) << "declared here";
  return error;
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  bool inGraph = (*this)->getParentOfType<tfx::tensor::GraphOp>() != nullptr;
  return checkChannel(*this, symbols, getProgram(), getChannel(),
                      inGraph ? Direction::to_host : Direction::to_graph, getValue().getType(),
                      "sends on");
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  bool inGraph = (*this)->getParentOfType<tfx::tensor::GraphOp>() != nullptr;
  return checkChannel(*this, symbols, getProgram(), getChannel(),
                      inGraph ? Direction::to_graph : Direction::to_host, getValue().getType(),
                      "receives from");
}

#define GET_OP_CLASSES
#include "CommOps.cpp.inc"
