// Operations whose operands are the same in all iterations leave a compiled loop, if they cannot
// fail: it may have no iterations. A second run changes nothing.

// RUN: tfx-opt --tfx-cluster-native --split-input-file %s | FileCheck %s
// RUN: tfx-opt --tfx-cluster-native --split-input-file %s -o %t.once && tfx-opt --tfx-cluster-native --split-input-file %t.once | diff %t.once -

// The sum leaves both loops, although one of its operands is an argument of the outer one; the
// quotient may fail.
// CHECK-LABEL: tfx_tensor.graph private @nested.native(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>,
// CHECK:       %[[SUM:.*]] = tfx_tensor.op "AddV2"(%[[X]], %[[X]])
// CHECK:       %[[SIN:.*]] = tfx_tensor.op "Sin"(%[[SUM]])
// CHECK:       tfx_tensor.while
// CHECK:         tfx_tensor.while
// CHECK:           "FloorDiv"
// CHECK:           tfx_tensor.op "Mul"({{.*}}, %[[SIN]])
// CHECK:           tfx_tensor.yield
tfx_tensor.graph @nested(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %0:4 = tfx_tensor.while (%i = %zero, %v = %x, %same = %x, %q = %n) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>, %same: tensor<4xf32>, %q: tensor<i32>):
    %1:3 = tfx_tensor.while (%j = %zero, %w = %v, %r = %q) : (tensor<i32>, tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4xf32>, tensor<i32>) {
      %go = tfx_tensor.op "Less"(%j, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %w: tensor<4xf32>, %r: tensor<i32>):
      %sum = tfx_tensor.op "AddV2"(%same, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %sin = tfx_tensor.op "Sin"(%sum) : (tensor<4xf32>) -> tensor<4xf32>
      %quotient = tfx_tensor.op "FloorDiv"(%one, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %new = tfx_tensor.op "Mul"(%w, %sin) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %next = tfx_tensor.op "AddV2"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tfx_tensor.yield %next, %new, %quotient : tensor<i32>, tensor<4xf32>, tensor<i32>
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %1#1, %same, %1#2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
  tfx_tensor.return %0#1, %0#3 : tensor<4xf32>, tensor<i32>
}

// -----

// Unknown sizes may differ, and an index may be out of range.
// CHECK-LABEL: tfx_tensor.graph private @may_fail.native(
// CHECK:       tfx_tensor.while
// CHECK:         tfx_tensor.yield
// CHECK:         "AddV2"
// CHECK:         "GatherV2"
tfx_tensor.graph @may_fail(%x: tensor<4xf32>, %u: tensor<?xf32>, %v: tensor<?xf32>, %n: tensor<i32>) -> (tensor<f32>, tensor<?xf32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %start = tfx_tensor.const dense<0.0> : tensor<f32>
  %0:3 = tfx_tensor.while (%i = %zero, %s = %start, %t = %u) : (tensor<i32>, tensor<f32>, tensor<?xf32>) -> (tensor<i32>, tensor<f32>, tensor<?xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %t: tensor<?xf32>):
    %sum = tfx_tensor.op "AddV2"(%u, %v) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %item = tfx_tensor.op "GatherV2"(%x, %n, %zero) : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<f32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %item, %sum : tensor<i32>, tensor<f32>, tensor<?xf32>
  }
  tfx_tensor.return %0#1, %0#2 : tensor<f32>, tensor<?xf32>
}

// -----

// A send does not wait for what comes after it.
// CHECK-LABEL: tfx_tensor.graph @sends(
// CHECK:       tfx_tensor.while
// CHECK:         tfx_comm.send
// CHECK:         "Sin"
tfx_tensor.graph @sends(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> channels [#tfx_comm.channel<0, to_host, tensor<i32>>] {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %0:2 = tfx_tensor.while (%i = %zero, %v = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    tfx_comm.send %i to 0 : tensor<i32>
    %sin = tfx_tensor.op "Sin"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %sin : tensor<i32>, tensor<4xf32>
  }
  tfx_tensor.return %0#1 : tensor<4xf32>
}
