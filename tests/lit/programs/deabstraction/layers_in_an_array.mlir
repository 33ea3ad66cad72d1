// A pipeline of closures in an array, selected by the index of a loop: + 1, * 3, square, for x = 1: ((1 + 1) * 3)^2 = 36; in reverse (1^2 * 3) + 1
// = 4.
//
// RUN: tfxc run %s false 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: tfxc run %s --unroll false 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s --unroll --graph-functions=false --executor tensorflow false 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: %if tensorflow %{ tfxc run %s false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s true 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      y = 36.0
// CHECK2:      y = 4.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
!F = !tfx_host.closure<(!T) -> !T>
!L = !tfx_host.array<!F>
func.func private @plus(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Add"(%x, %by) : (!T, !T) -> !T
  return %y : !T
}
func.func private @times(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Mul"(%x, %by) : (!T, !T) -> !T
  return %y : !T
}
func.func private @square(%x: !T) -> !T {
  %y = tfx_tensor.op "Mul"(%x, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func private @run(%l: !L, %back: i1, %x: !T) -> !T {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = tfx_host.array_count %l : !L
  %last = arith.subi %n, %i1 : index
  %y = scf.for %i = %i0 to %n step %i1 iter_args(%a = %x) -> !T {
    %j = arith.subi %last, %i : index
    %k = arith.select %back, %j, %i : index
    %f = tfx_host.array_get %l[%k] : !L
    %b = tfx_host.apply %f(%a) : !F
    scf.yield %b : !T
  }
  return %y : !T
}
func.func @main(%back: i1) -> (!T {tfx.name = "y"}) {
  %one = tfx_tensor.const dense<1.0> : !T
  %three = tfx_tensor.const dense<3.0> : !T
  %a = tfx_host.closure @plus(%one) : (!T) -> !F
  %b = tfx_host.closure @times(%three) : (!T) -> !F
  %c = tfx_host.closure @square() : () -> !F
  %l = tfx_host.array(%a, %b, %c) : !L
  %y = func.call @run(%l, %back, %one) : (!L, i1, !T) -> !T
  return %y : !T
}
