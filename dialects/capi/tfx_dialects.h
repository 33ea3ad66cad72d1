/*===- tfx_dialects.h - the dialects for users of MLIR's C API -----------===*/
/* Part of tfx, under the Apache License v2.0 with LLVM Exceptions.         */
/*===----------------------------------------------------------------------===*/

#ifndef TFX_DIALECTS_H
#define TFX_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__tfx_host__(), and so on: see mlir-c/IR.h for what a handle can do. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxHost, tfx_host);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxTensor, tfx_tensor);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxComm, tfx_comm);

#ifdef __cplusplus
}
#endif

#endif /* TFX_DIALECTS_H */
