// RUN: tfx-opt %s --tfx-sese=keep-cfg=true | FileCheck %s --check-prefix=KEPT
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{keep-cfg=true}),tfx-verify-structured)' | FileCheck %s
// RUN: tfx-opt %s --tfx-sese=keep-cfg=true --mlir-print-debuginfo -o %t.mlir
// RUN: tfx-opt %t.mlir --tfx-verify-structured | FileCheck %s
// RUN: sed 's/arith.addi %/arith.subi %/' %t.mlir > %t.other.mlir
// RUN: not tfx-opt %t.other.mlir --tfx-verify-structured 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed -E 's/(scf.yield %[0-9]+), (%[0-9]+) : i32, i32/\1, %%c1_i32 : i32, i32/' %t.mlir > %t.value.mlir
// RUN: not tfx-opt %t.value.mlir --tfx-verify-structured 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: tfx-opt %s --tfx-sese | %tfx-opt --tfx-verify-structured 2>&1 | FileCheck %s --check-prefix=NOTHING

// tfx-sese can store the original control-flow graph in the function, also in a file. The pass
// reads and removes it.

// KEPT: func.func @sum{{.*}} attributes {tfx.cfg = "
// CHECK-NOT: tfx.cfg
// CHECK: scf.while

// A different operation and a different value are rejected.

// OTHER: error: internal error: the structured form of this function is wrong: 'arith.subi'
// VALUE: error: internal error: the structured form of this function is wrong: it reads

// A structured function without its original is reported.

// NOTHING: warning: this function cannot be verified: it does not contain its control-flow graph
// NOTHING: note: run tfx-sese{keep-cfg=true} before tfx-verify-structured

func.func @sum(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero, %zero : i32, i32)
^header(%i: i32, %s: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %s1 = arith.addi %s, %i : i32
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %s1 : i32, i32)
^exit:
  return %s : i32
}
