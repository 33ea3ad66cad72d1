// `tfxc interpret --stats` counts floating-point operations by function, and the bytes of tapes.
//
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: tfxc interpret %t.mlir 0.5 10 --stats 2>&1 >/dev/null | FileCheck %s
//
// A sine and a product in each iteration; a cosine, three products and a sum backwards, and a sum at
// the end. The forward function returns two tapes, the number of iterations and the result.
//
// CHECK:      floating-point operations: 91, of these 30 functions
// CHECK-NEXT: tapes: 20 values of 160 bytes, at most 160 bytes at a time
// CHECK-NEXT: {{^}}function         calls     operations    functions bytes returned{{$}}
// CHECK-NEXT: {{^}}@main                1             91           30              8{{$}}
// CHECK:      {{^}}@f.forward           1             20           10            176{{$}}
// CHECK:      {{^}}@f.backward          1             51           10              8{{$}}
// CHECK-NEXT: {{^}}@f                   1             20           10              8{{$}}

func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %w = arith.mulf %s, %x : f64
    scf.yield %w : f64
  }
  return %y : f64
}
func.func @main(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  %y = func.call @f(%x, %n) : (f64, i64) -> f64
  return %d : f64
}
