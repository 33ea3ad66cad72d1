// A loop whose only exit is an abort. Structuring makes its condition constant, and the values that
// the loop yields after the abort are unused. Both sides have the branch, so their values are
// compared region by region, except in the region that is cancelled.
//
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s
// RUN: not tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: tfx-opt %s --tfx-extract 2>/dev/null | not tfxc interpret - --schedule graph 2 2>&1 | FileCheck %s --check-prefix=ENDS
//
// CHECK-NOT:   error
// CHECK-LABEL: tfx_tensor.graph @main.graph
// CHECK:         scf.condition(%true)
// CHECK:         tfx_host.undef
// CHECK-LABEL: func.func @main
// CHECK:         tfx_comm.terminate
// CHECK-NEXT:    tfx_host.abort
//
// ENDS: [3 3 3 3]
// ENDS: error: no more

func.func @main(%n: i32) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = tfx_tensor.const dense<3> : tensor<4xi32>
  cf.br ^head(%zero : i32)
^head(%i: i32):
  %go = arith.cmpi slt, %i, %one : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j : i32)
^exit:
  %c = tfx_tensor.from_scalar %one : i32
  %y = tfx_tensor.op "Mul"(%x, %c) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  tfx_host.print "{}"(%y) : tensor<4xi32>
  tfx_host.abort "no more"
  tfx_host.unreachable
}
