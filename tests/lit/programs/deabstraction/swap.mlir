// An inout swap of two fields of one struct, of a tuple's elements, and of one variable with itself, inlined: (1, 2), (3, 4) becomes (2, 1), (4,
// 3).
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      [2.] [1.] [4.] [3.]
// CHECK-NEXT: y = [2.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<1xf32>
tfx_host.struct @Four {p: tuple<!T, !T>, a: !T, b: !T}
!F = !tfx_host.struct<@Four>
func.func private @swap(%a: !tfx_host.ref<!T>, %b: !tfx_host.ref<!T>) {
  %x = tfx_host.load %a : !tfx_host.ref<!T>
  %y = tfx_host.load %b : !tfx_host.ref<!T>
  tfx_host.store %y, %a : !T
  tfx_host.store %x, %b : !T
  return
}
func.func @main() -> (!T {tfx.name = "y"}) {
  %c1 = tfx_tensor.const dense<1.0> : !T
  %c2 = tfx_tensor.const dense<2.0> : !T
  %c3 = tfx_tensor.const dense<3.0> : !T
  %c4 = tfx_tensor.const dense<4.0> : !T
  %p = tfx_host.make_tuple(%c1, %c2) : !T, !T
  %s = tfx_host.make_struct(%p, %c3, %c4) : (tuple<!T, !T>, !T, !T) -> !F
  %v = tfx_host.var : !tfx_host.ref<!F>
  tfx_host.store %s, %v : !F
  %a = tfx_host.field_ref %v["a"] : !tfx_host.ref<!F> -> !tfx_host.ref<!T>
  %b = tfx_host.field_ref %v["b"] : !tfx_host.ref<!F> -> !tfx_host.ref<!T>
  %rp = tfx_host.field_ref %v["p"] : !tfx_host.ref<!F> -> !tfx_host.ref<tuple<!T, !T>>
  %p0 = tfx_host.field_ref %rp["0"] : !tfx_host.ref<tuple<!T, !T>> -> !tfx_host.ref<!T>
  %p1 = tfx_host.field_ref %rp["1"] : !tfx_host.ref<tuple<!T, !T>> -> !tfx_host.ref<!T>
  func.call @swap(%a, %b) : (!tfx_host.ref<!T>, !tfx_host.ref<!T>) -> ()
  func.call @swap(%p0, %p1) : (!tfx_host.ref<!T>, !tfx_host.ref<!T>) -> ()
  func.call @swap(%a, %a) : (!tfx_host.ref<!T>, !tfx_host.ref<!T>) -> ()
  %w = tfx_host.load %v : !tfx_host.ref<!F>
  %wp = tfx_host.extract %w["p"] : !F -> tuple<!T, !T>
  %w0 = tfx_host.tuple_get %wp[0] : tuple<!T, !T>
  %w1 = tfx_host.tuple_get %wp[1] : tuple<!T, !T>
  %wa = tfx_host.extract %w["a"] : !F -> !T
  %wb = tfx_host.extract %w["b"] : !F -> !T
  tfx_host.print "{} {} {} {}"(%w0, %w1, %wa, %wb) : !T, !T, !T, !T
  return %w0 : !T
}
