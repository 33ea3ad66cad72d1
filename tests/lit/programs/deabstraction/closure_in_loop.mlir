// A variable that holds a closure gets a new one in each iteration, with the captures of that iteration. make(k) is x + k; iteration k applies the closure
// of iteration k - 1. Iterations 0, 1, 2, 3 apply + 100, + 0, + 1, + 2 to 0: 103; the last stored one is + 3.
//
// RUN: tfxc run %s 4 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      103.0
// CHECK1-NEXT: y = 106.0
// CHECK2:      0.0
// CHECK2-NEXT: y = 100.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
!F = !tfx_host.closure<(!T) -> !T>
func.func private @plus(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Add"(%by, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func private @make(%k: i32) -> !F {
  %f = arith.sitofp %k : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %c = tfx_host.closure @plus(%t) : (!T) -> !F
  return %c : !F
}
func.func @main(%n: i32) -> (!T {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %hundred = arith.constant 100 : i32
  %t0 = tfx_tensor.const dense<0.0> : !T
  %v = tfx_host.var : !tfx_host.ref<!F>
  %first = func.call @make(%hundred) : (i32) -> !F
  tfx_host.store %first, %v : !F
  %x = scf.for %k = %zero to %n step %one iter_args(%x = %t0) -> !T : i32 {
    %old = tfx_host.load %v : !tfx_host.ref<!F>
    %new = func.call @make(%k) : (i32) -> !F
    tfx_host.store %new, %v : !F
    %y = tfx_host.apply %old(%x) : !F
    scf.yield %y : !T
  }
  tfx_host.print "{}"(%x) : !T
  %last = tfx_host.load %v : !tfx_host.ref<!F>
  %y = tfx_host.apply %last(%x) : !F
  return %y : !T
}
