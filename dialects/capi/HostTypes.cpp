//===- HostTypes.cpp - the C API of the tfx_host types -----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../host/Host.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::host;

using HostEnumType = tfx::host::EnumType;

TfxHostTypeKind tfxHostTypeGetKind(MlirType type) {
  return llvm::TypeSwitch<Type, TfxHostTypeKind>(unwrap(type))
      .Case<RefType>([](auto) { return TfxHostTypeRef; })
      .Case<StructType>([](auto) { return TfxHostTypeStruct; })
      .Case<HostEnumType>([](auto) { return TfxHostTypeEnum; })
      .Case<ParamType>([](auto) { return TfxHostTypeParam; })
      .Case<AssocType>([](auto) { return TfxHostTypeAssoc; })
      .Case<ClosureType>([](auto) { return TfxHostTypeClosure; })
      .Case<ArrayType>([](auto) { return TfxHostTypeArray; })
      .Case<ObjectType>([](auto) { return TfxHostTypeObject; })
      .Case<AnyType>([](auto) { return TfxHostTypeAny; })
      .Case<tfx::host::StringType>([](auto) { return TfxHostTypeString; })
      .Case<QueueType>([](auto) { return TfxHostTypeQueue; })
      .Default([](Type) { return TfxHostTypeNone; });
}

MlirStringRef tfxHostTypeGetName(MlirType type) {
  return wrap(llvm::TypeSwitch<Type, StringRef>(unwrap(type))
                  .Case<StructType, HostEnumType, ObjectType>(
                      [](auto nominal) { return nominal.getDeclaration().getValue(); })
                  .Case<AnyType>([](AnyType any) { return any.getProtocol().getValue(); })
                  .Case<ParamType, AssocType>([](auto param) { return param.getName().getValue(); })
                  .Default([](Type) { return StringRef(); }));
}

MlirStringRef tfxHostTypeGetProtocol(MlirType type) {
  return wrap(llvm::TypeSwitch<Type, StringRef>(unwrap(type))
                  .Case<AnyType, AssocType>([](auto of) { return of.getProtocol().getValue(); })
                  .Default([](Type) { return StringRef(); }));
}

bool tfxHostTypeIsEscaping(MlirType type) {
  auto closure = dyn_cast<ClosureType>(unwrap(type));
  return closure && closure.getEscaping();
}

static SmallVector<Type> argumentsOf(Type type) {
  return llvm::TypeSwitch<Type, SmallVector<Type>>(type)
      .Case<StructType, HostEnumType, ObjectType>(
          [](auto nominal) { return SmallVector<Type>(nominal.getArguments()); })
      .Case<RefType>([](RefType ref) { return SmallVector<Type>{ref.getPointee()}; })
      .Case<ArrayType>([](ArrayType array) { return SmallVector<Type>{array.getElement()}; })
      .Case<QueueType>([](QueueType queue) { return SmallVector<Type>(queue.getElements()); })
      .Case<AssocType>([](AssocType assoc) { return SmallVector<Type>{assoc.getBase()}; })
      .Case<ClosureType>(
          [](ClosureType closure) { return SmallVector<Type>{closure.getSignature()}; })
      .Default([](Type) { return SmallVector<Type>(); });
}

intptr_t tfxHostTypeGetNumArguments(MlirType type) { return argumentsOf(unwrap(type)).size(); }
MlirType tfxHostTypeGetArgument(MlirType type, intptr_t index) {
  return wrap(argumentsOf(unwrap(type))[index]);
}

MlirType tfxHostRefTypeGet(MlirType pointee) {
  return wrap(RefType::get(unwrap(pointee).getContext(), unwrap(pointee)));
}

MlirType tfxHostArrayTypeGet(MlirType element) {
  return wrap(ArrayType::get(unwrap(element).getContext(), unwrap(element)));
}

MlirType tfxHostClosureTypeGet(MlirType signature, bool escaping) {
  auto function = cast<FunctionType>(unwrap(signature));
  return wrap(ClosureType::get(function.getContext(), function, escaping));
}

MlirType tfxHostNominalTypeGet(MlirType type, MlirStringRef declaration) {
  MLIRContext *context = unwrap(type).getContext();
  auto name = FlatSymbolRefAttr::get(context, unwrap(declaration));
  return wrap(llvm::TypeSwitch<Type, Type>(unwrap(type))
                  .Case<StructType, HostEnumType, ObjectType>(
                      [&](auto nominal) { return decltype(nominal)::get(context, name, {}); }));
}

MlirType tfxHostTypeSubstitute(MlirType type, intptr_t count, const MlirStringRef *names,
                               const MlirType *types) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ParamType param) -> std::optional<Type> {
    for (intptr_t i = 0; i < count; ++i)
      if (param.getName().getValue() == unwrap(names[i]))
        return unwrap(types[i]);
    return std::nullopt;
  });
  return wrap(replacer.replace(unwrap(type)));
}

bool tfxAttributeIsATypeParam(MlirAttribute attribute) {
  return isa<TypeParamAttr>(unwrap(attribute));
}
MlirStringRef tfxTypeParamAttrGetName(MlirAttribute attribute) {
  return wrap(cast<TypeParamAttr>(unwrap(attribute)).getName().getValue());
}
intptr_t tfxTypeParamAttrGetNumProtocols(MlirAttribute attribute) {
  return cast<TypeParamAttr>(unwrap(attribute)).getProtocols().size();
}
MlirStringRef tfxTypeParamAttrGetProtocol(MlirAttribute attribute, intptr_t index) {
  return wrap(cast<TypeParamAttr>(unwrap(attribute)).getProtocols()[index].getValue());
}

void tfxAttributeWalkTypes(MlirAttribute attribute, void (*visit)(void *data, MlirType type),
                           void *data) {
  AttrTypeWalker walker;
  walker.addWalk([&](Type type) { visit(data, wrap(type)); });
  walker.walk(unwrap(attribute));
}
