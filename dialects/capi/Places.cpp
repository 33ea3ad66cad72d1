//===- Places.cpp - the C API of #tfx_comm.place -----------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../comm/Comm.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace tfx::comm;

bool tfxCommPlaceAttrRead(MlirAttribute attribute, TfxCommPlace *place) {
  auto found = dyn_cast<PlaceAttr>(unwrap(attribute));
  if (!found)
    return false;
  StringRef role = found.getRole() ? found.getRole().getValue() : StringRef();
  *place = {uint32_t(found.getDevice()), found.getNumber(), wrap(role)};
  return true;
}
