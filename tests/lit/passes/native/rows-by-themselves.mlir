// The memory of rows holds all of them if a step after the group reads them, even if the group
// multiplies them by themselves.
//
// RUN: tfxc run %s 3000 --executor embedded > %t.embedded && tfxc run %s 3000 --executor native | diff %t.embedded -
// RUN: tfxc run %s 3000 --executor native | FileCheck %s
//
// CHECK: [ -4500. -12000. -21000.] {{\[\[}}  4500.  -7500.  -7500.]

!M = tensor<?x3xf32>

func.func @main(%n: i32 {tfx.name = "n"}) {
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %row = tfx_tensor.const dense<[1, 2, 4]> : tensor<3xi32>
  %three = tfx_tensor.const dense<3.0> : tensor<f32>
  %limit = tfx_tensor.from_scalar %n : i32
  %numbers = tfx_tensor.op "Range"(%first, %limit, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %column = tfx_tensor.op "ExpandDims"(%numbers, %one) : (tensor<?xi32>, tensor<i32>) -> tensor<?x1xi32>
  %table = tfx_tensor.op "BitwiseAnd"(%column, %row) : (tensor<?x1xi32>, tensor<3xi32>) -> tensor<?x3xi32>
  %floats = tfx_tensor.op "Cast"(%table) : (tensor<?x3xi32>) -> !M
  %w = tfx_tensor.const dense<[[1.0, 2.0, 0.0], [-1.0, 1.0, 3.0], [0.0, 1.0, -2.0]]> : tensor<3x3xf32>
  %x = tfx_tensor.op "MatMul"(%floats, %w) : (!M, tensor<3x3xf32>) -> !M

  // The largest row is known at the end of the group, so that %d comes after it.
  %largest = tfx_tensor.op "Max"(%x, %first) : (!M, tensor<i32>) -> tensor<3xf32>
  %d = tfx_tensor.op "Sub"(%x, %largest) : (!M, tensor<3xf32>) -> !M
  %sums = tfx_tensor.op "Sum"(%d, %first) : (!M, tensor<i32>) -> tensor<3xf32>
  %squares = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = true} : (!M, !M) -> tensor<3x3xf32>
  tfx_host.print "{} {}"(%sums, %squares) : tensor<3xf32>, tensor<3x3xf32>
  return
}
