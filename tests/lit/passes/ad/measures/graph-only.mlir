// The gradient of code that the graph computes alone has no channel, and its loops stay loops: one
// forward and one backward loop, with a tape, whether or not the number of iterations is known.
//
// RUN: tfx-opt %s --tfx-extract -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=NONE
//
// NONE-NOT: tfx_comm.send
// NONE-NOT: tfx_comm.recv
// CHECK-LABEL:   tfx_tensor.graph
// CHECK-COUNT-2: scf.{{for|while}}
// CHECK-NOT:     scf.{{for|while}}
// CHECK-LABEL:   tfx_tensor.graph
// CHECK-COUNT-2: scf.{{for|while}}
// CHECK-NOT:     scf.{{for|while}}

!W = tensor<8x8xf32>
func.func private @loss(%w: !W, %x: !W, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!W) : i64 {
    %p = tfx_tensor.op "MatMul"(%v, %w) {transpose_a = false, transpose_b = false} : (!W, !W) -> !W
    %t = tfx_tensor.op "Tanh"(%p) : (!W) -> !W
    scf.yield %t : !W
  }
  %s = tfx_tensor.op "Sum"(%y, %axes) : (!W, tensor<2xi32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @known(%w: !W, %x: !W) -> tensor<f32> {
  %n = arith.constant 100 : i64
  %y = func.call @loss(%w, %x, %n) : (!W, !W, i64) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @unknown_count(%w: !W, %x: !W, %n: i64) -> !W {
  %d = tfx_ad.gradient @loss(%w, %x, %n) wrt [0] : (!W, !W, i64) -> !W
  return %d : !W
}
func.func @known_count(%w: !W, %x: !W) -> !W {
  %d = tfx_ad.gradient @known(%w, %x) wrt [0] : (!W, !W) -> !W
  return %d : !W
}
