//===- Commands.cpp - the operations of tfx_stream: directives and verifiers ---===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tfx::stream;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The access modes in the order of their numbers.
static constexpr StringRef kModes[] = {"read", "write", "update", "scratch"};
static constexpr int32_t kRead = 0, kWrite = 1, kUpdate = 2, kScratch = 3;

static bool isReading(int32_t mode) { return mode == kRead || mode == kUpdate; }
static bool isWriting(int32_t mode) { return mode == kWrite || mode == kUpdate; }

/// Parses a value and an optional offset: `%x[16]`.
static ParseResult parseValue(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &value,
                              int64_t &offset) {
  offset = 0;
  if (parser.parseOperand(value))
    return failure();
  if (parser.parseOptionalLSquare())
    return success();
  return failure(parser.parseInteger(offset) || parser.parseRSquare());
}

static void printValue(OpAsmPrinter &printer, Value value, int64_t offset) {
  printer << " as " << value;
  if (offset)
    printer << '[' << offset << ']';
}

/// The custom directive `Named` of ODS: nothing, `as %x` or `as %x[16]`.
static ParseResult parseNamed(OpAsmParser &parser,
                              std::optional<OpAsmParser::UnresolvedOperand> &value,
                              IntegerAttr &offset) {
  if (parser.parseOptionalKeyword("as"))
    return success();
  int64_t first;
  if (parseValue(parser, value.emplace(), first))
    return failure();
  if (first)
    offset = parser.getBuilder().getI64IntegerAttr(first);
  return success();
}

static void printNamed(OpAsmPrinter &printer, Operation *, Value value, IntegerAttr offset) {
  if (value)
    printValue(printer, value, offset.getInt());
}

/// The custom directive `Accesses` of ODS: `(%a read as %x, %b write)`.
static ParseResult parseAccesses(OpAsmParser &parser,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &buffers,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                                 DenseI32ArrayAttr &modes, DenseI32ArrayAttr &positions,
                                 DenseI64ArrayAttr &offsets) {
  SmallVector<int32_t> modeList, positionList;
  SmallVector<int64_t> offsetList;
  auto parseAccess = [&]() -> ParseResult {
    if (parser.parseOperand(buffers.emplace_back()))
      return failure();
    SMLoc at = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    const StringRef *mode = llvm::find(kModes, keyword);
    if (mode == std::end(kModes))
      return parser.emitError(at, "expected 'read', 'write', 'update' or 'scratch' after a buffer, "
                                  "got '")
             << keyword << "'";
    modeList.push_back(mode - std::begin(kModes));
    if (parser.parseOptionalKeyword("as"))
      return success();
    positionList.push_back(modeList.size() - 1);
    return parseValue(parser, values.emplace_back(), offsetList.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseAccess))
    return failure();
  MLIRContext *context = parser.getContext();
  modes = DenseI32ArrayAttr::get(context, modeList);
  positions = DenseI32ArrayAttr::get(context, positionList);
  offsets = DenseI64ArrayAttr::get(context, offsetList);
  return success();
}

static void printAccesses(OpAsmPrinter &printer, Operation *, OperandRange buffers,
                          OperandRange values, DenseI32ArrayAttr modes, DenseI32ArrayAttr positions,
                          DenseI64ArrayAttr offsets) {
  size_t next = 0;
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(buffers), printer, [&](auto access) {
    auto [index, buffer] = access;
    printer << buffer << ' ' << kModes[modes[index]];
    if (next < values.size() && positions[next] == int32_t(index)) {
      printValue(printer, values[next], offsets[next]);
      ++next;
    }
  });
  printer << ')';
}

/// Returns the number of values that a command writes.
static size_t countWrites(ArrayRef<int32_t> modes) { return llvm::count_if(modes, isWriting); }

/// The custom directive `Scalars` of ODS: the types of results after the values that are written.
static ParseResult parseScalars(OpAsmParser &parser, DenseI32ArrayAttr modes,
                                SmallVectorImpl<Type> &results) {
  results.append(countWrites(modes), ValueType::get(parser.getContext()));
  return parser.parseOptionalArrowTypeList(results);
}

static void printScalars(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr modes,
                         TypeRange results) {
  // Printing is possible before verification.
  printer.printOptionalArrowTypeList(
      results.drop_front(std::min(countWrites(modes), results.size())));
}

#define GET_OP_CLASSES
#include "StreamOps.cpp.inc"

/// Checks the attributes that encode accesses.
static LogicalResult verifyAccesses(Operation *op, OperandRange buffers, OperandRange values,
                                    ArrayRef<int32_t> modes, ArrayRef<int32_t> positions,
                                    ArrayRef<int64_t> offsets) {
  if (modes.size() != buffers.size())
    return op->emitOpError("expected an access mode for each of the ")
           << buffers.size() << " buffers, got " << modes.size();
  for (int32_t mode : modes)
    if (mode < kRead || mode > kScratch)
      return op->emitOpError("expected access modes from 0 to 3, got ") << mode;
  if (positions.size() != values.size() || offsets.size() != values.size())
    return op->emitOpError("expected a position and an offset for each of the ")
           << values.size() << " values, got " << positions.size() << " and " << offsets.size();
  int32_t last = -1;
  for (auto [position, offset] : llvm::zip(positions, offsets)) {
    if (position <= last || position >= int32_t(buffers.size()))
      return op->emitOpError("expected ascending positions of buffers, got ") << position;
    last = position;
    if (!isReading(modes[position]))
      return op->emitOpError("names a value after '")
             << kModes[modes[position]]
             << "', which reads none; a value that is written is a result of the command";
    if (offset < 0)
      return op->emitOpError("expected an offset of at least 0 in a value, got ") << offset;
  }
  return success();
}

LogicalResult LaunchOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  results.append(countWrites(adaptor.getModes()), ValueType::get(context));
  return success();
}

LogicalResult LaunchOp::verify() {
  if (std::optional<int64_t> cost = getCost(); cost && *cost < 0)
    return emitOpError("expected a cost of at least 0 nanoseconds, got ") << *cost;
  return verifyAccesses(*this, getBuffers(), getValues(), getModes(), getPositions(), getOffsets());
}

LogicalResult HostOp::verify() {
  if (failed(verifyAccesses(*this, getBuffers(), getValues(), getModes(), getPositions(),
                            getOffsets())))
    return failure();
  size_t writes = countWrites(getModes());
  TypeRange types = getResultTypes();
  if (types.size() < writes ||
      !llvm::all_of(types.take_front(writes), [](Type type) { return isa<ValueType>(type); }))
    return emitOpError("expected a value as a result for each of the ")
           << writes << " buffers that are written, got results of types (" << types << ")";
  TypeRange scalars = types.drop_front(writes);
  for (Type type : scalars)
    if (!isa<IntegerType, FloatType, IndexType>(type))
      return emitOpError("expected scalars as results, got ") << type;
  if (getStream() && !scalars.empty())
    return emitOpError("returns a scalar on a stream, but the host continues before the function "
                       "runs: leave out the stream, and wait with tfx_stream.host_wait before");
  return success();
}

LogicalResult DecideOp::verify() {
  if (getBuffer().getType().getSpace() == Space::cuda)
    return emitOpError("expected memory of the host, got ")
           << getBuffer().getType() << ": copy the byte to host or pinned memory, and wait for it";
  if (int64_t offset = getOffset(); offset < 0)
    return emitOpError("expected an offset of at least 0 in a value, got ") << offset;
  return success();
}

LogicalResult CopyOp::verify() {
  uint64_t from = getSource().getType().getSize(), to = getDestination().getType().getSize();
  if (from != to)
    return emitOpError("expected buffers of one size, got ")
           << from << " and " << to << " bytes: copy a tfx_stream.view of the larger one";
  int64_t offset = getOffset();
  if (offset < 0)
    return emitOpError("expected an offset of at least 0 in a value, got ") << offset;
  return success();
}

LogicalResult FillOp::verify() {
  Type type = getNumber().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8)
    return emitOpError("expected a number of whole bytes, got ") << getNumber();
  uint64_t size = getDestination().getType().getSize();
  if (size % (type.getIntOrFloatBitWidth() / 8))
    return emitOpError("expected a buffer whose size is a multiple of that of ")
           << type << ", got " << size << " bytes";
  return success();
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

LogicalResult OpenOp::verify() {
  auto schedule = dyn_cast<ScheduleOp>((*this)->getParentOp());
  if (!schedule)
    return emitOpError("creates a stream outside of the body of a tfx_stream.schedule, or in a "
                       "loop or branch: create it before");
  if (schedule.isPrivate())
    return emitOpError("creates a stream in a part: make it a parameter");
  if (getLegacy() && getStream().getType().getDevice() != Device::cuda)
    return emitOpError("has the legacy default stream of CUDA, but its type is ")
           << getStream().getType();
  return success();
}

LogicalResult WaitOp::verify() {
  return getEvents().empty() ? emitOpError("expected an event") : success();
}

LogicalResult HostWaitOp::verify() {
  return getEvents().empty() ? emitOpError("expected an event") : success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult InputOp::verify() {
  auto buffer = dyn_cast<BlockArgument>(getBuffer());
  auto schedule = dyn_cast_or_null<ScheduleOp>(buffer ? buffer.getOwner()->getParentOp() : nullptr);
  if (!schedule || schedule != (*this)->getParentOp())
    return emitOpError("expected a parameter of the schedule: other buffers have no content "
                       "before a command writes them");
  if (schedule.isPrivate())
    return emitOpError("expected a public schedule: a part has a value as a parameter instead");
  for (Operation *op = (*this)->getPrevNode(); op; op = op->getPrevNode())
    if (!isa<InputOp, OpenOp, ArenaOp>(op) && !isMemoryEffectFree(op)) {
      InFlightDiagnostic error =
          emitOpError("expected to precede all commands, since it is about the start");
      error.attachNote(op->getLoc()) << "this command precedes it";
      return error;
    }
  return success();
}

/// Checks that bytes from `offset` on are within `whole` bytes of `what`.
static LogicalResult verifyRange(Operation *op, StringRef what, uint64_t whole, int64_t offset,
                                 int64_t size) {
  if (offset < 0 || size <= 0)
    return op->emitOpError("expected an offset of at least 0 and a size of at least 1, got ")
           << offset << " and " << size;
  if (uint64_t(offset) > whole || uint64_t(size) > whole - uint64_t(offset))
    return op->emitOpError("has the bytes ")
           << offset << " to " << uint64_t(offset) + uint64_t(size) << " of " << what << " of "
           << whole << " bytes";
  return success();
}

/// Returns the type of a range, or null if it has no bytes.
template <typename Memory> static Type rangeType(Memory memory, int64_t size) {
  if (size <= 0)
    return {};
  return BufferType::get(memory.getContext(), size, memory.getSpace(), memory.getNumber());
}

static LogicalResult inferRange(std::optional<Location> location, Type range,
                                SmallVectorImpl<Type> &results) {
  if (!range)
    return emitOptionalError(location, "expected a size of at least 1 byte");
  results.push_back(range);
  return success();
}

LogicalResult ViewOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto whole = cast<BufferType>(adaptor.getBuffer().getType());
  return inferRange(location, rangeType(whole, adaptor.getSize()), results);
}

LogicalResult ViewOp::verify() {
  return verifyRange(*this, "a buffer", getBuffer().getType().getSize(), getOffset(), getSize());
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto whole = cast<ArenaType>(adaptor.getArena().getType());
  return inferRange(location, rangeType(whole, adaptor.getSize()), results);
}

/// Checks that the lifetime of memory is in the order of a stream of its device.
template <typename Memory>
static LogicalResult verifyLifetime(Operation *op, Memory memory, Value stream) {
  if (!stream || memory.getSpace() != Space::cuda)
    return success();
  auto type = cast<StreamType>(stream.getType());
  if (type.getDevice() == Device::cuda && type.getNumber() == memory.getNumber())
    return success();
  return op->emitOpError("expected a stream of the device of ") << memory << ", got " << type;
}

LogicalResult SliceOp::verify() {
  if (failed(verifyLifetime(*this, getArena().getType(), getStream())))
    return failure();
  return verifyRange(*this, "an arena", getArena().getType().getSize(), getOffset(), getSize());
}

LogicalResult AllocOp::verify() {
  return verifyLifetime(*this, getBuffer().getType(), getStream());
}

LogicalResult FreeOp::verify() { return verifyLifetime(*this, getBuffer().getType(), getStream()); }

LogicalResult ArenaOp::verify() {
  if (!isa<ScheduleOp>((*this)->getParentOp()))
    return emitOpError("declares memory outside of the body of a tfx_stream.schedule, or in a loop "
                       "or branch: declare it before");
  return success();
}
