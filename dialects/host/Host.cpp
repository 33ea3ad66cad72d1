//===- Host.cpp - the tfx_host dialect: registration, syntax, verifiers ------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Host.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace tfx::host;

#include "HostDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "HostTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "HostAttrs.cpp.inc"

void TfxHostDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "HostTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "HostAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "HostOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes on functions
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kTypeParams = "tfx_host.type_params";

/// The conforming type in a protocol's method types.
static constexpr StringLiteral kSelf = "Self";

LogicalResult TfxHostDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kTypeParams)
    return op->emitError() << "'" << attribute.getName().getValue()
                           << "' is no attribute of the tfx_host dialect; it has '" << kTypeParams
                           << "' only";
  auto params = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!params || !llvm::all_of(params, llvm::IsaPred<TypeParamAttr>))
    return op->emitError() << "'" << kTypeParams
                           << "' wants an array of #tfx_host.type_param<\"Name\">";
  llvm::SmallSet<StringRef, 4> seen;
  for (auto param : params.getAsRange<TypeParamAttr>())
    if (!seen.insert(param.getName().getValue()).second)
      return op->emitError() << "type parameter \"" << param.getName().getValue()
                             << "\" is declared twice";
  return success();
}

//===----------------------------------------------------------------------===//
// Type syntax
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Syntax that the declarations share
//===----------------------------------------------------------------------===//

/// Parses a name: a bare keyword or a quoted string.
static ParseResult parseName(AsmParser &parser, std::string &name) {
  return parser.parseKeywordOrString(&name);
}

/// `<"A", "B">`, or nothing.
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

/// `private? @name<"A", "B">`
template <typename OpTy>
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

/// A name as the declarations print it: bare where it can be.
static void printName(OpAsmPrinter &printer, StringRef name) { printer.printKeywordOrString(name); }

static LogicalResult verifyDistinct(Operation *op, ArrayAttr names, StringRef what) {
  llvm::SmallSet<StringRef, 8> seen;
  for (auto name : names.getAsValueRange<StringAttr>())
    if (!seen.insert(name).second)
      return op->emitOpError() << "declares " << what << " \"" << name << "\" twice";
  return success();
}

static int64_t indexOf(ArrayAttr names, StringRef name) {
  for (auto [index, candidate] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (candidate == name)
      return index;
  return -1;
}

//===----------------------------------------------------------------------===//
// struct and class: {x: T, y: U}
//===----------------------------------------------------------------------===//

template <typename OpTy>
static ParseResult parseFields(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead<OpTy>(parser, state, "type_params"))
    return failure();
  SmallVector<Attribute> names, types;
  auto field = [&]() -> ParseResult {
    std::string name;
    Type type;
    if (parseName(parser, name) || parser.parseColonType(type))
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
        printName(printer, std::get<0>(field));
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
  return parseFields<StructOp>(parser, state);
}
void StructOp::print(OpAsmPrinter &printer) { printFields(*this, printer); }
LogicalResult StructOp::verify() { return verifyFields(*this); }
int64_t StructOp::fieldIndex(StringRef name) { return indexOf(getFieldNames(), name); }

ParseResult ClassOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFields<ClassOp>(parser, state);
}
void ClassOp::print(OpAsmPrinter &printer) { printFields(*this, printer); }
LogicalResult ClassOp::verify() { return verifyFields(*this); }
int64_t ClassOp::fieldIndex(StringRef name) { return indexOf(getFieldNames(), name); }

//===----------------------------------------------------------------------===//
// enum: {none(), some(T)}
//===----------------------------------------------------------------------===//

ParseResult EnumOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead<EnumOp>(parser, state, "type_params"))
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
    if (parseName(parser, name) ||
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
                          printName(printer, std::get<0>(one));
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
      return emitOpError("wants an array of types as the payload of a case, not ") << payload;
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
  if (parseDeclarationHead<ProtocolOp>(parser, state, "assoc_types"))
    return failure();
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> names, types, defaults;
  auto method = [&]() -> ParseResult {
    std::string name;
    FunctionType type;
    if (parseName(parser, name) || parser.parseColonType(type))
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
  printDeclarationHead(printer, getSymVisibility(), getSymName(), getAssocTypes());
  printer << " {";
  llvm::interleaveComma(llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodTypes(),
                                  getMethodDefaults()),
                        printer, [&](auto method) {
                          printName(printer, std::get<0>(method));
                          printer << ": " << cast<TypeAttr>(std::get<1>(method)).getValue();
                          if (auto symbol = dyn_cast<FlatSymbolRefAttr>(std::get<2>(method)))
                            printer << " = " << symbol;
                        });
  printer << '}';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"sym_name", "sym_visibility", "assoc_types",
                                            "method_names", "method_types", "method_defaults"});
}

LogicalResult ProtocolOp::verify() {
  if (getMethodNames().size() != getMethodTypes().size() ||
      getMethodNames().size() != getMethodDefaults().size())
    return emitOpError("wants one type and one default (or unit) for each method");
  for (auto [name, type] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodTypes()))
    if (!isa<FunctionType>(cast<TypeAttr>(type).getValue()))
      return emitOpError("wants a function type for method \"") << name << "\"";
  for (auto [name, implementation] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethodDefaults()))
    if (!isa<FlatSymbolRefAttr, UnitAttr>(implementation))
      return emitOpError("wants a function or unit as the default of method \"")
             << name << "\", not " << implementation;
  if (failed(verifyDistinct(*this, getAssocTypes(), "associated type")))
    return failure();
  return verifyDistinct(*this, getMethodNames(), "method");
}

//===----------------------------------------------------------------------===//
// witness_table: : T conforms @P {A: U, method = @f}
//===----------------------------------------------------------------------===//

ParseResult WitnessTableOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseDeclarationHead<WitnessTableOp>(parser, state, "type_params"))
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
    if (parseName(parser, name))
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
    printName(printer, name);
    printer << ": " << cast<TypeAttr>(type).getValue();
  }
  for (auto [name, symbol] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethods())) {
    separate();
    printName(printer, name);
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
    return emitOpError("wants one type for each associated type and one function for each method");
  if (failed(verifyDistinct(*this, getTypeParams(), "type parameter")) ||
      failed(verifyDistinct(*this, getAssocNames(), "associated type")))
    return failure();
  return verifyDistinct(*this, getMethodNames(), "method");
}

//===----------------------------------------------------------------------===//
// Looking up declarations
//===----------------------------------------------------------------------===//

/// The type arguments of a nominal type, by the names of the parameters.
static DenseMap<StringRef, Type> substitution(ArrayAttr params, ArrayRef<Type> arguments) {
  DenseMap<StringRef, Type> result;
  for (auto [param, argument] : llvm::zip(params.getAsValueRange<StringAttr>(), arguments))
    result[param] = argument;
  return result;
}

static Type substitute(Type type, const DenseMap<StringRef, Type> &arguments) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ParamType param) -> std::optional<Type> {
    auto found = arguments.find(param.getName().getValue());
    if (found == arguments.end())
      return std::nullopt;
    return found->second;
  });
  return replacer.replace(type);
}

/// The declaration of a nominal type; an error at `op` where there is none of the right kind or the
/// arguments do not fit.
template <typename DeclOp, typename NominalType>
static DeclOp lookUp(Operation *op, SymbolTableCollection &symbols, NominalType type,
                     StringRef kind) {
  auto declaration = symbols.lookupNearestSymbolFrom<DeclOp>(op, type.getDeclaration());
  if (!declaration) {
    op->emitOpError() << "uses " << type.getDeclaration() << ", but no tfx_host." << kind
                      << " of that name is declared";
    return {};
  }
  if (declaration.getTypeParams().size() != type.getArguments().size()) {
    InFlightDiagnostic error = op->emitOpError()
                               << "gives " << type.getArguments().size() << " type argument(s) to "
                               << type.getDeclaration() << ", which has "
                               << declaration.getTypeParams().size() << " type parameter(s)";
    error.attachNote(declaration.getLoc()) << "declared here";
    return {};
  }
  return declaration;
}

/// Whether two types are the same, or may be once associated types are known: what those are,
/// tables say, which `tfx-specialize` looks up.
static bool mayEqual(Type one, Type other) {
  if (one == other || isa<AssocType>(one) || isa<AssocType>(other))
    return true;
  if (one.getTypeID() != other.getTypeID())
    return false;
  SmallVector<Attribute> attributes;
  SmallVector<Type> parts, otherParts;
  one.walkImmediateSubElements([&](Attribute attribute) { attributes.push_back(attribute); },
                               [&](Type part) { parts.push_back(part); });
  other.walkImmediateSubElements([](Attribute) {}, [&](Type part) { otherParts.push_back(part); });
  return parts.size() == otherParts.size() &&
         one.replaceImmediateSubElements(attributes, otherParts) == other &&
         llvm::all_of(llvm::zip(parts, otherParts),
                      [](auto pair) { return mayEqual(std::get<0>(pair), std::get<1>(pair)); });
}

static bool mayEqual(TypeRange some, TypeRange others) {
  return some.size() == others.size() && llvm::all_of(llvm::zip(some, others), [](auto pair) {
           return mayEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Checks that `field` of `type` exists and has type `actual`.
template <typename DeclOp, typename NominalType>
static LogicalResult checkField(Operation *op, SymbolTableCollection &symbols, NominalType type,
                                StringRef kind, StringRef field, Type actual) {
  auto declaration = lookUp<DeclOp>(op, symbols, type, kind);
  if (!declaration)
    return failure();
  int64_t index = declaration.fieldIndex(field);
  if (index < 0) {
    InFlightDiagnostic error = op->emitOpError() << "names field \"" << field << "\", which "
                                                 << type.getDeclaration() << " does not have";
    error.attachNote(declaration.getLoc()) << "declared here";
    return error;
  }
  Type expected = substitute(cast<TypeAttr>(declaration.getFieldTypes()[index]).getValue(),
                             substitution(declaration.getTypeParams(), type.getArguments()));
  if (!mayEqual(expected, actual)) {
    InFlightDiagnostic error = op->emitOpError()
                               << "has type " << actual << " for field \"" << field << "\" of "
                               << type.getDeclaration() << ", which is declared as " << expected;
    error.attachNote(declaration.getLoc()) << "declared here";
    return error;
  }
  return success();
}

/// Checks that `types` are those of `declared`, after substitution.
static LogicalResult checkTypes(Operation *op, ArrayRef<Attribute> declared,
                                const DenseMap<StringRef, Type> &arguments, TypeRange types,
                                const Twine &what, Location declaredAt) {
  if (declared.size() != types.size()) {
    InFlightDiagnostic error = op->emitOpError() << "gives " << types.size() << " value(s), but "
                                                 << what << " has " << declared.size();
    error.attachNote(declaredAt) << "declared here";
    return error;
  }
  for (auto [index, type, attribute] : llvm::enumerate(types, declared)) {
    Type expected = substitute(cast<TypeAttr>(attribute).getValue(), arguments);
    if (mayEqual(expected, type))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "gives a value of type " << type << " at position " << index
                               << ", but " << what << " wants " << expected;
    error.attachNote(declaredAt) << "declared here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

template <typename DeclOp, typename NominalType>
static LogicalResult checkAllFields(Operation *op, SymbolTableCollection &symbols, NominalType type,
                                    StringRef kind, TypeRange fields) {
  auto declaration = lookUp<DeclOp>(op, symbols, type, kind);
  if (!declaration)
    return failure();
  return checkTypes(op, declaration.getFieldTypes().getValue(),
                    substitution(declaration.getTypeParams(), type.getArguments()), fields,
                    Twine(kind) + " @" + declaration.getSymName(), declaration.getLoc());
}

LogicalResult MakeStructOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkAllFields<StructOp>(*this, symbols, getType(), "struct", getFields().getTypes());
}

LogicalResult NewOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkAllFields<ClassOp>(*this, symbols, getType(), "class", getFields().getTypes());
}

LogicalResult ExtractOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<StructOp>(*this, symbols, getAggregate().getType(), "struct", getField(),
                              getType());
}

LogicalResult InsertOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<StructOp>(*this, symbols, getAggregate().getType(), "struct", getField(),
                              getValue().getType());
}

LogicalResult MemberRefOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<ClassOp>(*this, symbols, getObject().getType(), "class", getField(),
                             getType().getPointee());
}

LogicalResult FieldRefOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Type pointee = getRef().getType().getPointee();
  if (auto type = dyn_cast<tfx::host::StructType>(pointee))
    return checkField<StructOp>(*this, symbols, type, "struct", getField(), getType().getPointee());
  auto tuple = dyn_cast<TupleType>(pointee);
  if (!tuple)
    return emitOpError("wants a reference to a struct or a tuple, not to ") << pointee;
  if (tuple.size() == 0)
    return emitOpError("names element \"") << getField() << "\", but " << tuple << " has none";
  size_t index;
  if (getField().getAsInteger(10, index) || index >= tuple.size())
    return emitOpError("names element \"")
           << getField() << "\", but " << tuple << " has the elements \"0\" to \""
           << tuple.size() - 1 << "\"";
  if (tuple.getType(index) != getType().getPointee())
    return emitOpError("has type ")
           << getType().getPointee() << " for element " << index << " of " << tuple;
  return success();
}

LogicalResult MakeTupleOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getElements().getTypes()));
  return success();
}

LogicalResult TupleGetOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto tuple = dyn_cast<TupleType>(adaptor.getAggregate().getType());
  if (!tuple)
    return emitOptionalError(location, "'tfx_host.tuple_get' wants a tuple");
  uint32_t index = adaptor.getIndex();
  if (index >= tuple.size())
    return emitOptionalError(location, "'tfx_host.tuple_get' reads element ", index, ", but ",
                             tuple, " has ", tuple.size());
  types.push_back(tuple.getType(index));
  return success();
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

static LogicalResult checkCase(Operation *op, SymbolTableCollection &symbols,
                               tfx::host::EnumType type, StringRef name, TypeRange payload) {
  auto declaration = lookUp<EnumOp>(op, symbols, type, "enum");
  if (!declaration)
    return failure();
  int64_t index = declaration.caseIndex(name);
  if (index < 0) {
    InFlightDiagnostic error = op->emitOpError() << "names case \"" << name << "\", which "
                                                 << type.getDeclaration() << " does not have";
    error.attachNote(declaration.getLoc()) << "declared here";
    return error;
  }
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

/// The successors are the default's, if there is one, then the cases'.
LogicalResult SwitchEnumOp::verify() {
  size_t cases = getCaseNames().size(), skip = getHasDefault() ? 1 : 0;
  if (getCaseOperandSegments().size() != cases)
    return emitOpError("has ") << cases << " case names but operands for "
                               << getCaseOperandSegments().size() << " cases";
  if (getDestinations().size() != cases + skip)
    return emitOpError("has ") << getDestinations().size() << " successors for " << cases + skip
                               << " cases";
  return verifyDistinct(*this, getCaseNames(), "case");
}

LogicalResult SwitchEnumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  tfx::host::EnumType type = getValue().getType();
  auto declaration = lookUp<EnumOp>(*this, symbols, type, "enum");
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
        return emitOpError("has no block for case \"") << name << "\" and no default";
  }
  return success();
}

/// MLIR asks this before `verify` has run, so nothing here may rely on the counts: the operands of
/// a successor that has no case, or more of them than its block takes, are for the verifiers to
/// name.
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
      return parser.emitError(at, "'tfx_host.switch_enum' has two defaults");
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

//===----------------------------------------------------------------------===//
// Variables and arrays
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto ref = dyn_cast<RefType>(adaptor.getRef().getType());
  if (!ref)
    return emitOptionalError(location, "'tfx_host.load' wants a reference");
  types.push_back(ref.getPointee());
  return success();
}

LogicalResult ArrayGetOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto array = dyn_cast<tfx::host::ArrayType>(adaptor.getArray().getType());
  if (!array)
    return emitOptionalError(location, "'tfx_host.array_get' wants an array");
  types.push_back(array.getElement());
  return success();
}

ParseResult ArrayOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> elements;
  tfx::host::ArrayType type;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseOperandList(elements, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  SmallVector<Type> types(elements.size(), type.getElement());
  state.addTypes(type);
  return parser.resolveOperands(elements, types, at, state.operands);
}

void ArrayOp::print(OpAsmPrinter &printer) {
  printer << '(' << getElements() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

LogicalResult ArrayOp::verify() {
  for (auto [index, type] : llvm::enumerate(getElements().getTypes()))
    if (type != getType().getElement())
      return emitOpError("has an element of type ")
             << type << " at position " << index << " of " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static func::FuncOp lookUpFunction(Operation *op, SymbolTableCollection &symbols,
                                   FlatSymbolRefAttr name) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!function)
    op->emitOpError() << "names " << name << ", but no function of that name is declared";
  return function;
}

static LogicalResult checkSignature(Operation *op, FunctionType expected, TypeRange arguments,
                                    TypeRange results, Twine callee, Location declaredAt) {
  auto complain = [&](StringRef what) {
    InFlightDiagnostic error = op->emitOpError() << "has " << what << " that do not fit " << callee
                                                 << ", which is " << expected;
    error.attachNote(declaredAt) << "declared here";
    return error;
  };
  if (!mayEqual(expected.getInputs(), arguments))
    return complain("arguments");
  if (!mayEqual(expected.getResults(), results))
    return complain("results");
  return success();
}

/// The attributes of a function's type parameters.
static ArrayRef<Attribute> declaredParams(func::FuncOp function) {
  auto params = function->getAttrOfType<ArrayAttr>(kTypeParams);
  return params ? params.getValue() : ArrayRef<Attribute>();
}

/// Checks that a type that takes part in a generic call conforms to a protocol as far as the
/// function around `op` says: of a type parameter it does; of a type that is known, the tables do,
/// and `tfx-specialize` asks them.
static LogicalResult checkConforms(Operation *op, Type type, FlatSymbolRefAttr protocol) {
  auto param = dyn_cast<ParamType>(type);
  auto function = op->getParentOfType<func::FuncOp>();
  if (!param || !function)
    return success();
  for (Attribute attribute : declaredParams(function)) {
    auto declared = cast<TypeParamAttr>(attribute);
    if (declared.getName() != param.getName())
      continue;
    if (llvm::is_contained(declared.getProtocols(), protocol))
      return success();
    InFlightDiagnostic error = op->emitOpError()
                               << "wants type parameter " << param.getName() << " to conform to "
                               << protocol << ", which @" << function.getSymName()
                               << " does not ask of it; declare it as #tfx_host.type_param<"
                               << param.getName() << ", " << protocol << ">";
    error.attachNote(function.getLoc()) << "declared here";
    return error;
  }
  InFlightDiagnostic error = op->emitOpError()
                             << "uses type parameter " << param.getName() << ", which @"
                             << function.getSymName() << " does not declare";
  error.attachNote(function.getLoc()) << "declared here";
  return error;
}

/// Checks the number of type arguments and what the function wants of them; its type for them.
static FailureOr<FunctionType> instantiate(Operation *op, func::FuncOp function,
                                           ArrayRef<Attribute> typeArguments) {
  ArrayRef<Attribute> params = declaredParams(function);
  if (params.size() != typeArguments.size()) {
    InFlightDiagnostic error = op->emitOpError()
                               << "gives " << typeArguments.size() << " type argument(s) to @"
                               << function.getSymName() << ", which has " << params.size()
                               << " type parameter(s)";
    error.attachNote(function.getLoc()) << "declared here";
    return error;
  }
  DenseMap<StringRef, Type> arguments;
  for (auto [attribute, argument] : llvm::zip(params, typeArguments)) {
    auto param = cast<TypeParamAttr>(attribute);
    Type type = cast<TypeAttr>(argument).getValue();
    for (FlatSymbolRefAttr protocol : param.getProtocols())
      if (failed(checkConforms(op, type, protocol)))
        return failure();
    arguments[param.getName().getValue()] = type;
  }
  return cast<FunctionType>(substitute(function.getFunctionType(), arguments));
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp function = lookUpFunction(*this, symbols, getCalleeAttr());
  if (!function)
    return failure();
  FailureOr<FunctionType> expected = instantiate(*this, function, getTypeArgs().getValue());
  if (failed(expected))
    return failure();
  return checkSignature(*this, *expected, getArguments().getTypes(), getResultTypes(),
                        "@" + getCallee(), function.getLoc());
}

/// The protocol of a name; an error at `op` where there is none.
static ProtocolOp lookUpProtocol(Operation *op, SymbolTableCollection &symbols,
                                 FlatSymbolRefAttr name) {
  auto protocol = symbols.lookupNearestSymbolFrom<ProtocolOp>(op, name);
  if (!protocol)
    op->emitOpError() << "names " << name << ", but no tfx_host.protocol of that name is declared";
  return protocol;
}

/// The type of a protocol's method; an error at `op` where it has none of that name.
static FunctionType lookUpMethod(Operation *op, ProtocolOp protocol, StringRef method) {
  int64_t index = indexOf(protocol.getMethodNames(), method);
  if (index >= 0)
    return cast<FunctionType>(cast<TypeAttr>(protocol.getMethodTypes()[index]).getValue());
  InFlightDiagnostic error = op->emitOpError() << "names method \"" << method << "\", which @"
                                               << protocol.getSymName() << " does not have";
  error.attachNote(protocol.getLoc()) << "declared here";
  return {};
}

LogicalResult WitnessCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ProtocolOp protocol = lookUpProtocol(*this, symbols, getProtocolAttr());
  if (!protocol)
    return failure();
  FunctionType declared = lookUpMethod(*this, protocol, getMethod());
  if (!declared || failed(checkConforms(*this, getConforming(), getProtocolAttr())))
    return failure();
  if (declared.getNumInputs() != getArguments().size() ||
      declared.getNumResults() != getNumResults()) {
    InFlightDiagnostic error = emitOpError("has ") << getArguments().size() << " argument(s) and "
                                                   << getNumResults() << " result(s), but method \""
                                                   << getMethod() << "\" is " << declared;
    error.attachNote(protocol.getLoc()) << "declared here";
    return error;
  }
  auto expected = cast<FunctionType>(substitute(declared, {{kSelf, getConforming()}}));
  return checkSignature(*this, expected, getArguments().getTypes(), getResultTypes(),
                        "method \"" + getMethod() + "\"", protocol.getLoc());
}

LogicalResult ClosureOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp function = lookUpFunction(*this, symbols, getCalleeAttr());
  if (!function)
    return failure();
  ArrayRef<Attribute> typeArguments;
  if (getTypeArgs())
    typeArguments = getTypeArgs()->getValue();
  FailureOr<FunctionType> known = instantiate(*this, function, typeArguments);
  if (failed(known))
    return failure();
  FunctionType type = *known;
  size_t captured = getCaptures().size();
  if (type.getNumInputs() < captured)
    return emitOpError("binds ") << captured << " parameter(s), but @" << getCallee() << " has "
                                 << type.getNumInputs();
  if (!mayEqual(type.getInputs().take_front(captured), getCaptures().getTypes()))
    return emitOpError("has captures that do not fit the first parameters of @")
           << getCallee() << ", which is " << type;
  auto rest =
      FunctionType::get(getContext(), type.getInputs().drop_front(captured), type.getResults());
  if (!mayEqual(rest, getType().getSignature()))
    return emitOpError("has signature ") << getType().getSignature() << ", but what remains of @"
                                         << getCallee() << " is " << rest;
  return success();
}

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand closure;
  SmallVector<OpAsmParser::UnresolvedOperand> arguments;
  ClosureType type;
  if (parser.parseOperand(closure))
    return failure();
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseOperandList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(closure, type, state.operands) ||
      parser.resolveOperands(arguments, type.getSignature().getInputs(), at, state.operands))
    return failure();
  state.addTypes(type.getSignature().getResults());
  return success();
}

void ApplyOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getClosure() << '(' << getArguments() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getClosure().getType();
}

LogicalResult ApplyOp::verify() {
  FunctionType signature = getClosure().getType().getSignature();
  if (TypeRange(signature.getInputs()) != TypeRange(getArguments().getTypes()))
    return emitOpError("has arguments that do not fit a closure of type ") << signature;
  if (TypeRange(signature.getResults()) != getResultTypes())
    return emitOpError("has results that do not fit a closure of type ") << signature;
  return success();
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

/// Whether a thread can hand on values of a type: scalars and tensors.
static bool isQueueElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isIndex() || type.isF32() || type.isF64() || isa<TensorType>(type);
}

static constexpr StringLiteral kQueueElements =
    "i1, i8, i16, i32, i64, index, f32, f64 and tensors; pass a struct or a tuple part by part";

LogicalResult QueueType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Type> elements) {
  if (elements.empty())
    return emitError() << "a queue holds the results of a function, and so at least one type";
  for (Type element : elements)
    if (!isQueueElement(element))
      return emitError() << "a queue cannot hold " << element << ": it holds " << kQueueElements;
  return success();
}

static ParseResult parseDepth(OpAsmParser &parser, IntegerAttr &depth) {
  int32_t value;
  if (parser.parseInteger(value))
    return failure();
  depth = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}

static void printDepth(OpAsmPrinter &printer, Operation *, IntegerAttr depth) {
  printer << depth.getInt();
}

LogicalResult PrefetchOp::verify() {
  if (static_cast<int32_t>(getDepth()) < 1)
    return emitOpError("has depth ")
           << static_cast<int32_t>(getDepth()) << ", but a queue has room for at least one result";
  for (Type type : getArguments().getTypes())
    if (!isQueueElement(type))
      return emitOpError("cannot hand a value of type ")
             << type << " to its thread: it hands over " << kQueueElements;
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
  ArrayRef<Type> elements = getQueue().getType().getElements();
  if (TypeRange(elements) != getResultTypes())
    return emitOpError("has results that do not fit a queue of type ") << getQueue().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Protocols and witness tables
//===----------------------------------------------------------------------===//

/// A default is a function of the conforming type, which is its only type parameter.
LogicalResult ProtocolOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [name, type, implementation] : llvm::zip(getMethodNames().getAsValueRange<StringAttr>(),
                                                     getMethodTypes(), getMethodDefaults())) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(implementation);
    if (!symbol)
      continue;
    func::FuncOp function = lookUpFunction(*this, symbols, symbol);
    if (!function)
      return failure();
    ArrayRef<Attribute> params = declaredParams(function);
    if (params.size() != 1) {
      InFlightDiagnostic error = emitOpError("has ")
                                 << symbol << " as the default of method \"" << name
                                 << "\", which has " << params.size()
                                 << " type parameter(s); a default has one: the conforming type";
      error.attachNote(function.getLoc()) << "declared here";
      return error;
    }
    Type self = ParamType::get(getContext(), StringAttr::get(getContext(), kSelf));
    Type actual = substitute(function.getFunctionType(),
                             {{cast<TypeParamAttr>(params[0]).getName().getValue(), self}});
    Type expected = cast<TypeAttr>(type).getValue();
    if (!mayEqual(actual, expected)) {
      InFlightDiagnostic error = emitOpError("has ")
                                 << symbol << " as the default of method \"" << name << "\": it is "
                                 << actual << ", but the method is " << expected;
      error.attachNote(function.getLoc()) << "declared here";
      return error;
    }
  }
  return success();
}

/// The type of a method for the conforming type of a table, with the associated types that it
/// gives.
static Type methodType(WitnessTableOp table, Type declared) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](AssocType assoc) -> std::optional<Type> {
    if (assoc.getBase() != table.getConforming() || assoc.getProtocol() != table.getProtocolAttr())
      return std::nullopt;
    int64_t index = indexOf(table.getAssocNames(), assoc.getName().getValue());
    if (index < 0)
      return std::nullopt;
    return cast<TypeAttr>(table.getAssocTypes()[index]).getValue();
  });
  return replacer.replace(substitute(declared, {{kSelf, table.getConforming()}}));
}

/// The function of a table that implements a method exists and is of the method's type.
static LogicalResult checkImplementation(WitnessTableOp table, SymbolTableCollection &symbols,
                                         StringRef method, FunctionType declared,
                                         FlatSymbolRefAttr symbol) {
  func::FuncOp function = lookUpFunction(table, symbols, symbol);
  if (!function)
    return failure();
  ArrayRef<Attribute> params = declaredParams(function);
  ArrayAttr tableParams = table.getTypeParams();
  if (!params.empty() && params.size() != tableParams.size()) {
    InFlightDiagnostic error = table.emitOpError("has ")
                               << tableParams.size() << " type parameter(s), but " << symbol
                               << ", which implements method \"" << method << "\", has "
                               << params.size() << "; a function takes those of the table, or none";
    error.attachNote(function.getLoc()) << "declared here";
    return error;
  }
  DenseMap<StringRef, Type> renamed;
  for (auto [param, name] : llvm::zip(params, tableParams.getAsRange<StringAttr>()))
    renamed[cast<TypeParamAttr>(param).getName().getValue()] =
        ParamType::get(table.getContext(), name);
  Type actual = substitute(function.getFunctionType(), renamed);
  Type expected = methodType(table, declared);
  if (mayEqual(actual, expected))
    return success();
  InFlightDiagnostic error = table.emitOpError("has ")
                             << symbol << " for method \"" << method << "\": it is " << actual
                             << ", but for " << table.getConforming() << " the method is "
                             << expected;
  error.attachNote(function.getLoc()) << "declared here";
  return error;
}

/// A type parameter that the conforming type does not mention could never be known.
static LogicalResult checkConformingType(WitnessTableOp table) {
  llvm::SmallSet<StringRef, 4> determined;
  bool associated = false;
  AttrTypeWalker walker;
  walker.addWalk([&](ParamType param) { determined.insert(param.getName().getValue()); });
  walker.addWalk([&](AssocType) { associated = true; });
  walker.walk(table.getConforming());
  if (associated)
    return table.emitOpError("has the associated type of another as conforming type; name the type "
                             "itself");
  for (StringRef name : table.getTypeParams().getAsValueRange<StringAttr>())
    if (!determined.contains(name))
      return table.emitOpError("has type parameter \"")
             << name << "\", which its conforming type " << table.getConforming()
             << " does not determine";
  return success();
}

LogicalResult WitnessTableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ProtocolOp protocol = lookUpProtocol(*this, symbols, getProtocolAttr());
  if (!protocol || failed(checkConformingType(*this)))
    return failure();
  auto complain = [&](const Twine &what, StringRef name, const Twine &why) {
    InFlightDiagnostic error = emitOpError(what) << " \"" << name << "\"" << why;
    error.attachNote(protocol.getLoc()) << getProtocolAttr() << " is declared here";
    return error;
  };
  for (StringRef name : getAssocNames().getAsValueRange<StringAttr>())
    if (indexOf(protocol.getAssocTypes(), name) < 0)
      return complain("gives associated type", name, ", which the protocol does not have");
  for (StringRef name : protocol.getAssocTypes().getAsValueRange<StringAttr>())
    if (indexOf(getAssocNames(), name) < 0)
      return complain("does not give associated type", name,
                      " of the protocol; add '" + name + ": type'");
  for (auto [name, symbol] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethods())) {
    int64_t index = indexOf(protocol.getMethodNames(), name);
    if (index < 0)
      return complain("implements method", name, ", which the protocol does not have");
    auto declared = cast<FunctionType>(cast<TypeAttr>(protocol.getMethodTypes()[index]).getValue());
    auto function = cast<FlatSymbolRefAttr>(symbol);
    // The leaves of the types are not known here.
    if (protocol.getFlat() ? !lookUpFunction(*this, symbols, function)
                           : failed(checkImplementation(*this, symbols, name, declared, function)))
      return failure();
  }
  for (auto [name, implementation] : llvm::zip(
           protocol.getMethodNames().getAsValueRange<StringAttr>(), protocol.getMethodDefaults()))
    if (isa<UnitAttr>(implementation) && indexOf(getMethodNames(), name) < 0)
      return complain("does not implement method", name,
                      " of the protocol, which has no default; add '" + name + " = @function'");
  return success();
}

//===----------------------------------------------------------------------===//
// Existentials
//===----------------------------------------------------------------------===//

LogicalResult EraseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!lookUpProtocol(*this, symbols, getType().getProtocol()))
    return failure();
  Type conforming = getConforming().value_or(getValue().getType());
  return checkConforms(*this, conforming, getType().getProtocol());
}

/// Whether a type is known only with the conforming type.
static bool dependsOnSelf(Type type) {
  AttrTypeWalker walker;
  bool found = false;
  walker.addWalk([&](ParamType) { found = true; });
  walker.walk(type);
  return found;
}

LogicalResult DynamicCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (auto object = dyn_cast<ObjectType>(getReceiver().getType()))
    return success(bool(lookUp<ClassOp>(*this, symbols, object, "class")));
  FlatSymbolRefAttr name = cast<AnyType>(getReceiver().getType()).getProtocol();
  ProtocolOp protocol = lookUpProtocol(*this, symbols, name);
  if (!protocol)
    return failure();
  FunctionType declared = lookUpMethod(*this, protocol, getMethod());
  if (!declared)
    return failure();
  if (protocol.getFlat())
    return success();
  auto self =
      declared.getNumInputs() == 0 ? ParamType() : dyn_cast<ParamType>(declared.getInput(0));
  bool fits = self && llvm::none_of(declared.getInputs().drop_front(), dependsOnSelf) &&
              llvm::none_of(declared.getResults(), dependsOnSelf);
  if (!fits) {
    InFlightDiagnostic error =
        emitOpError("calls method \"")
        << getMethod() << "\" of " << name << ", which is " << declared
        << ": 'Self' is not its first parameter only, so the receiver's type must be known; take a "
           "generic parameter instead of an existential";
    error.attachNote(protocol.getLoc()) << "declared here";
    return error;
  }
  SmallVector<Type> inputs(declared.getInputs());
  inputs[0] = getReceiver().getType();
  auto expected = FunctionType::get(getContext(), inputs, declared.getResults());
  return checkSignature(*this, expected, getOperandTypes(), getResultTypes(),
                        "method \"" + getMethod() + "\"", protocol.getLoc());
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// The number of `{}` in a format; nothing where a brace stands alone.
static std::optional<size_t> countPlaces(StringRef format) {
  size_t places = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if (format[i] == '{' && next == '}')
      ++places;
    else if ((format[i] != '{' && format[i] != '}'))
      continue;
    else if (next != format[i])
      return std::nullopt;
    ++i;
  }
  return places;
}

LogicalResult PrintOp::verify() {
  std::optional<size_t> places = countPlaces(getFormat());
  if (!places)
    return emitOpError("has a format with a brace that stands alone; write '{}' where a value "
                       "goes, '{{' or '}}' for a brace");
  if (*places != getValues().size())
    return emitOpError("has ") << getValues().size() << " value(s) for a format with " << *places
                               << " place(s)";
  return success();
}

#define GET_OP_CLASSES
#include "HostOps.cpp.inc"
