// RUN: tfx-translate --mlir-to-llvmir %s | FileCheck %s

// CHECK: define i32 @add(i32 %0, i32 %1)
// CHECK: add i32 %0, %1
llvm.func @add(%a: i32, %b: i32) -> i32 {
  %c = llvm.add %a, %b : i32
  llvm.return %c : i32
}
