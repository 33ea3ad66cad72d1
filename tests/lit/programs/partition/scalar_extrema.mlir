// Maxima, minima and rounding of scalars are computed by the graph that needs them: nothing crosses in the loop.
//
// RUN: tfxc run %s --stats 1.5 2>&1 | FileCheck %s
// RUN: tfxc interpret %s 1.5 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: %if tensorflow %{ tfxc run %s --stats 1.5 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 11.0
// VALUE: y = 11.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: f32) -> tensor<f32> {
// IR-NOT: tfx_comm
// IR: arith.maximumf
// IR: arith.minnumf
// IR: math.round
// IR-LABEL: func.func @main(
// IR-NOT: tfx_comm.{{send|recv}}

!T = tensor<f32>
func.func @main(%x: f32) -> (!T {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %limit = arith.constant 1.75 : f32
  %t0 = tfx_tensor.const dense<0.0> : !T
  %r = scf.for %i = %zero to %three step %one iter_args(%t = %t0) -> !T : i32 {
    %f = arith.sitofp %i : i32 to f32
    // 1.5, 1.5, 2
    %c = arith.maximumf %f, %x : f32
    // 1.5, 1.5, 1.75
    %d = arith.minnumf %c, %limit : f32
    // 2, 2, 2: half away from zero
    %e = math.round %d : f32
    %s = arith.addf %e, %c : f32
    %u = tfx_tensor.from_scalar %s : f32
    %a = tfx_tensor.op "AddV2"(%t, %u) : (!T, !T) -> !T
    scf.yield %a : !T
  }
  return %r : !T
}
