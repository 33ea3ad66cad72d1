//===- Declarations.cpp - the declarations of tfx_host -----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Parsers, printers and verifiers of struct, class, enum, protocol and witness_table. The verifiers
// in this file examine one declaration alone; those in Conformances.cpp check the symbols that a
// protocol or a witness table refers to.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace tfx::host;

//===----------------------------------------------------------------------===//
// Shared syntax
//===----------------------------------------------------------------------===//

/// Parses `<"A", "B">` or nothing.
static ParseResult parseOptionalNames(OpAsmParser &parser, ArrayAttr &names) {
  SmallVector<Attribute> result;
  if (succeeded(parser.parseOptionalLess())) {
    auto one = [&]() -> ParseResult {
      std::string name;
      if (parser.parseString(&name))
        return failure();
      result.push_back(parser.getBuilder().getStringAttr(name));
      return success();
    };
    if (parser.parseCommaSeparatedList(one) || parser.parseGreater())
      return failure();
  }
  names = parser.getBuilder().getArrayAttr(result);
  return success();
}

static void printOptionalNames(OpAsmPrinter &printer, ArrayAttr names) {
  if (names.empty())
    return;
  printer << '<';
  llvm::interleaveComma(names.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) { printer.printString(name); });
  printer << '>';
}

/// Parses `private? @name<"A", "B">`. The names in angle brackets become the attribute `namesAttr`.
static ParseResult parseDeclarationHead(OpAsmParser &parser, OperationState &state,
                                        StringRef namesAttr) {
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private", "nested"})))
    state.addAttribute("sym_visibility", parser.getBuilder().getStringAttr(visibility));
  StringAttr symbol;
  ArrayAttr names;
  if (parser.parseSymbolName(symbol, "sym_name", state.attributes) ||
      parseOptionalNames(parser, names))
    return failure();
  state.addAttribute(namesAttr, names);
  return success();
}

static void printDeclarationHead(OpAsmPrinter &printer, std::optional<StringRef> visibility,
                                 StringRef symbol, ArrayAttr names) {
  printer << ' ';
  if (visibility)
    printer << *visibility << ' ';
  printer.printSymbolName(symbol);
  printOptionalNames(printer, names);
}

static ParseResult parseTail(OpAsmParser &parser, OperationState &state) {
  return parser.parseOptionalAttrDictWithKeyword(state.attributes);
}

//===----------------------------------------------------------------------===//
// struct and class: {x: T, y: U}
//===----------------------------------------------------------------------===//

static ParseResult parseFields(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead(parser, state, "type_params"))
    return failure();
  SmallVector<Attribute> names, types;
  auto field = [&]() -> ParseResult {
    std::string name;
    Type type;
    if (parser.parseKeywordOrString(&name) || parser.parseColonType(type))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    types.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, field))
    return failure();
  state.addAttribute("field_names", parser.getBuilder().getArrayAttr(names));
  state.addAttribute("field_types", parser.getBuilder().getArrayAttr(types));
  return parseTail(parser, state);
}

template <typename OpTy> static void printFields(OpTy op, OpAsmPrinter &printer) {
  printDeclarationHead(printer, op.getSymVisibility(), op.getSymName(), op.getTypeParams());
  printer << " {";
  llvm::interleaveComma(
      llvm::zip(op.getFieldNames().template getAsValueRange<StringAttr>(), op.getFieldTypes()),
      printer, [&](auto field) {
        printer.printKeywordOrString(std::get<0>(field));
        printer << ": " << cast<TypeAttr>(std::get<1>(field)).getValue();
      });
  printer << '}';
  printer.printOptionalAttrDictWithKeyword(
      op->getAttrs(), {"sym_name", "sym_visibility", "type_params", "field_names", "field_types"});
}

template <typename OpTy> static LogicalResult verifyFields(OpTy op) {
  if (op.getFieldNames().size() != op.getFieldTypes().size())
    return op.emitOpError("has ") << op.getFieldNames().size() << " field names but "
                                  << op.getFieldTypes().size() << " field types";
  if (failed(verifyDistinct(op, op.getTypeParams(), "type parameter")))
    return failure();
  return verifyDistinct(op, op.getFieldNames(), "field");
}

ParseResult StructOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFields(parser, state);
}
void StructOp::print(OpAsmPrinter &printer) { printFields(*this, printer); }
LogicalResult StructOp::verify() { return verifyFields(*this); }
int64_t StructOp::fieldIndex(StringRef name) { return indexOf(getFieldNames(), name); }

ParseResult ClassOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFields(parser, state);
}
void ClassOp::print(OpAsmPrinter &printer) { printFields(*this, printer); }
LogicalResult ClassOp::verify() { return verifyFields(*this); }
int64_t ClassOp::fieldIndex(StringRef name) { return indexOf(getFieldNames(), name); }

//===----------------------------------------------------------------------===//
// enum: {none(), some(T)}
//===----------------------------------------------------------------------===//

ParseResult EnumOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead(parser, state, "type_params"))
    return failure();
  SmallVector<Attribute> names, types;
  auto one = [&]() -> ParseResult {
    std::string name;
    SmallVector<Attribute> payload;
    auto type = [&]() -> ParseResult {
      Type type;
      if (parser.parseType(type))
        return failure();
      payload.push_back(TypeAttr::get(type));
      return success();
    };
    if (parser.parseKeywordOrString(&name) ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, type))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    types.push_back(parser.getBuilder().getArrayAttr(payload));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, one))
    return failure();
  state.addAttribute("case_names", parser.getBuilder().getArrayAttr(names));
  state.addAttribute("case_types", parser.getBuilder().getArrayAttr(types));
  return parseTail(parser, state);
}

void EnumOp::print(OpAsmPrinter &printer) {
  printDeclarationHead(printer, getSymVisibility(), getSymName(), getTypeParams());
  printer << " {";
  llvm::interleaveComma(llvm::zip(getCaseNames().getAsValueRange<StringAttr>(), getCaseTypes()),
                        printer, [&](auto one) {
                          printer.printKeywordOrString(std::get<0>(one));
                          printer << '(';
                          llvm::interleaveComma(
                              cast<ArrayAttr>(std::get<1>(one)), printer,
                              [&](Attribute type) { printer << cast<TypeAttr>(type).getValue(); });
                          printer << ')';
                        });
  printer << '}';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"sym_name", "sym_visibility", "type_params", "case_names", "case_types"});
}

LogicalResult EnumOp::verify() {
  if (getCaseNames().size() != getCaseTypes().size())
    return emitOpError("has ") << getCaseNames().size() << " case names but "
                               << getCaseTypes().size() << " payloads";
  for (Attribute payload : getCaseTypes()) {
    auto types = dyn_cast<ArrayAttr>(payload);
    if (!types || !llvm::all_of(types, llvm::IsaPred<TypeAttr>))
      return emitOpError("expected an array of types as the payload of a case, got ") << payload;
  }
  if (failed(verifyDistinct(*this, getTypeParams(), "type parameter")))
    return failure();
  return verifyDistinct(*this, getCaseNames(), "case");
}

int64_t EnumOp::caseIndex(StringRef name) { return indexOf(getCaseNames(), name); }

//===----------------------------------------------------------------------===//
// protocol: {method: (Self) -> T = @default}
//===----------------------------------------------------------------------===//

ParseResult ProtocolOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead(parser, state, "assoc_names"))
    return failure();
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> names, types, defaults;
  auto method = [&]() -> ParseResult {
    std::string name;
    FunctionType type;
    if (parser.parseKeywordOrString(&name) || parser.parseColonType(type))
      return failure();
    Attribute implementation = builder.getUnitAttr();
    if (succeeded(parser.parseOptionalEqual())) {
      StringAttr symbol;
      if (parser.parseSymbolName(symbol))
        return failure();
      implementation = FlatSymbolRefAttr::get(symbol);
    }
    names.push_back(builder.getStringAttr(name));
    types.push_back(TypeAttr::get(type));
    defaults.push_back(implementation);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, method))
    return failure();
  state.addAttribute("method_names", builder.getArrayAttr(names));
  state.addAttribute("method_types", builder.getArrayAttr(types));
  state.addAttribute("method_defaults", builder.getArrayAttr(defaults));
  return parseTail(parser, state);
}

void ProtocolOp::print(OpAsmPrinter &printer) {
  printDeclarationHead(printer, getSymVisibility(), getSymName(), getAssocNames());
  printer << " {";
  llvm::interleaveComma(llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodTypes(),
                                  getMethodDefaults()),
                        printer, [&](auto method) {
                          printer.printKeywordOrString(std::get<0>(method));
                          printer << ": " << cast<TypeAttr>(std::get<1>(method)).getValue();
                          if (auto symbol = dyn_cast<FlatSymbolRefAttr>(std::get<2>(method)))
                            printer << " = " << symbol;
                        });
  printer << '}';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"sym_name", "sym_visibility", "assoc_names",
                                            "method_names", "method_types", "method_defaults"});
}

LogicalResult ProtocolOp::verify() {
  if (getMethodNames().size() != getMethodTypes().size() ||
      getMethodNames().size() != getMethodDefaults().size())
    return emitOpError("expected one type and one default (or unit) for each of ")
           << getMethodNames().size() << " method(s), got " << getMethodTypes().size()
           << " type(s) and " << getMethodDefaults().size() << " default(s)";
  for (auto [name, type] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodTypes()))
    if (!isa<FunctionType>(cast<TypeAttr>(type).getValue()))
      return emitOpError("expected a function type for method \"") << name << "\", got " << type;
  for (auto [name, implementation] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodDefaults()))
    if (!isa<FlatSymbolRefAttr, UnitAttr>(implementation))
      return emitOpError("expected a function or unit as the default of method \"")
             << name << "\", got " << implementation;
  if (failed(verifyDistinct(*this, getAssocNames(), "associated type")))
    return failure();
  return verifyDistinct(*this, getMethodNames(), "method");
}

//===----------------------------------------------------------------------===//
// witness_table: : T conforms @P {A: U, method = @f}
//===----------------------------------------------------------------------===//

ParseResult WitnessTableOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead(parser, state, "type_params"))
    return failure();
  Builder &builder = parser.getBuilder();
  Type conforming;
  StringAttr protocol;
  if (parser.parseColonType(conforming) || parser.parseKeyword("conforms") ||
      parser.parseSymbolName(protocol))
    return failure();
  SmallVector<Attribute> assocNames, assocTypes, methodNames, methods;
  auto entry = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (succeeded(parser.parseOptionalEqual())) {
      StringAttr symbol;
      if (parser.parseSymbolName(symbol))
        return failure();
      methodNames.push_back(builder.getStringAttr(name));
      methods.push_back(FlatSymbolRefAttr::get(symbol));
      return success();
    }
    Type type;
    if (parser.parseColonType(type))
      return failure();
    assocNames.push_back(builder.getStringAttr(name));
    assocTypes.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, entry))
    return failure();
  state.addAttribute("conforming", TypeAttr::get(conforming));
  state.addAttribute("protocol", FlatSymbolRefAttr::get(protocol));
  state.addAttribute("assoc_names", builder.getArrayAttr(assocNames));
  state.addAttribute("assoc_types", builder.getArrayAttr(assocTypes));
  state.addAttribute("method_names", builder.getArrayAttr(methodNames));
  state.addAttribute("methods", builder.getArrayAttr(methods));
  return parseTail(parser, state);
}

void WitnessTableOp::print(OpAsmPrinter &printer) {
  printDeclarationHead(printer, getSymVisibility(), getSymName(), getTypeParams());
  printer << " : " << getConforming() << " conforms ";
  printer.printSymbolName(getProtocol());
  printer << " {";
  bool first = true;
  auto separate = [&] {
    if (!first)
      printer << ", ";
    first = false;
  };
  for (auto [name, type] :
       llvm::zip(getAssocNames().getAsValueRange<StringAttr>(), getAssocTypes())) {
    separate();
    printer.printKeywordOrString(name);
    printer << ": " << cast<TypeAttr>(type).getValue();
  }
  for (auto [name, symbol] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethods())) {
    separate();
    printer.printKeywordOrString(name);
    printer << " = " << symbol;
  }
  printer << '}';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "sym_visibility", "type_params", "conforming", "protocol",
                            "assoc_names", "assoc_types", "method_names", "methods"});
}

LogicalResult WitnessTableOp::verify() {
  if (getAssocNames().size() != getAssocTypes().size() ||
      getMethodNames().size() != getMethods().size())
    return emitOpError("expected one type for each of ")
           << getAssocNames().size() << " associated type(s) and one function for each of "
           << getMethodNames().size() << " method(s), got " << getAssocTypes().size()
           << " type(s) and " << getMethods().size() << " function(s)";
  if (failed(verifyDistinct(*this, getTypeParams(), "type parameter")) ||
      failed(verifyDistinct(*this, getAssocNames(), "associated type")))
    return failure();
  return verifyDistinct(*this, getMethodNames(), "method");
}
