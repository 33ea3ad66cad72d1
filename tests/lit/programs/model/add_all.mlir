// A variable that three additions go through: it is gone, and the graph has three nodes, four inputs and one result. Nothing crosses between.
//
// RUN: tfxc run %s --stats 1 2 3 4 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats 1 2 3 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      r = 10.0
//
// IR-NOT: {{warning|error|channel}}
// IR:      tfx_tensor.graph @main.graph(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>) -> tensor<f32> {
// IR-NEXT:   %[[R0:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[B]])
// IR-NEXT:   %[[R1:.*]] = tfx_tensor.op "AddV2"(%[[R0]], %[[C]])
// IR-NEXT:   %[[R2:.*]] = tfx_tensor.op "AddV2"(%[[R1]], %[[D]])
// IR-NEXT:   tfx_tensor.return %[[R2]]
// IR:      func.func @main(
// IR-NEXT:   %[[P:.*]] = tfx_comm.start @main.graph
// IR-NEXT:   %[[R:.*]] = tfx_comm.finish %[[P]]
// IR-NEXT:   return %[[R]]

!T = tensor<f32>
func.func @main(%a: !T, %b: !T, %c: !T, %d: !T) -> (!T {tfx.name = "r"}) {
  %r = tfx_host.var : !tfx_host.ref<!T>
  %r0 = tfx_tensor.op "AddV2"(%a, %b) : (!T, !T) -> !T
  tfx_host.store %r0, %r : !T
  %l0 = tfx_host.load %r : !tfx_host.ref<!T>
  %r1 = tfx_tensor.op "AddV2"(%l0, %c) : (!T, !T) -> !T
  tfx_host.store %r1, %r : !T
  %l1 = tfx_host.load %r : !tfx_host.ref<!T>
  %r2 = tfx_tensor.op "AddV2"(%l1, %d) : (!T, !T) -> !T
  tfx_host.store %r2, %r : !T
  %end = tfx_host.load %r : !tfx_host.ref<!T>
  return %end : !T
}
