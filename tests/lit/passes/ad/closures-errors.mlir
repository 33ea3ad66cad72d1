// Closures that requests differentiate whose functions cannot be known: code that stays as it is
// makes, holds or calls them, or they capture each other. And tangents of other types than theirs.
//
// RUN: tfx-opt %s --tfx-differentiate --split-input-file --verify-diagnostics

// The callers of a public function are not all known.
!F = !tfx_host.closure<(f64) -> f64>
// expected-note @+2 {{the closure comes from here}}
// expected-note @+1 {{'@g' is public, so its callers are not all known}}
func.func @g(%f: !F, %x: f64) -> f64 {
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{make this function private, and pass a closure to each call}}
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// No call passes a closure.
!F = !tfx_host.closure<(f64) -> f64>
// expected-note @+1 {{the closure comes from here}}
func.func private @slope(%f: !F, %x: f64) -> f64 {
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{no call passes a closure here: pass one, or name the function}}
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func @g(%x: f64) -> f64 {
  %f = tfx_host.undef : !F
  %d = func.call @slope(%f, %x) : (!F, f64) -> f64
  return %d : f64
}

// -----

// A foreign function makes the closure.
!F = !tfx_host.closure<escaping (f64) -> f64>
func.func private @any() -> !F
func.func @g(%x: f64) -> f64 {
  // expected-note @+2 {{the closure comes from here}}
  // expected-note @+1 {{a foreign function returns it here}}
  %f = func.call @any() : () -> !F
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{make a closure for the derivative alone, or name the function}}
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// A foreign function calls the closure.
!F = !tfx_host.closure<escaping (f64) -> f64>
func.func private @keep(!F)
func.func private @twice(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func @g(%x: f64, %c: i1) -> f64 {
  %a = tfx_host.closure @twice() : () -> !F
  %b = tfx_host.closure @square() : () -> !F
  // expected-note @+1 {{the closure comes from here}}
  %f = arith.select %c, %a, %b : !F
  // expected-note @+1 {{it is passed to the foreign function '@keep' here}}
  func.call @keep(%f) : (!F) -> ()
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{make a closure for the derivative alone, or name the function}}
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// An object holds the closure.
!F = !tfx_host.closure<escaping (f64) -> f64>
tfx_host.class @Layer {function: !F}
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func @g(%x: f64) -> f64 {
  %f = tfx_host.closure @square() : () -> !F
  %layer = tfx_host.new(%f) : (!F) -> !tfx_host.object<@Layer>
  // expected-note @+1 {{an object holds it here}}
  %r = tfx_host.member_ref %layer["function"] : !tfx_host.object<@Layer> -> !tfx_host.ref<!F>
  // expected-note @+1 {{the closure comes from here}}
  %h = tfx_host.load %r : !tfx_host.ref<!F>
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{make a closure for the derivative alone, or name the function}}
  %d = tfx_ad.gradient %h of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// A closure that captures a variable.
!F = !tfx_host.closure<(f64) -> f64>
func.func private @count(%n: !tfx_host.ref<f64>, %x: f64) -> f64 {
  %k = tfx_host.load %n : !tfx_host.ref<f64>
  %y = arith.mulf %x, %k : f64
  return %y : f64
}
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func @g(%x: f64, %c: i1) -> f64 {
  %n = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %n : f64
  // expected-note @+1 {{the closure that is made here captures a variable}}
  %a = tfx_host.closure @count(%n) : (!tfx_host.ref<f64>) -> !F
  %b = tfx_host.closure @square() : () -> !F
  // expected-note @+1 {{the closure comes from here}}
  %f = arith.select %c, %a, %b : !F
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{capture the value of the variable instead, or name the function}}
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// Closures that capture each other, as often as a loop runs.
!F = !tfx_host.closure<(f64) -> f64>
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func private @after(%f: !F, %k: f64, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  %z = arith.mulf %y, %k : f64
  return %z : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %square = tfx_host.closure @square() : () -> !F
  // expected-note @+1 {{the closure comes from here}}
  %all = scf.for %i = %zero to %n step %one iter_args(%f = %square) -> (!F) : i64 {
    // expected-note @+1 {{the closure that is made here captures a closure that may itself be made here}}
    %next = tfx_host.closure @after(%f, %x) : (!F, f64) -> !F
    scf.yield %next : !F
  }
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{keep the closures in an array, and apply them in a loop, or name the function}}
  %d = tfx_ad.gradient %all of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// A pullback.
!F = !tfx_host.closure<(f64) -> f64>
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func @g(%x: f64) -> f64 {
  // expected-note @+2 {{the closure comes from here}}
  // expected-note @+1 {{it is the pullback of this derivative}}
  %y, %pull = tfx_ad.vjp @square(%x) wrt [0] : (f64) -> (f64, !F)
  // expected-error @+2 {{cannot differentiate this closure: its function is not known here}}
  // expected-note @+1 {{write a function that applies the pullback, and differentiate that function}}
  %d = tfx_ad.gradient %pull of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// An existential of a public function may have any type.
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f64) -> f64}
!L = !tfx_host.any<@Layer>
// expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.any<@Layer>'}}
// expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
func.func private @run(%l: !L, %x: f64) -> f64 {
  %y = tfx_host.dynamic_call %l["call"](%x) : (!L, f64) -> f64
  return %y : f64
}
func.func @g(%l: !L, %x: f64) -> f64 {
  %d = tfx_ad.gradient @run(%l, %x) wrt [1] : (!L, f64) -> f64
  return %d : f64
}

// -----

// The tangent of one of several closures is an enum with their functions as its cases.
!F = !tfx_host.closure<(f64) -> f64>
!Fs = !tfx_host.array<!F>
tfx_host.enum @Other {scale(f64), wave()}
func.func private @scale(%k: f64, %n: i64, %x: f64) -> f64 {
  %y = arith.mulf %k, %x : f64
  return %y : f64
}
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func private @at(%f: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func private @first(%fs: !Fs, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %f = tfx_host.array_get %fs[%zero] : !Fs
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func @g(%k: f64, %x: f64, %n: i64, %c: i1) {
  %a = tfx_host.closure @scale(%k, %n) : (f64, i64) -> !F
  %b = tfx_host.closure @square() : () -> !F
  %f = arith.select %c, %a, %b : !F
  // expected-error @+2 {{expected an enum {scale(f64), square()} as tangent 0 of this derivative, which is that of closures or existentials, got 'tuple<f64>'}}
  // expected-note @+1 {{if it may have one of several functions or types, it is an enum with a case for each of them}}
  %d = tfx_ad.gradient @at(%f, %x) wrt [0] : (!F, f64) -> tuple<f64>
  %fs = tfx_host.array(%f, %a) : !Fs
  // expected-error @+2 {{expected an array of an enum {scale(f64), square()} as tangent 0 of this derivative, which is that of closures or existentials, got '!tfx_host.array<!tfx_host.enum<@Other>>'}}
  // expected-note @+1 {{the tangent of a closure is the tuple of the tangents of its captures, and}}
  %v, %p = tfx_ad.vjp @first(%fs, %x) wrt [0] : (!Fs, f64) -> (f64, !tfx_host.closure<(f64) -> !tfx_host.array<!tfx_host.enum<@Other>>>)
  return
}
