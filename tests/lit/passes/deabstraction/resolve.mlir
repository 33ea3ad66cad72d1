// tfx-resolve in the pipeline: closures in variables, fields, enums and arrays, and those that stay.
//
// RUN: split-file %s %t
// RUN: tfx-opt %t/gone.mlir --tfx-deabstract --split-input-file | FileCheck %t/gone.mlir --implicit-check-not=closure --implicit-check-not=apply --implicit-check-not=tfx_host.var --implicit-check-not=enum --implicit-check-not=tfx_host.array
// RUN: tfx-opt %t/stays.mlir --tfx-deabstract --split-input-file --verify-diagnostics

//--- gone.mlir

// A variable holds one closure, then another; a field of a struct variable holds the second.

!F = !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
tfx_host.struct @Strategy {f: !F, n: i32}
!S = !tfx_host.struct<@Strategy>
func.func private @neg(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @add(%a: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Add"(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
// CHECK-LABEL: func.func @variable(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]], ^[[BB2:bb[0-9]+]](%[[C0I32]] : i32)
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB2]](%[[C1I32]] : i32)
// CHECK-NEXT:  ^[[BB2]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V0]] : i32, [
// CHECK-NEXT:    default: ^[[BB4:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB3:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_tensor.op "Neg"(%[[A1]]) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    cf.br ^[[BB5:bb[0-9]+]](%[[V1]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB4]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_tensor.op "Add"(%[[A1]], %[[A1]]) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    cf.br ^[[BB5]](%[[V2]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB5]](%[[V3:[^ :,#]*]]: tensor<f32>):
// CHECK-NEXT:    return %[[V3]] : tensor<f32>
func.func @variable(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %n = arith.constant 1 : i32
  %neg = tfx_host.closure @neg() : () -> !F
  %s = tfx_host.make_struct(%neg, %n) : (!F, i32) -> !S
  %v = tfx_host.var : !tfx_host.ref<!S>
  tfx_host.store %s, %v : !S
  %r = tfx_host.field_ref %v["f"] : !tfx_host.ref<!S> -> !tfx_host.ref<!F>
  scf.if %p {
    %add = tfx_host.closure @add(%x) : (tensor<f32>) -> !F
    tfx_host.store %add, %r : !F
  }
  %t = tfx_host.load %v : !tfx_host.ref<!S>
  %f = tfx_host.extract %t["f"] : !S -> !F
  %y = tfx_host.apply %f(%x) : !F
  return %y : tensor<f32>
}

// -----

// The payload of an enum is a closure, which a function with a closure parameter calls.

!F = !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
tfx_host.enum @Activation {linear(), some(!F)}
!A = !tfx_host.enum<@Activation>
func.func private @relu(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Relu"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @run(%a: !A, %x: tensor<f32>) -> tensor<f32> {
  tfx_host.switch_enum %a : !A ["linear" -> ^end(%x : tensor<f32>), "some" -> ^some]
^some(%f: !F):
  %y = tfx_host.apply %f(%x) : !F
  cf.br ^end(%y : tensor<f32>)
^end(%r: tensor<f32>):
  return %r : tensor<f32>
}
// CHECK-LABEL: func.func @payload(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[C1I32]] : i32), ^[[BB1]](%[[C0I32]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V0]] : i32, [
// CHECK-NEXT:    default: ^[[BB2:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB3:bb[0-9]+]](%[[A1]] : tensor<f32>)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_tensor.op "Relu"(%[[A1]]) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    cf.br ^[[BB3]](%[[V1]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB3]](%[[V2:[^ :,#]*]]: tensor<f32>):
// CHECK-NEXT:    return %[[V2]] : tensor<f32>
func.func @payload(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %f = tfx_host.closure @relu() : () -> !F
  %some = tfx_host.make_enum "some"(%f) : (!F) -> !A
  %linear = tfx_host.make_enum "linear"() : () -> !A
  cf.cond_br %p, ^run(%some : !A), ^run(%linear : !A)
^run(%a: !A):
  %y = func.call @run(%a, %x) : (!A, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Captures by reference on both edges of a branch, of a variable that a loop uses in later iterations.

!F = !tfx_host.closure<() -> ()>
func.func private @double(%v: !tfx_host.ref<tensor<f32>>) {
  %x = tfx_host.load %v : !tfx_host.ref<tensor<f32>>
  %y = tfx_tensor.op "Add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_host.store %y, %v : tensor<f32>
  return
}
func.func private @reset(%v: !tfx_host.ref<tensor<f32>>, %x: tensor<f32>) {
  tfx_host.store %x, %v : tensor<f32>
  return
}
// CHECK-LABEL: func.func @by_reference(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[A1]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: tensor<f32>):
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB2:bb[0-9]+]], ^[[BB3:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    cf.br ^[[BB4:bb[0-9]+]](%[[C0I32]] : i32)
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB4]](%[[C1I32]] : i32)
// CHECK-NEXT:  ^[[BB4]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V1]] : i32, [
// CHECK-NEXT:    default: ^[[BB6:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB5:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB5]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_tensor.op "Add"(%[[V0]], %[[V0]]) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    cf.br ^[[BB7:bb[0-9]+]](%[[V2]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB6]]:
// CHECK-NEXT:    cf.br ^[[BB7]](%[[A1]] : tensor<f32>)
// CHECK-NEXT:  ^[[BB7]](%[[V3:[^ :,#]*]]: tensor<f32>):
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1]](%[[V3]] : tensor<f32>), ^[[BB8:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB8]]:
// CHECK-NEXT:    return %[[V3]] : tensor<f32>
func.func @by_reference(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %v = tfx_host.var : !tfx_host.ref<tensor<f32>>
  tfx_host.store %x, %v : tensor<f32>
  cf.br ^header
^header:
  %f = scf.if %p -> !F {
    %d = tfx_host.closure @double(%v) : (!tfx_host.ref<tensor<f32>>) -> !F
    scf.yield %d : !F
  } else {
    %r = tfx_host.closure @reset(%v, %x) : (!tfx_host.ref<tensor<f32>>, tensor<f32>) -> !F
    scf.yield %r : !F
  }
  tfx_host.apply %f() : !F
  cf.cond_br %p, ^header, ^exit
^exit:
  %y = tfx_host.load %v : !tfx_host.ref<tensor<f32>>
  return %y : tensor<f32>
}
//--- stays.mlir

// Stored in an object: the closure stays, and the variable that it binds, with the locations of the uses that keep each.

!F = !tfx_host.closure<escaping () -> i32>
tfx_host.class @Button {action: !F}
func.func private @get(%v: !tfx_host.ref<i32>) -> i32 {
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  return %x : i32
}
func.func @kept(%x: i32) -> !tfx_host.object<@Button> {
  // expected-remark @below {{variable stays on the host, because code that stays there shares it; pass its value, and return the new value, instead}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  // expected-note @below {{a remaining closure captures it here}}
  // expected-remark @below {{closure stays on the host, because not all of its uses are known at compile time; a closure that is only called, or passed to functions that only call it, would be removed}}
  %f = tfx_host.closure @get(%v) : (!tfx_host.ref<i32>) -> !F
  // expected-note @below {{an object holds it}}
  // expected-remark @below {{class instance stays on the host}}
  %b = tfx_host.new(%f) : (!F) -> !tfx_host.object<@Button>
  return %b : !tfx_host.object<@Button>
}

// -----

// A known closure on one edge, one from an object on the other: both stay, and so does the call.

!F = !tfx_host.closure<escaping () -> i32>
tfx_host.class @Button {action: !F}
func.func private @seven() -> i32
func.func @one_unknown(%p: i1, %b: !tfx_host.object<@Button>) -> i32 {
  // expected-remark @below {{field of a class instance stays on the host}}
  %r = tfx_host.member_ref %b["action"] : !tfx_host.object<@Button> -> !tfx_host.ref<!F>
  %f = tfx_host.load %r : !tfx_host.ref<!F>
  // expected-remark @below {{closure stays on the host}}
  %g = tfx_host.closure @seven() : () -> !F
  // expected-note @below {{here it is merged with values of unknown origin}}
  cf.cond_br %p, ^join(%f : !F), ^join(%g : !F)
// expected-note @below {{it comes from here}}
^join(%h: !F):
  // expected-remark @below {{call of a closure that is known only at run time stays on the host}}
  %x = tfx_host.apply %h() : !F
  return %x : i32
}

// -----

// Returned from the program, and passed to a foreign closure.

!F = !tfx_host.closure<escaping () -> i32>
func.func private @seven() -> i32
func.func @returned() -> !F {
  // expected-remark @below {{closure stays on the host}}
  %g = tfx_host.closure @seven() : () -> !F
  // expected-note @below {{it is returned here}}
  return %g : !F
}
// expected-note @below {{it comes from here}}
func.func @given(%use: !tfx_host.closure<(!F) -> ()>) {
  // expected-remark @below {{closure stays on the host}}
  %g = tfx_host.closure @seven() : () -> !F
  // expected-note @below {{it is passed to a remaining closure here}}
  // expected-remark @below {{call of a closure that is known only at run time stays on the host}}
  tfx_host.apply %use(%g) : !tfx_host.closure<(!F) -> ()>
  return
}
