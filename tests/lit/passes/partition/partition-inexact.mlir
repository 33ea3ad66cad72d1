// RUN: tfx-opt --tfx-partition --tfx-verify-protocol --split-input-file %s | FileCheck %s
// RUN: tfx-opt --tfx-partition=print-plan=true --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: tfx-opt --tfx-partition=explain=arith.cmpf --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: tfx-opt --tfx-partition --tfx-verify-protocol --tfx-pack-scalars --split-input-file %s | FileCheck %s --check-prefix=PACKED

// Functions for which TensorFlow has no equivalent with the same bits for every input are not replicated, and the plan names them: cube roots, fused sums,
// powers of integers. The number is sent to the host and the result back; the results are available together, so they are sent together.

// CHECK-LABEL: tfx_tensor.graph @data.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, f32{{.*}}#tfx_comm.channel<3, to_graph, tensor<f32>
// CHECK-NOT:     {{math|arith}}.
// CHECK-LABEL: func.func @data
// CHECK: math.cbrt 
// CHECK: math.fma 
// CHECK: math.fpowi 
//
// SAYS: remark: on the host: f32: 'math.cbrt' has no equivalent in a graph
// SAYS: remark: received by the graph on channel 1: tensor<f32>: it depends on values that only the host has; the graph needs it for "AddV2"
// SAYS: remark: on the host: f32: 'math.fma' has no equivalent in a graph
// SAYS: remark: received by the graph on channel 2: tensor<f32>: it depends on values that only the host has; the graph needs it for "AddV2"
// SAYS: remark: on the host: f32: 'math.fpowi' has no equivalent in a graph
// SAYS: remark: received by the graph on channel 3: tensor<f32>: it depends on values that only the host has; the graph needs it for "AddV2"
//
// PACKED-LABEL: tfx_tensor.graph @data.graph(
// PACKED-SAME:    channels [#tfx_comm.channel<0, to_host, f32, capacity = 1>, #tfx_comm.channel<1, to_graph, tensor<3xf32>>] {
func.func @data(%x: tensor<f32>, %a: f32, %n: i32) -> tensor<f32> {
  %y0 = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %y0 : tensor<f32> -> f32
  %m0 = math.cbrt %s : f32
  %t0 = tfx_tensor.from_scalar %m0 : f32
  %y1 = tfx_tensor.op "AddV2"(%y0, %t0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %m1 = math.fma %s, %a, %a : f32
  %t1 = tfx_tensor.from_scalar %m1 : f32
  %y2 = tfx_tensor.op "AddV2"(%y1, %t1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %m2 = math.fpowi %s, %n : f32, i32
  %t2 = tfx_tensor.from_scalar %m2 : f32
  %y3 = tfx_tensor.op "AddV2"(%y2, %t2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y3 : tensor<f32>
}

// -----

// An exponential is replicated: as data, it may differ by the rounding of the two libraries. But if control flow depends on it, one side decides, and sends one boolean.
// CHECK-LABEL: tfx_tensor.graph @decides.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1>] {{.*}} {
// CHECK:           math.exp
// CHECK-NOT:       arith.cmpf
// CHECK:           %[[P:.*]] = tfx_comm.recv from 0 : i1
// CHECK-NEXT:      scf.if %[[P]]
// CHECK-LABEL: func.func @decides
// CHECK:           math.exp
// CHECK:           %[[P:.*]] = arith.cmpf
// CHECK-NEXT:      tfx_comm.send %[[P]]
//
// SAYS: remark: replicated on both sides: f32: both sides need it, and each can compute it from the values that it has
//
// WHY:  remark: received by the graph on channel 0: i1: it decides control flow, and the sides could round it differently; the graph needs it for 'scf.if'
// WHY:  note: it decides control flow, and the sides could round it differently, so only one side computes it
func.func @decides(%x: tensor<f32>, %n: index, %a: f32) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 7.0 : f32
  %r, %f = scf.for %i = %zero to %n step %one iter_args(%v = %x, %f = %a) -> (tensor<f32>, f32) {
    %e = math.exp %f : f32
    %t = tfx_tensor.from_scalar %e : f32
    %y = tfx_tensor.op "AddV2"(%v, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %p = arith.cmpf ogt, %e, %limit : f32
    %w = scf.if %p -> tensor<f32> {
      tfx_host.print "large"()
      %s = tfx_tensor.op "Sqrt"(%y) : (tensor<f32>) -> tensor<f32>
      scf.yield %s : tensor<f32>
    } else {
      scf.yield %y : tensor<f32>
    }
    scf.yield %w, %e : tensor<f32>, f32
  }
  return %r : tensor<f32>
}
