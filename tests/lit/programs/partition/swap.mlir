// Two iteration arguments that are swapped in each iteration.
//
// RUN: tfxc run %s 3 3 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 1.0
// RUN2: y = 3.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tfx_tensor.const dense<1.0> : !T
  %o = tfx_tensor.op "Identity"(%c) : (!T) -> !T
  %r, %s = scf.for %i = %zero to %n step %one iter_args(%v = %x, %w = %o) -> (!T, !T) : i32 {
    scf.yield %w, %v : !T, !T
  }
  %z = tfx_tensor.op "Identity"(%r) : (!T) -> !T
  return %z : !T
}
