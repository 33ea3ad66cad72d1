// Structured functions that start a graph are unchanged, whoever wrote them; the others of a module are deabstracted. A call in an extracted
// function stays a call, and so does a call of an extracted function, which has its own graph.
//
// RUN: tfx-opt %s --tfx-deabstract -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tfx-opt %s --tfx-extract -o %t.extracted.mlir
// RUN: FileCheck %s --check-prefix=EXTRACT < %t.extracted.mlir
// RUN: tfx-opt %t.extracted.mlir --tfx-extract | diff %t.extracted.mlir -
// RUN: tfxc run %s 2 | FileCheck %s --check-prefix=SHOWN
// RUN: tfxc run %t.extracted.mlir 2 | FileCheck %s --check-prefix=SHOWN
// RUN: %if tensorflow %{ tfxc run %s 2 --executor tensorflow | FileCheck %s --check-prefix=SHOWN %}
// RUN: tfxc interpret %s 2 | FileCheck %s --check-prefix=SHOWN
//
// SHOWN: at 1.0
// SHOWN-NEXT: at 2.0
// SHOWN-NEXT: source 4.0
// SHOWN-NEXT: last 8.0

// Written by hand: the loop stays a loop, and the constants stay in place.
// CHECK-LABEL: func.func private @doubles(
// CHECK: tfx_comm.start @doubles.graph
// CHECK: scf.for
// CHECK: tfx_comm.finish
// CHECK: call @source(
// EXTRACT-LABEL: func.func private @doubles(
// EXTRACT: scf.for
// EXTRACT: tfx_comm.recv
// EXTRACT: call @source(
tfx_tensor.graph @doubles.graph(%x: tensor<f32>, %n: index) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<f32> {
    tfx_comm.send %y to 0 : tensor<f32>
    %z = tfx_tensor.op "AddV2"(%y, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %z : tensor<f32>
  }
  tfx_tensor.return %r : tensor<f32>
}
func.func private @doubles(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %p = tfx_comm.start @doubles.graph(%x, %n) : tensor<f32>, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %y = tfx_comm.recv %p from 0 : tensor<f32>
    tfx_host.print "at {}"(%y) : tensor<f32>
  }
  %r = tfx_comm.finish %p : tensor<f32>
  %s = func.call @source(%r) : (tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}

// In source form, with its own graph, which it starts.
// CHECK-LABEL: func.func private @source(
// CHECK-NOT: tfx_host.var
// CHECK: tfx_tensor.op "AddV2"
// EXTRACT-LABEL: func.func private @source(
// EXTRACT: tfx_comm.start @source.graph
func.func private @source(%x: tensor<f32>) -> tensor<f32> {
  %v = tfx_host.var : !tfx_host.ref<tensor<f32>>
  tfx_host.store %x, %v : tensor<f32>
  %y = tfx_host.load %v : !tfx_host.ref<tensor<f32>>
  tfx_host.print "source {}"(%y) : tensor<f32>
  %z = tfx_tensor.op "AddV2"(%y, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// In source form, with calls of extracted functions.
// CHECK-LABEL: func.func @main(
// CHECK: call @doubles(
func.func @main(%n: index) {
  %x = tfx_tensor.const dense<1.0> : tensor<f32>
  %y = func.call @doubles(%x, %n) : (tensor<f32>, index) -> tensor<f32>
  tfx_host.print "last {}"(%y) : tensor<f32>
  return
}
