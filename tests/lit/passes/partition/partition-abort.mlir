// RUN: tfx-opt --tfx-partition --split-input-file %s | FileCheck %s

// A path that aborts cancels the program; its control flow is not in the graph.

// CHECK-LABEL: tfx_tensor.graph @in_loop.graph(
// CHECK-NOT:     channels
// CHECK:         scf.for
// CHECK-NEXT:      %[[Y:.*]] = tfx_tensor.op "Exp"
// CHECK-NEXT:      scf.yield %[[Y]]
// CHECK-LABEL: func.func @in_loop
// CHECK:         scf.for
// CHECK-NEXT:      %[[BAD:.*]] = func.call @bad
// CHECK-NEXT:      scf.if %[[BAD]] {
// CHECK-NEXT:        tfx_comm.terminate
// CHECK-NEXT:        tfx_host.abort "it is bad"
// CHECK-NEXT:      }
// CHECK-NEXT:      tfx_host.assert
func.func private @bad() -> i1
func.func @in_loop(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<f32>) {
    %b = func.call @bad() : () -> i1
    %w = scf.if %b -> tensor<f32> {
      tfx_host.abort "it is bad"
      %u = tfx_host.undef : tensor<f32>
      scf.yield %u : tensor<f32>
    } else {
      %t = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
      scf.yield %t : tensor<f32>
    }
    tfx_host.assert %b, "fine"
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// There are graph operations on the path to the abort, so here the graph decides, too. After the end there is nothing to cancel.
// CHECK-LABEL: tfx_tensor.graph @on_the_way.graph(
// CHECK:         scf.if
// CHECK-NEXT:      "Neg"
// CHECK-NEXT:      tfx_comm.send
// CHECK-NEXT:    }
// CHECK-LABEL: func.func @on_the_way
// CHECK:         scf.if
// CHECK:           tfx_comm.recv
// CHECK:           tfx_comm.terminate
// CHECK-NEXT:      tfx_host.abort "a"
// CHECK:         tfx_comm.finish
// CHECK-NOT:     tfx_comm.terminate
// CHECK:         tfx_host.abort "late"
func.func @on_the_way(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  scf.if %p {
    %w = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%w) : tensor<f32>
    tfx_host.abort "a"
  }
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%z) : tensor<f32>
  scf.if %p {
    tfx_host.abort "late"
  }
  return %z : tensor<f32>
}

// -----

// Every path aborts: the code after it is erased.
// CHECK-LABEL: tfx_tensor.graph @always.graph(
// CHECK:         "Exp"
// CHECK-NOT:     "Neg"
// CHECK-LABEL: func.func @always
// CHECK:         %[[U:.*]] = tfx_host.undef
// CHECK-NEXT:    return %[[U]]
func.func @always(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%y) : tensor<f32>
  scf.if %p {
    tfx_host.abort "a"
  } else {
    tfx_host.abort "b"
  }
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// Values that the host prints before it aborts are computed on the host: the graph bypasses this arm and could not send from it.
// CHECK-LABEL: tfx_tensor.graph @message.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
// CHECK-NEXT:    tfx_tensor.op "Exp"
// CHECK-NEXT:    tfx_comm.send
// CHECK-NEXT:    tfx_tensor.op "Neg"
// CHECK-NEXT:    tfx_tensor.return
// CHECK-LABEL: func.func @message
// CHECK:         scf.if
// CHECK-NEXT:      tfx_tensor.to_scalar
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      tfx_host.print
// CHECK-NEXT:      tfx_comm.terminate
func.func private @bad() -> i1
func.func @message(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @bad() : () -> i1
  scf.if %b {
    %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
    %t = arith.addf %s, %s : f32
    tfx_host.print "it is {}"(%t) : f32
    tfx_host.abort "no"
  }
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
