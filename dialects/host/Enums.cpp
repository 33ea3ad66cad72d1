//===- Enums.cpp - operations on enums ----------------------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Verifiers of make_enum and enum_payload, and switch_enum: its syntax, its verifiers and its
// interface as a branch.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>

using namespace mlir;
using namespace tfx::host;

/// Checks that the case `name` of `type` exists and that its payload has the types `payload`.
static LogicalResult checkCase(Operation *op, SymbolTableCollection &symbols,
                               tfx::host::EnumType type, StringRef name, TypeRange payload) {
  auto declaration = lookUp<EnumOp>(op, symbols, type);
  if (!declaration)
    return failure();
  int64_t index = declaration.caseIndex(name);
  if (index < 0)
    return declaredAt(op->emitOpError() << "refers to case \"" << name << "\", which "
                                        << type.getDeclaration() << " does not declare",
                      declaration.getLoc());
  return checkTypes(op, cast<ArrayAttr>(declaration.getCaseTypes()[index]).getValue(),
                    substitution(declaration.getTypeParams(), type.getArguments()), payload,
                    "case \"" + name + "\"", declaration.getLoc());
}

LogicalResult MakeEnumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkCase(*this, symbols, getType(), getCaseName(), getPayload().getTypes());
}

LogicalResult EnumPayloadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkCase(*this, symbols, getValue().getType(), getCaseName(), getPayload().getTypes());
}

//===----------------------------------------------------------------------===//
// switch_enum
//===----------------------------------------------------------------------===//

/// The successor of the default comes first, if there is one, then those of the cases.
LogicalResult SwitchEnumOp::verify() {
  size_t cases = getCaseNames().size(), skip = getHasDefault() ? 1 : 0;
  if (getCaseOperandSegments().size() != cases)
    return emitOpError("expected operand segments for ")
           << cases << " case(s), got " << getCaseOperandSegments().size();
  if (getDestinations().size() != cases + skip)
    return emitOpError("expected ")
           << cases + skip << " successor(s), got " << getDestinations().size();
  return verifyDistinct(*this, getCaseNames(), "case");
}

LogicalResult SwitchEnumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  tfx::host::EnumType type = getValue().getType();
  auto declaration = lookUp<EnumOp>(*this, symbols, type);
  if (!declaration)
    return failure();
  size_t skip = getHasDefault() ? 1 : 0;
  for (auto [index, name] : llvm::enumerate(getCaseNames().getAsValueRange<StringAttr>())) {
    TypeRange payload = TypeRange(getDestinations()[index + skip]->getArgumentTypes())
                            .drop_back(getCaseOperands()[index].size());
    if (failed(checkCase(*this, symbols, type, name, payload)))
      return failure();
  }
  if (!getHasDefault() && getCaseNames().size() != declaration.getCaseNames().size()) {
    for (auto name : declaration.getCaseNames().getAsValueRange<StringAttr>())
      if (indexOf(getCaseNames(), name) < 0)
        return emitOpError("has no successor for case \"") << name << "\" and no default";
  }
  return success();
}

/// MLIR calls this function before `verify`, so it must not rely on the counts. A successor without
/// a case gets no operands, and more operands than block arguments are left to MLIR's verifier.
SuccessorOperands SwitchEnumOp::getSuccessorOperands(unsigned index) {
  if (getHasDefault() && index == 0)
    return SuccessorOperands(getDefaultOperandsMutable());
  unsigned arguments = (*this)->getSuccessor(index)->getNumArguments();
  unsigned position = index - (getHasDefault() ? 1 : 0);
  if (position >= getCaseOperandSegments().size())
    return SuccessorOperands(arguments, MutableOperandRange(getOperation(), 0, 0));
  MutableOperandRange forwarded = getCaseOperandsMutable()[position];
  unsigned produced = arguments - std::min(arguments, forwarded.size());
  return SuccessorOperands(produced, forwarded);
}

ParseResult SwitchEnumOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand value;
  Type type;
  if (parser.parseOperand(value) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, state.operands))
    return failure();
  SmallVector<Attribute> names;
  SmallVector<Value> defaultOperands, caseOperands;
  SmallVector<int32_t> segments;
  Block *defaultBlock = nullptr;
  SmallVector<Block *> blocks;
  auto one = [&]() -> ParseResult {
    bool isDefault = succeeded(parser.parseOptionalKeyword("default"));
    std::string name;
    SMLoc at = parser.getCurrentLocation();
    if (!isDefault && parser.parseString(&name))
      return failure();
    if (isDefault && defaultBlock)
      return parser.emitError(at, "'tfx_host.switch_enum' op has two defaults");
    Block *block;
    SmallVector<Value> operands;
    if (parser.parseArrow() || parser.parseSuccessor(block))
      return failure();
    if (succeeded(parser.parseOptionalLParen())) {
      SmallVector<OpAsmParser::UnresolvedOperand> unresolved;
      SmallVector<Type> types;
      SMLoc operandsAt = parser.getCurrentLocation();
      if (parser.parseOperandList(unresolved) || parser.parseColonTypeList(types) ||
          parser.parseRParen() || parser.resolveOperands(unresolved, types, operandsAt, operands))
        return failure();
    }
    if (isDefault) {
      defaultBlock = block;
      defaultOperands = operands;
      return success();
    }
    names.push_back(builder.getStringAttr(name));
    blocks.push_back(block);
    llvm::append_range(caseOperands, operands);
    segments.push_back(operands.size());
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, one) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addOperands(defaultOperands);
  state.addOperands(caseOperands);
  if (defaultBlock) {
    state.addSuccessors(defaultBlock);
    state.getOrAddProperties<Properties>().has_default = builder.getUnitAttr();
  }
  state.addSuccessors(blocks);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.case_names = builder.getArrayAttr(names);
  properties.case_operand_segments = builder.getDenseI32ArrayAttr(segments);
  properties.operandSegmentSizes = {1, static_cast<int32_t>(defaultOperands.size()),
                                    static_cast<int32_t>(caseOperands.size())};
  return success();
}

void SwitchEnumOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << " : " << getValue().getType() << " [";
  auto destination = [&](Block *block, OperandRange operands) {
    printer << " -> ";
    printer.printSuccessor(block);
    if (operands.empty())
      return;
    printer << '(' << operands << " : " << operands.getTypes() << ')';
  };
  size_t skip = getHasDefault() ? 1 : 0;
  bool first = true;
  for (auto [index, name] : llvm::enumerate(getCaseNames().getAsValueRange<StringAttr>())) {
    if (!first)
      printer << ", ";
    first = false;
    printer.printString(name);
    destination(getDestinations()[index + skip], getCaseOperands()[index]);
  }
  if (getHasDefault()) {
    if (!first)
      printer << ", ";
    printer << "default";
    destination(getDestinations()[0], getDefaultOperands());
  }
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"case_names", "case_operand_segments",
                                                      "has_default", "operandSegmentSizes"});
}
