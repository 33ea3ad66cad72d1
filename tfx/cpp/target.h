//===- target.h - initialization of LLVM's target of this machine ---------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_TARGET_H
#define TFX_TARGET_H

#include "llvm/Support/TargetSelect.h"

/// Initializes the target. Threads may call it at once, unlike LLVM's functions: two threads that
/// add a target to LLVM's list make the list a cycle.
inline void initializeTarget() {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmParser();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
}

#endif // TFX_TARGET_H
