// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{verify=true}))' --split-input-file | FileCheck %s

// A counted loop: the test is in `before`, the body in `after`, and the arguments keep their order.

// CHECK-LABEL: func.func @counted(
// CHECK-SAME:    %[[N:.*]]: i32) -> i32
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[R:.*]]:2 = scf.while (%[[I:.*]] = %[[ZERO]], %[[S:.*]] = %[[ZERO]]) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT:      %[[GO:.*]] = arith.cmpi slt, %[[I]], %[[N]] : i32
// CHECK-NEXT:      scf.condition(%[[GO]]) %[[I]], %[[S]] : i32, i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[I:.*]]: i32, %[[S:.*]]: i32):
// CHECK-NEXT:      %[[S1:.*]] = arith.addi %[[S]], %[[I]] : i32
// CHECK-NEXT:      %[[I1:.*]] = arith.addi %[[I]], %[[ONE]] : i32
// CHECK-NEXT:      scf.yield %[[I1]], %[[S1]] : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#1 : i32
func.func @counted(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero, %zero : i32, i32)
^header(%i: i32, %sum: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %sum1 = arith.addi %sum, %i : i32
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %sum1 : i32, i32)
^exit:
  return %sum : i32
}

// -----

// A loop with its test at the end has an `after` region that only forwards values.

// CHECK-LABEL: func.func @do_while
// CHECK:         %[[R:.*]] = scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK-NEXT:      func.call @observe(%[[I]])
// CHECK-NEXT:      %[[I1:.*]] = arith.addi %[[I]]
// CHECK-NEXT:      %[[GO:.*]] = arith.cmpi slt, %[[I1]]
// CHECK-NEXT:      scf.condition(%[[GO]]) %[[I1]] : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[NEXT:.*]]: i32):
// CHECK-NEXT:      scf.yield %[[NEXT]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : i32
func.func private @observe(i32)
func.func @do_while(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^body(%zero : i32)
^body(%i: i32):
  func.call @observe(%i) : (i32) -> ()
  %i1 = arith.addi %i, %one : i32
  %go = arith.cmpi slt, %i1, %n : i32
  cf.cond_br %go, ^body(%i1 : i32), ^exit
^exit:
  return %i1 : i32
}

// -----

// `break` is a part of the condition, `continue` an `if` in the body. The code after the last exit is in `after`.

// CHECK-LABEL: func.func @break_and_continue
// CHECK:         scf.while
// CHECK-NEXT:      %[[GO:.*]] = arith.cmpi
// CHECK-NEXT:      %[[FLAG:.*]] = scf.if %[[GO]] -> (i1) {
// CHECK-NEXT:        %[[BREAK:.*]] = func.call @decide
// CHECK-NEXT:        %[[STAY:.*]] = arith.xori %[[BREAK]], %true
// CHECK-NEXT:        scf.yield %[[STAY]] : i1
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %false : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.condition(%[[FLAG]]) %{{.*}} : i32
// CHECK-NEXT:    } do {
// CHECK:           %[[CONTINUE:.*]] = func.call @decide
// CHECK-NEXT:      scf.if %[[CONTINUE]]
// CHECK-NOT:       scf.if
// CHECK:           scf.yield
// CHECK:         return
func.func private @observe(i32)
func.func private @decide() -> i1
func.func @break_and_continue(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero : i32)
^header(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %break = func.call @decide() : () -> i1
  cf.cond_br %break, ^exit, ^rest
^rest:
  %i1 = arith.addi %i, %one : i32
  %continue = func.call @decide() : () -> i1
  cf.cond_br %continue, ^header(%i1 : i32), ^show
^show:
  func.call @observe(%i) : (i32) -> ()
  cf.br ^header(%i1 : i32)
^exit:
  return %i : i32
}

// -----

// Only a loop whose exits have two targets needs a flag that distinguishes them.

// CHECK-LABEL: func.func @return_from_loop
// CHECK:         %[[R:.*]]:3 = scf.while {{.*}} -> (i32, i32, i1)
// CHECK:         %[[V:.*]] = scf.if %[[R]]#2 -> (i32) {
// CHECK-NEXT:      func.call @observe(%[[R]]#1)
// CHECK-NEXT:      scf.yield %[[R]]#1 : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[R]]#0 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[V]] : i32
func.func private @observe(i32)
func.func private @decide() -> i1
func.func @return_from_loop(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero : i32)
^header(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %square = arith.muli %i, %i : i32
  %found = func.call @decide() : () -> i1
  cf.cond_br %found, ^return, ^next
^return:
  func.call @observe(%square) : (i32) -> ()
  return %square : i32
^next:
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1 : i32)
^exit:
  return %i : i32
}

// -----

// Nested loops nest, and a value of the outer loop that does not change is no iteration argument.

// CHECK-LABEL: func.func @nested(
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%[[I:.*]]: i32):
// CHECK-NEXT:      scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK:           } do {
// CHECK-NEXT:      ^bb0(%[[J:.*]]: i32):
// CHECK-NEXT:        %[[P:.*]] = arith.muli %[[I]], %[[J]] : i32
// CHECK-NEXT:        func.call @observe(%[[P]])
// CHECK:             scf.yield %{{.*}} : i32
// CHECK-NEXT:      }
// CHECK:           scf.yield %{{.*}} : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func private @observe(i32)
func.func @nested(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^outer(%zero : i32)
^outer(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^start, ^exit
^start:
  cf.br ^inner(%zero : i32)
^inner(%j: i32):
  %again = arith.cmpi slt, %j, %i : i32
  cf.cond_br %again, ^body, ^next
^body:
  %p = arith.muli %i, %j : i32
  func.call @observe(%p) : (i32) -> ()
  %j1 = arith.addi %j, %one : i32
  cf.br ^inner(%j1 : i32)
^next:
  %i1 = arith.addi %i, %one : i32
  cf.br ^outer(%i1 : i32)
^exit:
  return
}

// -----

// An infinite loop, and an unreachable block.

// CHECK-LABEL: func.func @forever
// CHECK:         scf.while : () -> () {
// CHECK-NEXT:      scf.condition(%true)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      func.call @observe
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %{{.*}} : i32
func.func private @observe(i32)
func.func @forever(%n: i32) -> i32 {
  cf.br ^loop
^unreachable:
  %two = arith.addi %n, %n : i32
  cf.br ^loop
^loop:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^loop
}

// -----

// A loop with exits to three targets: a number distinguishes them, and a separate flag tells whether the loop continues.

// CHECK-LABEL: func.func @three_exits
// CHECK:         %[[R:.*]] = scf.while : () -> index {
// CHECK:           %[[GO:.*]]:2 = scf.if %{{.*}} -> (i1, index) {
// CHECK-NEXT:        scf.yield %false, %{{.*}} : i1, index
// CHECK:           scf.condition(%[[GO]]#0) %[[GO]]#1 : index
// CHECK:         %[[V:.*]] = scf.index_switch %[[R]] -> i32
// CHECK:         case
// CHECK:         case
// CHECK:         default
// CHECK:         return %[[V]] : i32
func.func private @observe(i32)
func.func private @decide() -> i1
func.func @three_exits(%a: i32, %b: i32) -> i32 {
  cf.br ^loop
^loop:
  %p = func.call @decide() : () -> i1
  cf.cond_br %p, ^first, ^more
^more:
  %q = func.call @decide() : () -> i1
  cf.cond_br %q, ^second, ^last
^last:
  %r = func.call @decide() : () -> i1
  cf.cond_br %r, ^third, ^loop
^first:
  func.call @observe(%a) : (i32) -> ()
  return %a : i32
^second:
  func.call @observe(%b) : (i32) -> ()
  return %b : i32
^third:
  %c = arith.addi %a, %b : i32
  func.call @observe(%c) : (i32) -> ()
  return %c : i32
}

// -----

// A cycle with two entries: a flag tells where the first iteration starts. Both entries share the argument.

// CHECK-LABEL: func.func @two_entries(
// CHECK-SAME:    %[[C:.*]]: i1, %[[N:.*]]: i32)
// CHECK:         scf.while (%{{.*}} = %[[N]], %[[AT:.*]] = %{{.*}}) : (i32, i1) -> i32 {
// CHECK-NEXT:      scf.if %[[AT]]
// CHECK-COUNT-1:   func.call @observe
// CHECK-COUNT-1:   arith.addi
// CHECK-NOT:       func.call @observe
// CHECK:           scf.condition
// CHECK:         return
func.func private @observe(i32)
func.func private @decide() -> i1
func.func @two_entries(%c: i1, %n: i32) -> i32 {
  cf.cond_br %c, ^b(%n : i32), ^a(%n : i32)
^a(%x: i32):
  func.call @observe(%x) : (i32) -> ()
  %p = func.call @decide() : () -> i1
  cf.cond_br %p, ^b(%x : i32), ^end(%x : i32)
^b(%y: i32):
  %z = arith.addi %y, %n : i32
  %q = func.call @decide() : () -> i1
  cf.cond_br %q, ^a(%z : i32), ^end(%z : i32)
^end(%r: i32):
  return %r : i32
}
