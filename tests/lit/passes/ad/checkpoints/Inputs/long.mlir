// The derivative of the end of a simulation by its start, with what `mode` selects: 0 all iterations
// on tapes, 1 checkpoints, 2 checkpoints of a loop that may end early.
func.func private @all(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rate = arith.constant 1.0e-6 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %p = arith.mulf %s, %rate : f64
    %w = arith.addf %v, %p : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  return %y : f64
}
func.func private @known(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rate = arith.constant 1.0e-6 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %p = arith.mulf %s, %rate : f64
    %w = arith.addf %v, %p : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<64>>}
  return %y : f64
}
func.func private @unknown(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rate = arith.constant 1.0e-6 : f64
  %most = arith.constant 10.0 : f64
  %y:2 = scf.while (%v = %x, %i = %zero) : (f64, i64) -> (f64, i64) {
    %is_small = arith.cmpf olt, %v, %most : f64
    %is_early = arith.cmpi slt, %i, %n : i64
    %more = arith.andi %is_small, %is_early : i1
    scf.condition(%more) %v, %i : f64, i64
  } do {
  ^bb0(%v: f64, %i: i64):
    %s = math.sin %v : f64
    %p = arith.mulf %s, %rate : f64
    %w = arith.addf %v, %p : f64
    %next = arith.addi %i, %one : i64
    scf.yield %w, %next : f64, i64
  } attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<64>>}
  return %y#0 : f64
}
func.func @main(%mode: index {tfx.name = "mode"}, %n: i64 {tfx.name = "n"}) {
  %x = arith.constant 1.0 : f64
  scf.index_switch %mode
  case 0 {
    %d = tfx_ad.gradient @all(%x, %n) wrt [0] : (f64, i64) -> f64
    tfx_host.print "{}"(%d) : f64
    scf.yield
  }
  case 1 {
    %d = tfx_ad.gradient @known(%x, %n) wrt [0] : (f64, i64) -> f64
    tfx_host.print "{}"(%d) : f64
    scf.yield
  }
  default {
    %d = tfx_ad.gradient @unknown(%x, %n) wrt [0] : (f64, i64) -> f64
    tfx_host.print "{}"(%d) : f64
    scf.yield
  }
  return
}
