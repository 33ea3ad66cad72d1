// A counted loop in a counted loop: both in the graph, and the host has neither.
//
// RUN: tfxc run %s 1 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 1 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 16.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op
// IR-NOT: scf.while

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!T) : i32 {
    %u = scf.for %j = %zero to %n step %one iter_args(%q = %v) -> (!T) : i32 {
      %z = tfx_tensor.op "Add"(%q, %q) : (!T, !T) -> !T
      scf.yield %z : !T
    }
    scf.yield %u : !T
  }
  return %r : !T
}
