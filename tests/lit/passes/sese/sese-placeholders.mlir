// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{verify=true}))' | FileCheck %s
//
// The placeholder for the result of an aborting path is a zero of the function itself: extracting
// the function again would merge equal constants.

// CHECK-LABEL: func.func @main
// CHECK-NOT:   tfx_tensor.const
// CHECK:       %[[ZERO:.*]] = tfx_tensor.const dense<0> : tensor<4xi32>
// CHECK-NOT:   tfx_tensor.const
// CHECK:       tfx_host.print "zero {}"(%[[ZERO]])
// CHECK:       return %[[ZERO]]
func.func @main(%either: i1) -> tensor<4xi32> {
  %zero = tfx_tensor.const dense<0> : tensor<4xi32>
  tfx_host.print "zero {}"(%zero) : tensor<4xi32>
  cf.cond_br %either, ^stop(%zero : tensor<4xi32>), ^stop(%zero : tensor<4xi32>)
^stop(%x: tensor<4xi32>):
  tfx_host.print "stop"()
  tfx_host.abort "stop"
  tfx_host.unreachable
}
