// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-partition)' --split-input-file | FileCheck %s

// A graph function becomes a private graph, and its calls become calls of it; in loops and branches, with scalars, and from other graph functions. A
// scalar result that the host needs is sent. Nothing remains of the function on the host.

// CHECK-LABEL: tfx_tensor.graph @main.graph(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[N:.*]]: i32) -> tensor<f32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, i32>]
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[FIRST:.*]]:2 = tfx_tensor.call @outer.graph(%[[X]], %[[ZERO]]) {pure} : (tensor<f32>, i32) -> (tensor<f32>, i32)
// CHECK-NEXT:    tfx_comm.send %[[FIRST]]#1 to 0 : i32
// CHECK:         scf.while
// CHECK:           tfx_tensor.call @outer.graph(
// CHECK:         tfx_tensor.return
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     call
// CHECK:         tfx_host.print "{}"(%{{.*}}) : i32
// CHECK-NOT:     call
// CHECK:         return
// CHECK:       tfx_tensor.graph private @outer.graph(%[[A:.*]]: tensor<f32>, %[[I:.*]]: i32) -> (tensor<f32>, i32) {
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.call @inner.graph(%[[A]]) {pure} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.to_scalar %[[B]]
// CHECK-NEXT:    %[[J:.*]] = arith.fptosi %[[S]]
// CHECK-NEXT:    %[[K:.*]] = arith.addi %[[I]], %[[J]]
// CHECK-NEXT:    tfx_tensor.return %[[B]], %[[K]] : tensor<f32>, i32
// CHECK-NOT:   func.func
// CHECK:       tfx_tensor.graph private @inner.graph(
// CHECK-NOT:   func.func
func.func @main(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %a, %i = func.call @outer(%x, %zero) : (tensor<f32>, i32) -> (tensor<f32>, i32)
  tfx_host.print "{}"(%i) : i32
  %r:2 = scf.while (%j = %i, %b = %a) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %go = arith.cmpi slt, %j, %n : i32
    scf.condition(%go) %j, %b : i32, tensor<f32>
  } do {
  ^bb0(%j: i32, %b: tensor<f32>):
    %c, %k = func.call @outer(%b, %j) : (tensor<f32>, i32) -> (tensor<f32>, i32)
    scf.yield %k, %c : i32, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
func.func private @outer(%a: tensor<f32>, %i: i32) -> (tensor<f32>, i32) attributes {tfx.graph_function} {
  %b = func.call @inner(%a) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %b : tensor<f32> -> f32
  %j = arith.fptosi %s : f32 to i32
  %k = arith.addi %i, %j : i32
  return %b, %k : tensor<f32>, i32
}
func.func private @inner(%a: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

// The host has a function, too, if it is public or a closure names it: it starts the same graph. It has the parameters and results of the
// function, whether they are used or not.

// CHECK-LABEL: tfx_tensor.graph private @public.graph(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %{{.*}}: i1, %[[N:.*]]: index) -> (tensor<f32>, index, tensor<f32>) {
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    tfx_tensor.return %[[X]], %[[N]], %[[Y]]
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[P:.*]]: i1, %[[N:.*]]: index) -> (tensor<f32>, index, tensor<f32>) {
// CHECK-NEXT:    %[[PROGRAM:.*]] = tfx_comm.start @public.graph(%[[X]], %[[P]], %[[N]]) : tensor<f32>, i1, index
// CHECK-NEXT:    %[[R:.*]]:3 = tfx_comm.finish %[[PROGRAM]] : tensor<f32>, index, tensor<f32>
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1, %[[R]]#2
// CHECK-LABEL: tfx_tensor.graph private @closed.graph(
// CHECK-LABEL: func.func private @closed(
// CHECK-NEXT:    tfx_comm.start @closed.graph(
// CHECK-LABEL: tfx_tensor.graph @uses.graph(
// CHECK:         tfx_tensor.call @public.graph(
// CHECK:         tfx_tensor.call @closed.graph(
// CHECK-LABEL: func.func @uses(
// CHECK-NOT:     call
// CHECK:         tfx_host.closure @closed
func.func @public(%x: tensor<f32>, %p: i1, %n: index) -> (tensor<f32>, index, tensor<f32>) attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %x, %n, %y : tensor<f32>, index, tensor<f32>
}
func.func private @closed(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @uses(%x: tensor<f32>, %p: i1, %n: index) -> (tensor<f32>, !tfx_host.closure<escaping (tensor<f32>) -> tensor<f32>>) {
  %a, %m, %b = func.call @public(%x, %p, %n) : (tensor<f32>, i1, index) -> (tensor<f32>, index, tensor<f32>)
  %c = func.call @closed(%b) : (tensor<f32>) -> tensor<f32>
  %f = tfx_host.closure @closed() : () -> !tfx_host.closure<escaping (tensor<f32>) -> tensor<f32>>
  return %c, %f : tensor<f32>, !tfx_host.closure<escaping (tensor<f32>) -> tensor<f32>>
}

// -----

// A call of stateless tensor code is erased if its results are unused; one with state stays, also if the state is in a callee, and keeps
// its order.

// CHECK-LABEL: tfx_tensor.graph @effects.graph(
// CHECK-NOT:     @pure.graph
// CHECK:         "RandomUniform"
// CHECK-NEXT:    tfx_tensor.call @caller.graph() : () -> tensor<f32>
// CHECK-NEXT:    "Exp"
// CHECK-NEXT:    tfx_tensor.return
func.func @effects(%x: tensor<f32>, %s: tensor<0xi32>) -> tensor<f32> {
  %a = func.call @pure(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "RandomUniform"(%s) : (tensor<0xi32>) -> tensor<f32>
  %c = func.call @caller() : () -> tensor<f32>
  %d = tfx_tensor.op "Exp"(%b) : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
func.func private @pure(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @caller() -> tensor<f32> attributes {tfx.graph_function} {
  %y = func.call @draw() : () -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @draw() -> tensor<f32> attributes {tfx.graph_function} {
  %s = tfx_tensor.const dense<> : tensor<0xi32>
  %y = tfx_tensor.op "RandomUniform"(%s) : (tensor<0xi32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Existing functions and graphs with the names of the new graphs.

// CHECK:       func.func private @f.graph
// CHECK-LABEL: tfx_tensor.graph @main.graph(
// CHECK:         tfx_tensor.call @f.graph_0(
// CHECK:         tfx_tensor.call @written(
// CHECK:       tfx_tensor.graph private @f.graph_0(
// CHECK:         tfx_tensor.call @written(
// CHECK:       tfx_tensor.graph private @written(
func.func private @f.graph(i32) -> i32
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.call @written(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.call @written(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
tfx_tensor.graph private @written(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}
