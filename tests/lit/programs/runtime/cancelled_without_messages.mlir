// A graph runs a loop that has no message in the iterations that it runs. Only cancelling ends it,
// and the host continues after that.
//
// RUN: tfxc interpret %s | FileCheck %s
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow-queues | FileCheck %s %}
//
// CHECK:      counts 3.0
// CHECK-NEXT: cancelled
//
// A loop that TensorFlow lowers does not check for cancellation. The mark is kept in the GraphDef.
//
// RUN: tfx-opt %s --tfx-compile-graph 2>/dev/null | tfx-translate --mlir-to-graphdef -o %t.pb
// RUN: tfx-translate --graphdef-to-mlir %t.pb | FileCheck %s --check-prefix=IR
// RUN: tfx-opt %s --tfx-compile-graph 2>/dev/null \
// RUN:   | tfx-translate --mlir-to-graphdef --text | FileCheck %s --check-prefix=GRAPH
//
// IR: } attributes {tfx.may_not_end}
// GRAPH:      op: "While"
// GRAPH:      key: "_lower_using_switch_merge"
// GRAPH-NEXT: value {
// GRAPH-NEXT: b: false
// GRAPH:      key: "_tfx_cancellable"

tfx_tensor.graph @spin() channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_graph, tensor<f32>>, #tfx_comm.channel<2, to_host, tensor<f32>>] {
  %true = arith.constant true
  %x = tfx_tensor.const dense<3.0> : tensor<f32>
  %asks = tfx_comm.recv from 0 : i1
  tfx_comm.send %x to 2 : tensor<f32>
  %r = scf.while (%t = %x) : (tensor<f32>) -> tensor<f32> {
    scf.condition(%true) %t : tensor<f32>
  } do {
  ^bb0(%t: tensor<f32>):
    %u = scf.if %asks -> tensor<f32> {
      %y = tfx_comm.recv from 1 : tensor<f32>
      tfx_comm.send %y to 2 : tensor<f32>
      scf.yield %y : tensor<f32>
    } else {
      %y = tfx_tensor.op "AddV2"(%t, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      scf.yield %y : tensor<f32>
    }
    scf.yield %u : tensor<f32>
  }
  tfx_tensor.return
}
func.func @main() {
  %false = arith.constant false
  %spin = tfx_comm.start @spin()
  tfx_comm.send %false to %spin 0 : i1
  %x = tfx_comm.recv %spin from 2 : tensor<f32>
  tfx_host.print "counts {}"(%x) : tensor<f32>
  tfx_comm.terminate %spin
  tfx_host.print "cancelled"()
  return
}
