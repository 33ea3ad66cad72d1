// A counted loop is only in the graph; its bound is an input.
//
// RUN: tfxc run %s 3 4 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 4 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 0 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 48.0
// RUN2: y = 3.0
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
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    scf.yield %w : !T
  }
  return %r : !T
}
