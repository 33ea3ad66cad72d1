// A generic struct around a tensor, with a method and an operator: specialized, inlined and scalarized to two nodes. specialize-programs.mlir tests that a wrong
// element type is an error at the call.
//
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      y = {{\[\[}} 8. 11.]
// CHECK-NEXT:      [16. 23.]]
// CHECK:      no channels
//
// IR-NOT: {{warning|error|channel|tfx_host}}
// IR:      tfx_tensor.graph @calculate.graph(%[[A:.*]]: tensor<2x2xf32>, %[[B:.*]]: tensor<2x2xf32>, %[[C:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32> {
// IR-NEXT:   %[[P:.*]] = tfx_tensor.op "MatMul"(%[[A]], %[[B]])
// IR-NEXT:   %[[S:.*]] = tfx_tensor.op "AddV2"(%[[P]], %[[C]])
// IR-NEXT:   tfx_tensor.return %[[S]]
// IR:      func.func @calculate(
// IR-NEXT:   %[[P:.*]] = tfx_comm.start @calculate.graph
// IR-NEXT:   %[[R:.*]] = tfx_comm.finish %[[P]]
// IR-NEXT:   return %[[R]]

!S = !tfx_host.param<"Scalar">
!Tensor = !tfx_host.struct<@Tensor<!S>>
!TensorF = !tfx_host.struct<@Tensor<f32>>
tfx_host.struct @Tensor<"Scalar"> {value: tensor<2x2x!S>}
func.func private @Tensor.matmul(%self: !Tensor, %o: !Tensor) -> !Tensor attributes {tfx_host.type_params = [#tfx_host.type_param<"Scalar">]} {
  %a = tfx_host.extract %self["value"] : !Tensor -> tensor<2x2x!S>
  %b = tfx_host.extract %o["value"] : !Tensor -> tensor<2x2x!S>
  %m = tfx_tensor.op "MatMul"(%a, %b) : (tensor<2x2x!S>, tensor<2x2x!S>) -> tensor<2x2x!S>
  %r = tfx_host.make_struct(%m) : (tensor<2x2x!S>) -> !Tensor
  return %r : !Tensor
}
func.func private @Tensor.add(%l: !Tensor, %r: !Tensor) -> !Tensor attributes {tfx_host.type_params = [#tfx_host.type_param<"Scalar">]} {
  %a = tfx_host.extract %l["value"] : !Tensor -> tensor<2x2x!S>
  %b = tfx_host.extract %r["value"] : !Tensor -> tensor<2x2x!S>
  %m = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2x2x!S>, tensor<2x2x!S>) -> tensor<2x2x!S>
  %s = tfx_host.make_struct(%m) : (tensor<2x2x!S>) -> !Tensor
  return %s : !Tensor
}
func.func @calculate(%a: !TensorF, %b: !TensorF, %c: !TensorF) -> !TensorF {
  %m = tfx_host.call @Tensor.matmul<[f32]>(%a, %b) : (!TensorF, !TensorF) -> !TensorF
  %r = tfx_host.call @Tensor.add<[f32]>(%m, %c) : (!TensorF, !TensorF) -> !TensorF
  return %r : !TensorF
}
func.func @main() -> (tensor<2x2xf32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %o = tfx_tensor.const dense<1.0> : tensor<2x2xf32>
  %a = tfx_host.make_struct(%x) : (tensor<2x2xf32>) -> !TensorF
  %b = tfx_host.make_struct(%o) : (tensor<2x2xf32>) -> !TensorF
  %r = func.call @calculate(%a, %a, %b) : (!TensorF, !TensorF, !TensorF) -> !TensorF
  %y = tfx_host.extract %r["value"] : !TensorF -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
