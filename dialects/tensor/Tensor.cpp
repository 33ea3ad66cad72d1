//===- Tensor.cpp - the tfx_tensor dialect: registration, syntax, verifiers --===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "../capi/FunctionSyntax.h"
#include "../comm/Comm.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <iterator>

using namespace mlir;
using namespace tfx::tensor;

#include "TensorDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "TensorTypes.cpp.inc"

void TfxTensorDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TensorTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TensorOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// op
//===----------------------------------------------------------------------===//

/// The names of the operations that TensorFlow declares stateless, sorted.
static constexpr llvm::StringLiteral kStatelessOps[] = {
#include "StatelessOps.inc"
};

void OpOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (std::binary_search(std::begin(kStatelessOps), std::end(kStatelessOps), getTfName()))
    return;
  // The operation may access state of TensorFlow (variables, queues, random generators), so its
  // order and the number of its executions are observable.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static constexpr StringLiteral kComputed = "computed";

/// Parses `(name = %value : type, ...)` after the keyword `computed`.
static ParseResult parseComputed(OpAsmParser &parser, SmallVectorImpl<Attribute> &names,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                                 SmallVectorImpl<Type> &types) {
  auto attribute = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseOperand(values.emplace_back()) || parser.parseColonType(types.emplace_back()))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, attribute);
}

/// Parses `"Name"(%operands) computed(name = %value : type) {attributes} : (types) -> types`. The
/// values of the computed attributes become the last operands.
ParseResult OpOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::UnresolvedOperand> operands, values;
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  FunctionType type;
  SMLoc at;
  if (parser.parseAttribute(name, NoneType::get(parser.getContext()), getTfNameAttrName(state.name),
                            state.attributes) ||
      parser.getCurrentLocation(&at) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  SMLoc computedAt = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(kComputed))) {
    if (parseComputed(parser, names, values, types))
      return failure();
    if (!names.empty())
      state.addAttribute(getComputedAttrName(state.name), parser.getBuilder().getArrayAttr(names));
  }
  SMLoc attributesAt = parser.getCurrentLocation();
  NamedAttrList attributes;
  if (parser.parseOptionalAttrDict(attributes))
    return failure();
  for (StringAttr reserved : {getTfNameAttrName(state.name), getComputedAttrName(state.name)})
    if (attributes.get(reserved))
      return parser.emitError(attributesAt, "'tfx_tensor.op' op cannot have '")
             << reserved.getValue() << "' in its attribute dictionary; use its syntax "
             << "\"Name\"(%operands) computed(name = %value : type)";
  state.attributes.append(attributes);
  auto emitError = [&] { return parser.emitError(attributesAt, "'tfx_tensor.op' op "); };
  if (failed(verifyInherentAttrs(state.name, state.attributes, emitError)) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), at, state.operands) ||
      parser.resolveOperands(values, types, computedAt, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

void OpOp::print(OpAsmPrinter &printer) {
  OperandRange operands = getOperands().drop_back(getNumComputed());
  printer << ' ';
  printer.printAttributeWithoutType(getTfNameAttr());
  printer << '(' << operands << ')';
  if (std::optional<ArrayAttr> names = getComputed()) {
    printer << ' ' << kComputed << '(';
    llvm::interleaveComma(
        llvm::zip(*names, getOperands().take_back(getNumComputed())), printer, [&](auto pair) {
          Value value = std::get<1>(pair);
          printer.printKeywordOrString(cast<StringAttr>(std::get<0>(pair)).getValue());
          printer << " = " << value << " : " << value.getType();
        });
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {getTfNameAttrName(), getComputedAttrName()});
  printer << " : ";
  printer.printFunctionalType(operands.getTypes(), getResultTypes());
}

LogicalResult OpOp::verify() {
  if (getTfName().empty())
    return emitOpError("expected the name of a TensorFlow operation, got an empty string");
  if (getNumComputed() > getNumOperands())
    return emitOpError("has ") << getNumComputed() << " computed attribute(s), but only "
                               << getNumOperands() << " operand(s)";
  OperandRange operands = getOperands().drop_back(getNumComputed());
  for (auto [index, type] : llvm::enumerate(operands.getTypes()))
    if (!isa<TensorType>(type))
      return emitOpError("operand #") << index << " must be a tensor, but got " << type
                                      << "; convert a scalar with tfx_tensor.from_scalar";
  if (getEager() && getNumComputed() == 0)
    return emitOpError("is marked 'eager', but has no computed attributes; remove the mark, since "
                       "a graph can run the operation");
  if (!getComputed())
    return success();
  llvm::StringSet<> seen;
  for (StringAttr name : getComputed()->getAsRange<StringAttr>()) {
    if (name == getTfNameAttrName() || name == getComputedAttrName() ||
        name == getDeviceAttrName() || name == getEagerAttrName())
      return emitOpError("cannot compute '")
             << name.getValue() << "', which is not an attribute of TensorFlow; write a constant";
    if ((*this)->hasAttr(name) || !seen.insert(name).second)
      return emitOpError("specifies attribute '") << name.getValue() << "' twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Constants and scalars
//===----------------------------------------------------------------------===//

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

/// Returns the element type of a tensor that holds a scalar of type `scalar`.
static Type elementTypeOf(Type scalar) {
  return isa<IndexType>(scalar) ? IntegerType::get(scalar.getContext(), 64) : scalar;
}

LogicalResult FromScalarOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, elementTypeOf(adaptor.getScalar().getType())));
  return success();
}

OpFoldResult FromScalarOp::fold(FoldAdaptor) {
  if (auto inverse = getScalar().getDefiningOp<ToScalarOp>())
    if (inverse.getTensor().getType() == getType())
      return inverse.getTensor();
  return {};
}

OpFoldResult ToScalarOp::fold(FoldAdaptor) {
  if (auto inverse = getTensor().getDefiningOp<FromScalarOp>())
    if (inverse.getScalar().getType() == getType())
      return inverse.getScalar();
  return {};
}

LogicalResult ToScalarOp::verify() {
  auto type = cast<TensorType>(getTensor().getType());
  if (type.getElementType() != elementTypeOf(getType()))
    return emitOpError("cannot read ")
           << getType() << " from a tensor with element type " << type.getElementType();
  if (type.hasStaticShape() && type.getNumElements() != 1)
    return emitOpError("expected a tensor with one element, got ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Functional control flow
//===----------------------------------------------------------------------===//

/// Returns whether one value can have both types: the element types are equal and no two static
/// sizes differ.
static bool compatible(Type a, Type b) {
  auto left = dyn_cast<TensorType>(a), right = dyn_cast<TensorType>(b);
  if (!left || !right)
    return a == b;
  if (left.getElementType() != right.getElementType())
    return false;
  if (!left.hasRank() || !right.hasRank())
    return true;
  return succeeded(verifyCompatibleShape(left.getShape(), right.getShape()));
}

static bool allCompatible(TypeRange left, TypeRange right) {
  return left.size() == right.size() &&
         llvm::all_of_zip(left, right, [](Type a, Type b) { return compatible(a, b); });
}

/// Checks that the types of `list` are compatible with the expected ones.
static LogicalResult checkCompatible(Operation *op, TypeRange actual, TypeRange expected,
                                     const Twine &list) {
  if (actual.size() != expected.size())
    return op->emitOpError() << "expected " << expected.size() << " value(s) in " << list
                             << ", got " << actual.size();
  for (auto [index, types] : llvm::enumerate(llvm::zip(actual, expected)))
    if (!compatible(std::get<0>(types), std::get<1>(types)))
      return op->emitOpError() << "expected type " << std::get<1>(types) << " at position " << index
                               << " in " << list << ", got " << std::get<0>(types);
  return success();
}

/// Checks that a region ends with a yield whose types are compatible with the expected ones.
static LogicalResult checkYield(Operation *op, Region &region, TypeRange expected,
                                const Twine &name) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op->emitOpError() << "expected 'tfx_tensor.yield' at the end of " << name;
  return checkCompatible(op, yield.getValues().getTypes(), expected, "the yield of " + name);
}

LogicalResult IfOp::verify() {
  if (failed(checkYield(*this, getThenRegion(), getResultTypes(), "the then region")))
    return failure();
  return checkYield(*this, getElseRegion(), getResultTypes(), "the else region");
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty())
    return emitOpError("expected at least one region");
  for (auto [index, region] : llvm::enumerate(getBranches()))
    if (failed(checkYield(*this, region, getResultTypes(), "region " + Twine(index))))
      return failure();
  return success();
}

LogicalResult WhileOp::verify() {
  TypeRange types = getResultTypes();
  if (failed(checkCompatible(*this, getInits().getTypes(), types, "the initial values")) ||
      failed(checkCompatible(*this, getConditionRegion().getArgumentTypes(), types,
                             "the arguments of the condition")) ||
      failed(checkCompatible(*this, getBodyRegion().getArgumentTypes(), types,
                             "the arguments of the body")) ||
      failed(checkYield(*this, getBodyRegion(), types, "the body")))
    return failure();
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return checkYield(*this, getConditionRegion(), {boolean}, "the condition");
}

//===----------------------------------------------------------------------===//
// The syntax of control flow
//===----------------------------------------------------------------------===//

// Two rules of MLIR's parser, which generated parsers do not follow. A parser adds a region to the
// state before it parses the region: if the parser fails, MLIR drops the uses of the values in the
// regions of the state. Without that, a use before the operation of a value in its first region
// accesses deleted memory if the second region is invalid. And a parser resolves operands after it
// parsed the regions, because a region may define a value that the operand uses.

namespace {
/// `%selector : type (-> types)?`, the start of an operation that selects a region.
struct Selector {
  OpAsmParser::UnresolvedOperand operand;
  RankedTensorType type;

  ParseResult parse(OpAsmParser &parser, OperationState &state) {
    SmallVector<Type> resultTypes;
    if (parser.parseOperand(operand) || parser.parseColonType(type))
      return failure();
    if (succeeded(parser.parseOptionalArrow()) && parser.parseTypeList(resultTypes))
      return failure();
    state.addTypes(resultTypes);
    return success();
  }

  ParseResult resolve(OpAsmParser &parser, OperationState &state) {
    return parser.resolveOperand(operand, type, state.operands);
  }
};
} // namespace

static void printSelector(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperand(0) << " : " << op->getOperand(0).getType();
  if (op->getNumResults())
    printer << " -> " << op->getResultTypes();
  printer << ' ';
}

/// Parses `%condition : type (-> types)? { then } else { else }`.
ParseResult IfOp::parse(OpAsmParser &parser, OperationState &state) {
  Selector condition;
  if (condition.parse(parser, state))
    return failure();
  Region *thenRegion = state.addRegion();
  Region *elseRegion = state.addRegion();
  return failure(parser.parseRegion(*thenRegion) || parser.parseKeyword("else") ||
                 parser.parseRegion(*elseRegion) ||
                 parser.parseOptionalAttrDict(state.attributes) ||
                 condition.resolve(parser, state));
}

void IfOp::print(OpAsmPrinter &printer) {
  printSelector(printer, *this);
  printer.printRegion(getThenRegion());
  printer << " else ";
  printer.printRegion(getElseRegion());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

/// Parses `%index : type (-> types)? { branch }, ...`.
ParseResult CaseOp::parse(OpAsmParser &parser, OperationState &state) {
  Selector index;
  if (index.parse(parser, state))
    return failure();
  auto branch = [&]() { return parser.parseRegion(*state.addRegion()); };
  return failure(parser.parseCommaSeparatedList(branch) ||
                 parser.parseOptionalAttrDict(state.attributes) || index.resolve(parser, state));
}

void CaseOp::print(OpAsmPrinter &printer) {
  printSelector(printer, *this);
  llvm::interleaveComma(getBranches(), printer,
                        [&](Region &region) { printer.printRegion(region); });
  printer.printOptionalAttrDict((*this)->getAttrs());
}

void WhileOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}

/// Parses `(%i = %init, ...) : type { condition } do { body }`. An iteration argument is written as
/// `%i: type = %init` if its type differs from that of its initial value.
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  FunctionType type;
  SMLoc at = parser.getCurrentLocation();
  auto assignment = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument))
      return failure();
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(argument.type))
      return failure();
    if (parser.parseEqual() || parser.parseOperand(inits.emplace_back()))
      return failure();
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, assignment) ||
      parser.parseColonType(type))
    return failure();
  if (arguments.size() != type.getNumInputs())
    return parser.emitError(at, "'tfx_tensor.while' op has ")
           << arguments.size() << " iteration argument(s), but its type lists "
           << type.getNumInputs();
  for (auto [argument, operandType] : llvm::zip(arguments, type.getInputs()))
    if (!argument.type)
      argument.type = operandType;
  state.addTypes(type.getResults());
  Region *condition = state.addRegion();
  Region *body = state.addRegion();
  if (parser.parseRegion(*condition, arguments) || parser.parseKeyword("do") ||
      parser.parseRegion(*body) || parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  return parser.resolveOperands(inits, type.getInputs(), at, state.operands);
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getConditionRegion().getArguments(), getInits()), printer,
                        [&](auto pair) {
                          Value argument = std::get<0>(pair), init = std::get<1>(pair);
                          printer << argument;
                          if (argument.getType() != init.getType())
                            printer << ": " << argument.getType();
                          printer << " = " << init;
                        });
  printer << ") : ";
  printer.printFunctionalType(getInits().getTypes(), getResultTypes());
  printer << ' ';
  printer.printRegion(getConditionRegion(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBodyRegion());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kChannels = "channels";

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  tfx::FunctionHead head;
  if (tfx::parseFunctionHead<GraphOp>(parser, state, head))
    return failure();
  if (succeeded(parser.parseOptionalKeyword(kChannels))) {
    ArrayAttr channels;
    if (parser.parseAttribute(channels))
      return failure();
    state.addAttribute(kChannels, channels);
  }
  return tfx::parseFunctionEnd<GraphOp>(parser, state, head);
}

void GraphOp::print(OpAsmPrinter &printer) {
  tfx::printFunctionHead(printer, *this);
  if (ArrayAttr channels = getChannelsAttr())
    printer << " channels " << channels;
  tfx::printFunctionEnd(printer, *this, {kChannels});
}

LogicalResult GraphOp::verify() {
  if (getBody().empty())
    return emitOpError("has no body");
  if (ArrayAttr channels = getChannelsAttr()) {
    llvm::SmallSet<uint32_t, 8> seen;
    for (Attribute attribute : channels) {
      auto channel = dyn_cast<tfx::comm::ChannelAttr>(attribute);
      if (!channel)
        return emitOpError("expected #tfx_comm.channel attributes in 'channels', got ")
               << attribute;
      if (!seen.insert(channel.getId()).second)
        return emitOpError("declares channel ") << channel.getId() << " twice";
    }
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto graph = cast<GraphOp>((*this)->getParentOp());
  if (TypeRange(getValues().getTypes()) != TypeRange(graph.getResultTypes())) {
    InFlightDiagnostic error = emitOpError("expected to return types (")
                               << graph.getResultTypes() << "), got (" << getValues().getTypes()
                               << ")";
    error.attachNote(graph.getLoc()) << "declared here";
    return error;
  }
  return success();
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(*this, getCalleeAttr());
  if (!graph)
    return emitOpError("refers to @")
           << getCallee() << ", but no tfx_tensor.graph of that name is declared";
  if (!allCompatible(getArguments().getTypes(), graph.getArgumentTypes()) ||
      !allCompatible(getResultTypes(), graph.getResultTypes())) {
    InFlightDiagnostic error = emitOpError("has argument or result types that are incompatible "
                                           "with @")
                               << getCallee() << ", which has type " << graph.getFunctionType();
    error.attachNote(graph.getLoc()) << "declared here";
    return error;
  }
  return success();
}

#define GET_OP_CLASSES
#include "TensorOps.cpp.inc"
