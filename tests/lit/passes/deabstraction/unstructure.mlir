// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-unstructure))' | FileCheck %s --implicit-check-not=scf.
// A second run changes nothing, and neither does upstream's pass.
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-unstructure))' -o %t
// RUN: tfx-opt %t --pass-pipeline='builtin.module(func.func(tfx-unstructure,convert-scf-to-cf))' | diff %t -

func.func private @f(index)

// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: index, %[[Y:.*]]: index)
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[THEN:.*]], ^[[ELSE:[^ ]*]]
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    cf.br ^[[AFTER:.*]](%[[X]] : index)
// CHECK-NEXT:  ^[[ELSE]]:
// CHECK-NEXT:    cf.br ^[[AFTER]](%[[Y]] : index)
// CHECK-NEXT:  ^[[AFTER]](%[[R:.*]]: index):
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[ALONE:.*]], ^[[END:[^ ]*]]
// CHECK-NEXT:  ^[[ALONE]]:
// CHECK-NEXT:    call @f(%[[R]])
// CHECK-NEXT:    cf.br ^[[END]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return %[[R]]
func.func @branches(%p: i1, %x: index, %y: index) -> index {
  %r = scf.if %p -> index {
    scf.yield %x : index
  } else {
    scf.yield %y : index
  }
  scf.if %p {
    func.call @f(%r) : (index) -> ()
  }
  return %r : index
}

// CHECK-LABEL: func.func @cases(
// CHECK-NEXT:    %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    %[[MINUS:.*]] = arith.constant -1 : i64
// CHECK-NEXT:    %[[EQUAL:.*]] = arith.cmpi eq, %[[WIDE]], %[[MINUS]]
// CHECK-NEXT:    cf.cond_br %[[EQUAL]], ^[[ONE:.*]], ^[[REST:[^ ]*]]
// CHECK-NEXT:  ^[[REST]]:
// CHECK-NEXT:    cf.switch %[[WIDE]] : i64, [
// CHECK-NEXT:      default: ^[[DEFAULT:.*]],
// CHECK-NEXT:      4294967296: ^[[OTHER:.*]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[DEFAULT]]:
// CHECK:         cf.br ^[[AFTER:.*]](%{{.*}} : i32)
// CHECK-NEXT:  ^[[ONE]]:
// CHECK:         cf.br ^[[AFTER]](
// CHECK-NEXT:  ^[[OTHER]]:
// CHECK:         cf.br ^[[AFTER]](
// CHECK-NEXT:  ^[[AFTER]](%[[R:.*]]: i32):
// CHECK-NEXT:    return %[[R]]
func.func @cases(%i: index) -> i32 {
  %r = scf.index_switch %i -> i32
  case -1 {
    %a = arith.constant 1 : i32
    scf.yield %a : i32
  }
  case 4294967296 {
    %a = arith.constant 2 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 3 : i32
    scf.yield %a : i32
  }
  return %r : i32
}

// The condition forwards values to the body and to the code after the loop that differ from its arguments.

// CHECK-LABEL: func.func @repeat(
// CHECK:         cf.br ^[[BEFORE:.*]](%{{.*}} : index)
// CHECK-NEXT:  ^[[BEFORE]](%[[I:.*]]: index):
// CHECK-NEXT:    %[[GO:.*]] = arith.cmpi
// CHECK-NEXT:    %[[TWICE:.*]] = arith.addi %[[I]], %[[I]]
// CHECK-NEXT:    cf.cond_br %[[GO]], ^[[BODY:.*]](%[[TWICE]], %[[I]] : index, index), ^[[AFTER:[^ ]*]]
// CHECK-NEXT:  ^[[BODY]](%[[A:.*]]: index, %[[B:.*]]: index):
// CHECK-NEXT:    call @f(%[[B]])
// CHECK-NEXT:    cf.br ^[[BEFORE]](%[[A]] : index)
// CHECK-NEXT:  ^[[AFTER]]:
// CHECK-NEXT:    return %[[TWICE]], %[[I]]
func.func @repeat(%n: index) -> (index, index) {
  %one = arith.constant 1 : index
  %r:2 = scf.while (%i = %one) : (index) -> (index, index) {
    %go = arith.cmpi ult, %i, %n : index
    %twice = arith.addi %i, %i : index
    scf.condition(%go) %twice, %i : index, index
  } do {
  ^bb0(%a: index, %b: index):
    func.call @f(%b) : (index) -> ()
    scf.yield %a : index
  }
  return %r#0, %r#1 : index, index
}

// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[FROM:.*]]: i32, %[[TO:.*]]: i32, %[[STEP:.*]]: i32, %[[X:.*]]: i32)
// CHECK-NEXT:    cf.br ^[[TEST:.*]](%[[FROM]], %[[X]] : i32, i32)
// CHECK-NEXT:  ^[[TEST]](%[[I:.*]]: i32, %[[SUM:.*]]: i32):
// CHECK-NEXT:    %[[GO:.*]] = arith.cmpi slt, %[[I]], %[[TO]]
// CHECK-NEXT:    cf.cond_br %[[GO]], ^[[BODY:.*]], ^[[AFTER:[^ ]*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    %[[MORE:.*]] = arith.addi %[[SUM]], %[[I]]
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT:    cf.br ^[[TEST]](%[[NEXT]], %[[MORE]] : i32, i32)
// CHECK-NEXT:  ^[[AFTER]]:
// CHECK:         arith.cmpi ult
// CHECK:         return %[[SUM]]
func.func @count(%from: i32, %to: i32, %step: i32, %x: i32) -> i32 {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %x) -> i32 : i32 {
    %more = arith.addi %sum, %i : i32
    scf.yield %more : i32
  }
  scf.for unsigned %i = %from to %to step %step : i32 {
  }
  return %r : i32
}

// Nested operations.

// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-3: cf.cond_br
// CHECK:         return
func.func @nested(%p: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    scf.if %p {
      func.call @f(%i) : (index) -> ()
      scf.if %p {
        func.call @f(%n) : (index) -> ()
      }
      func.call @f(%one) : (index) -> ()
    }
  }
  return
}

// What LLVM is told about a loop is on the branch back.
// CHECK-LABEL: func.func @annotated(
// CHECK:         cf.br ^{{.*}}(%{{.*}} : index){{$}}
// CHECK:         cf.br ^{{.*}}(%{{.*}} : index) {loop_annotation = #{{.*}}}
// CHECK-NOT:     annotation
func.func @annotated(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    func.call @f(%i) : (index) -> ()
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>, tfx.other}
  return
}
