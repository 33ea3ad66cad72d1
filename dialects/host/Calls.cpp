//===- Calls.cpp - generic, witness and dynamic calls, closures ---------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Checks calls and closures against the functions and methods that they refer to.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tfx::host;

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

LogicalResult WitnessCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ProtocolOp protocol = lookUpProtocol(*this, symbols, getProtocolAttr());
  if (!protocol)
    return failure();
  FunctionType declared = lookUpMethod(*this, protocol, getMethod());
  if (!declared || failed(checkConforms(*this, getConforming(), getProtocolAttr())))
    return failure();
  if (declared.getNumInputs() != getArguments().size() ||
      declared.getNumResults() != getNumResults())
    return declaredAt(emitOpError("has ") << getArguments().size() << " argument(s) and "
                                          << getNumResults() << " result(s), but method \""
                                          << getMethod() << "\" has type " << declared,
                      protocol.getLoc());
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
  FailureOr<FunctionType> instance = instantiate(*this, function, typeArguments);
  if (failed(instance))
    return failure();
  FunctionType type = *instance;
  size_t captured = getCaptures().size();
  if (type.getNumInputs() < captured)
    return emitOpError("binds ") << captured << " parameter(s), but @" << getCallee() << " has "
                                 << type.getNumInputs();
  TypeRange bound = type.getInputs().take_front(captured);
  if (!mayEqual(bound, getCaptures().getTypes()))
    return emitOpError("expected capture types (")
           << bound << ") for the first parameters of @" << getCallee() << ", got ("
           << getCaptures().getTypes() << ")";
  auto rest =
      FunctionType::get(getContext(), type.getInputs().drop_front(captured), type.getResults());
  if (!mayEqual(rest, getType().getSignature()))
    return emitOpError("expected signature ")
           << rest << " after binding " << captured << " parameter(s) of @" << getCallee()
           << ", got " << getType().getSignature();
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
  TypeRange inputs = signature.getInputs(), results = signature.getResults();
  if (inputs != TypeRange(getArguments().getTypes()))
    return emitOpError("expected argument types (")
           << inputs << ") for the closure, got (" << getArguments().getTypes() << ")";
  if (results != getResultTypes())
    return emitOpError("expected result types (")
           << results << ") for the closure, got (" << getResultTypes() << ")";
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

/// Returns whether `type` contains a type parameter: in the type of a method, that is `Self`.
static bool dependsOnSelf(Type type) {
  AttrTypeWalker walker;
  bool found = false;
  walker.addWalk([&](ParamType) { found = true; });
  walker.walk(type);
  return found;
}

LogicalResult DynamicCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (auto object = dyn_cast<ObjectType>(getReceiver().getType()))
    return success(bool(lookUp<ClassOp>(*this, symbols, object)));
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
  bool callable = self && llvm::none_of(declared.getInputs().drop_front(), dependsOnSelf) &&
                  llvm::none_of(declared.getResults(), dependsOnSelf);
  if (!callable)
    return declaredAt(emitOpError("cannot call method \"")
                          << getMethod() << "\" of " << name << " on an existential: in its type "
                          << declared
                          << ", 'Self' must be the first parameter and occur nowhere else; use a "
                             "generic parameter instead of an existential",
                      protocol.getLoc());
  SmallVector<Type> inputs(declared.getInputs());
  inputs[0] = getReceiver().getType();
  auto expected = FunctionType::get(getContext(), inputs, declared.getResults());
  return checkSignature(*this, expected, getOperandTypes(), getResultTypes(),
                        "method \"" + getMethod() + "\"", protocol.getLoc());
}
