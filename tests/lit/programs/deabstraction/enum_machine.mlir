// A state machine: an enum in a variable, changed by a mutating method in a loop. up(k) adds k and becomes down(k + 1), down(k) halves and becomes
// up(k), unless k is above 3: then it is done. 0, +1 = 1, /2 = 0.5, +2 = 2.5, 1.25, +3 = 4.25, down(4) is above 3.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      1.0
// CHECK-NEXT: 0.5
// CHECK-NEXT: 2.5
// CHECK-NEXT: 1.25
// CHECK-NEXT: 4.25
// CHECK-NEXT: x = 4.25
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
tfx_host.enum @State {up(i32), down(i32), done()}
tfx_host.struct @Machine {state: !tfx_host.enum<@State>, x: !T}
!S = !tfx_host.enum<@State>
!M = !tfx_host.struct<@Machine>
func.func private @step(%m: !tfx_host.ref<!M>) -> i1 {
  %yes = arith.constant true
  %no = arith.constant false
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %rs = tfx_host.field_ref %m["state"] : !tfx_host.ref<!M> -> !tfx_host.ref<!S>
  %rx = tfx_host.field_ref %m["x"] : !tfx_host.ref<!M> -> !tfx_host.ref<!T>
  %x = tfx_host.load %rx : !tfx_host.ref<!T>
  %s = tfx_host.load %rs : !tfx_host.ref<!S>
  tfx_host.switch_enum %s : !S ["up" -> ^up, "down" -> ^down, default -> ^done]
^up(%k: i32):
  %f = arith.sitofp %k : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %sum = tfx_tensor.op "Add"(%x, %t) : (!T, !T) -> !T
  %k1 = arith.addi %k, %one : i32
  %d = tfx_host.make_enum "down"(%k1) : (i32) -> !S
  cf.br ^next(%sum, %d : !T, !S)
^down(%j: i32):
  %over = arith.cmpi sgt, %j, %three : i32
  cf.cond_br %over, ^end, ^halve
^halve:
  %half = tfx_tensor.const dense<0.5> : !T
  %h = tfx_tensor.op "Mul"(%x, %half) : (!T, !T) -> !T
  %u = tfx_host.make_enum "up"(%j) : (i32) -> !S
  cf.br ^next(%h, %u : !T, !S)
^end:
  %e = tfx_host.make_enum "done"() : () -> !S
  tfx_host.store %e, %rs : !S
  cf.br ^done
^next(%nx: !T, %ns: !S):
  tfx_host.store %nx, %rx : !T
  tfx_host.store %ns, %rs : !S
  tfx_host.print "{}"(%nx) : !T
  return %yes : i1
^done:
  return %no : i1
}
func.func @main() -> (!T {tfx.name = "x"}) {
  %one = arith.constant 1 : i32
  %zero = tfx_tensor.const dense<0.0> : !T
  %s0 = tfx_host.make_enum "up"(%one) : (i32) -> !S
  %m0 = tfx_host.make_struct(%s0, %zero) : (!S, !T) -> !M
  %m = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m0, %m : !M
  scf.while : () -> () {
    %more = func.call @step(%m) : (!tfx_host.ref<!M>) -> i1
    scf.condition(%more)
  } do {
    scf.yield
  }
  %end = tfx_host.load %m : !tfx_host.ref<!M>
  %x = tfx_host.extract %end["x"] : !M -> !T
  return %x : !T
}
