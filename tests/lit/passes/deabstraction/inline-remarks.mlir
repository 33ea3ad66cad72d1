// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline)' --split-input-file --verify-diagnostics | FileCheck %s

// Recursion with tensors is reported; the calls stay.

// CHECK-LABEL: func.func @even
// CHECK:         call @odd
// CHECK-LABEL: func.func @odd
// CHECK:         call @even
// expected-remark @below {{'@even' is recursive (@even -> @odd -> @even), so its calls stay on the host; write a loop instead}}
func.func @even(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  cf.cond_br %p, ^more, ^end
^more:
  // expected-note @below {{called here}}
  %y = func.call @odd(%p, %x) : (i1, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
^end:
  return %x : tensor<f32>
}
func.func @odd(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-note @below {{called here}}
  %y = func.call @even(%p, %n) : (i1, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Recursion of scalar host code is not reported.

// CHECK-LABEL: func.func @factorial
// CHECK:         call @factorial
func.func @factorial(%p: i1, %x: i32) -> i32 {
  %y = func.call @factorial(%p, %x) : (i1, i32) -> i32
  return %y : i32
}

// -----

// A body of several blocks cannot be inlined into structured control flow.

// CHECK-LABEL: func.func @structured
// CHECK:         scf.if
// CHECK:           func.call @branches
// CHECK:       func.func private @branches
func.func @structured(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %y = scf.if %p -> tensor<f32> {
    // expected-remark @below {{call of '@branches' is not inlined: its body has branches, and the call is inside 'scf.if'; run convert-scf-to-cf first}}
    %z = func.call @branches(%p, %x) : (i1, tensor<f32>) -> tensor<f32>
    scf.yield %z : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %y : tensor<f32>
}
// expected-note @below {{the function is defined here}}
func.func private @branches(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %x : tensor<f32>
^b:
  return %x : tensor<f32>
}

// -----

// Recursion through a closure that a function makes of itself.

// CHECK-LABEL: func.func private @again
// CHECK:         call @again
// expected-remark @below {{'@again' is recursive (@again -> @again), so its calls stay on the host; write a loop instead}}
func.func private @again(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{called here}}
  %c = tfx_host.closure @again() : () -> !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %y = tfx_host.apply %c(%x) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  return %y : tensor<f32>
}
