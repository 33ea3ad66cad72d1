// An unused iteration argument is erased on both sides, with the operations that only it needed.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-NOT: "Exp"
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r, %d = scf.for %i = %zero to %n step %one iter_args(%v = %x, %e = %x) -> (!T, !T) : i32 {
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    %f = tfx_tensor.op "Exp"(%e) : (!T) -> !T
    scf.yield %w, %f : !T, !T
  }
  return %r : !T
}
