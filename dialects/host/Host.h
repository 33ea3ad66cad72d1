//===- Host.h - the tfx_host dialect ---------------------------------*- C++ -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_DIALECTS_HOST_H
#define TFX_DIALECTS_HOST_H

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

#include "HostDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "HostTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "HostAttrs.h.inc"

#define GET_OP_CLASSES
#include "HostOps.h.inc"

#endif // TFX_DIALECTS_HOST_H
