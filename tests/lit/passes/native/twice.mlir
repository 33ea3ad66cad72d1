// A second run finds no new clusters. The operations of the first cluster, which end a level each
// time that one follows an interpreted operation, are one call afterwards: `r1` and `r2` are on
// different levels in the first run, and must not come to one level in the second.
//
// RUN: tfx-opt %s --tfx-cluster-native -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: tfx-opt %t.once.mlir --tfx-cluster-native | diff %t.once.mlir -

// CHECK-COUNT-1: tfx_tensor.call @g.native
// CHECK-NOT:     tfx_tensor.call
tfx_tensor.graph @g(%t: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %a0 = tfx_tensor.op "GatherV2"(%t, %i, %axis) : (tensor<4xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4xf32>
  %c1 = tfx_tensor.op "Exp"(%a0) : (tensor<4xf32>) -> tensor<4xf32>
  %c2 = tfx_tensor.op "Mul"(%c1, %c1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c3 = tfx_tensor.op "Sub"(%c2, %c1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a1 = tfx_tensor.op "GatherV2"(%c3, %i, %axis) : (tensor<4xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4xf32>
  %r1 = tfx_tensor.op "Neg"(%a1) : (tensor<4xf32>) -> tensor<4xf32>
  %r2 = tfx_tensor.op "Tanh"(%a0) : (tensor<4xf32>) -> tensor<4xf32>
  %sum = tfx_tensor.op "AddV2"(%r1, %r2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %sum : tensor<4xf32>
}
