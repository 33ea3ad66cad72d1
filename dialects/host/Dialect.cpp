//===- Dialect.cpp - registration of the tfx_host dialect --------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The generated definitions, and the verifier of the attributes that the dialect puts on operations
// of other dialects.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::host;

#include "HostDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "HostTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "HostAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "HostOps.cpp.inc"

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

LogicalResult TfxHostDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kTypeParams)
    return op->emitError() << "'" << attribute.getName().getValue()
                           << "' is not an attribute of the tfx_host dialect; expected '"
                           << kTypeParams << "'";
  auto params = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!params || !llvm::all_of(params, llvm::IsaPred<TypeParamAttr>))
    return op->emitError() << "expected '" << kTypeParams
                           << "' to be an array of #tfx_host.type_param<\"Name\">, got "
                           << attribute.getValue();
  llvm::SmallSet<StringRef, 4> seen;
  for (auto param : params.getAsRange<TypeParamAttr>())
    if (!seen.insert(param.getName().getValue()).second)
      return op->emitError() << "type parameter \"" << param.getName().getValue()
                             << "\" is declared twice";
  return success();
}
