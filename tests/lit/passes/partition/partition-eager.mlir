// RUN: tfx-opt --tfx-partition %s | FileCheck %s
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-verify-protocol{internal=true},tfx-copy-analysis)' %s 2>&1 | FileCheck %s --check-prefix=COPIES

// An eager operation stays on the host: it receives values of the graph, and its result is sent back. The value of its attribute never crosses.
// CHECK-LABEL: tfx_tensor.graph @relu.graph(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>, #tfx_comm.channel<1, to_graph, tensor<4xf32>>]
// CHECK:         %[[A:.*]] = tfx_tensor.op "Exp"
// CHECK-NEXT:    tfx_comm.send %[[A]] to 0
// CHECK-NEXT:    %[[B:.*]] = tfx_comm.recv from 1
// CHECK-NEXT:    tfx_tensor.op "Neg"(%[[B]])
// CHECK-LABEL: func.func @relu(
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %[[ALPHA:.*]]: f32)
// CHECK:         %[[X:.*]] = tfx_comm.recv %[[P:.*]] from 0
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "LeakyRelu"(%[[X]]) computed(alpha = %[[ALPHA]] : f32) {eager}
// CHECK-NEXT:    tfx_comm.send %[[Y]] to %[[P]] 1
// COPIES: eager.mlir:[[# @LINE + 5]]:8: warning: the result of "LeakyRelu" stalls the accelerator: a value leaves the accelerator, host code uses it, and the result is copied back
// COPIES: eager.mlir:[[# @LINE + 3]]:8: note: this value is copied to the host (16 bytes)
// COPIES: eager.mlir:[[# @LINE + 3]]:8: note: host code uses it here: "LeakyRelu", which the host runs by itself, because an attribute is not a constant
func.func @relu(%x: tensor<4xf32>, %alpha: f32) -> tensor<4xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = tfx_tensor.op "LeakyRelu"(%a) computed(alpha = %alpha : f32) {eager} : (tensor<4xf32>) -> tensor<4xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// A function without any other operation needs no graph.
// CHECK-NOT:     tfx_tensor.graph
// CHECK-LABEL: func.func @alone(
// CHECK-NEXT:    tfx_tensor.op "LeakyRelu"
func.func @alone(%x: tensor<4xf32>, %alpha: f32) -> tensor<4xf32> {
  %b = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) {eager} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
