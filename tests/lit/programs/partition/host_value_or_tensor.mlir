// A branch whose result is a number of the host in one arm and a tensor of the graph in the other: the number is sent in its arm.
//
// RUN: tfxc run %s 3 true 3 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 true 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 false 3 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 false 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 6.0
// RUN2: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i1, %{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
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
func.func @main(%a: f32, %p: i1, %three: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %r = scf.if %p -> !T {
    %s = func.call @sum(%three) : (i32) -> i32
    %f = arith.sitofp %s : i32 to f32
    %t = tfx_tensor.from_scalar %f : f32
    scf.yield %t : !T
  } else {
    %e = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
    scf.yield %e : !T
  }
  %z = tfx_tensor.op "Identity"(%r) : (!T) -> !T
  return %z : !T
}
