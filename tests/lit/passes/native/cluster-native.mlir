// RUN: tfx-opt --tfx-cluster-native --split-input-file %s | FileCheck %s
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-cluster-native{explain=true})' --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// A second run changes nothing.
// RUN: tfx-opt --tfx-cluster-native --split-input-file %s -o %t.once && tfx-opt --tfx-cluster-native --split-input-file %t.once | diff %t.once -

// A loop becomes a call. Constants are cloned.

// CHECK-LABEL: tfx_tensor.graph @loop(
// CHECK-SAME:    %[[N:.*]]: tensor<i32>, %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]] = tfx_tensor.call @loop.native(%[[X]], %[[N]]) {pure}
// CHECK-NEXT:    tfx_comm.send %[[Y]] to 0
// CHECK-NEXT:    tfx_tensor.return %[[Y]]
// CHECK-LABEL: tfx_tensor.graph private @loop.native(
// CHECK-SAME:    attributes {tfx.cluster}
// CHECK:         tfx_tensor.while
// SAYS: cluster-native.mlir:[[#@LINE+6]]:10: remark: a cluster of native code starts here: one loop, 4 operations
// SAYS: cluster-native.mlir:[[#@LINE+14]]:3: remark: not compiled to native code: it sends to the host (channel 0)
tfx_tensor.graph @loop(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>] {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %y:2 = tfx_tensor.while (%i = %zero, %v = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %w = tfx_tensor.op "Mul"(%v, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %j, %w : tensor<i32>, tensor<4xf32>
  }
  tfx_comm.send %y#1 to 0 : tensor<4xf32>
  tfx_tensor.return %y#1 : tensor<4xf32>
}

// -----

// The reasons why operations are not compiled.

// CHECK-LABEL: tfx_tensor.graph @refused(
// CHECK-NOT:     tfx_tensor.call
tfx_tensor.graph @refused(%x: tensor<*xf32>, %i: tensor<4xi32>, %axis: tensor<i32>, %h: tensor<4xf16>, %image: tensor<?x?x8x4xf32>, %w: tensor<3x3x4x2xf32>, %p: tensor<2x8x8x8xf32>, %q: tensor<2x8x8x130xf32>, %v: tensor<3x3x2x130xf32>) -> tensor<4xi32> {
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: "Neg" has a value of type tensor<*xf32>, for which there is no native code
  %0 = tfx_tensor.op "Neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: there is no native code for "InvertPermutation"
  %1 = tfx_tensor.op "InvertPermutation"(%i) : (tensor<4xi32>) -> tensor<4xi32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: operand 1 of "Sum" is not a constant
  %2 = tfx_tensor.op "Sum"(%i, %axis) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: "Neg" has a value of type tensor<4xf16>, for which there is no native code
  %3 = tfx_tensor.op "Neg"(%h) : (tensor<4xf16>) -> tensor<4xf16>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: "RandomUniform" has state
  %4 = tfx_tensor.op "RandomUniform"(%i) : (tensor<4xi32>) -> tensor<?x?x?x?xf32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: it has images or a filter of unknown size
  %5 = tfx_tensor.op "Conv2D"(%image, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x?x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<?x?x8x2xf32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: the channels of its images are in groups
  %6 = tfx_tensor.op "Conv2D"(%q, %v) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<2x8x8x130xf32>, tensor<3x3x2x130xf32>) -> tensor<2x8x8x130xf32>
// SAYS: [[#@LINE+1]]:8: remark: not compiled to native code: operand 2 of "GatherV2" is not a constant
  %7 = tfx_tensor.op "GatherV2"(%p, %i, %axis) : (tensor<2x8x8x8xf32>, tensor<4xi32>, tensor<i32>) -> tensor<?x?x?x?xf32>
  tfx_tensor.return %1 : tensor<4xi32>
}

// -----

// A graph that is called only by a cluster has no cluster of its own.

// CHECK-LABEL: tfx_tensor.graph @calls(
// CHECK:         tfx_tensor.call @calls.native
// CHECK-LABEL: tfx_tensor.graph private @calls.native
// CHECK:         tfx_tensor.call @layer
// CHECK-LABEL: tfx_tensor.graph private @layer
// CHECK-COUNT-3: tfx_tensor.op
// CHECK-NOT:   tfx_tensor.graph
tfx_tensor.graph @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tfx_tensor.call @layer(%x) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tfx_tensor.call @layer(%0) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %1 : tensor<4xf32>
}
tfx_tensor.graph private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tfx_tensor.op "Exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tfx_tensor.op "Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tfx_tensor.op "Tanh"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %2 : tensor<4xf32>
}

// The interpreter runs a loop that sends, and updates the tensor that it carries in place, also by
// an inner loop: a cluster would copy the whole tensor in each iteration.
// CHECK-LABEL: tfx_tensor.graph @rows(
// CHECK:       tfx_comm.send
// CHECK:       tfx_tensor.op "TensorScatterUpdate"
// CHECK:       tfx_tensor.while
// CHECK:       tfx_tensor.op "TensorScatterAdd"
// CHECK:       tfx_tensor.return
// CHECK-LABEL: tfx_tensor.graph private @rows.native
// CHECK:       "Tanh"
tfx_tensor.graph @rows(%list: tensor<8x64xf32>, %row: tensor<1x64xf32>, %n: tensor<i32>) -> tensor<8x64xf32> channels [#tfx_comm.channel<0, to_host, tensor<i32>>] {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %shape = tfx_tensor.const dense<1> : tensor<2xi32>
  %0:2 = tfx_tensor.while (%i = %zero, %rows = %list) : (tensor<i32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %rows: tensor<8x64xf32>):
    tfx_comm.send %i to 0 : tensor<i32>
    %at = tfx_tensor.op "Reshape"(%i, %shape) : (tensor<i32>, tensor<2xi32>) -> tensor<1x1xi32>
    %a = tfx_tensor.op "Mul"(%row, %row) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %b = tfx_tensor.op "Tanh"(%a) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %c = tfx_tensor.op "AddV2"(%b, %row) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %updated = tfx_tensor.op "TensorScatterUpdate"(%rows, %at, %c) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
    %1:2 = tfx_tensor.while (%j = %zero, %inner = %updated) : (tensor<i32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>) {
      %go = tfx_tensor.op "Less"(%j, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %inner: tensor<8x64xf32>):
      %more = tfx_tensor.op "TensorScatterAdd"(%inner, %at, %row) : (tensor<8x64xf32>, tensor<1x1xi32>, tensor<1x64xf32>) -> tensor<8x64xf32>
      %next = tfx_tensor.op "AddV2"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tfx_tensor.yield %next, %more : tensor<i32>, tensor<8x64xf32>
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %1#1 : tensor<i32>, tensor<8x64xf32>
  }
  tfx_tensor.return %0#1 : tensor<8x64xf32>
}

// The size of an iteration argument is 0, by its first value, and 3, by the sum: there is no code
// for the loop with the sum.
// CHECK-LABEL: tfx_tensor.graph @differ(
// CHECK:       "AddV2"
tfx_tensor.graph @differ(%x: tensor<?xf64>, %go: tensor<i1>, %to: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %none = tfx_tensor.const dense<0.0> : tensor<0xf64>
  %0:3 = tfx_tensor.while (%is = %go, %a = %x, %b: tensor<?xf64> = %none) : (tensor<i1>, tensor<?xf64>, tensor<0xf64>) -> (tensor<i1>, tensor<?xf64>, tensor<?xf64>) {
    tfx_tensor.yield %is : tensor<i1>
  } do {
  ^bb0(%is: tensor<i1>, %a: tensor<?xf64>, %b: tensor<?xf64>):
    tfx_tensor.yield %is, %x, %a : tensor<i1>, tensor<?xf64>, tensor<?xf64>
  }
  %sum = tfx_tensor.op "AddV2"(%to, %0#1) : (tensor<3x3xf64>, tensor<?xf64>) -> tensor<3x3xf64>
  tfx_tensor.return %sum : tensor<3x3xf64>
}
