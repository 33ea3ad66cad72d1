// A value that the host computes after the start is sent once, as the tensor that it becomes.
//
// RUN: tfxc run %s 4 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 18.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
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
func.func @main(%n: i32) -> (!T {tfx.name = "y"}) {
  %h = arith.sitofp %n : i32 to f32
  %x = tfx_tensor.from_scalar %h : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %s = func.call @sum(%n) : (i32) -> i32
  %f = arith.sitofp %s : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %c = tfx_tensor.op "Add"(%b, %t) : (!T, !T) -> !T
  return %c : !T
}
