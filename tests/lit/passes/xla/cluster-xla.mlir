// RUN: tfx-opt --tfx-cluster-xla --split-input-file %s 2> %t.said | FileCheck %s
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-cluster-xla{explain=true})' --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// A second run changes nothing.
// RUN: tfx-opt --tfx-cluster-xla --split-input-file %s -o %t.once 2> %t.said && tfx-opt --tfx-cluster-xla --split-input-file %t.once 2> %t.said | diff %t.once -

// A loop becomes a compiled call. Constants are cloned, and values without uses outside are not
// returned.

// CHECK-LABEL: tfx_tensor.graph @loop(
// CHECK-SAME:    %[[N:.*]]: tensor<i32>, %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]] = tfx_tensor.call @loop.compiled(%[[X]], %[[N]]) {compiled, pure} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
// CHECK-NEXT:    tfx_comm.send %[[Y]] to 0
// CHECK-NEXT:    tfx_tensor.return %[[Y]]
// CHECK-LABEL: tfx_tensor.graph private @loop.compiled(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<i32>) -> tensor<4xf32> {
// CHECK-DAG:     %[[ZERO:.*]] = tfx_tensor.const dense<0> : tensor<i32>
// CHECK-DAG:     tfx_tensor.const dense<1> : tensor<i32>
// CHECK:         %[[L:.*]]:2 = tfx_tensor.while (%{{.*}} = %[[ZERO]], %{{.*}} = %{{.*}})
// CHECK:         tfx_tensor.return %[[L]]#1 : tensor<4xf32>
// SAYS: cluster-xla.mlir:[[#@LINE+8]]:10: remark: XLA compiles a cluster that starts here: one loop, 4 operations
// SAYS: cluster-xla.mlir:[[#@LINE+16]]:3: remark: not compiled: it sends to the host (channel 0)
tfx_tensor.graph @loop(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>] {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>


  %y:2 = tfx_tensor.while (%i = %zero, %v = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %w = tfx_tensor.op "Tanh"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %w : tensor<i32>, tensor<4xf32>
  }
  tfx_comm.send %y#1 to 0 : tensor<4xf32>
  tfx_tensor.return %y#1 : tensor<4xf32>
}

// -----

// A send does not wait for later operations: two clusters, not one. An operation between those of a
// cluster that depends on it moves after the call.

// CHECK-LABEL: tfx_tensor.graph @sections(
// CHECK:         %[[A:.*]]:2 = tfx_tensor.call @sections.compiled(
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "AsString"(%[[A]]#0)
// CHECK-NEXT:    tfx_comm.send %[[A]]#1 to 0
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.call @sections.compiled_0(%[[A]]#1,
// CHECK-NEXT:    tfx_comm.send %[[S]] to 1
// CHECK-NEXT:    tfx_tensor.return %[[B]]
tfx_tensor.graph @sections(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>, #tfx_comm.channel<1, to_host, tensor<4x!tfx_tensor.string>>] {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = tfx_tensor.op "AsString"(%a) : (tensor<4xf32>) -> tensor<4x!tfx_tensor.string>
  %b = tfx_tensor.while (%v = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>):
    tfx_tensor.yield %v : tensor<4xf32>
  }
  tfx_comm.send %b to 0 : tensor<4xf32>
  %c = tfx_tensor.while (%v = %b) : (tensor<4xf32>) -> tensor<4xf32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>):
    tfx_tensor.yield %v : tensor<4xf32>
  }
  tfx_comm.send %s to 1 : tensor<4x!tfx_tensor.string>
  tfx_tensor.return %c : tensor<4xf32>
}

// -----

// A cluster does not wait for itself: an operation that depends on one that is not compiled is in
// another cluster.

// CHECK-LABEL: tfx_tensor.graph @levels(
// CHECK:         %[[A:.*]]:2 = tfx_tensor.call @levels.compiled(
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "Bincount"(%[[A]]#0,
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.call @levels.compiled_0(%[[A]]#1, {{.*}}%[[S]]
// CHECK-NEXT:    tfx_tensor.return %[[B]]
tfx_tensor.graph @levels(%n: tensor<i32>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %none = tfx_tensor.const dense<> : tensor<0xi32>
  %a = tfx_tensor.while (%v = %x) : (tensor<4xi32>) -> tensor<4xi32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xi32>):
    tfx_tensor.yield %v : tensor<4xi32>
  }
  %c = tfx_tensor.op "Neg"(%a) : (tensor<4xi32>) -> tensor<4xi32>
  %s = tfx_tensor.op "Bincount"(%a, %four, %none) : (tensor<4xi32>, tensor<i32>, tensor<0xi32>) -> tensor<4xi32>
  %b = tfx_tensor.while (%v = %c) : (tensor<4xi32>) -> tensor<4xi32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xi32>):
    %w = tfx_tensor.op "AddV2"(%v, %s) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    tfx_tensor.yield %w : tensor<4xi32>
  }
  tfx_tensor.return %b : tensor<4xi32>
}

// -----

// Clusters inside of a loop that is not compiled. Independent loops are separate clusters, which
// run concurrently.

// CHECK-LABEL: tfx_tensor.graph @inside(
// CHECK:         tfx_tensor.while
// CHECK:         } do {
// CHECK:           tfx_tensor.call @inside.compiled(
// CHECK-NEXT:      tfx_tensor.call @inside.compiled_0(
// CHECK-NEXT:      tfx_comm.send
tfx_tensor.graph @inside(%n: tensor<i32>, %x: tensor<4xf32>) channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>] {
  %end:2 = tfx_tensor.while (%p = %x, %q = %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %a = tfx_tensor.while (%v = %p) : (tensor<4xf32>) -> tensor<4xf32> {
      %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%v: tensor<4xf32>):
      tfx_tensor.yield %v : tensor<4xf32>
    }
    %b = tfx_tensor.while (%v = %q) : (tensor<4xf32>) -> tensor<4xf32> {
      %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tfx_tensor.yield %go : tensor<i1>
    } do {
    ^bb0(%v: tensor<4xf32>):
      tfx_tensor.yield %v : tensor<4xf32>
    }
    tfx_comm.send %a to 0 : tensor<4xf32>
    tfx_tensor.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  tfx_tensor.return
}

// -----

// The callees of a cluster are compiled with it, as clones; an original without other callers is
// erased.

// CHECK-LABEL: tfx_tensor.graph private @leaf(
// CHECK-NOT:   @step(
// CHECK-LABEL: tfx_tensor.graph @calls(
// CHECK:         tfx_tensor.call @calls.compiled(
// CHECK:         tfx_tensor.call @leaf(%{{.*}}) {pure}
// CHECK-LABEL: tfx_tensor.graph private @calls.compiled(
// CHECK:         tfx_tensor.call @step.compiled(%{{.*}}) {pure}
// CHECK-LABEL: tfx_tensor.graph private @step.compiled(
// CHECK:         tfx_tensor.call @leaf.compiled(%{{.*}}) {pure}
// CHECK-LABEL: tfx_tensor.graph private @leaf.compiled(
tfx_tensor.graph private @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tfx_tensor.call @leaf(%x) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %y : tensor<4xf32>
}
tfx_tensor.graph private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tfx_tensor.op "Tanh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %y : tensor<4xf32>
}
tfx_tensor.graph @calls(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>] {
  %a = tfx_tensor.while (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %go = tfx_tensor.op "Less"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>):
    %w = tfx_tensor.call @step(%v) {pure} : (tensor<4xf32>) -> tensor<4xf32>
    tfx_tensor.yield %w : tensor<4xf32>
  }
  tfx_comm.send %a to 0 : tensor<4xf32>
  %b = tfx_tensor.call @leaf(%a) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %b : tensor<4xf32>
}
