// RUN: not tfxc interpret %s 4 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// RUN: not tfxc run %s 4 2>%t.err | FileCheck %s --check-prefix=PRINTED
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: %if tensorflow %{ not tfxc run %s 4 --executor tensorflow 2>%t.err | FileCheck %s --check-prefix=PRINTED %}
// RUN: %if tensorflow %{ FileCheck %s --check-prefix=ERROR --input-file=%t.err %}
// RUN: tfx-opt --tfx-extract %s | FileCheck %s --check-prefix=SIDES
//
// To MLIR a remainder is pure, although one by zero has no value. It keeps its order, as a quotient does:
// values that the host prints before it cross by messages, and a loop computes it after its own effects.

// INTERPRETED:      before 4
// INTERPRETED-NEXT: shown [0 0]
// INTERPRETED-NEXT: error: division by zero
// PRINTED:          before 4
// PRINTED-NEXT:     shown [0 0]
// PRINTED-NOT:      remainder
// ERROR:            remainder_at_the_end.mlir:[[#@LINE+20]]:{{[0-9]+}}: error: Integer division by zero
// SIDES-LABEL: tfx_tensor.graph
// SIDES:         tfx_comm.send {{.*}} to 0
// SIDES:         scf.while
// SIDES:           arith.remui
// SIDES:           tfx_comm.send
func.func @main(%n: i32) {
  %x = tfx_tensor.from_scalar %n : i32
  %ones = tfx_tensor.const dense<1> : tensor<2xi32>
  %many = tfx_tensor.op "Mul"(%ones, %x) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %zeros = tfx_tensor.op "Sub"(%many, %x) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %max = tfx_tensor.op "Max"(%zeros, %axis) : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %divisor = tfx_tensor.to_scalar %max : tensor<i32> -> i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %two step %one : i32 {
    tfx_host.print "before {}"(%n) : i32
    tfx_host.print "shown {}"(%zeros) : tensor<2xi32>
    %remainder = arith.remui %one, %divisor : i32
    %t = tfx_tensor.from_scalar %remainder : i32
    %r = tfx_tensor.op "AddV2"(%zeros, %t) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    tfx_host.print "remainder {}"(%r) : tensor<2xi32>
  }
  return
}
