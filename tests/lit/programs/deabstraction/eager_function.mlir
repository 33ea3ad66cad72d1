// Without the eager operation, `@rows`, which is called twice, would be a graph function. With it, it is inlined like any other
// function that mixes host and tensor code, so all of `@main` is one program, started once.
//
// RUN: tfxc run %s --dynamic=host 2>/dev/null | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --dynamic=host --executor tensorflow 2>/dev/null | FileCheck %s %}
// RUN: tfxc run %s --dynamic=host --stats 2>&1 | FileCheck %s --check-prefix=STATS
//
// CHECK:      y = [ 3. 12.]
// CHECK-NEXT: z = [ 6. 24.]
//
// STATS: program main_Sum, started once
// STATS: program main_Sum_2, started once
// STATS: program main_graph, started once

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

func.func @main() -> (tensor<?xf32> {tfx.name = "y"}, tensor<?xf32> {tfx.name = "z"}) {
  %x = tfx_tensor.const dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %y = func.call @rows(%x) : (tensor<2x3xf32>) -> tensor<?xf32>
  %double = tfx_tensor.op "AddV2"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = func.call @rows(%double) : (tensor<2x3xf32>) -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
