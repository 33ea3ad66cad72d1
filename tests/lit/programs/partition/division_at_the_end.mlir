// RUN: not tfxc interpret %s 4 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// RUN: not tfxc run %s 4 2>%t.err | FileCheck %s --check-prefix=PRINTED
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: %if tensorflow %{ not tfxc run %s 4 --executor tensorflow 2>%t.err | FileCheck %s --check-prefix=PRINTED %}
// RUN: %if tensorflow %{ FileCheck %s --check-prefix=ERROR --input-file=%t.err %}
// RUN: tfx-opt --tfx-extract %s | FileCheck %s --check-prefix=SIDES
//
// The division is scalar code, which the graph runs because it has the divisor. The host needs a value that it
// prints only after the last graph operation, but before a division that may fail: the value crosses by a
// message and not as a result, since a graph that fails has no results.

// INTERPRETED: shown [0 0]
// INTERPRETED: error: division by zero
// PRINTED:       shown [0 0]
// PRINTED-NOT:   quotient
// ERROR:       division_at_the_end.mlir:[[#@LINE+19]]:{{[0-9]+}}: error: Integer division by zero
// SIDES-LABEL: tfx_tensor.graph
// SIDES:         tfx_comm.send {{.*}} to 0
// SIDES:         [[Q:%.+]] = arith.divui
// SIDES-NEXT:    tfx_tensor.return [[Q]] : i32
// SIDES-LABEL: func.func @main
// SIDES:         [[TOLD:%.+]] = tfx_comm.recv {{.*}} from 0
// SIDES-NEXT:    tfx_host.print "shown {}"([[TOLD]])
// SIDES-NEXT:    tfx_comm.finish
func.func @main(%n: i32) {
  %x = tfx_tensor.from_scalar %n : i32
  %ones = tfx_tensor.const dense<1> : tensor<2xi32>
  %many = tfx_tensor.op "Mul"(%ones, %x) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %zeros = tfx_tensor.op "Sub"(%many, %x) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %max = tfx_tensor.op "Max"(%zeros, %axis) : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %divisor = tfx_tensor.to_scalar %max : tensor<i32> -> i32
  tfx_host.print "shown {}"(%zeros) : tensor<2xi32>
  %one = arith.constant 1 : i32
  %quotient = arith.divui %one, %divisor : i32
  tfx_host.print "quotient {}"(%quotient) : i32
  return
}
