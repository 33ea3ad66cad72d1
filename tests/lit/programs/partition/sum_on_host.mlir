// A number is added up in each iteration and printed at the end: the graph adds, since both values are results then and nothing crosses.
//
// RUN: tfxc run %s 3 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: sum 18.0
// CHECK-NEXT: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> (tensor<f32>, f32) {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %r, %s = scf.for %i = %zero to %n step %one iter_args(%v = %x, %t = %none) -> (!T, f32) : i32 {
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    %q = tfx_tensor.to_scalar %w : !T -> f32
    %u = arith.addf %t, %q : f32
    scf.yield %w, %u : !T, f32
  }
  tfx_host.print "sum {}"(%s) : f32
  return %r : !T
}
