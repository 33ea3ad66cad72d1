// The counter is never incremented, so the condition is constant: an error at the loop, and no executable.
//
// RUN: not tfxc run %s 2>&1 | FileCheck %s
// RUN: not tfxc build %s -o %t 2>&1 | FileCheck %s
// RUN: not test -e %t
// CHECK: never_ends.mlir:[[#@LINE+11]]:3: error: this loop is infinite: its condition is true in each iteration, and it has no observable effect
// CHECK: never_ends.mlir:[[#@LINE+12]]:9: note: it runs this operation in each iteration

!I = tensor<i32>
func.func @main() -> (!I {tfx.name = "a"}) {
  %limit = arith.constant 100 : i32
  %count = arith.constant 0 : i32
  %a0 = tfx_tensor.const dense<0> : !I
  cf.br ^header(%a0 : !I)
^header(%a: !I):
  %go = arith.cmpi slt, %count, %limit : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %a1 = tfx_tensor.op "AddV2"(%a, %a) : (!I, !I) -> !I
  cf.br ^header(%a1 : !I)
^exit:
  return %a : !I
}
