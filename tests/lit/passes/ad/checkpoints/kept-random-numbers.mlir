// Random numbers of a loop with checkpoints are drawn once, and kept: the gradient is that of the
// loop without checkpoints, rounded. All of it is in the graph, also the tape: the host receives two
// gradients, finishes with the third, and receives nothing else.
//
// RUN: tfxc run %s 0 | FileCheck %s
// RUN: tfxc run %s 1 | FileCheck %s
// RUN: tfxc run %s 11 | FileCheck %s
// RUN: tfx-opt %s --tfx-extract -o %t
// RUN: FileCheck %s --check-prefix=GRAPH --input-file=%t
//
// GRAPH-COUNT-2: tfx_comm.recv
// GRAPH-NOT:     tfx_comm.recv
//
// CHECK:      none: [[VALUE:.+]]
// CHECK-NEXT: periodic: [[VALUE]]
// CHECK-NEXT: binomial: [[VALUE]]

!V = tensor<4xf32>

func.func private @noisy(%x: !V) -> !V attributes {no_inline} {
  %shape = tfx_tensor.const dense<4> : tensor<1xi32>
  %noise = tfx_tensor.op "RandomStandardNormal"(%shape) {dtype = f32, seed = 7 : i64, seed2 = 3 : i64} : (tensor<1xi32>) -> !V
  %y = tfx_tensor.op "Mul"(%x, %noise) : (!V, !V) -> !V
  %z = tfx_tensor.op "Tanh"(%y) : (!V) -> !V
  return %z : !V
}
func.func private @none(%x: !V, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!V) : i64 {
    %w = func.call @noisy(%v) : (!V) -> !V
    %u = tfx_tensor.op "AddV2"(%w, %x) : (!V, !V) -> !V
    scf.yield %u : !V
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  %s = tfx_tensor.op "Sum"(%y, %axis) : (!V, tensor<1xi32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @periodic(%x: !V, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!V) : i64 {
    %w = func.call @noisy(%v) : (!V) -> !V
    %u = tfx_tensor.op "AddV2"(%w, %x) : (!V, !V) -> !V
    scf.yield %u : !V
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<3>>}
  %s = tfx_tensor.op "Sum"(%y, %axis) : (!V, tensor<1xi32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @binomial(%x: !V, %n: i64) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!V) : i64 {
    %w = func.call @noisy(%v) : (!V) -> !V
    %u = tfx_tensor.op "AddV2"(%w, %x) : (!V, !V) -> !V
    scf.yield %u : !V
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  %s = tfx_tensor.op "Sum"(%y, %axis) : (!V, tensor<1xi32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @main(%n: i64 {tfx.name = "n"}) {
  %scale = tfx_tensor.const dense<1.0e+4> : tensor<f32>
  %x = tfx_tensor.const dense<[0.5, -0.25, 1.0, 0.75]> : !V
  %none = tfx_ad.gradient @none(%x, %n) wrt [0] : (!V, i64) -> !V
  %none.large = tfx_tensor.op "Mul"(%none, %scale) : (!V, tensor<f32>) -> !V
  %none.near = tfx_tensor.op "Round"(%none.large) : (!V) -> !V
  tfx_host.print "none: {}"(%none.near) : !V
  %periodic = tfx_ad.gradient @periodic(%x, %n) wrt [0] : (!V, i64) -> !V
  %periodic.large = tfx_tensor.op "Mul"(%periodic, %scale) : (!V, tensor<f32>) -> !V
  %periodic.near = tfx_tensor.op "Round"(%periodic.large) : (!V) -> !V
  tfx_host.print "periodic: {}"(%periodic.near) : !V
  %binomial = tfx_ad.gradient @binomial(%x, %n) wrt [0] : (!V, i64) -> !V
  %binomial.large = tfx_tensor.op "Mul"(%binomial, %scale) : (!V, tensor<f32>) -> !V
  %binomial.near = tfx_tensor.op "Round"(%binomial.large) : (!V) -> !V
  tfx_host.print "binomial: {}"(%binomial.near) : !V
  return
}
