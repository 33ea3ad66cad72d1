// RUN: tfx-opt %s --tfx-sese=verify=true --split-input-file | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{keep-cfg=true},tfx-verify-structured))' --split-input-file -o /dev/null

// Correlated branches: the checker proves that some paths are never taken, and excludes them.

// A branch nested in another one on the same condition.

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

// A number that a branch forwards is the operand of a switch after another operation.

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

// A state machine of two states with a known initial state.

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

// -----

// A loop with two entries. The branch on %again after that on %small needs no operation of the
// structured form: its path starts at scf.condition, where only the outcome of the branch on %small
// determines the discriminator of the outer loop. The scf.if excludes the exact checker, which needs
// no guesses.

// CHECK-LABEL: func.func @region_was_left
// CHECK:         scf.while
// CHECK:           %[[AGAIN:.*]] = func.call @decide
// CHECK:           scf.while
// CHECK:             arith.cmpi slt
// CHECK:             arith.select %{{.*}}, %{{.*}}, %[[AGAIN]]
// CHECK:             scf.condition
// CHECK:           scf.condition
func.func private @decide() -> i1
func.func private @note()
func.func @region_was_left(%limit: i32, %which: i32, %noted: i1) -> i32 {
  %start = arith.constant 6 : i32
  scf.if %noted {
    func.call @note() : () -> ()
  }
  cf.br ^outer(%start : i32)
^outer(%i: i32):
  %again = func.call @decide() : () -> i1
  cf.cond_br %again, ^one(%i : i32), ^other(%i : i32)
^one(%j: i32):
  %small = arith.cmpi slt, %j, %limit : i32
  cf.cond_br %small, ^exit, ^branch
^branch:
  cf.cond_br %again, ^other(%which : i32), ^latch(%which : i32)
^latch(%k: i32):
  cf.br ^outer(%k : i32)
^other(%l: i32):
  %small_too = arith.cmpi slt, %l, %limit : i32
  cf.cond_br %small_too, ^exit, ^choose
^choose:
  cf.switch %which : i32, [
    default: ^one(%l : i32),
    4294967295: ^other(%l : i32),
    0: ^latch(%l : i32)
  ]
^exit:
  return %limit : i32
}

// -----

// The region around the switch excludes -1, and the branch of the original excludes 2: only both
// together prove that the switch takes its default.

// CHECK-LABEL: func.func @excluded_by_both
// CHECK:         scf.if
// CHECK:         scf.index_switch
// CHECK:         case 2 {
func.func private @count(i32) -> i32
func.func private @note()
func.func @excluded_by_both(%x: i64, %n: i32, %noted: i1) {
  scf.if %noted {
    func.call @note() : () -> ()
  }
  %none = arith.constant -1 : i64
  %is_none = arith.cmpi eq, %x, %none : i64
  cf.cond_br %is_none, ^end, ^some
^some:
  cf.switch %x : i64, [
    default: ^end,
    2: ^two
  ]
^two:
  %r = func.call @count(%n) : (i32) -> i32
  cf.br ^end
^end:
  return
}
