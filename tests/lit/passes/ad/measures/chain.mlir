// Costs that theory gives: the gradient of a chain of matrix products by all of its matrices takes
// three times the operations, and four with checkpoints; its loops stay loops, and its code has a
// size that does not depend on the number of iterations.
//
// RUN: python3 %S/Inputs/measure.py %s 40 --of 'chain:reverse<=3.05' --of 'plain:reverse<=3.05' \
// RUN:     --of 'periodic:reverse<=4.1' --of 'binomial:reverse<=4.15' --of 'plain:forward<=2.05' \
// RUN:     --of 'only_chain/of_chain:size<=4.5' --of 'only_plain/of_plain:size<=4'

!M = tensor<16x16xf32>

func.func private @sum(%m: !M) -> tensor<f32> {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %s = tfx_tensor.op "Sum"(%m, %axes) : (!M, tensor<2xi32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @chain(%a: !M, %b: !M, %c: !M, %d: !M) -> tensor<f32> {
  %p1 = tfx_tensor.op "MatMul"(%a, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p2 = tfx_tensor.op "MatMul"(%p1, %c) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p3 = tfx_tensor.op "MatMul"(%p2, %d) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p4 = tfx_tensor.op "MatMul"(%p3, %a) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p5 = tfx_tensor.op "MatMul"(%p4, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p6 = tfx_tensor.op "MatMul"(%p5, %c) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p7 = tfx_tensor.op "MatMul"(%p6, %d) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p8 = tfx_tensor.op "MatMul"(%p7, %a) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p9 = tfx_tensor.op "MatMul"(%p8, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p10 = tfx_tensor.op "MatMul"(%p9, %c) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p11 = tfx_tensor.op "MatMul"(%p10, %d) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p12 = tfx_tensor.op "MatMul"(%p11, %a) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p13 = tfx_tensor.op "MatMul"(%p12, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p14 = tfx_tensor.op "MatMul"(%p13, %c) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p15 = tfx_tensor.op "MatMul"(%p14, %d) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %p16 = tfx_tensor.op "MatMul"(%p15, %a) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
  %s = func.call @sum(%p16) : (!M) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @plain(%a: !M, %b: !M, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> (!M) : i64 {
    %w = tfx_tensor.op "MatMul"(%v, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
    scf.yield %w : !M
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  %s = func.call @sum(%p) : (!M) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @periodic(%a: !M, %b: !M, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> (!M) : i64 {
    %w = tfx_tensor.op "MatMul"(%v, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
    scf.yield %w : !M
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<10>>}
  %s = func.call @sum(%p) : (!M) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @binomial(%a: !M, %b: !M, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> (!M) : i64 {
    %w = tfx_tensor.op "MatMul"(%v, %b) {transpose_a = false, transpose_b = false} : (!M, !M) -> !M
    scf.yield %w : !M
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<40>>}
  %s = func.call @sum(%p) : (!M) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @only_chain(%a: !M) -> tensor<f32> {
  %y = func.call @chain(%a, %a, %a, %a) : (!M, !M, !M, !M) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @of_chain(%a: !M) -> (!M, !M, !M, !M) {
  %d:4 = tfx_ad.gradient @chain(%a, %a, %a, %a) wrt [0, 1, 2, 3] : (!M, !M, !M, !M) -> (!M, !M, !M, !M)
  return %d#0, %d#1, %d#2, %d#3 : !M, !M, !M, !M
}
func.func @only_plain(%a: !M, %n: i64) -> tensor<f32> {
  %y = func.call @plain(%a, %a, %n) : (!M, !M, i64) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @of_plain(%a: !M, %n: i64) -> (!M, !M) {
  %d:2 = tfx_ad.gradient @plain(%a, %a, %n) wrt [0, 1] : (!M, !M, i64) -> (!M, !M)
  return %d#0, %d#1 : !M, !M
}
func.func @main(%n: i64 {tfx.name = "n"}) {
  %m = tfx_tensor.const dense<0.0625> : !M
  %c:4 = tfx_ad.gradient @chain(%m, %m, %m, %m) wrt [0, 1, 2, 3] : (!M, !M, !M, !M) -> (!M, !M, !M, !M)
  %d:2 = tfx_ad.gradient @plain(%m, %m, %n) wrt [0, 1] : (!M, !M, i64) -> (!M, !M)
  %e:2 = tfx_ad.gradient @periodic(%m, %m, %n) wrt [0, 1] : (!M, !M, i64) -> (!M, !M)
  %f:2 = tfx_ad.gradient @binomial(%m, %m, %n) wrt [0, 1] : (!M, !M, i64) -> (!M, !M)
  %y, %dy = tfx_ad.jvp @plain(%m, %m, %n) tangents(%m : !M) wrt [0] : (!M, !M, i64) -> (tensor<f32>, tensor<f32>)
  %one = func.call @sum(%d#0) : (!M) -> tensor<f32>
  tfx_host.print "{} {}"(%one, %dy) : tensor<f32>, tensor<f32>
  return
}
