// Two closures share a variable: one adds, one reads. A third captured its value before. 5, then + 2 + 2: the read returns 9, the copy is still 5.
//
// RUN: tfxc run %s 5 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 5 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      5 7 9 5
// CHECK-NEXT: total = 26
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!Add = !tfx_host.closure<(i32) -> ()>
!Get = !tfx_host.closure<() -> i32>
tfx_host.struct @Counter {add: !Add, get: !Get, was: !Get}
!C = !tfx_host.struct<@Counter>
func.func private @add(%v: !tfx_host.ref<i32>, %by: i32) {
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  %y = arith.addi %x, %by : i32
  tfx_host.store %y, %v : i32
  return
}
func.func private @get(%v: !tfx_host.ref<i32>) -> i32 {
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  return %x : i32
}
func.func private @same(%x: i32) -> i32 {
  return %x : i32
}
func.func private @read(%c: !C, %which: i1) -> i32 {
  %get = tfx_host.extract %c["get"] : !C -> !Get
  %was = tfx_host.extract %c["was"] : !C -> !Get
  %f = scf.if %which -> !Get {
    scf.yield %get : !Get
  } else {
    scf.yield %was : !Get
  }
  %r = tfx_host.apply %f() : !Get
  return %r : i32
}
func.func @main(%start: i32) -> (tensor<i32> {tfx.name = "total"}) {
  %two = arith.constant 2 : i32
  %yes = arith.constant true
  %no = arith.constant false
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %start, %v : i32
  %add = tfx_host.closure @add(%v) : (!tfx_host.ref<i32>) -> !Add
  %get = tfx_host.closure @get(%v) : (!tfx_host.ref<i32>) -> !Get
  %was = tfx_host.closure @same(%start) : (i32) -> !Get
  %c = tfx_host.make_struct(%add, %get, %was) : (!Add, !Get, !Get) -> !C
  %r0 = func.call @read(%c, %yes) : (!C, i1) -> i32
  %again = tfx_host.extract %c["add"] : !C -> !Add
  tfx_host.apply %again(%two) : !Add
  %r1 = func.call @read(%c, %yes) : (!C, i1) -> i32
  tfx_host.apply %again(%two) : !Add
  %r2 = func.call @read(%c, %yes) : (!C, i1) -> i32
  %r3 = func.call @read(%c, %no) : (!C, i1) -> i32
  tfx_host.print "{} {} {} {}"(%r0, %r1, %r2, %r3) : i32, i32, i32, i32
  %s1 = arith.addi %r0, %r1 : i32
  %s2 = arith.addi %s1, %r2 : i32
  %s3 = arith.addi %s2, %r3 : i32
  %t = tfx_tensor.from_scalar %s3 : i32
  return %t : tensor<i32>
}
