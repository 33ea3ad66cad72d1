// The host prints the value of each iteration: one copy in each iteration. It then has the last value, which is therefore no result of the graph.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: 6.0
// CHECK-NEXT: 12.0
// CHECK-NEXT: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!T) : i32 {
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    tfx_host.print "{}"(%w) : !T
    scf.yield %w : !T
  }
  return %r : !T
}
