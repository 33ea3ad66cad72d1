// RUN: tfx-opt --tfx-partition --split-input-file %s | FileCheck %s

// Replicated values, crossings, and their positions.

// Only the host's factor of a product crosses; the product is a result.
// CHECK-LABEL: tfx_tensor.graph @mixed.graph(
// CHECK-SAME:    ) -> (f32, tensor<f32>) channels [#tfx_comm.channel<0, to_graph, f32>] {
// CHECK:         %[[RATE:.*]] = tfx_comm.recv from 0 : f32
// CHECK:         %[[P:.*]] = arith.mulf %{{.*}}, %[[RATE]]
// CHECK:         tfx_tensor.return %[[P]], %{{.*}}
func.func private @h() -> f32
func.func @mixed(%x: tensor<f32>) -> tensor<f32> {
  %l = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %rate = func.call @h() : () -> f32
  %s = tfx_tensor.to_scalar %l : tensor<f32> -> f32
  %p = arith.mulf %s, %rate : f32
  %t = tfx_tensor.from_scalar %p : f32
  %r = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%p) : f32
  return %r : tensor<f32>
}

// -----

// A switch sends one number; a product of twice the width has no graph equivalent, and its upper half is sent in the arm that needs it; a value that
// the host prints in one arm is sent there; dead operations are erased.
// CHECK-LABEL: tfx_tensor.graph @switch.graph(%{{.*}}: tensor<f32>) -> tensor<f32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, index>, #tfx_comm.channel<1, to_graph, tensor<i32>>, #tfx_comm.channel<2, to_host, tensor<f32>>] {
// CHECK:         "Exp"
// CHECK-NEXT:    %[[I:.*]] = tfx_comm.recv from 0 : index
// CHECK-NEXT:    scf.index_switch %[[I]] -> tensor<f32>
// CHECK:         case 4 {
// CHECK-NEXT:      tfx_comm.send %{{.*}} to 2
// CHECK:         default {
// CHECK-NEXT:      tfx_comm.recv from 1
// CHECK-LABEL: func.func @switch
// CHECK:         arith.mulsi_extended
// CHECK:         scf.index_switch %{{.*}} -> i32
// CHECK:         case 4 {
// CHECK-NEXT:      tfx_comm.recv %{{.*}} from 2
// CHECK:         default {
// CHECK:           tfx_comm.send %{{.*}} to %{{.*}} 1
func.func private @idx() -> index
func.func @switch(%x: tensor<f32>, %a: i32, %b: i32) -> (tensor<f32>, i32) {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %i = func.call @idx() : () -> index
  %low, %q = arith.mulsi_extended %a, %b : i32
  %dead = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %r, %k = scf.index_switch %i -> tensor<f32>, i32
  case 0 {
    %t = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
    %c = arith.constant 7 : i32
    scf.yield %t, %c : tensor<f32>, i32
  }
  case 4 {
    tfx_host.print "four {}"(%y) : tensor<f32>
    scf.yield %y, %a : tensor<f32>, i32
  }
  default {
    %s = tfx_tensor.from_scalar %q : i32
    %t = tfx_tensor.op "Cast"(%s) : (tensor<i32>) -> tensor<f32>
    scf.yield %t, %b : tensor<f32>, i32
  }
  return %r, %k : tensor<f32>, i32
}

// -----

// Host code after the last graph operation uses a result; its loop is not in the graph.
// CHECK-LABEL: tfx_tensor.graph @host_tail.graph(%{{.*}}: tensor<f32>) -> tensor<f32> {
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func @host_tail
// CHECK:         %[[Y:.*]] = tfx_comm.finish
// CHECK-NEXT:    scf.for
// CHECK:           tfx_tensor.to_scalar %[[Y]]
func.func @host_tail(%x: tensor<f32>, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %z0 = arith.constant 0.0 : f32
  %z = scf.for %i = %zero to %n step %one iter_args(%a = %z0) -> (f32) {
    %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
    %b = arith.addf %a, %s : f32
    tfx_host.print "{}"(%b) : f32
    scf.yield %b : f32
  }
  return %z : f32
}

// -----

// A use after the last graph operation, in a branch and together with a value of the host: the tensor is a result, so that nothing crosses.
// CHECK-LABEL: tfx_tensor.graph @late_branch.graph(%{{.*}}: tensor<f32>) -> tensor<f32> {
// CHECK-LABEL: func.func @late_branch
// CHECK:         %[[Y:.*]] = tfx_comm.finish
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tfx_tensor.to_scalar %[[Y]]
// CHECK-NEXT:      arith.addf
func.func private @h() -> f32
func.func @late_branch(%x: tensor<f32>, %p: i1) -> f32 {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %h = func.call @h() : () -> f32
  %s = scf.if %p -> f32 {
    %a = tfx_tensor.to_scalar %y : tensor<f32> -> f32
    %b = arith.addf %a, %h : f32
    scf.yield %b : f32
  } else {
    scf.yield %h : f32
  }
  return %s : f32
}

// -----

// A selected tensor is selected in the graph.
// CHECK-LABEL: tfx_tensor.graph @select.graph(%{{.*}}: tensor<2xf32>, %{{.*}}: i1) -> tensor<2xf32> {
// CHECK:         arith.select
func.func @select(%x: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %s = arith.select %p, %y, %z : tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----

// A value from before the start is an input, but a constant is cloned to both sides.
// CHECK-LABEL: tfx_tensor.graph @inputs.graph(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    tfx_tensor.const
// CHECK-LABEL: func.func @inputs
// CHECK:         %[[S:.*]] = arith.addf
// CHECK-NEXT:    %[[T:.*]] = tfx_tensor.from_scalar %[[S]]
// CHECK-NEXT:    tfx_comm.start @inputs.graph(%{{.*}}, %[[T]])
func.func @inputs(%x: tensor<f32>, %a: f32) -> tensor<f32> {
  %c = tfx_tensor.const dense<2.0> : tensor<f32>
  %s = arith.addf %a, %a : f32
  %t = tfx_tensor.from_scalar %s : f32
  %y = tfx_tensor.op "Mul"(%x, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.op "Mul"(%y, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// Markers stay on their crossing and vanish elsewhere; stateful operations stay, in order; a function without a graph is unchanged.
// CHECK-LABEL: tfx_tensor.graph @marked.graph(
// CHECK:         %[[A:.*]] = tfx_tensor.op "RandomStandardNormal"
// CHECK-NEXT:    tfx_tensor.op "RandomUniform"
// CHECK-NEXT:    tfx_comm.send %[[A]] to 0 {explicit}
// CHECK-NEXT:    %[[B:.*]] = tfx_comm.recv from 1 {explicit}
// CHECK-NEXT:    tfx_tensor.op "Neg"(%[[B]])
// CHECK-LABEL: func.func @marked
// CHECK:         tfx_comm.recv %{{.*}} from 0 {explicit}
// CHECK:         tfx_comm.send %{{.*}} to %{{.*}} 1 {explicit}
// CHECK-LABEL: func.func @no_graph
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    return
func.func private @filter(tensor<4xf32>) -> tensor<4xf32>
func.func @marked(%shape: tensor<1xi32>) -> tensor<4xf32> {
  %a = tfx_tensor.op "RandomStandardNormal"(%shape) : (tensor<1xi32>) -> tensor<4xf32>
  %unused = tfx_tensor.op "RandomUniform"(%shape) : (tensor<1xi32>) -> tensor<4xf32>
  %ha = tfx_comm.to_host %a : tensor<4xf32>
  %b = func.call @filter(%ha) : (tensor<4xf32>) -> tensor<4xf32>
  %gb = tfx_comm.to_accelerator %b : tensor<4xf32>
  %c = tfx_tensor.op "Neg"(%gb) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func @no_graph(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_comm.to_host %x : tensor<f32>
  return %y : tensor<f32>
}
func.func @dead(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}

// -----

// A condition that the graph receives in one branch is not available for another: the copy for the second print stays outside of it.
// CHECK-LABEL: tfx_tensor.graph @received_deeper.graph(
// CHECK:         %[[Y:.*]] = tfx_tensor.op "Exp"
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      %[[C:.*]] = tfx_comm.recv from 0 : i1
// CHECK-NEXT:      scf.if %[[C]]
// CHECK:         tfx_comm.send %[[Y]] to 2
// CHECK-NEXT:    tfx_tensor.op "Neg"
func.func private @ask() -> i1
func.func @received_deeper(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %c = func.call @ask() : () -> i1
  scf.if %p {
    scf.if %c {
      %t = tfx_tensor.op "Sqrt"(%y) : (tensor<f32>) -> tensor<f32>
      tfx_host.print "{}"(%t) : tensor<f32>
    }
  }
  scf.if %c {
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// Some arms of a switch print a value, each before a graph operation: the value is sent in those arms only, because together they run less
// often than the switch. Both sides have the counter, which decides.
// CHECK-LABEL: tfx_tensor.graph @some_arms.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
// CHECK:         case 0 {
// CHECK-NEXT:      tfx_comm.send %{{.*}} to 1
// CHECK:         case 1 {
// CHECK-NOT:       tfx_comm
// CHECK:         default {
// CHECK-NEXT:      tfx_comm.send %{{.*}} to 0
func.func @some_arms(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<f32>) {
    %y = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    scf.index_switch %i
    case 0 {
      tfx_host.print "first {}"(%y) : tensor<f32>
      scf.yield
    }
    case 1 {
      tfx_host.print "second"()
      scf.yield
    }
    default {
      tfx_host.print "later {}"(%y) : tensor<f32>
    }
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A value that two scalars are computed from crosses once; each of the scalars would be a transfer of its own.
// CHECK-LABEL: tfx_tensor.graph @shared.graph(
// CHECK-SAME:    ) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, f32>] {
// CHECK-LABEL: func.func @shared
// CHECK:         %[[S:.*]] = tfx_comm.recv %{{.*}} from 0 : f32
// CHECK-NEXT:    arith.addf %[[S]], %[[S]]
// CHECK-NEXT:    arith.mulf %[[S]], %[[S]]
// CHECK-NEXT:    arith.negf %[[S]]
// CHECK-NEXT:    tfx_host.print
func.func @shared(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %a = arith.addf %s, %s : f32
  %b = arith.mulf %s, %s : f32
  %c = arith.negf %s : f32
  tfx_host.print "{} {} {}"(%a, %b, %c) : f32, f32, f32
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// A running sum of host values: one value in each iteration to the graph, or the sum once. The graph needs it only after the loop.
// CHECK-LABEL: tfx_tensor.graph @sum_on_host.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func @sum_on_host
func.func private @next() -> f32
func.func @sum_on_host(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %s0 = arith.constant 0.0 : f32
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %s0) -> (f32) {
    %a = func.call @next() : () -> f32
    %t = arith.addf %sum, %a : f32
    scf.yield %t : f32
  }
  %t = tfx_tensor.from_scalar %s : f32
  %z = tfx_tensor.op "AddV2"(%y, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
