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
  // expected-note @+1 {{floats, tensors of floats, and structs and tuples of these have derivatives}}
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

// Values flow through arrays, objects and closures, which have no derivatives.
func.func private @through(%x: f64) -> f64 {
  %zero = arith.constant 0 : index
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.array<f64>'}}
  // expected-note @+1 {{pass floats, tensors, structs and tuples of these instead}}
  %a = tfx_host.array(%x) : !tfx_host.array<f64>
  // expected-error @+2 {{cannot differentiate through a value of type '!tfx_host.array<f64>'}}
  // expected-note @+1 {{pass floats, tensors, structs and tuples of these instead}}
  %b = func.call @kept(%a) : (!tfx_host.array<f64>) -> !tfx_host.array<f64>
  %y = tfx_host.array_get %b[%zero] : !tfx_host.array<f64>
  return %y : f64
}
func.func private @kept(!tfx_host.array<f64>) -> !tfx_host.array<f64>
func.func @g(%x: f64) -> f64 {
  %d = tfx_ad.gradient @through(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// Two applications of one pullback share a tape.
func.func private @cube(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (f64) : i64 {
    %q = arith.mulf %p, %x : f64
    scf.yield %q : f64
  }
  return %r : f64
}
func.func private @twice(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %p = tfx_ad.vjp @cube(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  // expected-error @+2 {{two derivatives need the values that a loop has kept}}
  // expected-note @+1 {{differentiate in forward mode}}
  %d = tfx_host.apply %p(%one) : !tfx_host.closure<(f64) -> f64>
  %e = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %s = arith.addf %d, %e : f64
  return %s : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @twice(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
