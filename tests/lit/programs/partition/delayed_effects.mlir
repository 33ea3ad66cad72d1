// A loader and a log whose states differ: batch i + 1 is loaded and sent before loss i is received and logged. Each state
// and the standard output see their effects in program order, in loops of no, one and several iterations.
//
// RUN: sed s:FILE:%S/Inputs/batches.c: %s > %t.mlir
// RUN: tfxc run %t.mlir 0 2>&1 | FileCheck %s --check-prefixes=NONE --implicit-check-not=warning --implicit-check-not=loss
// RUN: tfxc run %t.mlir 1 2>&1 | FileCheck %s --check-prefixes=ONE --implicit-check-not=warning
// RUN: tfxc run %t.mlir 3 2>&1 | FileCheck %s --check-prefixes=THREE --implicit-check-not=warning
// RUN: tfxc run %t.mlir 3 | FileCheck %s --check-prefixes=PRINTS
// RUN: %if tensorflow %{ tfxc run %t.mlir 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=NONE --implicit-check-not=warning --implicit-check-not=loss %}
// RUN: %if tensorflow %{ tfxc run %t.mlir 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=THREE --implicit-check-not=warning %}
// RUN: %if tensorflow %{ tfxc run %t.mlir 3 --executor tensorflow-queues 2>&1 | FileCheck %s --check-prefixes=THREE --implicit-check-not=warning %}
//
// NONE:       last = 0.0
//
// ONE:        loss 1 is 2, with 1 batches loaded
// ONE:        last = 2.0
//
// The loss of the last iteration is logged after the loop.
// THREE:      loss 1 is 2, with 2 batches loaded
// THREE:      loss 2 is 4, with 3 batches loaded
// THREE:      loss 3 is 7, with 3 batches loaded
// THREE:      last = 7.0
//
// PRINTS:      weights [1. 1.]
// PRINTS-NEXT: weights [6. 3.]
// PRINTS-NEXT: last = 7.0

module attributes {tfx.link = ["FILE"]} {
  func.func private @open_batches(i32) attributes {tfx.state = "loader"}
  func.func private @more_batches() -> i1 attributes {tfx.state = "loader"}
  func.func private @next_batch() -> tensor<2xf32> attributes {tfx.state = "loader"}
  func.func private @log_loss(f32) attributes {tfx.state = "log"}

  func.func @main(%count: i32) -> (tensor<f32> {tfx.name = "last"}) {
    func.call @open_batches(%count) : (i32) -> ()
    %start = tfx_tensor.const dense<0.0> : tensor<2xf32>
    %one = tfx_tensor.const dense<1.0> : tensor<f32>
    %none = tfx_tensor.const dense<0.0> : tensor<f32>
    %axis = tfx_tensor.const dense<0> : tensor<i32>
    %zero = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    cf.br ^header(%zero, %start, %none : i32, tensor<2xf32>, tensor<f32>)
  ^header(%i: i32, %w: tensor<2xf32>, %last: tensor<f32>):
    %go = func.call @more_batches() : () -> i1
    cf.cond_br %go, ^body, ^exit
  ^body:
    %batch = func.call @next_batch() : () -> tensor<2xf32>
    %next = tfx_tensor.op "AddV2"(%w, %batch) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %max = tfx_tensor.op "Max"(%next, %axis) : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
    %loss = tfx_tensor.op "AddV2"(%max, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %number = tfx_tensor.to_scalar %loss : tensor<f32> -> f32
    func.call @log_loss(%number) : (f32) -> ()
    %rem = arith.remsi %i, %two : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    cf.cond_br %show, ^print, ^latch
  ^print:
    tfx_host.print "weights {}"(%next) : tensor<2xf32>
    cf.br ^latch
  ^latch:
    %i1 = arith.addi %i, %step : i32
    cf.br ^header(%i1, %next, %loss : i32, tensor<2xf32>, tensor<f32>)
  ^exit:
    return %last : tensor<f32>
  }
}
