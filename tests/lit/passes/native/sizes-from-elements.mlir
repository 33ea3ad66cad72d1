// An operation whose result has a size that depends on the elements of a tensor is interpreted. What
// follows it is compiled, and each operation that is not has a reason.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s
// RUN: tfxc run %s 3 --executor embedded > %t.embedded && tfxc run %s 3 | diff %t.embedded -
// RUN: tfxc run %s 0 --executor embedded > %t.embedded && tfxc run %s 0 | diff %t.embedded -
// RUN: tfxc run %s 3 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS

// STATS: native code: 1 calls{{$}}

func.func @main(%n: i32) -> tensor<?x3xf32> {
  %rows = tfx_tensor.from_scalar %n : i32
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %three = tfx_tensor.const dense<3> : tensor<i32>
  // CHECK-DAG: [[#@LINE+1]]:12: remark: not compiled to native code: too few operations next to it can be compiled for a call to be worth it
  %shape = tfx_tensor.op "Pack"(%rows, %three) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  // CHECK-DAG: [[#@LINE+1]]:8: remark: not compiled to native code: the size of its result depends on the elements of a tensor
  %x = tfx_tensor.op "Fill"(%shape, %two) : (tensor<2xi32>, tensor<f32>) -> tensor<?x3xf32>
  // CHECK-DAG: [[#@LINE+1]]:8: remark: a cluster of native code starts here: 3 operations
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %z = tfx_tensor.op "Sub"(%y, %two) : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  %square = tfx_tensor.op "Square"(%z) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %square : tensor<?x3xf32>
}
