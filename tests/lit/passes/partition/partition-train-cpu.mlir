// RUN: tfx-opt --tfx-partition %s | FileCheck %s

// The training loop with a host-only function in its step: the counter is on both sides, the products are sent to the host and the
// predictions are sent back in each iteration, the weights are printed every 100 iterations and are also the result.

func.func private @cpu_only(tensor<?x1xf32>) -> tensor<?x1xf32>

// CHECK-LABEL: tfx_tensor.graph @train.graph(
// CHECK-SAME:    %[[INPUTS:.*]]: tensor<?x?xf32>, %[[OUTPUTS:.*]]: tensor<?x1xf32>, %[[W0:.*]]: tensor<?x1xf32>) -> tensor<?x1xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<?x1xf32>>, #tfx_comm.channel<1, to_graph, tensor<?x1xf32>>, #tfx_comm.channel<2, to_host, tensor<?x1xf32>>] {
// CHECK:         %[[END:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[W:.*]] = %[[W0]]) : (i32, tensor<?x1xf32>) -> (i32, tensor<?x1xf32>) {
// CHECK:           %[[GO:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : i32
// CHECK:           scf.condition(%[[GO]]) %[[I]], %[[W]]
// CHECK:           %[[XW:.*]] = tfx_tensor.op "MatMul"(%[[INPUTS]], %{{.*}})
// CHECK-NEXT:      tfx_comm.send %[[XW]] to 0 : tensor<?x1xf32>
// CHECK-NEXT:      %[[PREDICTIONS:.*]] = tfx_comm.recv from 1 : tensor<?x1xf32>
// CHECK-NEXT:      tfx_tensor.op "Sub"(%[[PREDICTIONS]], %[[OUTPUTS]])
// CHECK:           %[[NEXT:.*]] = tfx_tensor.op "Sub"
// CHECK:           %[[SHOW:.*]] = arith.cmpi eq
// CHECK-NEXT:      scf.if %[[SHOW]] {
// CHECK-NEXT:        tfx_comm.send %[[NEXT]] to 2 : tensor<?x1xf32>
// CHECK-NEXT:      }
// CHECK-NOT:       tfx_comm
// CHECK:         tfx_tensor.return %[[END]]#1 : tensor<?x1xf32>

// CHECK-LABEL: func.func @train(
// CHECK:         %[[PROGRAM:.*]] = tfx_comm.start @train.graph(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x1xf32>
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK:           %[[XW:.*]] = tfx_comm.recv %[[PROGRAM]] from 0 : tensor<?x1xf32>
// CHECK-NEXT:      %[[PREDICTIONS:.*]] = func.call @cpu_only(%[[XW]])
// CHECK-NEXT:      tfx_comm.send %[[PREDICTIONS]] to %[[PROGRAM]] 1 : tensor<?x1xf32>
// CHECK:           scf.if
// CHECK-NEXT:        %[[CURRENT:.*]] = tfx_comm.recv %[[PROGRAM]] from 2 : tensor<?x1xf32>
// CHECK-NEXT:        tfx_host.print "Current weights: {}"(%[[CURRENT]])
// CHECK-NOT:       tfx_tensor.op
// CHECK:         %[[RESULT:.*]] = tfx_comm.finish %[[PROGRAM]] : tensor<?x1xf32>
// CHECK-NEXT:    return %[[RESULT]] : tensor<?x1xf32>
func.func @train(%inputs: tensor<?x?xf32>, %outputs: tensor<?x1xf32>, %w0: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %end:2 = scf.while (%step = %zero, %w = %w0) : (i32, tensor<?x1xf32>) -> (i32, tensor<?x1xf32>) {
    %go = arith.cmpi slt, %step, %steps : i32
    scf.condition(%go) %step, %w : i32, tensor<?x1xf32>
  } do {
  ^bb0(%step: i32, %w: tensor<?x1xf32>):
    %xw = tfx_tensor.op "MatMul"(%inputs, %w) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
    %errors = tfx_tensor.op "Sub"(%predictions, %outputs) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %dw = tfx_tensor.op "MatMul"(%inputs, %errors) {transpose_a = true} : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %rate = tfx_tensor.const dense<0.01> : tensor<f32>
    %delta = tfx_tensor.op "Mul"(%dw, %rate) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
    %next = tfx_tensor.op "Sub"(%w, %delta) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %rem = arith.remsi %step, %every : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    scf.if %show {
      tfx_host.print "Current weights: {}"(%next) : tensor<?x1xf32>
    }
    %step1 = arith.addi %step, %one : i32
    scf.yield %step1, %next : i32, tensor<?x1xf32>
  }
  return %end#1 : tensor<?x1xf32>
}
