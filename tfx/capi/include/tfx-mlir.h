/*===- tfx-mlir.h - registration of tfx with the MLIR of a tool -----------===*/
/* Part of tfx, under the Apache License v2.0 with LLVM Exceptions.         */
/*                                                                          */
/* For tools that link MLIR 22 statically, along with libtfx_mlir.a. The    */
/* dialect handles are in tfx_dialects.h. docs/c-api.md has an example.     */
/*===----------------------------------------------------------------------===*/

#ifndef TFX_MLIR_H
#define TFX_MLIR_H

#include "tfx_dialects.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the dialects of tfx to a registry. Programs also use dialects of upstream: arith, cf, func,
 * index, math, scf and tensor; the pass tfx-lower-host uses llvm. */
void tfxRegisterAllDialects(MlirDialectRegistry registry);

/* Registers the passes and pipelines of tfx, not those of upstream. The pipelines also use passes
 * of upstream, which the tool registers (mlir::registerAllPasses). Further calls have no effect. */
void tfxRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* TFX_MLIR_H */
