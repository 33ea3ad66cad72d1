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

// Rows are also replaced in place in inner loops, twice in an iteration, and in branches; a loop
// that only reads them in its inner loop does not copy them.

// CHECK-LABEL: func.func private @nested.code(
// CHECK:       scf.while
// CHECK-NOT:     512
// CHECK:         scf.while
// CHECK-NOT:       512
// CHECK:           call @tfx.kernel.
// CHECK-NOT:       512
// CHECK:           call @tfx.kernel.
// CHECK-NOT:       512
// CHECK:           scf.if
// CHECK-NOT:         512
// CHECK:             call @tfx.kernel.
// CHECK-NOT:       512
// CHECK:           scf.yield
// CHECK-NOT:     512
// CHECK:       scf.while
// CHECK-NOT:     512
// CHECK:         scf.while
// CHECK-NOT:     512
// CHECK:         scf.yield
// CHECK-NOT:   512
// CHECK:     return
tfx_tensor.graph private @nested(%list: tensor<8x64xf32>, %row: tensor<1x64xf32>, %n: tensor<i32>, %is: tensor<i1>) -> tensor<1x64xf32> attributes {tfx.cluster} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %shape = tfx_tensor.const dense<1> : tensor<2xi32>
  %first = tfx_tensor.const dense<0> : tensor<1x1xi32>
  %0:2 = tfx_tensor.while (%i = %zero, %rows = %list) : (tensor<i32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %rows: tensor<8x64xf32>):
    %1:2 = tfx_tensor.while (%j = %zero, %inner = %rows) : (tensor<i32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>) {
      %go = tfx_tensor.op "Less"(%j, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %inner: tensor<8x64xf32>):
      %at = tfx_tensor.op "Reshape"(%j, %shape) : (tensor<i32>, tensor<2xi32>) -> tensor<1x1xi32>
      %a = tfx_tensor.op "TensorScatterUpdate"(%inner, %at, %row) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
      %b = tfx_tensor.op "TensorScatterAdd"(%a, %first, %row) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
      %c = tfx_tensor.if %is : tensor<i1> -> tensor<8x64xf32> {
        %d = tfx_tensor.op "TensorScatterSub"(%b, %at, %row) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
        tfx_tensor.yield %d : tensor<8x64xf32>
      } else {
        tfx_tensor.yield %b : tensor<8x64xf32>
      }
      %next = tfx_tensor.op "AddV2"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tfx_tensor.yield %next, %c : tensor<i32>, tensor<8x64xf32>
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %1#1 : tensor<i32>, tensor<8x64xf32>
  }
  %2:3 = tfx_tensor.while (%i = %zero, %rows = %0#1, %sum = %row) : (tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>) -> (tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %rows: tensor<8x64xf32>, %sum: tensor<1x64xf32>):
    %1:3 = tfx_tensor.while (%j = %zero, %inner = %rows, %s = %sum) : (tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>) -> (tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>) {
      %go = tfx_tensor.op "Less"(%j, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %inner: tensor<8x64xf32>, %s: tensor<1x64xf32>):
      %item = tfx_tensor.op "GatherV2"(%inner, %j, %zero) : (tensor<8x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64xf32>
      %t = tfx_tensor.op "AddV2"(%s, %item) : (tensor<1x64xf32>, tensor<64xf32>) -> tensor<1x64xf32>
      %next = tfx_tensor.op "AddV2"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tfx_tensor.yield %next, %inner, %t : tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %1#1, %1#2 : tensor<i32>, tensor<8x64xf32>, tensor<1x64xf32>
  }
  tfx_tensor.return %2#2 : tensor<1x64xf32>
}
