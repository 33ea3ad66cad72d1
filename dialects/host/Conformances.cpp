//===- Conformances.cpp - verifiers of protocols and witness tables ----------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Checks the functions that protocols and witness tables refer to, and each table against its
// protocol.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tfx::host;

/// A default is a function whose only type parameter is the conforming type.
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
    if (params.size() != 1)
      return declaredAt(emitOpError("expected the default ")
                            << symbol << " of method \"" << name
                            << "\" to have one type parameter, the conforming type, got "
                            << params.size(),
                        function.getLoc());
    Type self = ParamType::get(getContext(), StringAttr::get(getContext(), kSelf));
    Type actual = substitute(function.getFunctionType(),
                             {{cast<TypeParamAttr>(params[0]).getName().getValue(), self}});
    Type expected = cast<TypeAttr>(type).getValue();
    if (!mayEqual(actual, expected))
      return declaredAt(emitOpError("expected the default ")
                            << symbol << " of method \"" << name << "\" to have type " << expected
                            << ", got " << actual,
                        function.getLoc());
  }
  return success();
}

/// Returns the type of a method for the conforming type of a table. The table's associated types
/// are replaced.
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

/// Checks that the function that implements a method exists and has the method's type.
static LogicalResult checkImplementation(WitnessTableOp table, SymbolTableCollection &symbols,
                                         StringRef method, FunctionType declared,
                                         FlatSymbolRefAttr symbol) {
  func::FuncOp function = lookUpFunction(table, symbols, symbol);
  if (!function)
    return failure();
  ArrayRef<Attribute> params = declaredParams(function);
  ArrayAttr tableParams = table.getTypeParams();
  if (!params.empty() && params.size() != tableParams.size())
    return declaredAt(table.emitOpError("expected ")
                          << symbol << ", which implements method \"" << method
                          << "\", to have the " << tableParams.size()
                          << " type parameter(s) of the table or none, got " << params.size(),
                      function.getLoc());
  TypeMap renamed;
  for (auto [param, name] : llvm::zip(params, tableParams.getAsRange<StringAttr>()))
    renamed[cast<TypeParamAttr>(param).getName().getValue()] =
        ParamType::get(table.getContext(), name);
  Type actual = substitute(function.getFunctionType(), renamed);
  Type expected = methodType(table, declared);
  if (mayEqual(actual, expected))
    return success();
  return declaredAt(table.emitOpError("expected ")
                        << symbol << ", which implements method \"" << method << "\" for "
                        << table.getConforming() << ", to have type " << expected << ", got "
                        << actual,
                    function.getLoc());
}

/// Checks that the conforming type determines each type parameter of the table.
static LogicalResult checkConformingType(WitnessTableOp table) {
  llvm::SmallSet<StringRef, 4> determined;
  bool associated = false;
  AttrTypeWalker walker;
  walker.addWalk([&](ParamType param) { determined.insert(param.getName().getValue()); });
  walker.addWalk([&](AssocType) { associated = true; });
  walker.walk(table.getConforming());
  if (associated)
    return table.emitOpError("cannot have an associated type in its conforming type ")
           << table.getConforming() << "; write the concrete type";
  for (StringRef name : table.getTypeParams().getAsValueRange<StringAttr>())
    if (!determined.contains(name))
      return table.emitOpError("has type parameter \"")
             << name << "\", which does not occur in its conforming type " << table.getConforming();
  return success();
}

LogicalResult WitnessTableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ProtocolOp protocol = lookUpProtocol(*this, symbols, getProtocolAttr());
  if (!protocol || failed(checkConformingType(*this)))
    return failure();
  auto mismatch = [&](const Twine &problem, StringRef name, const Twine &reason) {
    InFlightDiagnostic error = emitOpError(problem) << " \"" << name << "\"" << reason;
    error.attachNote(protocol.getLoc()) << getProtocolAttr() << " is declared here";
    return error;
  };
  for (StringRef name : getAssocNames().getAsValueRange<StringAttr>())
    if (indexOf(protocol.getAssocNames(), name) < 0)
      return mismatch("defines associated type", name, ", which the protocol does not declare");
  for (StringRef name : protocol.getAssocNames().getAsValueRange<StringAttr>())
    if (indexOf(getAssocNames(), name) < 0)
      return mismatch("does not define associated type", name,
                      " of the protocol; add '" + name + ": type'");
  for (auto [name, symbol] :
       llvm::zip(getMethodNames().getAsValueRange<StringAttr>(), getMethods())) {
    int64_t index = indexOf(protocol.getMethodNames(), name);
    if (index < 0)
      return mismatch("implements method", name, ", which the protocol does not declare");
    auto declared = cast<FunctionType>(cast<TypeAttr>(protocol.getMethodTypes()[index]).getValue());
    auto function = cast<FlatSymbolRefAttr>(symbol);
    // A flat protocol declares types whose leaves the functions have; the verifier cannot flatten
    // a type.
    if (protocol.getFlat() ? !lookUpFunction(*this, symbols, function)
                           : failed(checkImplementation(*this, symbols, name, declared, function)))
      return failure();
  }
  for (auto [name, implementation] : llvm::zip(
           protocol.getMethodNames().getAsValueRange<StringAttr>(), protocol.getMethodDefaults()))
    if (isa<UnitAttr>(implementation) && indexOf(getMethodNames(), name) < 0)
      return mismatch("does not implement method", name,
                      " of the protocol, which has no default; add '" + name + " = @function'");
  return success();
}
