//===- Aggregates.cpp - structs, tuples, objects, arrays and references ------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The operations that build a value from parts, and those that read a part of a value or refer to
// it. Operations on enums are in Enums.cpp.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace tfx::host;

//===----------------------------------------------------------------------===//
// Fields of structs and classes
//===----------------------------------------------------------------------===//

/// Checks that `field` of `type` exists and has type `actual`.
template <typename DeclOp, typename NominalType>
static LogicalResult checkField(Operation *op, SymbolTableCollection &symbols, NominalType type,
                                StringRef field, Type actual) {
  auto declaration = lookUp<DeclOp>(op, symbols, type);
  if (!declaration)
    return failure();
  int64_t index = declaration.fieldIndex(field);
  if (index < 0)
    return declaredAt(op->emitOpError() << "refers to field \"" << field << "\", which "
                                        << type.getDeclaration() << " does not declare",
                      declaration.getLoc());
  Type expected = substitute(cast<TypeAttr>(declaration.getFieldTypes()[index]).getValue(),
                             substitution(declaration.getTypeParams(), type.getArguments()));
  if (mayEqual(expected, actual))
    return success();
  return declaredAt(op->emitOpError() << "expected type " << expected << " for field \"" << field
                                      << "\" of " << type.getDeclaration() << ", got " << actual,
                    declaration.getLoc());
}

/// Checks that `fields` are the types of all fields of `type`.
template <typename DeclOp, typename NominalType>
static LogicalResult checkAllFields(Operation *op, SymbolTableCollection &symbols, NominalType type,
                                    TypeRange fields) {
  auto declaration = lookUp<DeclOp>(op, symbols, type);
  if (!declaration)
    return failure();
  StringRef kind = declaration->getName().stripDialect();
  return checkTypes(op, declaration.getFieldTypes().getValue(),
                    substitution(declaration.getTypeParams(), type.getArguments()), fields,
                    kind + " @" + declaration.getSymName(), declaration.getLoc());
}

LogicalResult MakeStructOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkAllFields<StructOp>(*this, symbols, getType(), getFields().getTypes());
}

LogicalResult NewOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkAllFields<ClassOp>(*this, symbols, getType(), getFields().getTypes());
}

LogicalResult ExtractOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<StructOp>(*this, symbols, getAggregate().getType(), getField(), getType());
}

LogicalResult InsertOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<StructOp>(*this, symbols, getAggregate().getType(), getField(),
                              getValue().getType());
}

LogicalResult MemberRefOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkField<ClassOp>(*this, symbols, getObject().getType(), getField(),
                             getType().getPointee());
}

LogicalResult FieldRefOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Type pointee = getReference().getType().getPointee();
  if (auto type = dyn_cast<tfx::host::StructType>(pointee))
    return checkField<StructOp>(*this, symbols, type, getField(), getType().getPointee());
  auto tuple = dyn_cast<TupleType>(pointee);
  if (!tuple)
    return emitOpError("expected a reference to a struct or a tuple, got a reference to ")
           << pointee;
  if (tuple.size() == 0)
    return emitOpError("refers to element \"") << getField() << "\", but " << tuple << " is empty";
  size_t index;
  if (getField().getAsInteger(10, index) || index >= tuple.size())
    return emitOpError("refers to element \"")
           << getField() << "\", but " << tuple << " has the elements \"0\" to \""
           << tuple.size() - 1 << "\"";
  Type expected = tuple.getType(index), actual = getType().getPointee();
  if (expected != actual)
    return emitOpError("expected type ")
           << expected << " for element " << index << " of " << tuple << ", got " << actual;
  return success();
}

//===----------------------------------------------------------------------===//
// Tuples, variables and arrays
//===----------------------------------------------------------------------===//

LogicalResult MakeTupleOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getElements().getTypes()));
  return success();
}

LogicalResult TupleGetOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type type = adaptor.getTuple().getType();
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return emitOptionalError(location, "'tfx_host.tuple_get' op expected a tuple, got ", type);
  uint32_t index = adaptor.getIndex();
  if (index >= tuple.size())
    return emitOptionalError(location, "'tfx_host.tuple_get' op reads element ", index, ", but ",
                             tuple, " has ", tuple.size(), " element(s)");
  types.push_back(tuple.getType(index));
  return success();
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type type = adaptor.getReference().getType();
  auto reference = dyn_cast<RefType>(type);
  if (!reference)
    return emitOptionalError(location, "'tfx_host.load' op expected a reference, got ", type);
  types.push_back(reference.getPointee());
  return success();
}

LogicalResult ArrayGetOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type type = adaptor.getArray().getType();
  auto array = dyn_cast<tfx::host::ArrayType>(type);
  if (!array)
    return emitOptionalError(location, "'tfx_host.array_get' op expected an array, got ", type);
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
  Type expected = getType().getElement();
  for (auto [index, type] : llvm::enumerate(getElements().getTypes()))
    if (type != expected)
      return emitOpError("expected type ")
             << expected << " for the element at position " << index << ", got " << type;
  return success();
}
