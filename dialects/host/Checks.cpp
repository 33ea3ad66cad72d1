//===- Checks.cpp - the checks that the verifiers of tfx_host share ----------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tfx::host;

LogicalResult tfx::host::declaredAt(InFlightDiagnostic &&error, Location location) {
  error.attachNote(location) << "declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

LogicalResult tfx::host::verifyDistinct(Operation *op, ArrayAttr names, StringRef kind) {
  llvm::SmallSet<StringRef, 8> seen;
  for (auto name : names.getAsValueRange<StringAttr>())
    if (!seen.insert(name).second)
      return op->emitOpError() << "declares " << kind << " \"" << name << "\" twice";
  return success();
}

int64_t tfx::host::indexOf(ArrayAttr names, StringRef name) {
  for (auto [index, candidate] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (candidate == name)
      return index;
  return -1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

TypeMap tfx::host::substitution(ArrayAttr params, ArrayRef<Type> arguments) {
  TypeMap result;
  for (auto [param, argument] : llvm::zip(params.getAsValueRange<StringAttr>(), arguments))
    result[param] = argument;
  return result;
}

Type tfx::host::substitute(Type type, const TypeMap &arguments) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ParamType param) -> std::optional<Type> {
    auto found = arguments.find(param.getName().getValue());
    if (found == arguments.end())
      return std::nullopt;
    return found->second;
  });
  return replacer.replace(type);
}

bool tfx::host::mayEqual(Type left, Type right) {
  if (left == right || isa<AssocType>(left) || isa<AssocType>(right))
    return true;
  if (left.getTypeID() != right.getTypeID())
    return false;
  SmallVector<Attribute> attributes;
  SmallVector<Type> leftParts, rightParts;
  left.walkImmediateSubElements([&](Attribute attribute) { attributes.push_back(attribute); },
                                [&](Type part) { leftParts.push_back(part); });
  right.walkImmediateSubElements([](Attribute) {}, [&](Type part) { rightParts.push_back(part); });
  return leftParts.size() == rightParts.size() &&
         left.replaceImmediateSubElements(attributes, rightParts) == right &&
         llvm::all_of(llvm::zip(leftParts, rightParts),
                      [](auto pair) { return mayEqual(std::get<0>(pair), std::get<1>(pair)); });
}

bool tfx::host::mayEqual(TypeRange left, TypeRange right) {
  return left.size() == right.size() && llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return mayEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult tfx::host::checkTypes(Operation *op, ArrayRef<Attribute> declared,
                                    const TypeMap &arguments, TypeRange types, const Twine &owner,
                                    Location declaration) {
  if (declared.size() != types.size())
    return declaredAt(op->emitOpError() << "expected " << declared.size() << " value(s) for "
                                        << owner << ", got " << types.size(),
                      declaration);
  for (auto [index, type, attribute] : llvm::enumerate(types, declared)) {
    Type expected = substitute(cast<TypeAttr>(attribute).getValue(), arguments);
    if (!mayEqual(expected, type))
      return declaredAt(op->emitOpError() << "expected type " << expected << " at position "
                                          << index << " of " << owner << ", got " << type,
                        declaration);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

func::FuncOp tfx::host::lookUpFunction(Operation *op, SymbolTableCollection &symbols,
                                       FlatSymbolRefAttr name) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!function)
    op->emitOpError() << "refers to " << name << ", but no function of that name is declared";
  return function;
}

ProtocolOp tfx::host::lookUpProtocol(Operation *op, SymbolTableCollection &symbols,
                                     FlatSymbolRefAttr name) {
  auto protocol = symbols.lookupNearestSymbolFrom<ProtocolOp>(op, name);
  if (!protocol)
    op->emitOpError() << "refers to " << name
                      << ", but no tfx_host.protocol of that name is declared";
  return protocol;
}

FunctionType tfx::host::lookUpMethod(Operation *op, ProtocolOp protocol, StringRef method) {
  int64_t index = indexOf(protocol.getMethodNames(), method);
  if (index >= 0)
    return cast<FunctionType>(cast<TypeAttr>(protocol.getMethodTypes()[index]).getValue());
  (void)declaredAt(op->emitOpError() << "refers to method \"" << method << "\", which @"
                                     << protocol.getSymName() << " does not declare",
                   protocol.getLoc());
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ArrayRef<Attribute> tfx::host::declaredParams(func::FuncOp function) {
  auto params = function->getAttrOfType<ArrayAttr>(kTypeParams);
  return params ? params.getValue() : ArrayRef<Attribute>();
}

LogicalResult tfx::host::checkConforms(Operation *op, Type type, FlatSymbolRefAttr protocol) {
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
    return declaredAt(op->emitOpError() << "requires type parameter " << param.getName() << " of @"
                                        << function.getSymName() << " to conform to " << protocol
                                        << "; declare it as #tfx_host.type_param<"
                                        << param.getName() << ", " << protocol << ">",
                      function.getLoc());
  }
  return declaredAt(op->emitOpError() << "uses type parameter " << param.getName() << ", which @"
                                      << function.getSymName() << " does not declare",
                    function.getLoc());
}

FailureOr<FunctionType> tfx::host::instantiate(Operation *op, func::FuncOp function,
                                               ArrayRef<Attribute> typeArguments) {
  ArrayRef<Attribute> params = declaredParams(function);
  if (params.size() != typeArguments.size())
    return declaredAt(op->emitOpError()
                          << "expected " << params.size() << " type argument(s) for @"
                          << function.getSymName() << ", got " << typeArguments.size(),
                      function.getLoc());
  TypeMap arguments;
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

LogicalResult tfx::host::checkSignature(Operation *op, FunctionType expected, TypeRange arguments,
                                        TypeRange results, const Twine &callee,
                                        Location declaration) {
  auto mismatch = [&](StringRef kind, TypeRange expectedTypes, TypeRange types) {
    return declaredAt(op->emitOpError() << "expected " << kind << " types (" << expectedTypes
                                        << ") for " << callee << ", got (" << types << ")",
                      declaration);
  };
  if (!mayEqual(expected.getInputs(), arguments))
    return mismatch("argument", expected.getInputs(), arguments);
  if (!mayEqual(expected.getResults(), results))
    return mismatch("result", expected.getResults(), results);
  return success();
}
