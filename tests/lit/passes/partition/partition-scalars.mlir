// RUN: tfx-opt --tfx-partition --split-input-file %s | FileCheck %s

// Scalar code that is not replicated, and code that is replicated but decides on one side only. tests/lit/programs/partition/scalars_*.mlir run replicated code.

// An extremum has the same bits on both sides, those of zeros included: the graph computes it by several TensorFlow operations.
// CHECK-LABEL: tfx_tensor.graph @extremum.graph(
// CHECK-NOT:     channels
// CHECK:         arith.maximumf
// CHECK-LABEL: func.func @extremum
// CHECK-NOT:     arith.maximumf
func.func @extremum(%x: tensor<f32>, %a: f32) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %m = arith.maximumf %s, %a : f32
  %t = tfx_tensor.from_scalar %m : f32
  %z = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// Fused on the host, two roundings in the graph.
// CHECK-LABEL: tfx_tensor.graph @fused.graph(
// CHECK-NOT:     math.fma
// CHECK-LABEL: func.func @fused
// CHECK:         math.fma
func.func @fused(%x: tensor<f32>, %a: f32) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %m = math.fma %s, %a, %a : f32
  %t = tfx_tensor.from_scalar %m : f32
  %z = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// A conversion that may be out of range is computed by each side that needs it, but only the host decides by it, and sends one boolean. As data
// it is replicated.
// CHECK-LABEL: tfx_tensor.graph @out_of_range.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1>] {
// CHECK:           arith.fptosi
// CHECK-NOT:       arith.cmpi
// CHECK:           %[[P:.*]] = tfx_comm.recv from 0 : i1
// CHECK-NEXT:      scf.if %[[P]]
// CHECK-LABEL: func.func @out_of_range
// CHECK:           arith.fptosi
// CHECK-NEXT:      %[[P:.*]] = arith.cmpi
// CHECK-NEXT:      tfx_comm.send %[[P]]
// CHECK-NEXT:      scf.if %[[P]]
func.func @out_of_range(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %start = arith.constant 1.0 : f32
  %r, %f = scf.for %i = %zero to %n step %one iter_args(%v = %x, %f = %start) -> (tensor<f32>, f32) {
    %g = arith.addf %f, %f : f32
    %k = arith.fptosi %g : f32 to i32
    %t = tfx_tensor.from_scalar %k : i32
    %c = tfx_tensor.op "Cast"(%t) : (tensor<i32>) -> tensor<f32>
    %y = tfx_tensor.op "Add"(%v, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %p = arith.cmpi sgt, %k, %seven : i32
    %w = scf.if %p -> tensor<f32> {
      tfx_host.print "large"()
      %s = tfx_tensor.op "Sqrt"(%y) : (tensor<f32>) -> tensor<f32>
      scf.yield %s : tensor<f32>
    } else {
      scf.yield %y : tensor<f32>
    }
    scf.yield %w, %g : tensor<f32>, f32
  }
  return %r : tensor<f32>
}

// -----

// The same for a shift that may exceed the width; with a constant amount, both sides decide, and nothing crosses.
// CHECK-LABEL: tfx_tensor.graph @shifts.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1>] {
// CHECK:           %[[K:.*]] = arith.shli
// CHECK:           %[[C:.*]] = arith.cmpi
// CHECK:           scf.if %[[C]]
// CHECK:           %[[P:.*]] = tfx_comm.recv from 0 : i1
// CHECK-NEXT:      scf.if %[[P]]
// CHECK-LABEL: func.func @shifts
func.func @shifts(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %many = arith.constant 100 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<f32>) : i32 {
    %a = arith.shli %i, %three : i32
    %p = arith.cmpi sgt, %a, %many : i32
    %y = scf.if %p -> tensor<f32> {
      tfx_host.print "by three"()
      %s = tfx_tensor.op "Sqrt"(%v) : (tensor<f32>) -> tensor<f32>
      scf.yield %s : tensor<f32>
    } else {
      scf.yield %v : tensor<f32>
    }
    %b = arith.shli %one, %i : i32
    %q = arith.cmpi sgt, %b, %many : i32
    %z = scf.if %q -> tensor<f32> {
      tfx_host.print "by the counter"()
      %s = tfx_tensor.op "Exp"(%y) : (tensor<f32>) -> tensor<f32>
      scf.yield %s : tensor<f32>
    } else {
      scf.yield %y : tensor<f32>
    }
    scf.yield %z : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A decision by a float that depends only on the graph is the graph's; the copy for the print is in the branch.
// CHECK-LABEL: tfx_tensor.graph @best.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, i1>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
// CHECK:           %[[P:.*]] = arith.cmpf
// CHECK-NEXT:      tfx_comm.send %[[P]] to 0
// CHECK-NEXT:      scf.if %[[P]] {
// CHECK-NEXT:        tfx_comm.send %{{.*}} to 1
func.func @best(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 0.1 : f32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<f32>) {
    %y = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    %loss = tfx_tensor.to_scalar %y : tensor<f32> -> f32
    %p = arith.cmpf olt, %loss, %limit : f32
    scf.if %p {
      tfx_host.print "best {}"(%v) : tensor<f32>
    }
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}
