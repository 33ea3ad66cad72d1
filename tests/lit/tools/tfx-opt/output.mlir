// An error leaves the output file unchanged, and creates none.
// RUN: echo before > %t.txt
// RUN: not %tfx-opt %S/Inputs/unexpected.mlir -o %t.txt 2> %t.errors
// RUN: FileCheck %s --check-prefix=BEFORE < %t.txt
// RUN: rm -f %t.new
// RUN: not %tfx-opt %S/Inputs/unexpected.mlir -o %t.new 2> %t.errors
// RUN: not ls %t.new

// The input may be the output.
// RUN: cp %s %t.mlir
// RUN: %tfx-opt --cse %t.mlir -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// RUN: not %tfx-opt %s -o %t.no-such-folder/out.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not %tfx-opt %s -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL

// BEFORE: before
// FOLDER: cannot open output file '{{.*}}.no-such-folder/out.mlir': No such file or directory
// FULL: /dev/full
// FULL-SAME: No space left on device

// CHECK: func.func @f
func.func @f(%a: i32) -> i32 {
  return %a : i32
}
