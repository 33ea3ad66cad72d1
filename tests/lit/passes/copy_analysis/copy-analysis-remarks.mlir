// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{remarks=true})' --split-input-file --verify-diagnostics %s -o %t

// One-way copies in a loop, one in each direction, and the test of the counter, which both sides compute. The copy for
// the print is intentional; otherwise, it would stall the accelerator in some iterations.
func.func private @next_batch() -> tensor<4xf32>
func.func @one_way(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-remark @below {{the result of '@next_batch' is copied to the accelerator (16 bytes, every iteration): the host may run ahead, and values that the accelerator has not received stay in memory}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-remark @below {{both sides compute this, which avoids a copy}}
    %rem = arith.remsi %i, %two : index
    // expected-remark @below {{both sides compute this, which avoids a copy}}
    %show = arith.cmpi eq, %rem, %zero : index
    scf.if %show {
      %meant = tfx_comm.to_host %s : tensor<4xf32>
      tfx_host.print "{}"(%meant) : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A copy to the host only: no send waits for the print.
func.func @to_host(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-remark @below {{a value is copied to the host (16 bytes, every iteration): the accelerator may run ahead, and values that the host has not received stay in memory}}
    %s = tfx_tensor.op "Neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// No remark for a copy outside of loops, an intentional copy, or a copy with a warning.
func.func private @host(tensor<4xf32>) -> tensor<4xf32>
func.func @silent(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = tfx_tensor.op "Exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %m = tfx_comm.to_host %b : tensor<4xf32>
    tfx_host.print "{}"(%m) : tensor<4xf32>
    // expected-note @below {{this value is copied to the host}}
    %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-warning @below {{the result of '@host' stalls the accelerator}}
    // expected-note @below {{host code uses it here}}
    // expected-note @below {{if this copy is intentional}}
    %h = func.call @host(%c) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @below {{its result is copied back}}
    %s = tfx_tensor.op "Add"(%h, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %e = tfx_tensor.op "Exp"(%r) : (tensor<4xf32>) -> tensor<4xf32>
  tfx_host.print "{}"(%e) : tensor<4xf32>
  %f = tfx_tensor.op "Exp"(%e) : (tensor<4xf32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}
