//===- Comm.cpp - the tfx_comm dialect: registration, syntax, verifiers ------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Comm.h"

#include "../tensor/Tensor.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::comm;

#include "CommDialect.cpp.inc"
#include "CommEnums.cpp.inc"

/// A direction is a bare keyword.
static ParseResult parseDirection(AsmParser &parser, Direction &direction) {
  StringRef keyword;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Direction> found = symbolizeDirection(keyword);
  if (!found)
    return parser.emitError(at, "'")
           << keyword << "' is no direction of a channel; it is to_host or to_graph";
  direction = *found;
  return success();
}

static void printDirection(AsmPrinter &printer, Direction direction) {
  printer << stringifyDirection(direction);
}

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
    return emitError() << "a channel carries a tensor or a scalar, not " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// The life of a program
//===----------------------------------------------------------------------===//

LogicalResult StartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto graph = symbols.lookupNearestSymbolFrom<tfx::tensor::GraphOp>(*this, getGraphAttr());
  if (!graph)
    return emitOpError("names ") << getGraphAttr()
                                 << ", but no tfx_tensor.graph of that name is declared";
  if (TypeRange(graph.getArgumentTypes()) != TypeRange(getInputs().getTypes())) {
    InFlightDiagnostic error = emitOpError("gives inputs of types (")
                               << getInputs().getTypes() << "), but " << getGraphAttr()
                               << " takes (" << graph.getArgumentTypes() << ")";
    error.attachNote(graph.getLoc()) << "declared here";
    return error;
  }
  return success();
}

/// The graph of a program, where its start is in sight; nothing where it is not.
///
/// Only where symbols are checked, which is after everything else: until then neither the start nor
/// the graph need have what they must have.
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
  InFlightDiagnostic error = emitOpError("takes results of types (")
                             << getResultTypes() << "), but @" << graph.getSymName() << " gives ("
                             << graph.getResultTypes() << ")";
  error.attachNote(graph.getLoc()) << "declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// Sends and receives
//===----------------------------------------------------------------------===//

/// The declaration of a channel; nothing where there is none.
///
/// Declarations are nearly always in the order of their ids, and there may be as many as uses: the
/// place where the channel then is comes first.
static ChannelAttr channelOf(tfx::tensor::GraphOp graph, uint32_t id) {
  ArrayAttr channels = graph.getChannelsAttr();
  ArrayRef<Attribute> all = channels ? channels.getValue() : ArrayRef<Attribute>();
  auto isBefore = [](Attribute attribute, uint32_t id) {
    auto channel = dyn_cast<ChannelAttr>(attribute);
    return channel && channel.getId() < id;
  };
  auto isMeant = [id](Attribute attribute) {
    auto channel = dyn_cast<ChannelAttr>(attribute);
    return channel && channel.getId() == id;
  };
  const Attribute *found = llvm::lower_bound(all, id, isBefore);
  if (found == all.end() || !isMeant(*found))
    found = llvm::find_if(all, isMeant);
  return found == all.end() ? ChannelAttr() : cast<ChannelAttr>(*found);
}

/// Checks the use of a channel against its declaration. `into` is where a message on the channel
/// must end up.
static LogicalResult checkChannel(Operation *op, SymbolTableCollection &symbols, Value program,
                                  uint32_t id, Direction into, Type type, StringRef verb) {
  auto around = op->getParentOfType<tfx::tensor::GraphOp>();
  if (around && program)
    return op->emitOpError() << "names a program inside a graph; a graph's own channels need none";
  if (!around && !program)
    return op->emitOpError() << "is on the host's side and must name the program";
  tfx::tensor::GraphOp graph = around ? around : graphOf(program, symbols);
  if (!graph)
    return success();
  if (ChannelAttr channel = channelOf(graph, id)) {
    if (channel.getDirection() != into)
      return op->emitOpError() << verb << " channel " << id << ", which goes "
                               << stringifyDirection(channel.getDirection());
    if (channel.getType() != type)
      return op->emitOpError() << "has type " << type << ", but channel " << id << " carries "
                               << channel.getType();
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
