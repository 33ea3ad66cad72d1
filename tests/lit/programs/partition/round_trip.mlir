// A value is sent to the host, used there, and sent back: one channel in each direction, and one warning.
//
// RUN: tfxc run %s 4 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 72.0
//
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, i32{{(, capacity = [0-9]+)?}}>, #tfx_comm.channel<1, to_graph, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
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
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %v = tfx_tensor.to_scalar %b : !T -> f32
  %k = arith.fptosi %v : f32 to i32
  %s = func.call @sum(%k) : (i32) -> i32
  %f = arith.sitofp %s : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %c = tfx_tensor.op "Add"(%t, %t) : (!T, !T) -> !T
  return %c : !T
}
