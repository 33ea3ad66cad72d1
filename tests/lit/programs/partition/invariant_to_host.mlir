// The host prints an invariant value in each iteration: it crosses once, before the loop.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: 6.0
// CHECK-NEXT: 6.0
// CHECK-NEXT: y = 24.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op
// IR: tfx_comm.recv
// IR: scf.while
// IR-NOT: tfx_comm.recv

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %b) -> (!T) : i32 {
    tfx_host.print "{}"(%b) : !T
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    scf.yield %w : !T
  }
  return %r : !T
}
