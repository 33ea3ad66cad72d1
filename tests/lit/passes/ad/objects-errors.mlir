// Objects whose origin is not known at compile time have no derivative: an error, with a note that
// names the place.
//
// RUN: tfx-opt %s --tfx-differentiate -split-input-file -verify-diagnostics

// An object that a branch selects.
tfx_host.class @Cell {value: f64}
!Cell = !tfx_host.object<@Cell>
func.func private @selected(%x: f64, %c: i1) -> f64 {
  %zero = arith.constant 0.0 : f64
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.object<@Cell>'}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  %a = tfx_host.new(%x) : (f64) -> !Cell
  %b = tfx_host.new(%zero) : (f64) -> !Cell
  // expected-error @+3 {{cannot differentiate through a value of type '!tfx_host.object<@Cell>'}}
  // expected-note @+2 {{it is not known at compile time which object this is: it is used here other than by its fields, and by calls that pass it on}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  %o = arith.select %c, %a, %b : !Cell
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.ref<f64>'}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  %r = tfx_host.member_ref %o["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func @g(%x: f64, %c: i1) -> f64 {
  %d = tfx_ad.gradient @selected(%x, %c) wrt [0] : (f64, i1) -> f64
  return %d : f64
}

// -----

// Two parameters may be the same object.
tfx_host.class @Cell {value: f64}
!Cell = !tfx_host.object<@Cell>
// expected-note @+1 {{objects have derivatives if they are known: two parameters may be the same object}}
func.func private @both(%a: !Cell, %b: !Cell) -> f64 {
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func @g(%a: !Cell, %b: !Cell) -> tuple<f64> {
  // expected-error @+2 {{cannot differentiate '@both' with respect to parameter 0: its type !tfx_host.object<@Cell> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @both(%a, %b) wrt [0] : (!Cell, !Cell) -> tuple<f64>
  return %d : tuple<f64>
}

// -----

// A closure that is another parameter may have captured the object.
tfx_host.class @Cell {value: f64}
!Cell = !tfx_host.object<@Cell>
!F = !tfx_host.closure<escaping (f64) -> f64>
// expected-note @+1 {{objects have derivatives if they are known: another parameter is or contains a reference, a closure or an existential, which may access it}}
func.func private @with(%a: !Cell, %f: !F) -> f64 {
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %x = tfx_host.load %r : !tfx_host.ref<f64>
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func @g(%a: !Cell, %f: !F) -> tuple<f64> {
  // expected-error @+2 {{cannot differentiate '@with' with respect to parameter 0: its type !tfx_host.object<@Cell> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @with(%a, %f) wrt [0] : (!Cell, !F) -> tuple<f64>
  return %d : tuple<f64>
}

// -----

// One object for two parameters of a function that the differentiated one calls.
tfx_host.class @Cell {value: f64}
!Cell = !tfx_host.object<@Cell>
func.func private @move(%a: !Cell, %b: !Cell) {
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %s = tfx_host.member_ref %b["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  tfx_host.store %y, %s : f64
  return
}
func.func private @twice(%a: !Cell) -> f64 {
  // expected-note @+1 {{objects have derivatives if they are known: this call passes it twice}}
  func.call @move(%a, %a) : (!Cell, !Cell) -> ()
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func @g(%a: !Cell) -> tuple<f64> {
  // expected-error @+2 {{cannot differentiate '@twice' with respect to parameter 0: its type !tfx_host.object<@Cell> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @twice(%a) wrt [0] : (!Cell) -> tuple<f64>
  return %d : tuple<f64>
}

// -----

// A foreign function gets the object; an object in an array; an object that is returned.
tfx_host.class @Cell {value: f64}
tfx_host.class @Other {value: f64}
tfx_host.class @Third {value: f64}
!Cell = !tfx_host.object<@Cell>
!Other = !tfx_host.object<@Other>
!Third = !tfx_host.object<@Third>
func.func private @show(!Cell)
func.func private @shown(%a: !Cell) -> f64 {
  // expected-note @+1 {{objects have derivatives if they are known: a function without a body gets it here}}
  func.call @show(%a) : (!Cell) -> ()
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func private @listed(%a: !Other) -> f64 {
  // expected-note @+1 {{objects have derivatives if they are known: it is used here other than by its fields, and by calls that pass it on}}
  %l = tfx_host.array(%a) : !tfx_host.array<!Other>
  %r = tfx_host.member_ref %a["value"] : !Other -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func private @same(%a: !Third) -> !Third {
  // expected-note @+1 {{objects have derivatives if they are known: it is used here other than by its fields, and by calls that pass it on}}
  return %a : !Third
}
func.func private @returned(%a: !Third) -> f64 {
  %b = func.call @same(%a) : (!Third) -> !Third
  %r = tfx_host.member_ref %b["value"] : !Third -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func @g(%a: !Cell, %b: !Other, %c: !Third) -> (tuple<f64>, tuple<f64>, tuple<f64>) {
  // expected-error @+2 {{cannot differentiate '@shown' with respect to parameter 0: its type !tfx_host.object<@Cell> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @shown(%a) wrt [0] : (!Cell) -> tuple<f64>
  // expected-error @+2 {{cannot differentiate '@listed' with respect to parameter 0: its type !tfx_host.object<@Other> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %e = tfx_ad.gradient @listed(%b) wrt [0] : (!Other) -> tuple<f64>
  // expected-error @+2 {{cannot differentiate '@returned' with respect to parameter 0: its type !tfx_host.object<@Third> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %f = tfx_ad.gradient @returned(%c) wrt [0] : (!Third) -> tuple<f64>
  return %d, %e, %f : tuple<f64>, tuple<f64>, tuple<f64>
}

// -----

// A function that is called may call a closure that has captured the object.
tfx_host.class @Cell {value: f64}
!Cell = !tfx_host.object<@Cell>
!F = !tfx_host.closure<escaping () -> ()>
func.func private @keep(!F)
func.func private @call_what_is_kept()
func.func private @clear(%a: !Cell) {
  %zero = arith.constant 0.0 : f64
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  return
}
func.func private @read(%a: !Cell) -> f64 {
  // expected-note @+1 {{objects have derivatives if they are known: a function that is called here may call a closure that accesses it}}
  func.call @call_what_is_kept() : () -> ()
  %r = tfx_host.member_ref %a["value"] : !Cell -> !tfx_host.ref<f64>
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  return %y : f64
}
func.func @g(%x: f64) -> tuple<f64> {
  %a = tfx_host.new(%x) : (f64) -> !Cell
  %f = tfx_host.closure @clear(%a) : (!Cell) -> !F
  func.call @keep(%f) : (!F) -> ()
  // expected-error @+2 {{cannot differentiate '@read' with respect to parameter 0: its type !tfx_host.object<@Cell> has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @read(%a) wrt [0] : (!Cell) -> tuple<f64>
  return %d : tuple<f64>
}
