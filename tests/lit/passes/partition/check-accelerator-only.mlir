// RUN: tfx-opt --tfx-check-accelerator-only --split-input-file --verify-diagnostics %s
// RUN: not tfx-opt --tfx-extract --split-input-file %s 2>&1 | FileCheck %s

// The check is part of the pipeline.
// CHECK: error: 'tfx_host.print' needs the host, but '@step' is marked accelerator-only

// Host code in a callee of a marked function, with the chain of calls.
// expected-note @below {{marked 'tfx.accelerator_only' here; remove the attribute, or the host code from the functions that it calls}}
func.func @step(%x: tensor<f32>) -> tensor<f32> attributes {tfx.accelerator_only} {
  // expected-note @below {{'@layer' is called here}}
  %y = func.call @layer(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @layer(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{'@log' is called here}}
  func.call @log(%x) : (tensor<f32>) -> ()
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @log(%x: tensor<f32>) {
  // expected-error @below {{'tfx_host.print' needs the host, but '@step' is marked accelerator-only}}
  tfx_host.print "{}"(%x) : tensor<f32>
  return
}
// The same function may be called from elsewhere.
func.func @anywhere(%x: tensor<f32>) {
  func.call @log(%x) : (tensor<f32>) -> ()
  return
}

// -----

// A foreign function, and scalar code that no graph can run. All are reported.
func.func private @foreign(f32) -> f32
// expected-note @below {{marked 'tfx.accelerator_only' here}}
func.func @two(%x: tensor<f32>, %a: i32) -> tensor<f32> attributes {tfx.accelerator_only} {
  %s = tfx_tensor.to_scalar %x : tensor<f32> -> f32
  // expected-error @below {{the call of the foreign function '@foreign' needs the host, but '@two' is marked accelerator-only}}
  %t = func.call @foreign(%s) : (f32) -> f32
  // expected-error @below {{'arith.mulsi_extended' needs the host}}
  %low, %high = arith.mulsi_extended %a, %a : i32
  %u = tfx_tensor.from_scalar %t : f32
  %y = tfx_tensor.op "Exp"(%u) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Tensor code, scalars, control flow, and abstractions that deabstraction removes.
tfx_host.struct @P {w: tensor<f32>, n: i32}
func.func @fine(%x: tensor<f32>, %n: i32) -> tensor<f32> attributes {tfx.accelerator_only} {
  %p = tfx_host.make_struct(%x, %n) : (tensor<f32>, i32) -> !tfx_host.struct<@P>
  %y = func.call @inner(%p) : (!tfx_host.struct<@P>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @inner(%p: !tfx_host.struct<@P>) -> tensor<f32> {
  %w = tfx_host.extract %p["w"] : !tfx_host.struct<@P> -> tensor<f32>
  %n = tfx_host.extract %p["n"] : !tfx_host.struct<@P> -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %w) -> (tensor<f32>) : i32 {
    %y = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}
