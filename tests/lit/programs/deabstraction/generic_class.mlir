// A generic class that holds structs: each list of type arguments is a class of its own, with the fields of its struct. Two counters share a box: 1 + 10
// + 10 = 21 and 0.5; the box of a number has one field.
//
// RUN: tfxc run %s 1 0.5 2>/dev/null | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 1 0.5 --executor tensorflow 2>/dev/null | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>/dev/null | FileCheck %s --check-prefix=IR
//
// CHECK:      n = 21
// CHECK-NEXT: y = 0.5
// CHECK-NEXT: k = 8
//
// IR-DAG: tfx_host.class private @"Box<Pair>" {value.x: i32, value.y: f32}
// IR-DAG: tfx_host.class private @"Box<i32>" {value: i32}

tfx_host.struct @Pair {x: i32, y: f32}
tfx_host.class @Box<"T"> {value: !tfx_host.param<"T">}
tfx_host.class private @Log {count: i32}
!P = !tfx_host.struct<@Pair>
!BP = !tfx_host.object<@Box<!P>>
!BI = !tfx_host.object<@Box<i32>>

func.func private @add(%box: !BP, %by: i32) {
  %r = tfx_host.member_ref %box["value"] : !BP -> !tfx_host.ref<!P>
  %x = tfx_host.field_ref %r["x"] : !tfx_host.ref<!P> -> !tfx_host.ref<i32>
  %old = tfx_host.load %x : !tfx_host.ref<i32>
  %new = arith.addi %old, %by : i32
  tfx_host.store %new, %x : i32
  return
}

func.func @main(%a: i32, %b: f32) -> (i32 {tfx.name = "n"}, f32 {tfx.name = "y"}, i32 {tfx.name = "k"}) {
  %c10 = arith.constant 10 : i32
  %c7 = arith.constant 7 : i32
  %p = tfx_host.make_struct(%a, %b) : (i32, f32) -> !P
  %box = tfx_host.new(%p) : (!P) -> !BP
  func.call @add(%box, %c10) : (!BP, i32) -> ()
  func.call @add(%box, %c10) : (!BP, i32) -> ()
  %r = tfx_host.member_ref %box["value"] : !BP -> !tfx_host.ref<!P>
  %q = tfx_host.load %r : !tfx_host.ref<!P>
  %x = tfx_host.extract %q["x"] : !P -> i32
  %y = tfx_host.extract %q["y"] : !P -> f32
  %number = tfx_host.new(%c7) : (i32) -> !BI
  %m = tfx_host.member_ref %number["value"] : !BI -> !tfx_host.ref<i32>
  %seven = tfx_host.load %m : !tfx_host.ref<i32>
  %log = tfx_host.new(%seven) : (i32) -> !tfx_host.object<@Log>
  %count = tfx_host.member_ref %log["count"] : !tfx_host.object<@Log> -> !tfx_host.ref<i32>
  %n = tfx_host.load %count : !tfx_host.ref<i32>
  %k = arith.addi %n, %a : i32
  return %x, %y, %k : i32, f32, i32
}
