// Parts are processed separately; an error in one of them does not affect the others.
// RUN: not %tfx-opt --split-input-file %s 2> %t.errors | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.errors
// RUN: %tfx-opt --split-input-file='// +++' --output-split-marker='// ===' %S/Inputs/parts.mlir \
// RUN:   | FileCheck %s --check-prefix=MARKER

// CHECK: func.func private @first
// CHECK: // -----
// CHECK: func.func private @third
func.func private @first()

// -----

// ERROR: split-input-file.mlir:[[@LINE+1]]:1: error: Dialect `no' not found for custom op 'no.such'
no.such

// -----

func.func private @third()

// MARKER: func.func private @one
// MARKER: // ===
// MARKER: func.func private @two
