//===- StreamTypes.cpp - the C API of the types of tfx_stream ----------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../stream/Stream.h"

#include "mlir/CAPI/IR.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::stream;

TfxStreamType tfxStreamTypeRead(MlirType type) {
  auto memory = [](TfxStreamTypeKind kind, auto type) {
    return TfxStreamType{kind, uint32_t(type.getSpace()), type.getNumber(), type.getSize()};
  };
  return TypeSwitch<Type, TfxStreamType>(unwrap(type))
      .Case([](StreamType stream) {
        return TfxStreamType{TfxStreamTypeStream, uint32_t(stream.getDevice()), stream.getNumber(),
                             0};
      })
      .Case([](EventType) { return TfxStreamType{TfxStreamTypeEvent, 0, 0, 0}; })
      .Case([](ValueType) { return TfxStreamType{TfxStreamTypeValue, 0, 0, 0}; })
      .Case([&](BufferType buffer) { return memory(TfxStreamTypeBuffer, buffer); })
      .Case([&](ArenaType arena) { return memory(TfxStreamTypeArena, arena); })
      .Default(TfxStreamType{TfxStreamTypeNone, 0, 0, 0});
}
