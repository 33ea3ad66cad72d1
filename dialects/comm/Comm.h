//===- Comm.h - the tfx_comm dialect ---------------------------------*- C++ -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_DIALECTS_COMM_H
#define TFX_DIALECTS_COMM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "../stream/Stream.h"

#include "CommDialect.h.inc"
#include "CommEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "CommTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "CommAttrs.h.inc"

#define GET_OP_CLASSES
#include "CommOps.h.inc"

#endif // TFX_DIALECTS_COMM_H
