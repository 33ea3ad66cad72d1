// Consecutive operations with prints between them: each result is used again after the host has printed it.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      x = [0. 0. 0.]
// CHECK-NEXT: y = [2. 4. 6.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<3xf32>
func.func private @plus(%a: !T, %b: !T) -> !T {
  %c = tfx_tensor.op "Add"(%a, %b) : (!T, !T) -> !T
  return %c : !T
}
func.func private @double(%v: !tfx_host.ref<!T>) {
  %x = tfx_host.load %v : !tfx_host.ref<!T>
  %y = func.call @plus(%x, %x) : (!T, !T) -> !T
  tfx_host.store %y, %v : !T
  return
}
func.func @main() -> (!T {tfx.name = "y"}) {
  %one = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : !T
  %v = tfx_host.var : !tfx_host.ref<!T>
  tfx_host.store %one, %v : !T
  func.call @double(%v) : (!tfx_host.ref<!T>) -> ()
  %x = tfx_host.load %v : !tfx_host.ref<!T>
  %zero = tfx_tensor.op "Sub"(%x, %x) : (!T, !T) -> !T
  tfx_host.store %zero, %v : !T
  %shown = tfx_host.load %v : !tfx_host.ref<!T>
  tfx_host.print "x = {}"(%shown) : !T
  tfx_host.store %one, %v : !T
  func.call @double(%v) : (!tfx_host.ref<!T>) -> ()
  %y = tfx_host.load %v : !tfx_host.ref<!T>
  return %y : !T
}
