// A marker covers every value that is computed from the marked one, also what structuring derives from a condition: a negation,
// the number of a loop exit, or the index of a switch. A value that also depends on an unmarked value is not covered.
//
// RUN: tfx-opt %s --tfx-extract --split-input-file --verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// A loop that exits on true. The marked value itself is copied.
// CHECK-LABEL: func.func @break_on_true(
// CHECK: %[[P:.*]] = func.call @host_is_large(
// CHECK: tfx_comm.send %[[P]] to %{{.*}} 1 {explicit}
!T = tensor<f32>
func.func private @host_is_large(f32, f32) -> i1
func.func @break_on_true(%limit: f32) -> !T {
  %t1 = tfx_tensor.const dense<1.0> : !T
  cf.br ^loop(%t1 : !T)
^loop(%x: !T):
  %y = tfx_tensor.op "AddV2"(%x, %x) : (!T, !T) -> !T
  %h = tfx_comm.to_host %y : !T
  %s = tfx_tensor.to_scalar %h : !T -> f32
  %p = func.call @host_is_large(%s, %limit) : (f32, f32) -> i1
  %q = tfx_comm.to_accelerator %p : i1
  cf.cond_br %q, ^exit, ^loop(%y : !T)
^exit:
  return %y : !T
}

// -----

// Two exits to different blocks, and a switch.
!T = tensor<f32>
func.func private @host_is_large(f32, f32) -> i1
func.func private @host_choice(f32) -> i32
func.func @exits(%limit: f32) -> !T {
  %t1 = tfx_tensor.const dense<1.0> : !T
  cf.br ^loop(%t1 : !T)
^loop(%x: !T):
  %y = tfx_tensor.op "AddV2"(%x, %x) : (!T, !T) -> !T
  %h = tfx_comm.to_host %y : !T
  %s = tfx_tensor.to_scalar %h : !T -> f32
  %p = func.call @host_is_large(%s, %limit) : (f32, f32) -> i1
  %q = tfx_comm.to_accelerator %p : i1
  cf.cond_br %q, ^large, ^small
^small:
  %c = func.call @host_choice(%s) : (f32) -> i32
  %d = tfx_comm.to_accelerator %c : i32
  cf.switch %d : i32, [default: ^loop(%y : !T), 1: ^one, 2: ^two]
^one:
  %o = tfx_tensor.op "Neg"(%y) : (!T) -> !T
  return %o : !T
^two:
  %w = tfx_tensor.op "Exp"(%y) : (!T) -> !T
  return %w : !T
^large:
  return %y : !T
}

// -----

// One of two conditions is not marked, and neither is the received value.
!T = tensor<f32>
func.func private @host_is_large(f32) -> i1
func.func @half_marked() -> !T {
  %t1 = tfx_tensor.const dense<1.0> : !T
  cf.br ^loop(%t1 : !T)
^loop(%x: !T):
  // expected-note @+1 {{this value is copied to the host (4 bytes, every iteration)}}
  %y = tfx_tensor.op "AddV2"(%x, %x) : (!T, !T) -> !T
  %s = tfx_tensor.to_scalar %y : !T -> f32
  // expected-note @+1 {{host code uses it here: call of '@host_is_large', which has no graph equivalent}}
  %p = func.call @host_is_large(%s) : (f32) -> i1
  %q = tfx_comm.to_accelerator %p : i1
  %r = func.call @host_is_large(%s) : (f32) -> i1
  // expected-warning @+3 {{this condition stalls the accelerator in every iteration of this loop}}
  // expected-note @+2 {{and then here: 'arith.andi'}}
  // expected-note @+1 {{if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator}}
  %both = arith.andi %q, %r : i1
  // expected-note @+2 {{its result is copied back to the accelerator as the condition of this loop}}
  // expected-note @+1 {{in this loop}}
  cf.cond_br %both, ^exit, ^loop(%y : !T)
^exit:
  return %y : !T
}

// -----

// The same with both marked: the copied value depends on nothing else.
!T = tensor<f32>
func.func private @host_is_large(f32) -> i1
func.func @both_marked() -> !T {
  %t1 = tfx_tensor.const dense<1.0> : !T
  cf.br ^loop(%t1 : !T)
^loop(%x: !T):
  %y = tfx_tensor.op "AddV2"(%x, %x) : (!T, !T) -> !T
  %s = tfx_tensor.to_scalar %y : !T -> f32
  %p = func.call @host_is_large(%s) : (f32) -> i1
  %q = tfx_comm.to_accelerator %p : i1
  %r = func.call @host_is_large(%s) : (f32) -> i1
  %m = tfx_comm.to_accelerator %r : i1
  %both = arith.andi %q, %m : i1
  cf.cond_br %both, ^exit, ^loop(%y : !T)
^exit:
  return %y : !T
}

// -----

// A decision of the graph that is marked for the host, which needs it to leave its loop.
!T = tensor<f32>
func.func private @host(f32) -> f32
func.func @graph_decides(%limit: !T) -> !T {
  %t1 = tfx_tensor.const dense<1.0> : !T
  %f1 = arith.constant 1.0 : f32
  cf.br ^loop(%t1, %f1 : !T, f32)
^loop(%x: !T, %v: f32):
  %w = func.call @host(%v) : (f32) -> f32
  %m = tfx_comm.to_accelerator %w : f32
  %t = tfx_tensor.from_scalar %m : f32
  %y = tfx_tensor.op "AddV2"(%x, %t) : (!T, !T) -> !T
  %l = tfx_tensor.op "Less"(%limit, %y) : (!T, !T) -> tensor<i1>
  %h = tfx_comm.to_host %l : tensor<i1>
  %stop = tfx_tensor.to_scalar %h : tensor<i1> -> i1
  cf.cond_br %stop, ^exit, ^loop(%y, %w : !T, f32)
^exit:
  return %y : !T
}
