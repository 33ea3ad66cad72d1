// A recursive host function with inout parameters, one of them a struct's field: fibonacci by changing two numbers in place, counting its calls.
// fib(10) = 55 in 11 calls.
//
// RUN: tfxc run %s 10 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 10 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      calls 11
// CHECK1-NEXT: f = 55
// CHECK2:      calls 1
// CHECK2-NEXT: f = 0
//
// IR-NOT: warning
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

tfx_host.struct @State {a: i32, b: i32}
tfx_host.struct @All {state: !tfx_host.struct<@State>, calls: i32}
!S = !tfx_host.struct<@State>
!A = !tfx_host.struct<@All>
func.func private @fibonacci(%n: i32, %s: !tfx_host.ref<!S>, %calls: !tfx_host.ref<i32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tfx_host.load %calls : !tfx_host.ref<i32>
  %c1 = arith.addi %c, %one : i32
  tfx_host.store %c1, %calls : i32
  %old = tfx_host.load %s : !tfx_host.ref<!S>
  %a = tfx_host.extract %old["a"] : !S -> i32
  %b = tfx_host.extract %old["b"] : !S -> i32
  %end = arith.cmpi eq, %n, %zero : i32
  cf.cond_br %end, ^end, ^more
^end:
  return %a : i32
^more:
  %ra = tfx_host.field_ref %s["a"] : !tfx_host.ref<!S> -> !tfx_host.ref<i32>
  %rb = tfx_host.field_ref %s["b"] : !tfx_host.ref<!S> -> !tfx_host.ref<i32>
  %sum = arith.addi %a, %b : i32
  tfx_host.store %b, %ra : i32
  tfx_host.store %sum, %rb : i32
  %m = arith.subi %n, %one : i32
  %r = func.call @fibonacci(%m, %s, %calls) : (i32, !tfx_host.ref<!S>, !tfx_host.ref<i32>) -> i32
  return %r : i32
}
func.func @main(%n: i32) -> (i32 {tfx.name = "f"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tfx_host.make_struct(%zero, %one) : (i32, i32) -> !S
  %a = tfx_host.make_struct(%s, %zero) : (!S, i32) -> !A
  %v = tfx_host.var : !tfx_host.ref<!A>
  tfx_host.store %a, %v : !A
  %rs = tfx_host.field_ref %v["state"] : !tfx_host.ref<!A> -> !tfx_host.ref<!S>
  %rc = tfx_host.field_ref %v["calls"] : !tfx_host.ref<!A> -> !tfx_host.ref<i32>
  %f = func.call @fibonacci(%n, %rs, %rc) : (i32, !tfx_host.ref<!S>, !tfx_host.ref<i32>) -> i32
  %calls = tfx_host.load %rc : !tfx_host.ref<i32>
  tfx_host.print "calls {}"(%calls) : i32
  return %f : i32
}
