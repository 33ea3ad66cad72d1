// An index that is out of bounds of an array of structs ends the program.
//
// RUN: tfxc run %s 1 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: tfxc run %s --unroll 1 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s --unroll --graph-functions=false --executor tensorflow 1 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: not tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ not tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: not tfxc run %s -1 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ not tfxc run %s -1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      y = 20.0
// CHECK2:      error: index is out of bounds of an array of 2 elements
// CHECK3:      error: index is out of bounds of an array of 2 elements
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
tfx_host.struct @Item {x: !T, n: i32}
!I = !tfx_host.struct<@Item>
func.func @main(%i: i32) -> (!T {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %ten = tfx_tensor.const dense<10.0> : !T
  %twenty = tfx_tensor.const dense<20.0> : !T
  %a = tfx_host.make_struct(%ten, %zero) : (!T, i32) -> !I
  %b = tfx_host.make_struct(%twenty, %zero) : (!T, i32) -> !I
  %l = tfx_host.array(%a, %b) : !tfx_host.array<!I>
  %k = arith.index_cast %i : i32 to index
  %e = tfx_host.array_get %l[%k] : !tfx_host.array<!I>
  %y = tfx_host.extract %e["x"] : !I -> !T
  return %y : !T
}
