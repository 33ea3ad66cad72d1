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
