// An iteration that replaces a row of an iteration argument does so in place, also if operations
// without effect forward the argument and the result: nothing copies the whole tensor.

// RUN: tfx-opt --tfx-lower-kernels=vector-bytes=16 %s | FileCheck %s

// CHECK-LABEL: func.func private @rows.code(
// CHECK:       scf.while
// CHECK:         scf.condition
// CHECK-NOT:     512
// CHECK:         call @tfx.kernel.1(
// CHECK-NOT:     512
// CHECK:         scf.yield
tfx_tensor.graph private @rows(%list: tensor<8x64xf32>, %row: tensor<1x64xf32>, %n: tensor<i32>) -> tensor<8x64xf32> attributes {tfx.cluster} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %0:2 = tfx_tensor.while (%i = %zero, %rows = %list) : (tensor<i32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %rows: tensor<8x64xf32>):
    %one = tfx_tensor.const dense<1> : tensor<i32>
    %shape = tfx_tensor.const dense<1> : tensor<2xi32>
    %at = tfx_tensor.op "Reshape"(%i, %shape) : (tensor<i32>, tensor<2xi32>) -> tensor<1x1xi32>
    %forwarded = tfx_tensor.op "Identity"(%rows) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %updated = tfx_tensor.op "TensorScatterUpdate"(%forwarded, %at, %row) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
    %result = tfx_tensor.op "Identity"(%updated) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %result : tensor<i32>, tensor<8x64xf32>
  }
  tfx_tensor.return %0#1 : tensor<8x64xf32>
}
