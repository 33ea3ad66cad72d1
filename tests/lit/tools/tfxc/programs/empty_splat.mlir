// A constant without elements may be a splat, which has no element to store.

// RUN: tfxc run %s | FileCheck %s
// RUN: tfxc run --executor embedded %s | FileCheck %s

// CHECK: [] (shape 0) 3
func.func @main() {
  %empty = tfx_tensor.const dense<false> : tensor<0xi1>
  %full = tfx_tensor.const dense<true> : tensor<3xi1>
  %both = tfx_tensor.op "LogicalNot"(%empty) : (tensor<0xi1>) -> tensor<0xi1>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %all = tfx_tensor.op "ConcatV2"(%both, %full, %axis) : (tensor<0xi1>, tensor<3xi1>, tensor<i32>) -> tensor<3xi1>
  %size = tfx_tensor.op "Size"(%all) {out_type = i32} : (tensor<3xi1>) -> tensor<i32>
  tfx_host.print "{} {}"(%both, %size) : tensor<0xi1>, tensor<i32>
  return
}
