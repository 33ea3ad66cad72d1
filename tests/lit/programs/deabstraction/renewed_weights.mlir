// A struct with an array of weights that a loop updates by an inout method, element by element: each w becomes w + i, in three iterations: [1, 2]
// becomes [1, 5].
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: tfxc run %s --unroll 3 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s --unroll --graph-functions=false --executor tensorflow 3 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      y = [1. 5.]
// CHECK2:      y = [1. 2.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
!L = !tfx_host.array<!T>
tfx_host.struct @Model {weights: !L, steps: i32}
!M = !tfx_host.struct<@Model>
func.func private @next(%m: !tfx_host.ref<!M>) {
  %one = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %rw = tfx_host.field_ref %m["weights"] : !tfx_host.ref<!M> -> !tfx_host.ref<!L>
  %rs = tfx_host.field_ref %m["steps"] : !tfx_host.ref<!M> -> !tfx_host.ref<i32>
  %w = tfx_host.load %rw : !tfx_host.ref<!L>
  %a = tfx_host.array_get %w[%i0] : !L
  %b = tfx_host.array_get %w[%i1] : !L
  %t0 = tfx_tensor.const dense<0.0> : !T
  %t1 = tfx_tensor.const dense<1.0> : !T
  %a1 = tfx_tensor.op "Add"(%a, %t0) : (!T, !T) -> !T
  %b1 = tfx_tensor.op "Add"(%b, %t1) : (!T, !T) -> !T
  %n = tfx_host.array(%a1, %b1) : !L
  tfx_host.store %n, %rw : !L
  %s = tfx_host.load %rs : !tfx_host.ref<i32>
  %s1 = arith.addi %s, %one : i32
  tfx_host.store %s1, %rs : i32
  return
}
func.func @main(%n: i32) -> (tensor<2xf32> {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = tfx_tensor.const dense<1.0> : !T
  %b = tfx_tensor.const dense<2.0> : !T
  %l = tfx_host.array(%a, %b) : !L
  %m = tfx_host.make_struct(%l, %zero) : (!L, i32) -> !M
  %v = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m, %v : !M
  cf.br ^header
^header:
  %now = tfx_host.load %v : !tfx_host.ref<!M>
  %steps = tfx_host.extract %now["steps"] : !M -> i32
  %more = arith.cmpi slt, %steps, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  func.call @next(%v) : (!tfx_host.ref<!M>) -> ()
  cf.br ^header
^exit:
  %w = tfx_host.extract %now["weights"] : !M -> !L
  %x = tfx_host.array_get %w[%i0] : !L
  %y = tfx_host.array_get %w[%i1] : !L
  %p = tfx_tensor.op "Pack"(%x, %y) : (!T, !T) -> tensor<2xf32>
  return %p : tensor<2xf32>
}
