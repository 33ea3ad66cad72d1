// RUN: tfx-opt --tfx-partition --tfx-verify-protocol --tfx-pack-scalars --split-input-file %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// The result is proved, and a second run packs nothing.
// RUN: tfx-opt --tfx-verify-protocol --split-input-file %t.mlir -o %t.proved
// RUN: tfx-opt --tfx-pack-scalars --tfx-verify-protocol --split-input-file %t.proved | diff %t.proved -

// The scalar results of one call are available together, and so are those that are computed from them.
func.func private @two() -> (f32, f32, i1)
// CHECK-LABEL: tfx_tensor.graph @together.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1, capacity = 1>, #tfx_comm.channel<1, to_graph, tensor<2xf32>>] {
// CHECK:         %[[M:.*]] = tfx_comm.recv from 1 : tensor<2xf32>
// CHECK-NEXT:    %[[U:.*]]:2 = tfx_tensor.op "Unpack"(%[[M]])
// CHECK-LABEL: func.func @together
// CHECK:         %[[S:.*]]:3 = call @two
// CHECK-NEXT:    tfx_comm.send %[[S]]#2 to %{{.*}} 0 : i1
// CHECK-NEXT:    %[[M:.*]] = tensor.from_elements %[[S]]#0, %[[S]]#1 : tensor<2xf32>
// CHECK-NEXT:    tfx_comm.send %[[M]] to %{{.*}} 1 : tensor<2xf32>
func.func @together(%x: tensor<f32>) -> tensor<f32> {
  %v = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %a, %b, %p = func.call @two() : () -> (f32, f32, i1)
  %s = tfx_tensor.from_scalar %a : f32
  %t = tfx_tensor.from_scalar %b : f32
  %u = tfx_tensor.op "Mul"(%s, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = scf.if %p -> tensor<f32> {
    scf.yield %u : tensor<f32>
  } else {
    %w = tfx_tensor.op "Sub"(%v, %u) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A call between them may take long; meanwhile, the graph continues with the first.
func.func private @one() -> f32
// CHECK-LABEL: tfx_tensor.graph @between.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, tensor<f32>, capacity = 1>, #tfx_comm.channel<1, to_graph, tensor<f32>, capacity = 1>]
func.func @between(%x: tensor<f32>) -> tensor<f32> {
  %v = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %a = func.call @one() : () -> f32
  %s = tfx_tensor.from_scalar %a : f32
  %w = tfx_tensor.op "Mul"(%v, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = func.call @one() : () -> f32
  %t = tfx_tensor.from_scalar %b : f32
  %u = tfx_tensor.op "Sub"(%w, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %u : tensor<f32>
}

// -----

// The host waits for both before it prints, though the graph computes much between them; and for a third after it has printed.
// CHECK-LABEL: tfx_tensor.graph @printed.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<2xf32>>, #tfx_comm.channel<2, to_host, f32, capacity = 1>] {
// CHECK-NOT:     tfx_comm.send
// CHECK:         %[[M:.*]] = tfx_tensor.op "Pack"(
// CHECK-NEXT:    tfx_comm.send %[[M]] to 0
// CHECK-LABEL: func.func @printed
// CHECK:         tfx_comm.start
// CHECK-NEXT:    %[[M:.*]] = tfx_comm.recv %{{.*}} from 0 : tensor<2xf32>
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[A:.*]] = tensor.extract %[[M]][%[[C0]]]
// CHECK-NEXT:    %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[B:.*]] = tensor.extract %[[M]][%[[C1]]]
// CHECK-NEXT:    tfx_host.print "{} {}"(%[[A]], %[[B]])
// CHECK-NEXT:    tfx_comm.recv %{{.*}} from 2 : f32
func.func @printed(%x: tensor<f32>) -> tensor<f32> {
  %v = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %a = tfx_tensor.to_scalar %v : tensor<f32> -> f32
  %w = tfx_tensor.op "Tanh"(%v) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.to_scalar %w : tensor<f32> -> f32
  tfx_host.print "{} {}"(%a, %b) : f32, f32
  %y = tfx_tensor.op "Neg"(%w) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  tfx_host.print "{}"(%c) : f32
  %z = tfx_tensor.op "Abs"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// Tensors of rank 0 contain scalars. Those of types that host scalars do not have stay separate, as do tensors of other ranks.
// CHECK-LABEL: tfx_tensor.graph @ranks.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<2xf32>>, #tfx_comm.channel<2, to_host, tensor<bf16>, capacity = 1>,
// CHECK-SAME:    #tfx_comm.channel<3, to_host, tensor<bf16>, capacity = 1>, #tfx_comm.channel<4, to_host, tensor<1xf32>, capacity = 1>] {
// CHECK-LABEL: func.func @ranks
// CHECK:         %[[E:.*]] = tensor.extract
// CHECK-NEXT:    tfx_tensor.from_scalar %[[E]] : f32
func.func @ranks(%x: tensor<f32>, %h: tensor<bf16>, %l: tensor<1xf32>) -> tensor<f32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Tanh"(%x) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Neg"(%h) : (tensor<bf16>) -> tensor<bf16>
  %d = tfx_tensor.op "Abs"(%h) : (tensor<bf16>) -> tensor<bf16>
  %e = tfx_tensor.op "Neg"(%l) : (tensor<1xf32>) -> tensor<1xf32>
  tfx_host.print "{} {} {} {} {}"(%a, %b, %c, %d, %e) : tensor<f32>, tensor<f32>, tensor<bf16>, tensor<bf16>, tensor<1xf32>
  %z = tfx_tensor.op "Abs"(%a) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// In a loop with alternating directions: consecutive sends in one direction are one message in each iteration.
func.func private @reply(f32, f32) -> (f32, f32)
// CHECK-LABEL: tfx_tensor.graph @replies.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<2xf32>>, #tfx_comm.channel<2, to_graph, tensor<2xf32>>] {
// CHECK-LABEL: func.func @replies
// CHECK:         scf.for
// CHECK-NEXT:      tfx_comm.recv
// CHECK:           %[[R:.*]]:2 = func.call @reply
// CHECK-NEXT:      %[[M:.*]] = tensor.from_elements %[[R]]#0, %[[R]]#1
// CHECK-NEXT:      tfx_comm.send %[[M]]
func.func @replies(%x: tensor<f32>, %y: tensor<f32>, %n: index) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%v = %x, %w = %y) -> (tensor<f32>, tensor<f32>) {
    %e = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    %f = tfx_tensor.op "Tanh"(%w) : (tensor<f32>) -> tensor<f32>
    %a = tfx_tensor.to_scalar %e : tensor<f32> -> f32
    %b = tfx_tensor.to_scalar %f : tensor<f32> -> f32
    %c, %d = func.call @reply(%a, %b) : (f32, f32) -> (f32, f32)
    %s = tfx_tensor.from_scalar %c : f32
    %t = tfx_tensor.from_scalar %d : f32
    %g = tfx_tensor.op "Neg"(%s) : (tensor<f32>) -> tensor<f32>
    %h = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
    scf.yield %g, %h : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// The messages of a graph that several functions start, and of a channel that is used twice, are unchanged.
// CHECK-LABEL: tfx_tensor.graph @shared(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, f32, capacity = 1>, #tfx_comm.channel<1, to_host, f32, capacity = 1>]
tfx_tensor.graph @shared(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_host, f32>] {
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %x to 1 : f32
  tfx_tensor.return
}
func.func @first(%x: f32) {
  %program = tfx_comm.start @shared(%x) : f32
  %a = tfx_comm.recv %program from 0 : f32
  %b = tfx_comm.recv %program from 1 : f32
  tfx_comm.finish %program
  return
}
func.func @second(%x: f32) {
  %program = tfx_comm.start @shared(%x) : f32
  %a = tfx_comm.recv %program from 0 : f32
  %b = tfx_comm.recv %program from 1 : f32
  tfx_comm.finish %program
  return
}
// CHECK-LABEL: tfx_tensor.graph @again(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, f32, capacity = 2>, #tfx_comm.channel<1, to_host, f32, capacity = 1>]
tfx_tensor.graph @again(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_host, f32>] {
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %x to 1 : f32
  tfx_tensor.return
}
func.func @third(%x: f32) {
  %program = tfx_comm.start @again(%x) : f32
  %a = tfx_comm.recv %program from 0 : f32
  %b = tfx_comm.recv %program from 0 : f32
  %c = tfx_comm.recv %program from 1 : f32
  tfx_comm.finish %program
  return
}
