// Attributes that are not valid, and loops that cannot have checkpoints.
//
// RUN: tfx-opt %s --split-input-file --verify-diagnostics --tfx-differentiate

func.func private @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expected at least 1 iteration in 'periodic<...>', got 0; write 'none' to keep the values of all iterations}}
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<0>>}
  return
}

// -----

func.func private @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expected at least 1 checkpoint in 'binomial<...>', got -3; write 'none' to keep the values of all iterations}}
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<-3>>}
  return
}

// -----

func.func private @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expected 'none', 'periodic<k>', 'binomial<slots>' or 'auto' as the scheme of checkpoints, got 'sometimes'}}
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<sometimes>}
  return
}

// -----

func.func private @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expected the number of checkpoints after 'binomial', such as 'binomial<64>'}}
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial>}
  return
}

// -----

func.func private @f(%x: f64) -> f64 {
  // expected-error @+1 {{'tfx_ad.checkpoint' is an attribute of scf.for, scf.while and func.func, but this is 'math.sin'; set it on the loop or on the function around}}
  %y = math.sin %x {tfx_ad.checkpoint = #tfx_ad.checkpoint<auto>} : f64
  return %y : f64
}

// -----

// expected-error @+1 {{expected a #tfx_ad.checkpoint as 'tfx_ad.checkpoint', such as #tfx_ad.checkpoint<binomial<64>>, got 64}}
func.func private @f(%x: f64) -> f64 attributes {tfx_ad.checkpoint = 64} {
  return %x : f64
}

// -----

// The forward function of a rule with effects cannot run twice.
func.func private @measure(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @measure.forward, backward = @measure.backward>}
func.func private @measure.forward(%x: f64) -> f64 {
  %y = func.call @measure(%x) : (f64) -> f64
  return %y : f64
}
func.func private @measure.backward(%dy: f64) -> f64 {
  return %dy : f64
}
func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // expected-error @+2 {{cannot keep checkpoints of this loop: the iterations that run again need a result of '@measure', which has a rule and is not declared pure}}
    // expected-note @+1 {{keep all iterations (tfx_ad.checkpoint = #tfx_ad.checkpoint<none>), move the operation out of the loop, or declare the foreign function with tfx.pure if it has no effects}}
    %m = func.call @measure(%v) : (f64) -> f64
    %w = arith.mulf %v, %m : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// A result that is kept has no derivative: one that is needed is an error, as without checkpoints.
// expected-note @+1 {{give it a rule (tfx_ad.rule), declare that it has no derivative (tfx_ad.inactive), or cut the path with tfx_ad.stop}}
func.func private @measure(f64) -> f64
func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // expected-error @+1 {{cannot differentiate: no derivative of the foreign function '@measure' is known}}
    %m = func.call @measure(%v) : (f64) -> f64
    %w = arith.mulf %v, %m : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// A checkpoint of a loop would call the function of the loop again.
func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  // expected-error @+2 {{cannot keep checkpoints of this loop: its function calls itself in the loop}}
  // expected-note @+1 {{move the call out of the loop, or remove the attribute tfx_ad.checkpoint}}
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %less = arith.subi %n, %one : i64
    // expected-note @+1 {{this is the call}}
    %w = func.call @f(%v, %less) : (f64, i64) -> f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// A loop that carries a string.
func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = tfx_host.string "first" // expected-note {{a checkpoint consists of numbers, tensors and arrays of these; use tfx_ad.checkpoint = #tfx_ad.checkpoint<none>, or pass the value from outside}}
  %last = tfx_host.string "last"
  // expected-error @+1 {{cannot keep checkpoints of this loop: it carries a value of type '!tfx_host.string'}}
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %x, %l = %first) -> (f64, !tfx_host.string) : i64 {
    %w = math.sin %v : f64
    tfx_host.print "{}"(%l) : !tfx_host.string
    scf.yield %w, %last : f64, !tfx_host.string
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y#0 : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// A function that calls itself and has an effect cannot run again.
// expected-error @+2 {{cannot keep checkpoints of a loop that calls '@down': the function calls itself and has an effect}}
// expected-note @+1 {{keep all iterations (tfx_ad.checkpoint = #tfx_ad.checkpoint<none>), or move the effect out of the function}}
func.func private @down(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  // expected-note @+1 {{this is the effect}}
  tfx_host.print "{}"(%n) : i64
  %is_end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  %less = arith.subi %n, %one : i64
  %y = func.call @down(%x, %less) : (f64, i64) -> f64
  %z = math.sin %y : f64
  return %z : f64
}
func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %w = func.call @down(%v, %i) : (f64, i64) -> f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
