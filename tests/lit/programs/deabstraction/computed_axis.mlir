// An attribute whose value comes from a struct, an enum and a call: the axis of a OneHot is 1 + 0, so indices [0, 2] of depth 3 are rows.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      y = {{\[\[}}1. 0. 0.]
// CHECK-NEXT: [0. 0. 1.]]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

tfx_host.struct @Wrapper {v: i64}
tfx_host.enum @Axis {at(!tfx_host.struct<@Wrapper>), last()}
!W = !tfx_host.struct<@Wrapper>
!A = !tfx_host.enum<@Axis>
func.func private @number(%a: !A) -> i64 {
  tfx_host.switch_enum %a : !A ["at" -> ^at, "last" -> ^last]
^at(%w: !W):
  %v = tfx_host.extract %w["v"] : !W -> i64
  return %v : i64
^last:
  %minus = arith.constant -1 : i64
  return %minus : i64
}
func.func private @plus_one(%x: i64) -> i64 {
  %one = arith.constant 1 : i64
  %y = arith.addi %x, %one : i64
  return %y : i64
}
func.func @main() -> (tensor<2x3xf32> {tfx.name = "y"}) {
  %zero = arith.constant 0 : i64
  %one = func.call @plus_one(%zero) : (i64) -> i64
  %w = tfx_host.make_struct(%one) : (i64) -> !W
  %a = tfx_host.make_enum "at"(%w) : (!W) -> !A
  %axis = func.call @number(%a) : (!A) -> i64
  %i = tfx_tensor.const dense<[0, 2]> : tensor<2xi32>
  %depth = tfx_tensor.const dense<3> : tensor<i32>
  %on = tfx_tensor.const dense<1.0> : tensor<f32>
  %off = tfx_tensor.const dense<0.0> : tensor<f32>
  %y = tfx_tensor.op "OneHot"(%i, %depth, %on, %off) computed(axis = %axis : i64) : (tensor<2xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
