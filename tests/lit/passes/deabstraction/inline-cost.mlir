// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline{inline-limit=6})' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline{inline-limit=6 remarks=false},tfx-inline{inline-limit=6 remarks=false})' --split-input-file | FileCheck %s

// In a function with tensors, scalar code is inlined with its effects, also through other scalar code; in another function, its calls stay.

// CHECK-LABEL: func.func @among_tensors(
// CHECK-NOT:     call @rate
// CHECK:         arith.cmpf olt
// CHECK-NEXT:    cf.cond_br
// CHECK:         tfx_host.abort
// CHECK:         arith.mulf
// CHECK:         call @foreign
// CHECK:         "Neg"
// CHECK-LABEL: func.func @on_the_host(
// CHECK:         call @rate
// CHECK:       func.func private @rate
// CHECK:         call @checked
// CHECK:       func.func private @checked
func.func private @foreign(f32) -> f32
func.func @among_tensors(%x: f32) -> tensor<f32> {
  %y = func.call @rate(%x) : (f32) -> f32
  %t = tfx_tensor.from_scalar %y : f32
  %r = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @on_the_host(%x: f32) -> f32 {
  %y = func.call @rate(%x) : (f32) -> f32
  return %y : f32
}
func.func private @rate(%x: f32) -> f32 {
  %c = func.call @checked(%x) : (f32) -> f32
  %y = arith.mulf %c, %c : f32
  %z = func.call @foreign(%y) : (f32) -> f32
  return %z : f32
}
func.func private @checked(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %bad = arith.cmpf olt, %x, %zero : f32
  cf.cond_br %bad, ^bad, ^good
^bad:
  tfx_host.abort "negative"
  tfx_host.unreachable
^good:
  return %x : f32
}

// -----

// Recursive scalar code stays, and so do marked functions.

// CHECK-LABEL: func.func @stays(
// CHECK:         call @factorial
// CHECK:         call @marked
// CHECK:       func.func private @factorial
// CHECK:         call @factorial
// CHECK:       func.func private @marked{{.*}} attributes {no_inline}
func.func @stays(%x: i32) -> tensor<i32> {
  %y = func.call @factorial(%x) : (i32) -> i32
  %z = func.call @marked(%y) : (i32) -> i32
  %t = tfx_tensor.from_scalar %z : i32
  %r = tfx_tensor.op "Neg"(%t) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func private @factorial(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %x, %one : i32
  cf.cond_br %more, ^more, ^end
^more:
  %less = arith.subi %x, %one : i32
  %y = func.call @factorial(%less) : (i32) -> i32
  %z = arith.muli %x, %y : i32
  return %z : i32
^end:
  return %x : i32
}
func.func private @marked(%x: i32) -> i32 attributes {no_inline} {
  %y = arith.muli %x, %x : i32
  return %y : i32
}

// -----

// A function with tensors and effects is inlined at several calls up to the limit, and at a single call whatever its size. The size includes
// the code that is inlined into it.

// CHECK-LABEL: func.func @large(
// CHECK-NOT:     call @once
// CHECK:         call @outer
// CHECK-NOT:     call @inner
// CHECK:         call @outer
// CHECK:       func.func private @outer{{.*}} attributes {no_inline} {
// CHECK-COUNT-2: tfx_host.print
// CHECK-NOT:   func.func
func.func @large(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @once(%x) : (tensor<f32>) -> tensor<f32>
  %z = func.call @outer(%y) : (tensor<f32>) -> tensor<f32>
  %w = func.call @outer(%z) : (tensor<f32>) -> tensor<f32>
  return %w : tensor<f32>
}
func.func private @once(%x: tensor<f32>) -> tensor<f32> {
  tfx_host.print "1 {}"(%x) : tensor<f32>
  tfx_host.print "2 {}"(%x) : tensor<f32>
  tfx_host.print "3 {}"(%x) : tensor<f32>
  tfx_host.print "4 {}"(%x) : tensor<f32>
  tfx_host.print "5 {}"(%x) : tensor<f32>
  tfx_host.print "6 {}"(%x) : tensor<f32>
  tfx_host.print "7 {}"(%x) : tensor<f32>
  return %x : tensor<f32>
}
// expected-remark @below {{calls of '@outer' stay on the host, and each copies tensors: it has 8 operations, including those of the functions that it calls, and 2 calls; a function of more than 6 operations is inlined only if it has a single call, so raise 'inline-limit' or make fewer calls}}
func.func private @outer(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @inner(%x) : (tensor<f32>) -> tensor<f32>
  %z = func.call @inner(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.op "Exp"(%y) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%z) : tensor<f32>
  return %z : tensor<f32>
}
