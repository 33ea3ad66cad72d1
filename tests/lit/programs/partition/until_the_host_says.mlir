// The host decides in each iteration whether there is another one: one boolean in each iteration; the tensor is sent back once.
//
// RUN: tfxc run %s 3 1 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 7 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 7 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 24.0
// RUN2: y = 3.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR: scf.while (%{{[^,]*}} = %{{[^,]*}}) : (tensor<f32>) -> tensor<f32>
// IR-NEXT: tfx_comm.recv from 0
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
  %ten = arith.constant 10 : i32
  %r, %last = scf.while (%v = %x, %k = %n) : (!T, i32) -> (!T, i32) {
    %s = func.call @sum(%k) : (i32) -> i32
    %go = arith.cmpi slt, %s, %ten : i32
    scf.condition(%go) %v, %k : !T, i32
  } do {
  ^bb0(%v: !T, %k: i32):
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    %j = arith.addi %k, %one : i32
    scf.yield %w, %j : !T, i32
  }
  return %r : !T
}
