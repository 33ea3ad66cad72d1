// RUN: tfx-opt --tfx-partition --split-input-file %s | FileCheck %s

// A tape stays on one side: its pushes and pops, and what flows between them, never cross.

// Graph operations compute the values on the tape and use them, so the tape is in the graph. The
// host, which prints in the second loop, has that loop without the tape.
// CHECK-LABEL: tfx_tensor.graph @in_graph.graph(
// CHECK:         tfx_ad.empty_tape
// CHECK:         scf.for
// CHECK:           tfx_ad.push
// CHECK:         scf.for
// CHECK:           tfx_ad.pop
// CHECK:           tfx_comm.send
// CHECK-LABEL: func.func @in_graph(
// CHECK-NOT:     tfx_ad
// CHECK:         scf.for
// CHECK-NEXT:      tfx_comm.recv
// CHECK-NEXT:      tfx_host.print
func.func @in_graph(%x: tensor<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<tensor<f32>>
  %y, %tape = scf.for %i = %zero to %n step %one iter_args(%a = %x, %t = %empty) -> (tensor<f32>, !tfx_ad.tape<tensor<f32>>) {
    %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    %u = tfx_ad.push %b to %t : !tfx_ad.tape<tensor<f32>>
    scf.yield %b, %u : tensor<f32>, !tfx_ad.tape<tensor<f32>>
  }
  scf.for %i = %zero to %n step %one iter_args(%t = %tape) -> (!tfx_ad.tape<tensor<f32>>) {
    %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<tensor<f32>>
    %log = tfx_tensor.op "Log"(%value) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%log) : tensor<f32>
    scf.yield %rest : !tfx_ad.tape<tensor<f32>>
  }
  return
}

// -----

// Only the host uses the values, after the last graph operation: a tape is not a result, so the
// host has it, and the values cross when they are pushed.
// CHECK-LABEL: tfx_tensor.graph @late.graph(
// CHECK-NOT:     tfx_ad
// CHECK:         scf.for
// CHECK-NEXT:      tfx_tensor.op "Exp"
// CHECK-NEXT:      tfx_comm.send
// CHECK-LABEL: func.func @late(
// CHECK:         tfx_comm.recv
// CHECK-NEXT:    tfx_ad.push
// CHECK:         tfx_ad.pop
// CHECK-NEXT:    tfx_host.print
func.func @late(%x: tensor<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<tensor<f32>>
  %y, %tape = scf.for %i = %zero to %n step %one iter_args(%a = %x, %t = %empty) -> (tensor<f32>, !tfx_ad.tape<tensor<f32>>) {
    %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
    %u = tfx_ad.push %b to %t : !tfx_ad.tape<tensor<f32>>
    scf.yield %b, %u : tensor<f32>, !tfx_ad.tape<tensor<f32>>
  }
  scf.for %i = %zero to %n step %one iter_args(%t = %tape) -> (!tfx_ad.tape<tensor<f32>>) {
    %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<tensor<f32>>
    tfx_host.print "{}"(%value) : tensor<f32>
    scf.yield %rest : !tfx_ad.tape<tensor<f32>>
  }
  return
}

// -----

// The values are the host's, and each crosses once: when it is popped, which the graph needs in the
// reverse order.
// CHECK-LABEL: tfx_tensor.graph @on_host.graph(
// CHECK-NOT:     tfx_ad
// CHECK:         scf.for
// CHECK:           tfx_comm.recv
// CHECK-NEXT:      tfx_tensor.op "Exp"
// CHECK-LABEL: func.func @on_host(
// CHECK:         tfx_ad.push
// CHECK:         tfx_ad.pop
// CHECK-NEXT:    tfx_tensor.from_scalar
// CHECK-NEXT:    tfx_comm.send
func.func private @sample() -> f32
func.func @on_host(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f32>
  %tape = scf.for %i = %zero to %n step %one iter_args(%t = %empty) -> (!tfx_ad.tape<f32>) {
    %b = func.call @sample() : () -> f32
    %u = tfx_ad.push %b to %t : !tfx_ad.tape<f32>
    scf.yield %u : !tfx_ad.tape<f32>
  }
  %y, %end = scf.for %i = %zero to %n step %one iter_args(%a = %start, %t = %tape) -> (tensor<f32>, !tfx_ad.tape<f32>) {
    %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<f32>
    %v = tfx_tensor.from_scalar %value : f32
    %w = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    %s = tfx_tensor.op "AddV2"(%a, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %s, %rest : tensor<f32>, !tfx_ad.tape<f32>
  }
  return %y : tensor<f32>
}

// -----

// A tape that is full before the graph starts cannot be an input, so its values cross one by one;
// an empty one is made again in the graph.
// CHECK-LABEL: tfx_tensor.graph @before.graph(
// CHECK-NOT:     tfx_ad.pop
// CHECK:         tfx_comm.recv
// CHECK-LABEL: func.func @before(
// CHECK:         tfx_ad.push
// CHECK:         tfx_comm.start
// CHECK:         tfx_ad.pop
func.func private @sample() -> f32
func.func @before(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f32>
  %tape = scf.for %i = %zero to %n step %one iter_args(%t = %empty) -> (!tfx_ad.tape<f32>) {
    %b = func.call @sample() : () -> f32
    %u = tfx_ad.push %b to %t : !tfx_ad.tape<f32>
    scf.yield %u : !tfx_ad.tape<f32>
  }
  %y, %end = scf.for %i = %zero to %n step %one iter_args(%a = %x, %t = %tape) -> (tensor<f32>, !tfx_ad.tape<f32>) {
    %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<f32>
    %v = tfx_tensor.from_scalar %value : f32
    %s = tfx_tensor.op "AddV2"(%a, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %s, %rest : tensor<f32>, !tfx_ad.tape<f32>
  }
  return %y : tensor<f32>
}

// -----

// So it is if the graph could fill the tape as well.
// CHECK-LABEL: tfx_tensor.graph @replicable.graph(
// CHECK-NOT:     tape
// CHECK:         tfx_comm.recv
// CHECK-LABEL: func.func @replicable(
// CHECK:         tfx_ad.push
// CHECK:         tfx_comm.start
// CHECK:         tfx_ad.pop
func.func @replicable(%x: tensor<f32>, %s: f32, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f32>
  %p, %tape = scf.for %i = %zero to %n step %one iter_args(%a = %s, %t = %empty) -> (f32, !tfx_ad.tape<f32>) {
    %b = arith.divf %a, %s : f32
    %u = tfx_ad.push %b to %t : !tfx_ad.tape<f32>
    scf.yield %b, %u : f32, !tfx_ad.tape<f32>
  }
  %start = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %y, %end = scf.for %i = %zero to %n step %one iter_args(%a = %start, %t = %tape) -> (tensor<f32>, !tfx_ad.tape<f32>) {
    %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<f32>
    %v = tfx_tensor.from_scalar %value : f32
    %w = tfx_tensor.op "Mul"(%a, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %w, %rest : tensor<f32>, !tfx_ad.tape<f32>
  }
  return %y : tensor<f32>
}
