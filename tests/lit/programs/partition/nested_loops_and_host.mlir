// The host decides when the inner loop ends: one boolean in each iteration of the inner loop, none for the outer.
//
// RUN: tfxc run %s 1 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 1 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 8.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
// 1 + 2 + ... + n, by recursion: it stays on the host.
func.func private @sum(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %done = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %done -> i32 {
    scf.yield %zero : i32
  } else {
    %m = arith.subi %n, %one : i32
    %p = func.call @sum(%m) : (i32) -> i32
    %q = arith.addi %p, %n : i32
    scf.yield %q : i32
  }
  return %r : i32
}
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!T) : i32 {
    %u, %last = scf.while (%q = %v, %k = %i) : (!T, i32) -> (!T, i32) {
      %s = func.call @sum(%k) : (i32) -> i32
      %go = arith.cmpi slt, %s, %two : i32
      scf.condition(%go) %q, %k : !T, i32
    } do {
    ^bb0(%q: !T, %k: i32):
      %z = tfx_tensor.op "Add"(%q, %q) : (!T, !T) -> !T
      %k1 = arith.addi %k, %one : i32
      scf.yield %z, %k1 : !T, i32
    }
    scf.yield %u : !T
  }
  return %r : !T
}
