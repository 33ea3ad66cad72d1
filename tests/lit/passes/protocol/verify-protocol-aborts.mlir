// RUN: tfx-opt --tfx-partition --tfx-verify-protocol --split-input-file %s | FileCheck %s

// Where the host cancels the graph on each way through a region, nothing that the graph makes there decides anything: both sides need not agree on it. The
// graph operation before each abort keeps the region in the graph, which ends it with something that means nothing.

// An arm of a branch that decides about a loop.
// CHECK-LABEL: tfx_tensor.graph @arm.graph(
// CHECK-SAME:    order = ["body: while 0", "while 0 condition: if 1", "if 1 then: 0 to_host"]
// CHECK:         scf.while
// CHECK-NEXT:      %[[GO:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:             tfx_comm.send
// CHECK-NEXT:        %[[U:.*]] = tfx_host.undef : i1
// CHECK-NEXT:        scf.yield %[[U]]
// CHECK:           scf.condition(%[[GO]])
func.func @arm(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  scf.while : () -> () {
    %go = scf.if %p -> i1 {
      %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
      tfx_host.print "{}"(%b) : tensor<f32>
      tfx_host.abort "x"
      %u = tfx_host.undef : i1
      scf.yield %u : i1
    } else {
      scf.yield %p : i1
    }
    scf.condition(%go)
  } do {
    tfx_host.print "x"()
    scf.yield
  }
  %c = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// -----

// Each way through a branch in the arm aborts, with messages on one of them.
// CHECK-LABEL: tfx_tensor.graph @nested.graph(
// CHECK-SAME:    order = ["body: if 0, if 2", "if 0 then: 0 to_host, if 1", "if 1 then: 1 to_host", "if 2 then: 2 to_host"]
func.func @nested(%x: tensor<f32>, %p: i1, %q: i1) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %go = scf.if %p -> i1 {
    %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%b) : tensor<f32>
    scf.if %q {
      %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
      tfx_host.print "{}"(%c) : tensor<f32>
      tfx_host.abort "one"
    } else {
      tfx_host.abort "other"
    }
    %u = tfx_host.undef : i1
    scf.yield %u : i1
  } else {
    scf.yield %q : i1
  }
  %c = scf.if %go -> tensor<f32> {
    tfx_host.print "{}"(%a) : tensor<f32>
    scf.yield %a : tensor<f32>
  } else {
    %t = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    scf.yield %t : tensor<f32>
  }
  return %c : tensor<f32>
}

// -----

// A case, of which two others are left to decide about a later switch.
// CHECK-LABEL: tfx_tensor.graph @case.graph(
// CHECK-SAME:    order = ["body: switch 0, switch 1", "switch 0 case 1: 0 to_host", "switch 1 case 1: 1 to_host"]
func.func @case(%x: tensor<f32>, %i: index) -> tensor<f32> {
  %two = arith.constant 2 : index
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %j = scf.index_switch %i -> index
  case 1 {
    %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%b) : tensor<f32>
    tfx_host.abort "x"
    %u = tfx_host.undef : index
    scf.yield %u : index
  }
  case 4 {
    scf.yield %two : index
  }
  default {
    %k = arith.addi %i, %two : index
    scf.yield %k : index
  }
  %c = scf.index_switch %j -> tensor<f32>
  case 1 {
    tfx_host.print "{}"(%a) : tensor<f32>
    scf.yield %a : tensor<f32>
  }
  default {
    %t = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    scf.yield %t : tensor<f32>
  }
  return %c : tensor<f32>
}

// -----

// The body of a loop: it runs once at most, so what it hands on is nobody's condition.
// CHECK-LABEL: tfx_tensor.graph @body.graph(
// CHECK-SAME:    order = ["body: while 0", "while 0 body: 0 to_host"]
func.func @body(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %r = scf.while (%go = %p) : (i1) -> i1 {
    scf.condition(%go) %go : i1
  } do {
  ^bb0(%go: i1):
    %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%b) : tensor<f32>
    tfx_host.abort "x"
    %u = tfx_host.undef : i1
    scf.yield %u : i1
  }
  %c = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// -----

// The region that decides about a loop: it decides nothing, and neither does what is after it in the arm around.
// CHECK-LABEL: tfx_tensor.graph @condition.graph(
// CHECK-SAME:    order = ["body: if 0, while 2", "if 0 then: while 1", "while 1 condition: 0 to_host", "while 2 body: 1 to_host"]
func.func @condition(%x: tensor<f32>, %p: i1, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %m = scf.if %p -> i32 {
    %r = scf.while (%k = %n) : (i32) -> i32 {
      %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
      tfx_host.print "{}"(%b) : tensor<f32>
      tfx_host.abort "x"
      %u = tfx_host.undef : i1
      scf.condition(%u) %k : i32
    } do {
    ^bb0(%k: i32):
      scf.yield %k : i32
    }
    scf.yield %r : i32
  } else {
    scf.yield %one : i32
  }
  %end:2 = scf.while (%i = %zero, %v = %a) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %go = arith.cmpi slt, %i, %m : i32
    scf.condition(%go) %i, %v : i32, tensor<f32>
  } do {
  ^bb0(%i: i32, %v: tensor<f32>):
    %w = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%w) : tensor<f32>
    %j = arith.addi %i, %one : i32
    scf.yield %j, %w : i32, tensor<f32>
  }
  return %end#1 : tensor<f32>
}

// -----

// The host decides, and then looks at what the graph makes, before it aborts on each way: while the graph still waits for the decision, its
// branch has not been seen.
// CHECK-LABEL: tfx_tensor.graph @decided_last.graph(
// CHECK-SAME:    order = ["body: while 0", "while 0 body: 0 to_graph, if 1", "if 1 then: 1 to_host"]
func.func private @decide() -> i1
func.func @decided_last(%x: tensor<f32>) -> tensor<f32> {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    %c = func.call @decide() : () -> i1
    scf.if %c {
      %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
      tfx_host.print "{}"(%a) : tensor<f32>
      tfx_host.abort "one"
    } else {
      tfx_host.abort "other"
    }
    scf.yield
  }
  return %x : tensor<f32>
}
