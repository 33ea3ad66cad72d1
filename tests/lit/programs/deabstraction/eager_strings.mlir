// Attributes that are known only at run time, with dynamic=host: a string, and arrays. TensorFlow's registry checks them when they are known.
//
// REQUIRES: tensorflow
// RUN: tfxc run %s --dynamic=host --executor tensorflow SAME 1 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s --dynamic=host --executor tensorflow VALID 2 2>/dev/null | FileCheck %s --check-prefix=VALID
// RUN: not tfxc run %s --dynamic=host --executor tensorflow WIDE 1 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tfxc run %s --dynamic=host --executor tensorflow SAME 0 2>&1 | FileCheck %s --check-prefix=STRIDE
//
// SAME:      pooled = {{\[\[\[\[}}4.]
// SAME-NEXT: [5.]
// SAME-NEXT: [5.]]]]
// VALID:     pooled = {{\[\[\[\[}}4.]]]]
// WIDE:      eager_strings.mlir:[[# @LINE + 12]]:13: error: attribute "padding" of "MaxPool" cannot be "WIDE"; it can be "SAME", "VALID", "EXPLICIT"
// STRIDE:    eager_strings.mlir:[[# @LINE + 11]]:13: error: Stride must be > 0, but got 0

func.func @main(%padding: !tfx_host.string, %stride: i32) -> (tensor<?x?x?x?xf32> {tfx.name = "pooled"}) {
  %x = tfx_tensor.const dense<[[[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]]]]> : tensor<1x2x3x1xf32>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %window = tfx_host.array(%one, %two, %two, %one) : !tfx_host.array<i32>
  %strides = tfx_host.array(%one, %two, %stride, %one) : !tfx_host.array<i32>
  // The window is a constant, and is folded.
  %none = tfx_tensor.const dense<0.0> : tensor<f32>
  %y = tfx_tensor.op "AddV2"(%x, %none) : (tensor<1x2x3x1xf32>, tensor<f32>) -> tensor<1x2x3x1xf32>
  %pooled = tfx_tensor.op "MaxPool"(%y)
    computed(ksize = %window : !tfx_host.array<i32>, strides = %strides : !tfx_host.array<i32>, padding = %padding : !tfx_host.string)
    : (tensor<1x2x3x1xf32>) -> tensor<?x?x?x?xf32>
  return %pooled : tensor<?x?x?x?xf32>
}
