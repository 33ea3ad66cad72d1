// The host prints the counter in the loop: both sides count, and nothing crosses.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: 0
// CHECK-NEXT: 1
// CHECK-NEXT: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op
// IR: scf.while

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!T) : i32 {
    tfx_host.print "{}"(%i) : i32
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    scf.yield %w : !T
  }
  return %r : !T
}
