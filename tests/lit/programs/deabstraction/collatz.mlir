// The conditions of a loop and of a branch in it are tensors, and the state of the loop is a struct in a variable. 6, 3, 10, 5, 16, 8, 4, 2, 1.
//
// RUN: tfxc run %s 6 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 6 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 1 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfxc run %s 27 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ tfxc run %s 27 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      count = 8
// CHECK2:      count = 0
// CHECK3:      count = 111
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!I = tensor<i32>
!B = tensor<i1>
tfx_host.struct @State {a: !I, count: !I}
!S = !tfx_host.struct<@State>
func.func private @is(%x: !I, %n: !I) -> i1 {
  %e = tfx_tensor.op "Equal"(%x, %n) : (!I, !I) -> !B
  %r = tfx_tensor.to_scalar %e : !B -> i1
  return %r : i1
}
func.func private @step(%s: !tfx_host.ref<!S>) {
  %zero = tfx_tensor.const dense<0> : !I
  %one = tfx_tensor.const dense<1> : !I
  %two = tfx_tensor.const dense<2> : !I
  %three = tfx_tensor.const dense<3> : !I
  %ra = tfx_host.field_ref %s["a"] : !tfx_host.ref<!S> -> !tfx_host.ref<!I>
  %rc = tfx_host.field_ref %s["count"] : !tfx_host.ref<!S> -> !tfx_host.ref<!I>
  %a = tfx_host.load %ra : !tfx_host.ref<!I>
  %m = tfx_tensor.op "TruncateMod"(%a, %two) : (!I, !I) -> !I
  %even = func.call @is(%m, %zero) : (!I, !I) -> i1
  cf.cond_br %even, ^even, ^odd
^even:
  %h = tfx_tensor.op "TruncateDiv"(%a, %two) : (!I, !I) -> !I
  tfx_host.store %h, %ra : !I
  cf.br ^count
^odd:
  %t = tfx_tensor.op "Mul"(%a, %three) : (!I, !I) -> !I
  %u = tfx_tensor.op "Add"(%t, %one) : (!I, !I) -> !I
  tfx_host.store %u, %ra : !I
  cf.br ^count
^count:
  %c = tfx_host.load %rc : !tfx_host.ref<!I>
  %d = tfx_tensor.op "Add"(%c, %one) : (!I, !I) -> !I
  tfx_host.store %d, %rc : !I
  return
}
func.func @main(%n: i32) -> (!I {tfx.name = "count"}) {
  %start = tfx_tensor.from_scalar %n : i32
  %zero = tfx_tensor.const dense<0> : !I
  %one = tfx_tensor.const dense<1> : !I
  %s0 = tfx_host.make_struct(%start, %zero) : (!I, !I) -> !S
  %v = tfx_host.var : !tfx_host.ref<!S>
  tfx_host.store %s0, %v : !S
  cf.br ^header
^header:
  %s = tfx_host.load %v : !tfx_host.ref<!S>
  %a = tfx_host.extract %s["a"] : !S -> !I
  %done = func.call @is(%a, %one) : (!I, !I) -> i1
  cf.cond_br %done, ^exit, ^body
^body:
  func.call @step(%v) : (!tfx_host.ref<!S>) -> ()
  cf.br ^header
^exit:
  %c = tfx_host.extract %s["count"] : !S -> !I
  return %c : !I
}
