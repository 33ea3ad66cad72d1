// A variable that is reassigned is promoted, and three nodes remain.
//
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: r = [1111. 2222.]
// CHECK: no channels
//
// IR-NOT: warning
// IR-LABEL: tfx_tensor.graph @add_all.graph(
// IR-SAME:      %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<2xf32>, %[[D:.*]]: tensor<2xf32>) -> tensor<2xf32> {
// IR-NEXT:    %[[AB:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[B]])
// IR-NEXT:    %[[ABC:.*]] = tfx_tensor.op "AddV2"(%[[AB]], %[[C]])
// IR-NEXT:    %[[ABCD:.*]] = tfx_tensor.op "AddV2"(%[[ABC]], %[[D]])
// IR-NEXT:    tfx_tensor.return %[[ABCD]]
// IR-NOT:   tfx_host

func.func @add_all(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_host.var : !tfx_host.ref<tensor<2xf32>>
  %ab = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %ab, %r : tensor<2xf32>
  %r1 = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %abc = tfx_tensor.op "AddV2"(%r1, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %abc, %r : tensor<2xf32>
  %r2 = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %abcd = tfx_tensor.op "AddV2"(%r2, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %abcd, %r : tensor<2xf32>
  %r3 = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  return %r3 : tensor<2xf32>
}
func.func @main() -> (tensor<2xf32> {tfx.name = "r"}) {
  %a = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf32>
  %b = tfx_tensor.const dense<[10.0, 20.0]> : tensor<2xf32>
  %c = tfx_tensor.const dense<[100.0, 200.0]> : tensor<2xf32>
  %d = tfx_tensor.const dense<[1000.0, 2000.0]> : tensor<2xf32>
  %r = func.call @add_all(%a, %b, %c, %d) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
