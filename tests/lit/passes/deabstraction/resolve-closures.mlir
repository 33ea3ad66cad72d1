// Closures that control flow selects: a tag and captures, in tfx-resolve alone.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-resolve)' --split-input-file | FileCheck %s --implicit-check-not=tfx_host.closure --implicit-check-not=tfx_host.apply --implicit-check-not=tfx_host.var

// Two functions with captures of one type share a slot. Foreign functions stay calls.

!F = !tfx_host.closure<(i32) -> i32>
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    i32, i32) -> i32
func.func private @f(i32, i32) -> i32
// CHECK-LABEL: func.func private @g(
// CHECK-SAME:    i32, i32) -> i32
func.func private @g(i32, i32) -> i32
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[C0I32]], %[[A1]] : i32, i32), ^[[BB1]](%[[C1I32]], %[[A2]] : i32, i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32, %[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V0]] : i32, [
// CHECK-NEXT:    default: ^[[BB3:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = call @f(%[[V1]], %[[A2]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB4:bb[0-9]+]](%[[V2]] : i32)
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = call @g(%[[V1]], %[[A2]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB4]](%[[V3]] : i32)
// CHECK-NEXT:  ^[[BB4]](%[[V4:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V4]] : i32
func.func @two(%p: i1, %x: i32, %y: i32) -> i32 {
  %a = tfx_host.closure @f(%x) : (i32) -> !F
  %b = tfx_host.closure @g(%y) : (i32) -> !F
  cf.cond_br %p, ^join(%a : !F), ^join(%b : !F)
^join(%c: !F):
  %r = tfx_host.apply %c(%y) : !F
  return %r : i32
}

// -----

// One function: no tag, only its captures. A value that is the same on all paths is not forwarded.

!F = !tfx_host.closure<() -> i32>
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    i32, i32) -> i32
func.func private @f(i32, i32) -> i32
// CHECK-LABEL: func.func @one_function(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[A2]] : i32), ^[[BB1]](%[[A3]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = call @f(%[[A1]], %[[V0]]) : (i32, i32) -> i32
// CHECK-NEXT:    return %[[V1]] : i32
func.func @one_function(%p: i1, %x: i32, %y: i32, %z: i32) -> i32 {
  %a = tfx_host.closure @f(%x, %y) : (i32, i32) -> !F
  %b = tfx_host.closure @f(%x, %z) : (i32, i32) -> !F
  cf.cond_br %p, ^join(%a : !F), ^join(%b : !F)
^join(%c: !F):
  %r = tfx_host.apply %c() : !F
  return %r : i32
}

// -----

// Slots of different types, and functions with different numbers of captures and no results; the undefined value of the other path is never read.

!F = !tfx_host.closure<() -> ()>
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    i32, f32)
func.func private @f(i32, f32)
// CHECK-LABEL: func.func private @g(
// CHECK-SAME:    f32, f32, i32)
func.func private @g(f32, f32, i32)
// CHECK-LABEL: func.func private @h(
// CHECK-SAME:    )
func.func private @h()
// CHECK-LABEL: func.func @slots(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: f32, %[[A3:[^ :,#]*]]: f32) {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[C2I32:[^ :,#]*]] = arith.constant 2 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : i32
// CHECK-NEXT:    cf.switch %[[A0]] : i32, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]](%[[C0I32]], %[[A1]] : i32, i32),
// CHECK-NEXT:    1: ^[[BB1]](%[[C1I32]], %[[A0]] : i32, i32),
// CHECK-NEXT:    2: ^[[BB1]](%[[C2I32]], %[[V0]] : i32, i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]](%[[V1:[^ :,#]*]]: i32, %[[V2:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V1]] : i32, [
// CHECK-NEXT:    default: ^[[BB4:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]],
// CHECK-NEXT:    1: ^[[BB3:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    call @f(%[[V2]], %[[A2]]) : (i32, f32) -> ()
// CHECK-NEXT:    cf.br ^[[BB5:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    call @g(%[[A2]], %[[A3]], %[[V2]]) : (f32, f32, i32) -> ()
// CHECK-NEXT:    cf.br ^[[BB5]]
// CHECK-NEXT:  ^[[BB4]]:
// CHECK-NEXT:    call @h() : () -> ()
// CHECK-NEXT:    cf.br ^[[BB5]]
// CHECK-NEXT:  ^[[BB5]]:
// CHECK-NEXT:    return
func.func @slots(%n: i32, %i: i32, %s: f32, %t: f32) {
  %a = tfx_host.closure @f(%i, %s) : (i32, f32) -> !F
  %b = tfx_host.closure @g(%s, %t, %n) : (f32, f32, i32) -> !F
  %c = tfx_host.closure @h() : () -> !F
  cf.switch %n : i32, [
    default: ^join(%a : !F),
    1: ^join(%b : !F),
    2: ^join(%c : !F)
  ]
^join(%d: !F):
  tfx_host.apply %d() : !F
  return
}

// -----

// A loop: a closure that was made in the previous iteration has the captures of that iteration. %k changes, so it is forwarded.

!F = !tfx_host.closure<() -> i32>
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    i32) -> i32
func.func private @f(i32) -> i32
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[C0I32]], %[[A0]] : i32, i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32, %[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.cmpi slt, %[[V0]], %[[A0]] : i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = arith.addi %[[V0]], %[[C1I32]] : i32
// CHECK-NEXT:    cf.cond_br %[[V2]], ^[[BB1]](%[[V3]], %[[V0]] : i32, i32), ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = call @f(%[[V1]]) : (i32) -> i32
// CHECK-NEXT:    return %[[V4]] : i32
func.func @loop(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tfx_host.closure @f(%n) : (i32) -> !F
  cf.br ^header(%zero, %first : i32, !F)
^header(%k: i32, %old: !F):
  %more = arith.cmpi slt, %k, %n : i32
  %new = tfx_host.closure @f(%k) : (i32) -> !F
  %k1 = arith.addi %k, %one : i32
  cf.cond_br %more, ^header(%k1, %new : i32, !F), ^exit
^exit:
  %r = tfx_host.apply %old() : !F
  return %r : i32
}

// The same value of an iteration on both edges of a branch in it: it is not forwarded.

// CHECK-LABEL: func.func @same_in_trip(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i1) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[C0I32]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = arith.addi %[[V0]], %[[C1I32]] : i32
// CHECK-NEXT:    cf.cond_br %[[A1]], ^[[BB2:bb[0-9]+]], ^[[BB3:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    cf.br ^[[BB4:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    cf.br ^[[BB4]]
// CHECK-NEXT:  ^[[BB4]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = call @f(%[[V1]]) : (i32) -> i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = arith.cmpi slt, %[[V2]], %[[A0]] : i32
// CHECK-NEXT:    cf.cond_br %[[V3]], ^[[BB1]](%[[V1]] : i32), ^[[BB5:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB5]]:
// CHECK-NEXT:    return %[[V2]] : i32
func.func @same_in_trip(%n: i32, %p: i1) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero : i32)
^header(%k: i32):
  %k1 = arith.addi %k, %one : i32
  cf.cond_br %p, ^a, ^b
^a:
  %f = tfx_host.closure @f(%k1) : (i32) -> !F
  cf.br ^join(%f : !F)
^b:
  %g = tfx_host.closure @f(%k1) : (i32) -> !F
  cf.br ^join(%g : !F)
^join(%c: !F):
  %r = tfx_host.apply %c() : !F
  %more = arith.cmpi slt, %r, %n : i32
  cf.cond_br %more, ^header(%k1 : i32), ^exit
^exit:
  return %r : i32
}

// -----

// A closure that binds a variable: once the closure is removed, the variable is private and is promoted.

!F = !tfx_host.closure<(i32) -> ()>
func.func private @set(%v: !tfx_host.ref<i32>, %x: i32) {
  tfx_host.store %x, %v : i32
  return
}
func.func private @add(%v: !tfx_host.ref<i32>, %x: i32) {
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  %z = arith.addi %x, %y : i32
  tfx_host.store %z, %v : i32
  return
}
// CHECK-LABEL: func.func @by_reference(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[C0I32]] : i32), ^[[BB1]](%[[C1I32]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V0]] : i32, [
// CHECK-NEXT:    default: ^[[BB3:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    cf.br ^[[BB4:bb[0-9]+]](%[[A2]] : i32)
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = arith.addi %[[A2]], %[[A1]] : i32
// CHECK-NEXT:    cf.br ^[[BB4]](%[[V1]] : i32)
// CHECK-NEXT:  ^[[BB4]](%[[V2:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V2]] : i32
func.func @by_reference(%p: i1, %x: i32, %y: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %a = tfx_host.closure @set(%v) : (!tfx_host.ref<i32>) -> !F
  %b = tfx_host.closure @add(%v) : (!tfx_host.ref<i32>) -> !F
  cf.cond_br %p, ^join(%a : !F), ^join(%b : !F)
^join(%c: !F):
  tfx_host.apply %c(%y) : !F
  %r = tfx_host.load %v : !tfx_host.ref<i32>
  return %r : i32
}

// -----

// A closure that returns a closure: each round resolves one level.

!F = !tfx_host.closure<(i32) -> i32>
!G = !tfx_host.closure<(i32) -> !F>
// CHECK-LABEL: func.func private @plus(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.addi %[[A0]], %[[A1]] : i32
// CHECK-NEXT:    return %[[V0]] : i32
func.func private @plus(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
// CHECK-LABEL: func.func private @minus(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.subi %[[A0]], %[[A1]] : i32
// CHECK-NEXT:    return %[[V0]] : i32
func.func private @minus(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %a, %b : i32
  return %c : i32
}
func.func private @bind_plus(%a: i32) -> !F {
  %c = tfx_host.closure @plus(%a) : (i32) -> !F
  return %c : !F
}
func.func private @bind_minus(%a: i32) -> !F {
  %c = tfx_host.closure @minus(%a) : (i32) -> !F
  return %c : !F
}
// CHECK-LABEL: func.func @gives(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[C0I32]] : i32), ^[[BB1]](%[[C1I32]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V0]] : i32, [
// CHECK-NEXT:    default: ^[[BB3:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[C0I320:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    cf.br ^[[BB4:bb[0-9]+]](%[[C0I320]] : i32)
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[C1I321:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB4]](%[[C1I321]] : i32)
// CHECK-NEXT:  ^[[BB4]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V1]] : i32, [
// CHECK-NEXT:    default: ^[[BB6:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB5:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB5]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = call @plus(%[[A1]], %[[A2]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB7:bb[0-9]+]](%[[V2]] : i32)
// CHECK-NEXT:  ^[[BB6]]:
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = call @minus(%[[A1]], %[[A2]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB7]](%[[V3]] : i32)
// CHECK-NEXT:  ^[[BB7]](%[[V4:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V4]] : i32
func.func @gives(%p: i1, %x: i32, %y: i32) -> i32 {
  %a = tfx_host.closure @bind_plus() : () -> !G
  %b = tfx_host.closure @bind_minus() : () -> !G
  cf.cond_br %p, ^join(%a : !G), ^join(%b : !G)
^join(%g: !G):
  %f = tfx_host.apply %g(%x) : !G
  %r = tfx_host.apply %f(%y) : !F
  return %r : i32
}

// -----

// A closure that is applied at its maker becomes a direct call, whatever the variable holds later; captures of another closure need not be available yet.

!F = !tfx_host.closure<(i32) -> i32>
func.func private @f(i32) -> i32
func.func private @g(i32, i32) -> i32
// CHECK-LABEL: func.func @before_it_is_there(
// CHECK-SAME:    %[[X:[^ :,#]*]]: i32)
// CHECK:         %[[Y:[^ :,#]*]] = call @f(%[[X]]) : (i32) -> i32
// CHECK:       ^[[HEAD:bb[0-9]+]](%[[TAG:[^ :,#]*]]: i32):
// CHECK:         cf.switch %[[TAG]] : i32, [
// CHECK-DAG:     call @f(%[[Y]]) : (i32) -> i32
// CHECK-DAG:     call @g(%[[Y]], %[[Y]]) : (i32, i32) -> i32
func.func @before_it_is_there(%x: i32) {
  %f = tfx_host.closure @f() : () -> !F
  %y = tfx_host.apply %f(%x) : !F
  %g = tfx_host.closure @g(%y) : (i32) -> !F
  cf.br ^head(%g : !F)
^head(%c: !F):
  %z = tfx_host.apply %c(%y) : !F
  cf.br ^head(%f : !F)
}
