// RUN: tfx-opt --tfx-partition --tfx-verify-protocol --split-input-file %s | FileCheck %s

// If the host cancels the graph on each path through a region, the values that the graph yields from
// the region affect no decision, so they need not be equal on both sides. The graph operation before
// each abort keeps the region in the graph, which yields undefined values.

// An arm of a branch whose result is the condition of a loop.
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

// Both arms of a nested branch abort, one of them with messages.
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

// A case of a switch; the other two cases select a case of a later switch.
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

// The body of a loop: it runs at most once, so no condition depends on the values that it yields.
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

// The condition region of a loop: neither it nor the code after it in the enclosing arm affects a
// decision.
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

// The host sends the decision, then receives from the graph, and aborts on each path. The graph must
// receive the decision before its branch can be compared with that of the host.
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
