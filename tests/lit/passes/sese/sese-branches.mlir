// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{verify=true}))' --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @if_without_else(
// CHECK-SAME:    %[[C:.*]]: i1, %[[N:.*]]: i32)
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      func.call @observe(%[[N]])
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func private @observe(i32)
func.func @if_without_else(%c: i1, %n: i32) {
  cf.cond_br %c, ^then, ^end
^then:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^end
^end:
  return
}

// -----

// The arguments of a join block are results of the `if`, and so is a value of one arm that is read after it.

// CHECK-LABEL: func.func @if_else(
// CHECK-SAME:    %[[C:.*]]: i1, %[[N:.*]]: i32) -> i32
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (i32) {
// CHECK-NEXT:      func.call @observe(%[[N]])
// CHECK-NEXT:      scf.yield %[[N]] : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addi %[[N]], %[[N]] : i32
// CHECK-NEXT:      scf.yield %[[TWICE]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : i32
func.func private @observe(i32)
func.func @if_else(%c: i1, %n: i32) -> i32 {
  cf.cond_br %c, ^then, ^else
^then:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^end(%n : i32)
^else:
  %twice = arith.addi %n, %n : i32
  cf.br ^end(%twice : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// A branch that only selects a scalar becomes a select; one that selects a tensor becomes an `if`.

// CHECK-LABEL: func.func @choose(
// CHECK-SAME:    %[[C:.*]]: i1, %[[A:.*]]: i32, %[[B:.*]]: i32) -> i32
// CHECK-NEXT:    %[[R:.*]] = arith.select %[[C]], %[[A]], %[[B]] : i32
// CHECK-NEXT:    return %[[R]] : i32
func.func @choose(%c: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %c, ^end(%a : i32), ^end(%b : i32)
^end(%r: i32):
  return %r : i32
}

// CHECK-LABEL: func.func @choose_tensor(
// CHECK-SAME:    %[[C:.*]]: i1, %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (tensor<?xf32>) {
// CHECK-NEXT:      scf.yield %[[A]] : tensor<?xf32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]] : tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @choose_tensor(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  cf.cond_br %c, ^end(%a : tensor<?xf32>), ^end(%b : tensor<?xf32>)
^end(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}

// -----

// Early returns are merged into one return.

// CHECK-LABEL: func.func @early_return(
// CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT:      scf.yield %[[N:.*]] : i32
// CHECK-NEXT:    } else {
// CHECK:           scf.if
// CHECK:         return %[[R]] : i32
// CHECK-NOT:     return
func.func private @observe(i32)
func.func @early_return(%c: i1, %d: i1, %n: i32) -> i32 {
  cf.cond_br %c, ^out, ^more
^out:
  return %n : i32
^more:
  %twice = arith.addi %n, %n : i32
  cf.cond_br %d, ^show, ^last
^show:
  func.call @observe(%twice) : (i32) -> ()
  return %twice : i32
^last:
  return %n : i32
}

// -----

// The code that runs if either of two conditions fails is not duplicated: a flag selects it.

// CHECK-LABEL: func.func @shared(
// CHECK:         %[[FLAG:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:           func.call @observe(%[[A:.*]])
// CHECK:         scf.if %[[FLAG]] {
// CHECK-NEXT:      func.call @other
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NOT:     call
func.func private @observe(i32)
func.func private @other(i32)
func.func @shared(%c: i1, %d: i1, %n: i32) {
  cf.cond_br %c, ^second, ^failed
^second:
  cf.cond_br %d, ^both, ^failed
^both:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^end
^failed:
  func.call @other(%n) : (i32) -> ()
  cf.br ^end
^end:
  return
}

// -----

// Case values are zero-extended like the operand of the switch. A case that falls through is a flag.

// CHECK-LABEL: func.func @switch(
// CHECK-SAME:    %[[S:.*]]: i32, %[[N:.*]]: i32)
// CHECK:         %[[INDEX:.*]] = arith.index_castui %[[S]] : i32 to index
// CHECK-NEXT:    %[[NEXT:.*]] = scf.index_switch %[[INDEX]] -> i1
// CHECK-NEXT:    case 4294967295 {
// CHECK-NEXT:      func.call @observe(%[[N]])
// CHECK-NEXT:      scf.yield %true : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      scf.yield %true : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      scf.yield %false : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[NEXT]] -> (i32) {
// CHECK-NEXT:      func.call @observe(%[[S]])
func.func private @observe(i32)
func.func @switch(%s: i32, %n: i32) -> i32 {
  cf.switch %s : i32, [
    default: ^end(%n : i32),
    -1: ^first,
    2: ^second
  ]
^first:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^second
^second:
  func.call @observe(%s) : (i32) -> ()
  cf.br ^end(%s : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// An aborting block is placed where it is reached, in a loop too: no flag, and no arm for the code after it.

// CHECK-LABEL: func.func @aborts
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           %[[BAD:.*]] = func.call @decide
// CHECK-NEXT:      scf.if %[[BAD]] {
// CHECK-NEXT:        tfx_host.abort "bad"
// CHECK-NEXT:      }
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NOT:     unreachable
func.func private @decide() -> i1
func.func @aborts(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero : i32)
^header(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %bad = func.call @decide() : () -> i1
  cf.cond_br %bad, ^abort, ^next
^abort:
  tfx_host.abort "bad"
  tfx_host.unreachable
^next:
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1 : i32)
^exit:
  return %i : i32
}

// -----

// A path without a value yields zero if the type has one, and otherwise an undef.

// CHECK-LABEL: func.func @not_there(
// CHECK-DAG:     %[[T:.*]] = tfx_tensor.const dense<0.000000e+00> : tensor<2xf32>
// CHECK-DAG:     %[[U:.*]] = tfx_host.undef : tensor<?xf32>
// CHECK:         scf.if
// CHECK:         scf.index_switch
// CHECK-NOT:     poison
func.func private @decide() -> i1
func.func private @known() -> tensor<2xf32>
func.func private @any() -> tensor<?xf32>
func.func @not_there(%s: tensor<2xf32>, %u: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  cf.br ^loop
^loop:
  %t = func.call @known() : () -> tensor<2xf32>
  %p = func.call @decide() : () -> i1
  cf.cond_br %p, ^first(%t : tensor<2xf32>), ^more
^more:
  %w = func.call @any() : () -> tensor<?xf32>
  %q = func.call @decide() : () -> i1
  cf.cond_br %q, ^second(%w : tensor<?xf32>), ^last
^last:
  %t2 = func.call @known() : () -> tensor<2xf32>
  %r = func.call @decide() : () -> i1
  cf.cond_br %r, ^first(%t2 : tensor<2xf32>), ^again
^again:
  %o = func.call @decide() : () -> i1
  cf.cond_br %o, ^third, ^loop
^first(%x: tensor<2xf32>):
  return %x, %u : tensor<2xf32>, tensor<?xf32>
^second(%v: tensor<?xf32>):
  return %s, %v : tensor<2xf32>, tensor<?xf32>
^third:
  return %s, %u : tensor<2xf32>, tensor<?xf32>
}

// -----

// A function of one block and a declaration do not change.

// CHECK-LABEL: func.func private @declared
// CHECK-LABEL: func.func @straight
// CHECK-NEXT:    return
func.func private @declared(i32) -> i32
func.func @straight() {
  return
}
