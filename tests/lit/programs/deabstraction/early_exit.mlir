// An inout parameter that is written before some exits only: clipped values are counted where they are clipped. 1, 5, 9 with a maximum of 4: 1 + 4 + 4,
// clipped twice.
//
// RUN: tfxc run %s 4.0 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 4.0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 100.0 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 100.0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      clipped 2
// CHECK1-NEXT: s = 9.0
// CHECK2:      clipped 0
// CHECK2-NEXT: s = 15.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
tfx_host.struct @Stats {clipped: i32, sum: !T}
!S = !tfx_host.struct<@Stats>
func.func private @add(%s: !tfx_host.ref<!S>, %x: f32, %most: f32) {
  %one = arith.constant 1 : i32
  %rs = tfx_host.field_ref %s["sum"] : !tfx_host.ref<!S> -> !tfx_host.ref<!T>
  %rc = tfx_host.field_ref %s["clipped"] : !tfx_host.ref<!S> -> !tfx_host.ref<i32>
  %old = tfx_host.load %rs : !tfx_host.ref<!T>
  %over = arith.cmpf ogt, %x, %most : f32
  cf.cond_br %over, ^clip, ^keep
^keep:
  %t = tfx_tensor.from_scalar %x : f32
  %n = tfx_tensor.op "Add"(%old, %t) : (!T, !T) -> !T
  tfx_host.store %n, %rs : !T
  return
^clip:
  %c = tfx_host.load %rc : !tfx_host.ref<i32>
  %d = arith.addi %c, %one : i32
  tfx_host.store %d, %rc : i32
  %u = tfx_tensor.from_scalar %most : f32
  %m = tfx_tensor.op "Add"(%old, %u) : (!T, !T) -> !T
  tfx_host.store %m, %rs : !T
  return
}
func.func @main(%most: f32) -> (!T {tfx.name = "s"}) {
  %zero = arith.constant 0 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = arith.constant 1.0 : f32
  %b = arith.constant 5.0 : f32
  %c = arith.constant 9.0 : f32
  %t0 = tfx_tensor.const dense<0.0> : !T
  %l = tfx_host.array(%a, %b, %c) : !tfx_host.array<f32>
  %n = tfx_host.array_count %l : !tfx_host.array<f32>
  %s0 = tfx_host.make_struct(%zero, %t0) : (i32, !T) -> !S
  %v = tfx_host.var : !tfx_host.ref<!S>
  tfx_host.store %s0, %v : !S
  scf.for %i = %i0 to %n step %i1 {
    %x = tfx_host.array_get %l[%i] : !tfx_host.array<f32>
    func.call @add(%v, %x, %most) : (!tfx_host.ref<!S>, f32, f32) -> ()
  }
  %s = tfx_host.load %v : !tfx_host.ref<!S>
  %clipped = tfx_host.extract %s["clipped"] : !S -> i32
  tfx_host.print "clipped {}"(%clipped) : i32
  %sum = tfx_host.extract %s["sum"] : !S -> !T
  return %sum : !T
}
