// What the pass keeps, by its options: a bound on memory, and the values on tapes.
//
// RUN: tfx-opt %s --tfx-differentiate | FileCheck %s --check-prefix=NONE
// RUN: tfx-opt %s --tfx-differentiate=memory=1000000000 | FileCheck %s --check-prefix=NONE
// RUN: tfx-opt %s --tfx-differentiate='memory=800 remarks=true' 2>%t.err | FileCheck %s --check-prefix=BOUND
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: tfx-opt %s --tfx-differentiate=tape=balanced | FileCheck %s --check-prefix=NONE
// RUN: tfx-opt %s --tfx-differentiate=tape=all | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt %s --tfx-differentiate=tape=least | FileCheck %s --check-prefix=LEAST
// RUN: not tfx-opt %s --tfx-differentiate=tape=some 2>&1 | FileCheck %s --check-prefix=ERROR
//
// ERROR: option 'tape' of pass 'tfx-differentiate': expected one of 'balanced', 'least', 'all', got 'some'

// The argument and the sine are kept, a product is computed again.
// NONE-LABEL:     func.func private @f.forward(
// NONE-COUNT-2:     tfx_ad.push
// NONE-NOT:         tfx_ad.push
// NONE-LABEL:     func.func private @h.backward(
// NONE-LABEL:     func.func private @h.forward(
// NONE-COUNT-2:     tfx_ad.push
//
// ALL-LABEL:      func.func private @f.forward(
// ALL-COUNT-3:      tfx_ad.push
// ALL-LABEL:      func.func private @h.backward(
//
// LEAST-LABEL:    func.func private @f.forward(
// LEAST-COUNT-1:    tfx_ad.push
// LEAST-NOT:        tfx_ad.push
// LEAST-LABEL:    func.func private @h.backward(
//
// The loop of @h has 1,000 iterations. How many that of @f has is not known.
// REMARK:         :[[#@LINE+26]]:8: remark: the derivative of this loop keeps at most 33 checkpoints of about 24 bytes, and runs each iteration again at most twice for up to 595 iterations, three times for up to 7140
// REMARK-DAG:     :[[#@LINE+13]]:10: remark: the derivative keeps this value of each iteration, about 8 bytes: that costs less than to compute it again
// REMARK-DAG:     :[[#@LINE+13]]:10: remark: the derivative computes this value again in each iteration: that costs less than to keep it
// BOUND-LABEL:    func.func private @f.forward(
// BOUND-COUNT-2:    tfx_ad.push
// BOUND-LABEL:    func.func private @h.loop.forward(
// BOUND-COUNT-3:    tfx_ad.push
// BOUND:            call @to_next_checkpoint(
// BOUND:            call @h.loop.segment(

func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %p = arith.mulf %s, %x : f64
    %q = arith.mulf %p, %p : f64
    %w = arith.addf %q, %v : f64
    scf.yield %w : f64
  }
  return %y : f64
}
func.func private @h(%x: f64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 1000 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %p = arith.mulf %s, %x : f64
    %q = arith.mulf %p, %p : f64
    %w = arith.addf %q, %v : f64
    scf.yield %w : f64
  }
  return %y : f64
}
func.func @main(%x: f64, %n: i64) -> (f64, f64) {
  %f = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  %h = tfx_ad.gradient @h(%x) wrt [0] : (f64) -> f64
  return %f, %h : f64, f64
}
