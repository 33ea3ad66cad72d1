//===- Dialects.cpp - the dialect handles of the C API -----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tfx_dialects.h"

#include "../ad/Ad.h"
#include "../comm/Comm.h"
#include "../host/Host.h"
#include "../stream/Stream.h"
#include "../tensor/Tensor.h"

#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TfxHost, tfx_host, tfx::host::TfxHostDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TfxTensor, tfx_tensor, tfx::tensor::TfxTensorDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TfxComm, tfx_comm, tfx::comm::TfxCommDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TfxAd, tfx_ad, tfx::ad::TfxAdDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TfxStream, tfx_stream, tfx::stream::TfxStreamDialect)
