//===- Channels.cpp - the C API of #tfx_comm.channel -------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../comm/Comm.h"

#include "mlir/CAPI/IR.h"

using namespace mlir;
using namespace tfx::comm;

MlirAttribute tfxCommChannelAttrGet(TfxCommChannel channel) {
  Type type = unwrap(channel.type);
  Direction direction = channel.toHost ? Direction::to_host : Direction::to_graph;
  return wrap(ChannelAttr::get(type.getContext(), channel.id, direction, type, channel.capacity));
}

bool tfxCommChannelAttrRead(MlirAttribute attribute, TfxCommChannel *channel) {
  auto found = dyn_cast<ChannelAttr>(unwrap(attribute));
  if (!found)
    return false;
  *channel = {found.getId(), found.getDirection() == Direction::to_host, wrap(found.getType()),
              found.getCapacity()};
  return true;
}
