//===- Ad.h - the tfx_ad dialect -------------------------------------*- C++ -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_DIALECTS_AD_H
#define TFX_DIALECTS_AD_H

#include "../host/Host.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "AdDialect.h.inc"

#include "AdEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "AdTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "AdAttrs.h.inc"

#define GET_OP_CLASSES
#include "AdOps.h.inc"

#endif // TFX_DIALECTS_AD_H
