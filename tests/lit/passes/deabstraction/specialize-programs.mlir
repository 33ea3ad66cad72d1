// PROGRAMS.md, "tensor struct" and "dense layer", as generic structs with methods behind protocols: from source to result.

// RUN: split-file %s %t
// RUN: tfx-opt %t/tensor_struct.mlir --tfx-deabstract | FileCheck %s --check-prefix=TENSOR
// RUN: tfxc run %t/tensor_struct.mlir | FileCheck %s --check-prefix=TENSOR-SAYS
// RUN: tfx-opt %t/dense_layer.mlir --tfx-deabstract | FileCheck %s --check-prefix=DENSE
// RUN: tfxc run %t/dense_layer.mlir | FileCheck %s --check-prefix=DENSE-SAYS
// RUN: not tfxc run %t/mismatch.mlir 2>&1 | FileCheck %s --check-prefix=MISMATCH

// Two nodes, in the same program for two element types.

// TENSOR-NOT:   tfx_host
// TENSOR-LABEL: func.func @calculate_f32(
// TENSOR-SAME:    %[[A:[^:]*]]: tensor<2x2xf32>{{[^,]*}}, %[[B:[^:]*]]: tensor<2x2xf32>{{[^,]*}}, %[[C:[^:]*]]: tensor<2x2xf32>
// TENSOR-NEXT:    %[[M:.*]] = tfx_tensor.op "MatMul"(%[[A]], %[[B]])
// TENSOR-NEXT:    %[[R:.*]] = tfx_tensor.op "AddV2"(%[[M]], %[[C]])
// TENSOR-NEXT:    return %[[R]] : tensor<2x2xf32>
// TENSOR:       func.func @calculate_i32(
// TENSOR:         tfx_tensor.op "MatMul"{{.*}} -> tensor<2x2xi32>
// TENSOR-NEXT:    tfx_tensor.op "AddV2"{{.*}} -> tensor<2x2xi32>
// TENSOR-NEXT:    return
// TENSOR-NOT:   tfx_host.struct

// TENSOR-SAYS:      {{\[\[}} 8. 11.]
// TENSOR-SAYS-NEXT:  [16. 23.]]
// TENSOR-SAYS-NEXT: {{\[\[}} 8 11]
// TENSOR-SAYS-NEXT:  [16 23]]

//--- tensor_struct.mlir
!S = !tfx_host.param<"Scalar">
!Tensor = !tfx_host.struct<@Tensor<!tfx_host.param<"Scalar">>>
!TensorF = !tfx_host.struct<@Tensor<f32>>
!TensorI = !tfx_host.struct<@Tensor<i32>>

tfx_host.struct @Tensor<"Scalar"> {value: tensor<2x2x!tfx_host.param<"Scalar">>}
tfx_host.protocol @Ring {
  matmul: (!tfx_host.param<"Self">, !tfx_host.param<"Self">) -> !tfx_host.param<"Self">,
  add: (!tfx_host.param<"Self">, !tfx_host.param<"Self">) -> !tfx_host.param<"Self">
}
tfx_host.witness_table @Tensor_Ring<"Scalar"> : !Tensor conforms @Ring {matmul = @Tensor.matmul, add = @Tensor.add}

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
func.func private @calculate(%a: !tfx_host.param<"T">, %b: !tfx_host.param<"T">, %c: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Ring>]} {
  %m = tfx_host.witness_call @Ring["matmul"] of !tfx_host.param<"T"> (%a, %b) : (!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.param<"T">
  %r = tfx_host.witness_call @Ring["add"] of !tfx_host.param<"T"> (%m, %c) : (!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.param<"T">
  return %r : !tfx_host.param<"T">
}
func.func @calculate_f32(%a: !TensorF, %b: !TensorF, %c: !TensorF) -> !TensorF {
  %r = tfx_host.call @calculate<[!TensorF]>(%a, %b, %c) : (!TensorF, !TensorF, !TensorF) -> !TensorF
  return %r : !TensorF
}
func.func @calculate_i32(%a: !TensorI, %b: !TensorI, %c: !TensorI) -> !TensorI {
  %r = tfx_host.call @calculate<[!TensorI]>(%a, %b, %c) : (!TensorI, !TensorI, !TensorI) -> !TensorI
  return %r : !TensorI
}
func.func @main() {
  %x = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = tfx_tensor.const dense<1.0> : tensor<2x2xf32>
  %a = tfx_host.make_struct(%x) : (tensor<2x2xf32>) -> !TensorF
  %b = tfx_host.make_struct(%y) : (tensor<2x2xf32>) -> !TensorF
  %p = func.call @calculate_f32(%a, %a, %b) : (!TensorF, !TensorF, !TensorF) -> !TensorF
  %q = tfx_host.extract %p["value"] : !TensorF -> tensor<2x2xf32>
  tfx_host.print "{}"(%q) : tensor<2x2xf32>
  %i = tfx_tensor.const dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %j = tfx_tensor.const dense<1> : tensor<2x2xi32>
  %c = tfx_host.make_struct(%i) : (tensor<2x2xi32>) -> !TensorI
  %d = tfx_host.make_struct(%j) : (tensor<2x2xi32>) -> !TensorI
  %s = func.call @calculate_i32(%c, %c, %d) : (!TensorI, !TensorI, !TensorI) -> !TensorI
  %t = tfx_host.extract %s["value"] : !TensorI -> tensor<2x2xi32>
  tfx_host.print "{}"(%t) : tensor<2x2xi32>
  return
}

// One specialization; the layer is four values, and the call of a method through the protocol costs nothing.

// DENSE-NOT:    tfx_host.struct
// DENSE-LABEL:  func.func @apply(
// DENSE-SAME:     %[[W:[^:]*]]: tensor<?x?xf32>{{[^,]*}}, %[[B:[^:]*]]: tensor<?xf32>{{[^,]*}}, %{{[^:]*}}: tensor<?x?xf32>{{[^,]*}}, %{{[^:]*}}: tensor<?xf32>{{[^,]*}}, %[[X:[^:]*]]: tensor<?x?xf32>
// DENSE-NEXT:     %[[M:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[W]])
// DENSE-NEXT:     %[[A:.*]] = tfx_tensor.op "BiasAdd"(%[[M]], %[[B]])
// DENSE-NEXT:     return %[[A]]
// DENSE-SAYS:      {{\[\[}}4. 4. 4.]]

//--- dense_layer.mlir
!S = !tfx_host.param<"Scalar">
!Matrix = tensor<?x?x!tfx_host.param<"Scalar">>
!Vector = tensor<?x!tfx_host.param<"Scalar">>
!Dense = !tfx_host.struct<@DenseLayer<!tfx_host.param<"Scalar">>>
!DenseF = !tfx_host.struct<@DenseLayer<f32>>

tfx_host.struct @Tensor<"Value"> {value: !tfx_host.param<"Value">}
tfx_host.struct @DenseLayer<"Scalar"> {
  weights: !tfx_host.struct<@Tensor<!Matrix>>, bias: !tfx_host.struct<@Tensor<!Vector>>,
  dLoss_dW: !tfx_host.struct<@Tensor<!Matrix>>, dLoss_dB: !tfx_host.struct<@Tensor<!Vector>>
}
tfx_host.protocol @Layer<"Input", "Output"> {
  call: (!tfx_host.param<"Self">, !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Input">) -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Output">
}
tfx_host.witness_table @DenseLayer_Layer<"Scalar"> : !Dense conforms @Layer {Input: !Matrix, Output: !Matrix, call = @DenseLayer.call}

func.func private @Tensor.init(%v: !tfx_host.param<"V">) -> !tfx_host.struct<@Tensor<!tfx_host.param<"V">>> attributes {tfx_host.type_params = [#tfx_host.type_param<"V">]} {
  %t = tfx_host.make_struct(%v) : (!tfx_host.param<"V">) -> !tfx_host.struct<@Tensor<!tfx_host.param<"V">>>
  return %t : !tfx_host.struct<@Tensor<!tfx_host.param<"V">>>
}
func.func private @DenseLayer.init(%w: !Matrix, %b: !Vector) -> !Dense attributes {tfx_host.type_params = [#tfx_host.type_param<"Scalar">]} {
  %tw = tfx_host.call @Tensor.init<[!Matrix]>(%w) : (!Matrix) -> !tfx_host.struct<@Tensor<!Matrix>>
  %tb = tfx_host.call @Tensor.init<[!Vector]>(%b) : (!Vector) -> !tfx_host.struct<@Tensor<!Vector>>
  %l = tfx_host.make_struct(%tw, %tb, %tw, %tb) : (!tfx_host.struct<@Tensor<!Matrix>>, !tfx_host.struct<@Tensor<!Vector>>, !tfx_host.struct<@Tensor<!Matrix>>, !tfx_host.struct<@Tensor<!Vector>>) -> !Dense
  return %l : !Dense
}
func.func private @DenseLayer.call(%self: !Dense, %x: !Matrix) -> !Matrix attributes {tfx_host.type_params = [#tfx_host.type_param<"Scalar">]} {
  %tw = tfx_host.extract %self["weights"] : !Dense -> !tfx_host.struct<@Tensor<!Matrix>>
  %tb = tfx_host.extract %self["bias"] : !Dense -> !tfx_host.struct<@Tensor<!Vector>>
  %w = tfx_host.extract %tw["value"] : !tfx_host.struct<@Tensor<!Matrix>> -> !Matrix
  %b = tfx_host.extract %tb["value"] : !tfx_host.struct<@Tensor<!Vector>> -> !Vector
  %m = tfx_tensor.op "MatMul"(%x, %w) : (!Matrix, !Matrix) -> !Matrix
  %a = tfx_tensor.op "BiasAdd"(%m, %b) : (!Matrix, !Vector) -> !Matrix
  return %a : !Matrix
}
func.func private @run(%l: !tfx_host.param<"L">, %x: !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Input">) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output"> attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"L"> (%l, %x) : (!tfx_host.param<"L">, !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Input">) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
  return %y : !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
}
func.func @apply(%l: !DenseF, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = tfx_host.call @run<[!DenseF]>(%l, %x) : (!DenseF, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @main() {
  %ws = tfx_tensor.const dense<[2, 3]> : tensor<2xi32>
  %bs = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %xs = tfx_tensor.const dense<[1, 2]> : tensor<2xi32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %w = tfx_tensor.op "Fill"(%ws, %one) : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  %b = tfx_tensor.op "Fill"(%bs, %two) : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  %x = tfx_tensor.op "Fill"(%xs, %one) : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  %l = tfx_host.call @DenseLayer.init<[f32]>(%w, %b) : (tensor<?x?xf32>, tensor<?xf32>) -> !DenseF
  %y = func.call @apply(%l, %x) : (!DenseF, tensor<?x?xf32>) -> tensor<?x?xf32>
  tfx_host.print "{}"(%y) : tensor<?x?xf32>
  return
}

// An element type that is not allowed is an error at the call.

// MISMATCH: mismatch.mlir:8:8: error: {{.*}}expected argument types ('!tfx_host.struct<@Tensor<f32>>', '!tfx_host.struct<@Tensor<f32>>') for @Tensor.matmul, got (
// MISMATCH: mismatch.mlir:3:1: note: declared here

//--- mismatch.mlir
!Tensor = !tfx_host.struct<@Tensor<!tfx_host.param<"S">>>
tfx_host.struct @Tensor<"S"> {value: tensor<2x2x!tfx_host.param<"S">>}
func.func private @Tensor.matmul(%l: !Tensor, %r: !Tensor) -> !Tensor attributes {tfx_host.type_params = [#tfx_host.type_param<"S">]} {
  return %l : !Tensor
}
func.func @main(%f: tensor<2x2xf32>, %i: !tfx_host.struct<@Tensor<i32>>) {
  %a = tfx_host.make_struct(%f) : (tensor<2x2xf32>) -> !tfx_host.struct<@Tensor<f32>>
  %m = tfx_host.call @Tensor.matmul<[f32]>(%a, %i) : (!tfx_host.struct<@Tensor<f32>>, !tfx_host.struct<@Tensor<i32>>) -> !tfx_host.struct<@Tensor<f32>>
  return
}
