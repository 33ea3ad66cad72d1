// RUN: tfx-opt --tfx-delay-effects %s | FileCheck %s
// A delayed effect is not delayed again.
// RUN: tfx-opt --tfx-delay-effects %s -o %t.once
// RUN: tfx-opt --tfx-delay-effects %t.once -o %t.twice && cmp %t.once %t.twice
// The result is partitioned and proved.
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-delay-effects,tfx-partition,tfx-verify-protocol{internal=true})' %s -o %t
//
// Effects that use results of the accelerator are delayed by an iteration.

func.func private @next_batch() -> tensor<4xf32> attributes {tfx.state = "loader"}
func.func private @more() -> i1 attributes {tfx.state = "loader"}
func.func private @batch_at(index) -> tensor<4xf32> attributes {tfx.pure}
func.func private @log(tensor<4xf32>) attributes {tfx.state = "log"}
func.func private @count() -> i32 attributes {tfx.state = "log"}
func.func private @save(tensor<4xf32>) attributes {tfx.state = "disk"}
func.func private @anything(tensor<4xf32>)

// A counted loop. The print and the log are delayed; the index is carried, and the marker moves with its use.
// CHECK-LABEL: func.func @counted(
// CHECK:       %[[NO:.*]] = arith.constant false
// CHECK:       %[[YES:.*]] = arith.constant true
// CHECK:       %[[R:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[PENDING:.*]] = %[[NO]], %[[LAST_I:.*]] = %{{.*}}, %[[LAST:.*]] = %{{.*}}) -> (tensor<4xf32>, i1, index, tensor<4xf32>) {
// CHECK-NEXT:    %[[B:.*]] = func.call @next_batch
// CHECK-NEXT:    scf.if %[[PENDING]] {
// CHECK-NEXT:      %[[MEANT:.*]] = tfx_comm.to_host %[[LAST]]
// CHECK-NEXT:      tfx_host.print "step {}: {}"(%[[LAST_I]], %[[MEANT]])
// CHECK-NEXT:      func.call @log(%[[MEANT]])
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "Add"(%[[A]], %[[B]])
// CHECK-NEXT:    scf.yield %[[S]], %[[YES]], %[[I]], %[[S]]
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.if %[[R]]#1 {
// CHECK-NEXT:    %[[MEANT:.*]] = tfx_comm.to_host %[[R]]#3
// CHECK-NEXT:    tfx_host.print "step {}: {}"(%[[R]]#2, %[[MEANT]])
// CHECK-NEXT:    func.call @log(%[[MEANT]])
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[R]]#0
func.func @counted(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = tfx_comm.to_host %s : tensor<4xf32>
    tfx_host.print "step {}: {}"(%i, %m) : index, tensor<4xf32>
    func.call @log(%m) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The loader decides whether the loop continues; a branch of effects is delayed as a whole. Its states are delayed together.
// CHECK-LABEL: func.func @until_the_end(
// CHECK:       %[[R:.*]]:2 = scf.while (%[[P:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}}) : (i1, tensor<4xf32>) -> (i1, tensor<4xf32>) {
// CHECK-NEXT:    %[[GO:.*]] = func.call @more()
// CHECK-NEXT:    scf.condition(%[[GO]]) %[[P]], %[[V]]
// CHECK:         %[[B:.*]] = func.call @next_batch
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.if %{{.*}} {
// CHECK-NEXT:        tfx_host.print
// CHECK-NEXT:        func.call @log
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "Neg"
// CHECK-NEXT:    scf.yield %{{.*}}, %[[S]]
// CHECK:       scf.if %[[R]]#0
func.func @until_the_end(%show: i1) {
  scf.while : () -> () {
    %go = func.call @more() : () -> i1
    scf.condition(%go)
  } do {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    scf.if %show {
      tfx_host.print "{}"(%s) : tensor<4xf32>
      func.call @log(%s) : (tensor<4xf32>) -> ()
    }
    scf.yield
  }
  return
}

// All code is before the condition.
// CHECK-LABEL: func.func @at_least_once(
// CHECK:       scf.while (%[[P:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}}) : (i1, tensor<4xf32>) -> (i1, tensor<4xf32>) {
// CHECK-NEXT:    %{{.*}} = func.call @next_batch
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "Neg"
// CHECK-NEXT:    %[[GO:.*]] = func.call @more()
// CHECK-NEXT:    scf.if %[[P]]
// CHECK-NEXT:      tfx_host.print "{}"(%[[V]])
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.condition(%[[GO]]) %{{.*}}, %[[S]]
// CHECK-NEXT:  } do {
// CHECK-NEXT:  ^{{.*}}(%[[P2:.*]]: i1, %[[V2:.*]]: tensor<4xf32>):
// CHECK-NEXT:    scf.yield %[[P2]], %[[V2]]
func.func @at_least_once() {
  scf.while : () -> () {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    %go = func.call @more() : () -> i1
    scf.condition(%go)
  } do {
    scf.yield
  }
  return
}

// A pure function runs ahead of all effects.
// CHECK-LABEL: func.func @pure(
// CHECK:         func.call @batch_at
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tfx_host.print
func.func @pure(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @batch_at(%i) : (index) -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
  }
  return
}

// A call of a graph function is not an effect of the host.
// CHECK-LABEL: func.func @layers(
// CHECK:         func.call @next_batch
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tfx_host.print
// CHECK:         call @layer
func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @layers(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = func.call @layer(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
  }
  return
}

// Nothing is delayed from here on: an effect without a state keeps its order with all others,
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:   scf.if
func.func @unknown(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    func.call @anything(%s) : (tensor<4xf32>) -> ()
    tfx_host.print "{}"(%s) : tensor<4xf32>
  }
  return
}

// so does a branch that aborts,
// CHECK-LABEL: func.func @aborts(
// CHECK-COUNT-1: scf.if
func.func @aborts(%n: index, %stop: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    scf.if %stop {
      tfx_host.abort "it is enough"
    }
  }
  return
}

// and a division that may end the program;
// CHECK-LABEL: func.func @divides(
// CHECK-NOT:   scf.if
func.func @divides(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %q = arith.divsi %n, %i : index
    %b = func.call @batch_at(%q) : (index) -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
  }
  return
}

// a result of a call on the state is used,
// CHECK-LABEL: func.func @counts(
// CHECK-NOT:   scf.if
func.func @counts(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    func.call @log(%s) : (tensor<4xf32>) -> ()
    %c = func.call @count() : () -> i32
    tfx_host.print "{}"(%c) : i32
  }
  return
}

// or the state is used in an inner loop as well;
// CHECK-LABEL: func.func @inner(
// CHECK-NOT:   scf.if
func.func @inner(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    scf.for %j = %zero to %n step %one {
      func.call @log(%b) : (tensor<4xf32>) -> ()
    }
    func.call @log(%s) : (tensor<4xf32>) -> ()
  }
  return
}

// the loader needs a result of the graph from the previous iteration,
// CHECK-LABEL: func.func @feeds_back(
// CHECK-NOT:   scf.if
func.func @feeds_back(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    func.call @save(%a) : (tensor<4xf32>) -> ()
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    %t = tfx_tensor.op "Exp"(%s) : (tensor<4xf32>) -> tensor<4xf32>
    func.call @log(%t) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  return
}

// nothing could run ahead,
// CHECK-LABEL: func.func @no_loader(
// CHECK-NOT:   scf.if
func.func @no_loader(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %s = tfx_tensor.op "Neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return
}

// and the graph does not need the code that could run ahead.
// CHECK-LABEL: func.func @feeds_nothing(
// CHECK-NOT:   scf.if
func.func @feeds_nothing(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = func.call @batch_at(%i) : (index) -> tensor<4xf32>
    func.call @save(%b) : (tensor<4xf32>) -> ()
    %s = tfx_tensor.op "Neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return
}
