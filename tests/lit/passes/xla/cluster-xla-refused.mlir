// Without an option, the pass reports loops that are not compiled because of an obstacle other than
// a channel, and graphs without a cluster.

// RUN: tfx-opt --tfx-cluster-xla --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=compiled

// CHECK-LABEL: @unknown_shape
// expected-warning @+1 {{XLA compiles nothing of this graph: it has neither a loop that can be compiled nor a large enough cluster}}
tfx_tensor.graph @unknown_shape(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %y = tfx_tensor.while (%v = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<?xf32>):
    // expected-note @+1 {{not compiled: tensor<?xf32> has unknown sizes, and XLA compiles for static shapes}}
    %w = tfx_tensor.op "Tanh"(%v) : (tensor<?xf32>) -> tensor<?xf32>
    tfx_tensor.yield %w : tensor<?xf32>
  }
  tfx_tensor.return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: @operations
// expected-warning @+1 {{XLA compiles nothing of this graph}}
tfx_tensor.graph @operations(%x: tensor<4xf32>, %i: tensor<i32>, %axis: tensor<i32>, %bytes: tensor<4x4xui8>) {
  // expected-note @+1 {{not compiled: XLA has no "AsString"}}
  %a = tfx_tensor.op "AsString"(%x) : (tensor<4xf32>) -> tensor<4x!tfx_tensor.string>
  // expected-note @+1 {{not compiled: for "GatherV2", XLA does not check indices: where TensorFlow's kernel fails, it reads or writes another element}}
  %b = tfx_tensor.op "GatherV2"(%x, %i, %axis) : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<f32>
  // expected-note @+1 {{not compiled: operand 1 of "Sum" is not a constant, but XLA requires its value at compile time}}
  %c = tfx_tensor.op "Sum"(%x, %axis) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  // expected-note @+1 {{not compiled: "FloorMod" fails for a divisor of 0, but compiled code would not; XLA compiles it if the divisor is a nonzero constant}}
  %d = tfx_tensor.op "FloorMod"(%i, %axis) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  // expected-note @+1 {{not compiled: XLA has no "MatMul" of ui8}}
  %e = tfx_tensor.op "MatMul"(%bytes, %bytes) : (tensor<4x4xui8>, tensor<4x4xui8>) -> tensor<4x4xui8>
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @constants
// expected-warning @+1 {{XLA compiles nothing of this graph}}
tfx_tensor.graph @constants(%x: tensor<4xi32>) {
  %some = tfx_tensor.const dense<[1, 2, 0, 4]> : tensor<4xi32>
  %all = tfx_tensor.const dense<[1, -2, 31, 4]> : tensor<4xi32>
  %low = tfx_tensor.const dense<31> : tensor<4xi32>
  // expected-note @+1 {{not compiled: "FloorDiv" fails for a divisor of 0, but compiled code would not; XLA compiles it if the divisor is a nonzero constant}}
  %a = tfx_tensor.op "FloorDiv"(%x, %some) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %b = tfx_tensor.op "FloorDiv"(%x, %all) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // expected-note @+1 {{not compiled: "LeftShift" by 32 bits or more has another result in compiled code; XLA compiles it if the amount is a constant less than 32}}
  %c = tfx_tensor.op "LeftShift"(%x, %all) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %d = tfx_tensor.op "LeftShift"(%x, %low) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @state
// expected-warning @+1 {{XLA compiles nothing of this graph}}
tfx_tensor.graph @state(%shape: tensor<1xi32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{not compiled: "RandomUniform" has state}}
  %a = tfx_tensor.op "RandomUniform"(%shape) {dtype = f32} : (tensor<1xi32>) -> tensor<4xf32>
  // expected-note @+1 {{not compiled: "Tanh" is placed on an explicit device}}
  %b = tfx_tensor.op "Tanh"(%x) {device = "/cpu:1"} : (tensor<4xf32>) -> tensor<4xf32>
  %c = tfx_tensor.op "AddV2"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %c : tensor<4xf32>
}

// -----

// CHECK-LABEL: @again
// CHECK-LABEL: @recursion
tfx_tensor.graph private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tfx_tensor.call @again(%x) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %y : tensor<4xf32>
}
// expected-warning @+1 {{XLA compiles nothing of this graph}}
tfx_tensor.graph @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{not compiled: it calls a recursive graph}}
  %y = tfx_tensor.call @again(%x) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %y : tensor<4xf32>
}
