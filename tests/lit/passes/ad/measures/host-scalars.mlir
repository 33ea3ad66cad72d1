// The gradient of a loop of host scalars has no graph, and its iterations make no tensors and no
// boxes: they push to and pop from a tape, whose chunks hold many numbers (runtime/tests/tapes.rs).
//
// RUN: tfx-opt %s --tfx-compile -o %t
// RUN: grep -o 'call @tfx_[a-z_]*' %t | sort -u > %t.calls
// RUN: FileCheck %s --input-file=%t.calls
//
// CHECK:      call @tfx_box_release
// CHECK-NEXT: call @tfx_tape_pop
// CHECK-NEXT: call @tfx_tape_push
// CHECK-NOT:  call

func.func private @f(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %p = arith.mulf %v, %k : f64
    %w = math.sin %p : f64
    scf.yield %w : f64
  }
  return %y : f64
}
func.func @main(%x: f64, %k: f64, %n: i64) -> (f64, f64) {
  %d:2 = tfx_ad.gradient @f(%x, %k, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  return %d#0, %d#1 : f64, f64
}
