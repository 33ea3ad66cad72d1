// RUN: tfx-opt --tfx-partition --tfx-copy-analysis --split-input-file --verify-diagnostics %s -o %t
//
// The loops around a round trip, and long paths through host code.

// Two nested loops with a branch between them.
func.func private @host(tensor<2xf32>) -> tensor<2xf32>
func.func private @now() -> i1
func.func @nested(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %five = arith.constant 5 : index
  // expected-note @below {{inside of this loop, which runs 10 times}}
  %r = scf.for %i = %zero to %ten step %one iter_args(%a = %x) -> (tensor<2xf32>) {
    // expected-note @below {{in this loop, which runs 5 times}}
    %s = scf.for %j = %zero to %five step %one iter_args(%b = %a) -> (tensor<2xf32>) {
      %p = func.call @now() : () -> i1
      %t = scf.if %p -> (tensor<2xf32>) {
        // expected-note @below {{this value is copied to the host (8 bytes, in some iterations)}}
        %e = tfx_tensor.op "Exp"(%b) : (tensor<2xf32>) -> tensor<2xf32>
        // expected-warning @below {{the result of '@host' stalls the accelerator in some iterations of this loop}}
        // expected-note @below {{host code uses it here: call of '@host'}}
        // expected-note @below {{if this copy is intentional}}
        %h = func.call @host(%e) : (tensor<2xf32>) -> tensor<2xf32>
        // expected-note @below {{its result is copied back to the accelerator for this operation}}
        %n = tfx_tensor.op "Neg"(%h) : (tensor<2xf32>) -> tensor<2xf32>
        scf.yield %n : tensor<2xf32>
      } else {
        scf.yield %b : tensor<2xf32>
      }
      scf.yield %t : tensor<2xf32>
    }
    scf.yield %s : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// Six steps on the host: notes show four, and that more follow.
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @long_way(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@f'}}
  %1 = func.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{and then here: call of '@f'}}
  %2 = func.call @f(%1) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{and then here: call of '@f'}}
  %3 = func.call @f(%2) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{and then here: call of '@f'}}
  %4 = func.call @f(%3) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{more uses follow, up to the copy back}}
  %5 = func.call @f(%4) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-warning @below {{the result of '@f' stalls the accelerator: a value leaves}}
  // expected-note @below {{if this copy is intentional}}
  %6 = func.call @f(%5) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%6) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// Partition hoists invariant sends. One that is in a loop all the same, as in IR of another tool, has a note.
tfx_tensor.graph @again.graph(%x: tensor<2xf32>, %n: index) -> tensor<2xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<2xf32>>, #tfx_comm.channel<1, to_graph, tensor<2xf32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_comm.send %e to 0 : tensor<2xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<2xf32>) {
    %h = tfx_comm.recv from 1 : tensor<2xf32>
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %s = tfx_tensor.op "Add"(%a, %h) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    scf.yield %s : tensor<2xf32>
  }
  tfx_tensor.return %r : tensor<2xf32>
}
func.func private @host(tensor<2xf32>) -> tensor<2xf32>
func.func @again(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p = tfx_comm.start @again.graph(%x, %n) : tensor<2xf32>, index
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %e = tfx_comm.recv %p from 0 : tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@host'}}
  %h = func.call @host(%e) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{it is copied back in each iteration of this loop}}
  // expected-note @below {{it is the same in each iteration of this loop: a use on the accelerator before the loop would copy it once}}
  scf.for %i = %zero to %n step %one {
    // expected-warning @below {{the result of '@host' stalls the accelerator: a value leaves}}
    // expected-note @below {{if this copy is intentional}}
    tfx_comm.send %h to %p 1 : tensor<2xf32>
  }
  %r = tfx_comm.finish %p : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A path that aborts is no round trip. The test of the loss before the next batch is loaded is an order stall.
func.func private @is_bad(f32) -> i1
func.func private @next_batch() -> tensor<2xf32>
func.func @aborts(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<2xf32>) {
    // expected-note @below {{the result of '@next_batch' is copied to the accelerator in the next iteration after that effect}}
    %b = func.call @next_batch() : () -> tensor<2xf32>
    // expected-note @below {{the accelerator waits for it for this operation}}
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %m = tfx_tensor.op "Sum"(%s, %axis) : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
    // expected-warning @below {{the accelerator stalls in every iteration of this loop, because effects keep their order}}
    // expected-note @below {{if this copy is intentional}}
    %l = tfx_tensor.to_scalar %m : tensor<f32> -> f32
    // expected-note @below {{this effect waits for the value: call of '@is_bad'}}
    // expected-note @below {{run this effect in fewer iterations, or after the loop}}
    %bad = func.call @is_bad(%l) : (f32) -> i1
    scf.if %bad {
      tfx_host.abort "the loss is no number"
    }
    scf.yield %s : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
