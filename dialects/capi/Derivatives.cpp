//===- Derivatives.cpp - the C API of the tfx_ad types and attributes --------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../ad/Ad.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace tfx::ad;

MlirType tfxAdTapeTypeGet(MlirType element) {
  return wrap(TapeType::get(unwrap(element).getContext(), unwrap(element)));
}

MlirType tfxAdTapeTypeGetElement(MlirType type) {
  auto tape = dyn_cast<TapeType>(unwrap(type));
  return wrap(tape ? tape.getElement() : Type());
}

static MlirStringRef nameOf(FlatSymbolRefAttr symbol) {
  return wrap(symbol ? symbol.getValue() : StringRef());
}

bool tfxAdRuleAttrRead(MlirAttribute attribute, TfxAdRule *rule) {
  auto read = dyn_cast<RuleAttr>(unwrap(attribute));
  if (!read)
    return false;
  *rule = {read.getWrt().data(), static_cast<intptr_t>(read.getWrt().size()),
           nameOf(read.getForward()), nameOf(read.getBackward()), nameOf(read.getJvp())};
  return true;
}

bool tfxAdCheckpointAttrRead(MlirAttribute attribute, TfxAdCheckpoint *checkpoint) {
  auto read = dyn_cast<CheckpointAttr>(unwrap(attribute));
  if (!read)
    return false;
  *checkpoint = {static_cast<TfxAdScheme>(read.getScheme()), read.getNumber()};
  return true;
}
