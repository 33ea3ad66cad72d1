// The trace of a program with a gradient is that of the function: each print and each call of a
// foreign function, once and in order, with the same arguments; and no other.
//
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: tfxc interpret %t.mlir --entry function --link %S/../checkpoints/Inputs/noise.c --trace 0.3 4 > %t.function
// RUN: tfxc interpret %t.mlir --entry gradient --link %S/../checkpoints/Inputs/noise.c --trace 0.3 4 > %t.gradient
// RUN: diff %t.function %t.gradient
// RUN: tfx-opt %s --tfx-extract -o %t.extracted.mlir
// RUN: tfxc interpret %t.extracted.mlir --entry gradient --link %S/../checkpoints/Inputs/noise.c --trace 0.3 4 > %t.gradient
// RUN: diff %t.function %t.gradient
// RUN: FileCheck %s --input-file=%t.function
//
// CHECK:      before
// CHECK-NEXT: @measure(0.3)
// CHECK-COUNT-3: @measure(

func.func private @measure(f64) -> f64 attributes {tfx_ad.inactive}

func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
  tfx_host.print "before"()
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %m = func.call @measure(%v) : (f64) -> f64
    %p = arith.mulf %v, %m : f64
    %s = math.sin %p : f64
    %is_large = arith.cmpf ogt, %s, %half : f64
    scf.if %is_large {
      tfx_host.print "large in {}: {}"(%i, %s) : i64, f64
    }
    %w = arith.addf %s, %x : f64
    scf.yield %w : f64
  }
  tfx_host.print "after: {}"(%y) : f64
  return %y : f64
}
func.func @function(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  %y = func.call @f(%x, %n) : (f64, i64) -> f64
  return
}
func.func @gradient(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  %e:2 = tfx_ad.gradient @quiet(%x, %n) wrt [0] value : (f64, i64) -> (f64, f64)
  return
}
// Its gradient is not used, so nothing may remain of it but its effects: there are none.
func.func private @quiet(%x: f64, %n: i64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
