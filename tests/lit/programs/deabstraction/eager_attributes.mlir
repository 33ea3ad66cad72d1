// Attributes that are known only at run time: a boolean and an array that come from parameters, and a boolean that the graph computes. The eager
// operation receives a value of the graph, and its result is sent back.
//
// RUN: tfxc run %s --dynamic=host true 0 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: tfxc run %s --dynamic=host false -1 2>/dev/null | FileCheck %s --check-prefixes=CHECK,LAST
// RUN: %if tensorflow %{ tfxc run %s --dynamic=host --executor tensorflow true 0 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FIRST %}
// RUN: %if tensorflow %{ tfxc run %s --dynamic=host --executor tensorflow false -1 2>/dev/null | FileCheck %s --check-prefixes=CHECK,LAST %}
// RUN: tfxc run %s --dynamic=host true 0 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not tfxc run %s --dynamic=host true 1 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %if tensorflow %{ not tfxc run %s --dynamic=host --executor tensorflow true 1 2>&1 | FileCheck %s --check-prefix=BAD %}
//
// CHECK:      rows [ 3. 12.]
// FIRST-NEXT: sum = {{\[\[}}15.]]
// FIRST-NEXT: squeezed = {{\[\[\[}}0.]
// LAST-NEXT:  sum = 15.0
// LAST-NEXT:  squeezed = {{\[\[\[}}0. 1. 2.]
//
// STATS: program main_Squeeze, started once
// STATS: program main_Sum, started once
// STATS: program main_Sum_2, started once
// STATS: objects, closures and arrays: 1 created, 0 not freed, with 0 tensors
//
// BAD: eager_attributes.mlir:[[# @LINE + 25]]:15: error: {{.*}}(operation Squeeze)

func.func private @rows(%x: tensor<2x3xf32>) -> tensor<?xf32> {
  %axes = tfx_tensor.const dense<0> : tensor<i32>
  %max = tfx_tensor.op "Max"(%x, %axes) : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %least = tfx_tensor.op "Min"(%max, %axes) : (tensor<3xf32>, tensor<i32>) -> tensor<f32>
  %size = tfx_tensor.to_scalar %least : tensor<f32> -> f32
  %three = arith.constant 3.0 : f32
  %keep = arith.cmpf oeq, %size, %three : f32
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %y = tfx_tensor.op "Sum"(%x, %one) computed(keep_dims = %keep : i1) : (tensor<2x3xf32>, tensor<i32>) -> tensor<*xf32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %z = tfx_tensor.op "Reshape"(%y, %flat) : (tensor<*xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

func.func @main(%keep: i1, %axis: i32) -> (tensor<*xf32> {tfx.name = "sum"}, tensor<?x?x?xf32> {tfx.name = "squeezed"}) {
  %x = tfx_tensor.const dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %r = func.call @rows(%x) : (tensor<2x3xf32>) -> tensor<?xf32>
  tfx_host.print "rows {}"(%r) : tensor<?xf32>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %sum = tfx_tensor.op "Sum"(%x, %axes) computed(keep_dims = %keep : i1) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  %shape = tfx_tensor.const dense<[1, 2, 3, 1]> : tensor<4xi32>
  %image = tfx_tensor.op "Reshape"(%x, %shape) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<1x2x3x1xf32>
  %dims = tfx_host.array(%axis) : !tfx_host.array<i32>
  %squeezed = tfx_tensor.op "Squeeze"(%image) computed(squeeze_dims = %dims : !tfx_host.array<i32>) : (tensor<1x2x3x1xf32>) -> tensor<?x?x?xf32>
  return %sum, %squeezed : tensor<*xf32>, tensor<?x?x?xf32>
}
