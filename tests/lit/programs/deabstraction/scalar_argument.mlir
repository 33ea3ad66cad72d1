// A scalar of the host becomes a tensor, inside of a struct that wraps it: (f + 1) + (f + 1).
//
// RUN: tfxc run %s 2.5 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 2.5 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      y = 7.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

tfx_host.struct @Tensor<"Scalar"> {value: tensor<f32>, of: !tfx_host.param<"Scalar">}
!S = !tfx_host.struct<@Tensor<f32>>
func.func private @wrap(%f: f32) -> !S {
  %t = tfx_tensor.from_scalar %f : f32
  %s = tfx_host.make_struct(%t, %f) : (tensor<f32>, f32) -> !S
  return %s : !S
}
func.func private @add(%a: !S, %b: !S) -> !S {
  %x = tfx_host.extract %a["value"] : !S -> tensor<f32>
  %y = tfx_host.extract %b["value"] : !S -> tensor<f32>
  %z = tfx_tensor.op "Add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = tfx_host.insert %z into %a["value"] : tensor<f32>, !S
  return %r : !S
}
func.func @main(%f: f32) -> (tensor<f32> {tfx.name = "y"}) {
  %one = arith.constant 1.0 : f32
  %a = func.call @wrap(%f) : (f32) -> !S
  %b = func.call @wrap(%one) : (f32) -> !S
  %c = func.call @add(%a, %b) : (!S, !S) -> !S
  %d = func.call @add(%c, %c) : (!S, !S) -> !S
  %y = tfx_host.extract %d["value"] : !S -> tensor<f32>
  return %y : tensor<f32>
}
