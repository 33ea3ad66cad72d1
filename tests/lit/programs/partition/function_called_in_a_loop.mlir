// A function with a graph operation and a print, called in a loop: its parts are on their sides as if it were written in place.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: step 0
// CHECK-NEXT: step 1
// CHECK-NEXT: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func private @step(%x: !T, %i: i32) -> !T {
  tfx_host.print "step {}"(%i) : i32
  %y = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!T) : i32 {
    %w = func.call @step(%v, %i) : (!T, i32) -> !T
    scf.yield %w : !T
  }
  return %r : !T
}
