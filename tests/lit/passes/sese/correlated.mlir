// RUN: tfx-opt %s --tfx-sese=verify=true --split-input-file | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{keep-cfg=true},tfx-verify-structured))' --split-input-file -o /dev/null

// Branches that have to do with each other: the checker leaves out the ways that are never taken, and proves that they are not.

// A branch inside of another on the same condition.

// CHECK-LABEL: func.func @twice
// CHECK:         scf.if %[[C:.*]] -> (tensor<f32>) {
// CHECK-NEXT:      scf.if %[[C]] -> (tensor<f32>) {
func.func @twice(%c: i1, %x: tensor<f32>) -> tensor<f32> {
  cf.cond_br %c, ^outer, ^end(%x : tensor<f32>)
^outer:
  cf.cond_br %c, ^inner, ^join(%x : tensor<f32>)
^inner:
  %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  cf.br ^join(%n : tensor<f32>)
^join(%y: tensor<f32>):
  cf.br ^end(%y : tensor<f32>)
^end(%r: tensor<f32>):
  return %r : tensor<f32>
}

// -----

// A number that a branch hands on is switched on after an operation.

// CHECK-LABEL: func.func @tag
// CHECK:         %[[TAG:.*]] = arith.select
// CHECK:         call @observe
// CHECK:         %[[INDEX:.*]] = arith.index_castui %[[TAG]]
// CHECK:         scf.index_switch %[[INDEX]]
func.func private @observe(i32)
func.func @tag(%c: i1, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^show(%zero : i32), ^show(%one : i32)
^show(%tag: i32):
  func.call @observe(%n) : (i32) -> ()
  cf.switch %tag : i32, [default: ^end(%n : i32), 0: ^twice]
^twice:
  %twice = arith.addi %n, %n : i32
  cf.br ^end(%twice : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// A machine of two states that starts in a known one.

// CHECK-LABEL: func.func @machine
// CHECK:         scf.while (%[[STATE:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK:           arith.index_castui %[[STATE]]
// CHECK:           scf.index_switch
func.func private @up() -> i32
func.func private @down() -> i32
func.func @machine() {
  %zero = arith.constant 0 : i32
  cf.br ^next(%zero : i32)
^next(%state: i32):
  cf.switch %state : i32, [default: ^end, 0: ^a, 1: ^b]
^a:
  %x = func.call @up() : () -> i32
  cf.br ^next(%x : i32)
^b:
  %y = func.call @down() : () -> i32
  cf.br ^next(%y : i32)
^end:
  return
}
