// Generic functions on generic structs of different arguments: swap, a pair of pairs, and the same function with two substitutions.
//
// RUN: tfxc run %s 4 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      4 5.0 [1. 2.]
// CHECK-NEXT: y = [2. 4.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<2xf32>
!X = !tfx_host.param<"X">
!Y = !tfx_host.param<"Y">
tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
!XY = !tfx_host.struct<@Pair<!X, !Y>>
!YX = !tfx_host.struct<@Pair<!Y, !X>>
func.func private @swap(%p: !XY) -> !YX attributes {tfx_host.type_params = [#tfx_host.type_param<"X">, #tfx_host.type_param<"Y">]} {
  %a = tfx_host.extract %p["first"] : !XY -> !X
  %b = tfx_host.extract %p["second"] : !XY -> !Y
  %q = tfx_host.make_struct(%b, %a) : (!Y, !X) -> !YX
  return %q : !YX
}
!Inner = !tfx_host.struct<@Pair<i32, f32>>
!Inner_ = !tfx_host.struct<@Pair<f32, i32>>
!Outer = !tfx_host.struct<@Pair<!Inner_, !T>>
!Outer_ = !tfx_host.struct<@Pair<!T, !Inner_>>
func.func @main(%n: i32) -> (!T {tfx.name = "y"}) {
  %f = arith.constant 5.0 : f32
  %x = tfx_tensor.const dense<[1.0, 2.0]> : !T
  %i = tfx_host.make_struct(%n, %f) : (i32, f32) -> !Inner
  %i_ = tfx_host.call @swap<[i32, f32]>(%i) : (!Inner) -> !Inner_
  %o = tfx_host.make_struct(%i_, %x) : (!Inner_, !T) -> !Outer
  %o_ = tfx_host.call @swap<[!Inner_, !T]>(%o) : (!Outer) -> !Outer_
  %t = tfx_host.extract %o_["first"] : !Outer_ -> !T
  %j = tfx_host.extract %o_["second"] : !Outer_ -> !Inner_
  %j_ = tfx_host.call @swap<[f32, i32]>(%j) : (!Inner_) -> !Inner
  %m = tfx_host.extract %j_["first"] : !Inner -> i32
  %g = tfx_host.extract %j_["second"] : !Inner -> f32
  tfx_host.print "{} {} {}"(%m, %g, %t) : i32, f32, !T
  %y = tfx_tensor.op "Add"(%t, %t) : (!T, !T) -> !T
  return %y : !T
}
