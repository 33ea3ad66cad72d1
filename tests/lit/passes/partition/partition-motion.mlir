// RUN: tfx-opt --tfx-partition --tfx-verify-protocol %s | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tfx-opt --tfx-partition='hoist-sends=false' --tfx-verify-protocol %s | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: tfx-opt --tfx-partition='sink-receives=false' --tfx-verify-protocol %s | FileCheck %s --check-prefixes=CHECK,SOON
// RUN: tfx-opt --tfx-partition='send-once=false' --tfx-verify-protocol %s | FileCheck %s --check-prefixes=CHECK,EACH
// RUN: tfx-opt --tfx-partition='hoist-sends=false send-once=false' --tfx-verify-protocol %s | FileCheck %s --check-prefixes=CHECK,BOTH

// The options that disable motion of transfers, one by one; each result is proved.

// Uses in a loop and after it. Both sides have the loop; the value does not change in it.
func.func private @tick()
// CHECK-LABEL: tfx_tensor.graph @loop.graph(
// ALL-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// LOOPS-SAME:  channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 5>]
// SOON-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// EACH-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// BOTH-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 5>]
// ALL:         tfx_comm.send %{{.*}} to 0
// ALL:         scf.for
// LOOPS:       scf.for
// LOOPS:         tfx_comm.send %{{.*}} to 0
// SOON:        tfx_tensor.op "Exp"
// SOON-NEXT:   tfx_comm.send %{{.*}} to 0
// SOON-NEXT:   tfx_tensor.op "Tanh"
// EACH:        tfx_comm.send %{{.*}} to 0
// EACH:        scf.for
// BOTH:        scf.for
// BOTH:          tfx_comm.send %{{.*}} to 0
// CHECK-LABEL: func.func @loop(
// ALL:         call @tick
// ALL-NEXT:    tfx_comm.recv
// ALL-NEXT:    scf.for
// LOOPS:       scf.for
// LOOPS-NEXT:    tfx_comm.recv
// SOON:        tfx_comm.recv
// SOON-NEXT:   call @tick
// EACH:        call @tick
// EACH-NEXT:   tfx_comm.recv
// BOTH:        scf.for
// BOTH-NEXT:     tfx_comm.recv
func.func @loop(%x: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %v0 = tfx_tensor.op "Tanh"(%y) : (tensor<f32>) -> tensor<f32>
  func.call @tick() : () -> ()
  %r = scf.for %i = %zero to %five step %one iter_args(%v = %v0) -> (tensor<f32>) {
    tfx_host.print "{}"(%y) : tensor<f32>
    %w = tfx_tensor.op "Neg"(%v) : (tensor<f32>) -> tensor<f32>
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}

// Two uses one after the other: one message, or one for each.
// CHECK-LABEL: tfx_tensor.graph @twice.graph(
// ALL-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// LOOPS-SAME:  channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// SOON-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>]
// EACH-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>, #tfx_comm.channel<1, to_host, tensor<f32>, capacity = 1>]
// BOTH-SAME:   channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>, #tfx_comm.channel<1, to_host, tensor<f32>, capacity = 1>]
// CHECK-LABEL: func.func @twice(
// EACH:        %[[A:.*]] = tfx_comm.recv
// EACH-NEXT:   tfx_host.print "{}"(%[[A]])
// EACH-NEXT:   %[[B:.*]] = tfx_comm.recv
// EACH-NEXT:   tfx_host.print "{}"(%[[B]])
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%y) : tensor<f32>
  tfx_host.print "{}"(%y) : tensor<f32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// To the graph: an invariant value is sent before the loop, or in each iteration, in which case the host has the loop, too.
func.func private @number() -> tensor<f32>
// CHECK-LABEL: tfx_tensor.graph @to_graph.graph(
// ALL:         tfx_comm.recv
// ALL:         scf.while
// LOOPS:       scf.while
// LOOPS:         tfx_comm.recv
// CHECK-LABEL: func.func @to_graph(
// ALL-NOT:     scf.while
// LOOPS:       scf.while
// LOOPS:         tfx_comm.send
// SOON-NOT:    scf.while
// EACH-NOT:    scf.while
// BOTH:        scf.while
// BOTH:          tfx_comm.send
// CHECK:       tfx_comm.finish
func.func @to_graph(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v0 = tfx_tensor.op "Tanh"(%x) : (tensor<f32>) -> tensor<f32>
  %a = func.call @number() : () -> tensor<f32>
  %r:2 = scf.while (%i = %zero, %v = %v0) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %v : i32, tensor<f32>
  } do {
  ^bb0(%i: i32, %v: tensor<f32>):
    %w = tfx_tensor.op "Mul"(%v, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %j = arith.addi %i, %one : i32
    scf.yield %j, %w : i32, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
