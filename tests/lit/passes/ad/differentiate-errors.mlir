// RUN: tfx-opt %s --split-input-file --verify-diagnostics --tfx-differentiate

func.func private @unknown(f64) -> f64 // expected-note {{give it a rule (tfx_ad.rule)}}
func.func private @f(%x: f64) -> f64 {
  %y = func.call @unknown(%x) : (f64) -> f64 // expected-error {{no derivative of the foreign function '@unknown' is known}}
  return %y : f64
}
func.func @g(%x: f64) -> f64 {
  %d = tfx_ad.gradient @f(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

func.func private @count(%n: i64) -> f64 {
  %x = arith.sitofp %n : i64 to f64
  return %x : f64
}
func.func @g(%n: i64) -> i64 {
  // expected-error @+2 {{cannot differentiate '@count' with respect to parameter 0: its type i64 has no derivatives}}
  // expected-note @+1 {{floats, tensors of floats, and structs, tuples and arrays of these have derivatives}}
  %d = tfx_ad.gradient @count(%n) wrt [0] : (i64) -> i64
  return %d : i64
}

// -----

func.func private @pair(%x: f64) -> (f64, f64) { // expected-note {{sum the result in the function, or use tfx_ad.vjp}}
  return %x, %x : f64, f64
}
func.func @g(%x: f64) -> f64 {
  %d = tfx_ad.gradient @pair(%x) wrt [0] : (f64) -> f64 // expected-error {{a gradient is that of one float, but '@pair' returns (f64, f64)}}
  return %d : f64
}

// -----

func.func private @self(%x: f64) -> f64 { // expected-note {{the function is defined here}}
  %d = tfx_ad.gradient @self(%x) wrt [0] : (f64) -> f64 // expected-error {{cannot differentiate '@self' here: '@self' itself needs this derivative}}
  return %d : f64
}

// -----

// Values flow through existentials, which have no derivatives.
tfx_host.protocol @Shape {area: (!tfx_host.param<"Self">) -> f64}
tfx_host.struct @Square {side: f64}
tfx_host.struct @Circle {radius: f64}
func.func private @square_area(%s: !tfx_host.struct<@Square>) -> f64 {
  %a = tfx_host.extract %s["side"] : !tfx_host.struct<@Square> -> f64
  return %a : f64
}
func.func private @circle_area(%s: !tfx_host.struct<@Circle>) -> f64 {
  %a = tfx_host.extract %s["radius"] : !tfx_host.struct<@Circle> -> f64
  return %a : f64
}
tfx_host.witness_table @Square_Shape : !tfx_host.struct<@Square> conforms @Shape {area = @square_area}
tfx_host.witness_table @Circle_Shape : !tfx_host.struct<@Circle> conforms @Shape {area = @circle_area}
func.func private @through(%x: f64, %c: i1) -> f64 {
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.any<@Shape>'}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  cf.cond_br %c, ^square, ^circle
^square:
  %s = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Square>
  // expected-error @+3 {{cannot differentiate through a value of type 'tuple<f64>'}}
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.any<@Shape>'}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  %e = tfx_host.erase %s : !tfx_host.struct<@Square> to !tfx_host.any<@Shape>
  cf.br ^area(%e : !tfx_host.any<@Shape>)
^circle:
  %r = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Circle>
  // expected-error @+3 {{cannot differentiate through a value of type 'tuple<f64>'}}
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.any<@Shape>'}}
  // expected-note @+1 {{pass floats, tensors, arrays, structs and tuples of these instead}}
  %f = tfx_host.erase %r : !tfx_host.struct<@Circle> to !tfx_host.any<@Shape>
  cf.br ^area(%f : !tfx_host.any<@Shape>)
^area(%any: !tfx_host.any<@Shape>):
  %y = tfx_host.dynamic_call %any["area"]() : (!tfx_host.any<@Shape>) -> f64
  return %y : f64
}
func.func @g(%x: f64, %c: i1) -> f64 {
  %d = tfx_ad.gradient @through(%x, %c) wrt [0] : (f64, i1) -> f64
  return %d : f64
}

// -----

// The tangent of a closure is a tuple.
!F = !tfx_host.closure<(f64) -> f64>
func.func private @scale(%k: f64, %x: f64) -> f64 {
  %y = arith.mulf %k, %x : f64
  return %y : f64
}
func.func private @at(%f: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func @g(%k: f64, %x: f64) -> f64 {
  %f = tfx_host.closure @scale(%k) : (f64) -> !F
  // expected-error @+2 {{expected the type 'tuple<f64>' as the tangent of a closure, got 'f64'}}
  // expected-note @+1 {{the tangent of a closure is the tuple of the tangents of its captures}}
  %d = tfx_ad.gradient @at(%f, %x) wrt [0] : (!F, f64) -> f64
  return %d : f64
}

// -----

// A rule that is not linear cannot be transposed.
func.func private @f(%x: f64) -> f64 attributes { // expected-note {{the rule is here}}
    tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @f.jvp>} {
  return %x : f64
}
func.func private @f.jvp(%x: f64, %dx: f64) -> (f64, f64) { // expected-note {{the derivative by the tangents depends on this value}}
  %dy = arith.mulf %dx, %dx : f64
  return %x, %dy : f64, f64
}
func.func private @h(%x: f64) -> f64 {
  // expected-error @+1 {{cannot differentiate '@f': its rule has only '@f.jvp', which is not known to be linear in its tangents}}
  %y = func.call @f(%x) : (f64) -> f64
  return %y : f64
}
func.func @g(%x: f64) -> f64 {
  %d = tfx_ad.gradient @h(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
