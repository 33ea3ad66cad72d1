// Scalar code means the same in a helper function as in place: the condition of a loop (a predicate of the loss), a schedule, a clamp that is passed
// as a closure, a method of a struct of scalars, and a check that aborts. The graph computes all of it. The host must make the check in each iteration,
// so the graph sends in each one whether there is another one; without the check nothing crosses.
//
// RUN: tfxc run %s --stats 5 4 2>&1 | FileCheck %s
// RUN: tfxc interpret %s 5 4 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: %if tensorflow %{ tfxc run %s --stats 5 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: sed '/func.call @check/d; s/%%all = /%%steps = /' %s > %t.mlir
// RUN: tfxc run %t.mlir --stats 5 4 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tfxc run %s 5 -1 2>&1 | FileCheck %s --check-prefix=ABORT
//
// CHECK-NOT: warning
// CHECK:     y = 1.0
// CHECK:     0 {{.*}}to host {{.*}}i1 {{.*}}3 {{.*}}3
// CHECK-NOT: to {{host|graph}}
// RESULT:    y = 1.0
// NOTHING:   y = 1.0
// NOTHING:   no channels
// ABORT:     the schedule has no steps

!T = tensor<f32>
tfx_host.struct @Schedule {rate: f32, steps: i32}
!S = !tfx_host.struct<@Schedule>
!Clamp = !tfx_host.closure<(f32) -> f32>

func.func private @positive(%x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %x, %zero : f32
  return %p : i1
}
func.func private @check(%steps: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %bad = arith.cmpi sle, %steps, %zero : i32
  cf.cond_br %bad, ^bad, ^good
^bad:
  tfx_host.abort "the schedule has no steps"
  tfx_host.unreachable
^good:
  return %steps : i32
}
func.func private @rate(%s: !S, %step: i32) -> f32 {
  %rate = tfx_host.extract %s["rate"] : !S -> f32
  %all = tfx_host.extract %s["steps"] : !S -> i32
  %steps = func.call @check(%all) : (i32) -> i32
  %phase = arith.remsi %step, %steps : i32
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %phase, %zero : i32
  cf.cond_br %first, ^full, ^half
^full:
  return %rate : f32
^half:
  %two = arith.constant 2.0 : f32
  %less = arith.divf %rate, %two : f32
  return %less : f32
}
func.func private @at_most_one(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %large = arith.cmpf ogt, %x, %one : f32
  %y = arith.select %large, %one, %x : f32
  return %y : f32
}
func.func private @clamped(%clamp: !Clamp, %s: !S, %step: i32) -> f32 {
  %rate = func.call @rate(%s, %step) : (!S, i32) -> f32
  %y = tfx_host.apply %clamp(%rate) : !Clamp
  return %y : f32
}
func.func @main(%n: f32, %steps: i32) -> (!T {tfx.name = "y"}) {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %schedule = tfx_host.make_struct(%two, %steps) : (f32, i32) -> !S
  %clamp = tfx_host.closure @at_most_one() : () -> !Clamp
  %start = tfx_tensor.from_scalar %n : f32
  cf.br ^loop(%start, %zero : !T, i32)
^loop(%x: !T, %step: i32):
  %r = func.call @clamped(%clamp, %schedule, %step) : (!Clamp, !S, i32) -> f32
  %by = tfx_tensor.from_scalar %r : f32
  %y = tfx_tensor.op "Sub"(%x, %by) : (!T, !T) -> !T
  %next = arith.addi %step, %one : i32
  %v = tfx_tensor.to_scalar %y : !T -> f32
  %minus = arith.subf %v, %two : f32
  %again = func.call @positive(%minus) : (f32) -> i1
  cf.cond_br %again, ^loop(%y, %next : !T, i32), ^exit
^exit:
  %ones = tfx_tensor.const dense<1.0> : !T
  %z = tfx_tensor.op "Sub"(%y, %ones) : (!T, !T) -> !T
  return %z : !T
}
