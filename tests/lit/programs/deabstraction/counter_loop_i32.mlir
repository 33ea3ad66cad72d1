// A loop counted in i32 around a tensor of i32: one less, 100 more, one less. The counter is a struct with a mutating method.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      a = 98
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!N = i32
!T = tensor<i32>
tfx_host.struct @Counter {count: !N, most: !N}
!C = !tfx_host.struct<@Counter>
func.func private @next(%c: !tfx_host.ref<!C>) -> i1 {
  %one = arith.constant 1 : !N
  %r = tfx_host.field_ref %c["count"] : !tfx_host.ref<!C> -> !tfx_host.ref<!N>
  %s = tfx_host.load %c : !tfx_host.ref<!C>
  %count = tfx_host.extract %s["count"] : !C -> !N
  %most = tfx_host.extract %s["most"] : !C -> !N
  %more = arith.cmpi slt, %count, %most : !N
  %n = arith.addi %count, %one : !N
  tfx_host.store %n, %r : !N
  return %more : i1
}
func.func private @change(%a: !tfx_host.ref<!T>, %by: !T, %op: !tfx_host.closure<(!T, !T) -> !T>) {
  %x = tfx_host.load %a : !tfx_host.ref<!T>
  %y = tfx_host.apply %op(%x, %by) : !tfx_host.closure<(!T, !T) -> !T>
  tfx_host.store %y, %a : !T
  return
}
func.func private @plus(%a: !T, %b: !T) -> !T {
  %c = tfx_tensor.op "Add"(%a, %b) : (!T, !T) -> !T
  return %c : !T
}
func.func private @minus(%a: !T, %b: !T) -> !T {
  %c = tfx_tensor.op "Sub"(%a, %b) : (!T, !T) -> !T
  return %c : !T
}
func.func @main() -> (!T {tfx.name = "a"}) {
  %plus = tfx_host.closure @plus() : () -> !tfx_host.closure<(!T, !T) -> !T>
  %minus = tfx_host.closure @minus() : () -> !tfx_host.closure<(!T, !T) -> !T>
  %zero = arith.constant 0 : !N
  %most = arith.constant 100 : !N
  %a0 = tfx_tensor.const dense<0> : !T
  %b = tfx_tensor.const dense<1> : !T
  %a = tfx_host.var : !tfx_host.ref<!T>
  tfx_host.store %a0, %a : !T
  %c = tfx_host.var : !tfx_host.ref<!C>
  %c0 = tfx_host.make_struct(%zero, %most) : (!N, !N) -> !C
  tfx_host.store %c0, %c : !C
  func.call @change(%a, %b, %minus) : (!tfx_host.ref<!T>, !T, !tfx_host.closure<(!T, !T) -> !T>) -> ()
  cf.br ^header
^header:
  %more = func.call @next(%c) : (!tfx_host.ref<!C>) -> i1
  cf.cond_br %more, ^body, ^exit
^body:
  func.call @change(%a, %b, %plus) : (!tfx_host.ref<!T>, !T, !tfx_host.closure<(!T, !T) -> !T>) -> ()
  cf.br ^header
^exit:
  func.call @change(%a, %b, %minus) : (!tfx_host.ref<!T>, !T, !tfx_host.closure<(!T, !T) -> !T>) -> ()
  %r = tfx_host.load %a : !tfx_host.ref<!T>
  return %r : !T
}
