// Notes refer to the source only. For a loop with its exit at the end, "this loop" points at the branch that leaves it. A negation
// that structuring adds is not a step of the path.
//
// RUN: tfx-opt %s --tfx-extract --verify-diagnostics -o /dev/null

!T = tensor<f32>
func.func private @host_is_large(f32, f32) -> i1
func.func @main(%show: i1) -> (!T {tfx.name = "x"}) {
  %limit = arith.constant 100.0 : f32
  %two = tfx_tensor.const dense<2.0> : !T
  cf.br ^loop(%two : !T)
^loop(%x: !T):
  // expected-note @+1 {{this value is copied to the host (4 bytes, every iteration)}}
  %y = tfx_tensor.op "Mul"(%x, %two) : (!T, !T) -> !T
  cf.cond_br %show, ^show, ^test
^show:
  tfx_host.print "{}"(%y) : !T
  cf.br ^test
^test:
  %s = tfx_tensor.to_scalar %y : !T -> f32
  // expected-warning @+3 {{the result of '@host_is_large' stalls the accelerator in every iteration of this loop}}
  // expected-note @+2 {{host code uses it here: call of '@host_is_large', which has no graph equivalent}}
  // expected-note @+1 {{if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator}}
  %stop = func.call @host_is_large(%s, %limit) : (f32, f32) -> i1
  // expected-note @+2 {{its result is copied back to the accelerator as the condition of this loop}}
  // expected-note @+1 {{in this loop}}
  cf.cond_br %stop, ^exit, ^loop(%y : !T)
^exit:
  return %y : !T
}
