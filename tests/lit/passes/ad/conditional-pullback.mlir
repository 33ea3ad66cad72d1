// A pullback that one arm of a branch applies: in the other arm, the cotangents of its tapes are
// tapes of zeros. The derivative of a function with such a branch, of a loop and of a recursive
// function, with numbers and with tensors of unknown shape, compared with central differences.
//
// RUN: tfxc run %s 0.7 3 2>&1 | FileCheck %s
// RUN: tfxc run %s 0.4 3 2>&1 | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t
// RUN: tfxc interpret %t 0.7 3 | FileCheck %s
// RUN: tfxc interpret %t 0.4 3 | FileCheck %s
// RUN: tfxc interpret %t 0.4 0 | FileCheck %s

func.func private @loop(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %s = math.sin %v : f64
    %w = arith.mulf %s, %x : f64
    scf.yield %w : f64
  }
  return %y : f64
}
func.func private @recursion(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi eq, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  %c = math.cos %x : f64
  return %c : f64
^more:
  %less = arith.subi %n, %one : i64
  %s = math.sin %x : f64
  %y = func.call @recursion(%s, %less) : (f64, i64) -> f64
  %z = arith.mulf %y, %x : f64
  return %z : f64
}
func.func private @tensors(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %scalar = tfx_tensor.from_scalar %x : f64
  %c = tfx_tensor.const dense<[0.5, 1.5]> : tensor<2xf64>
  %t = tfx_tensor.op "Mul"(%c, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<?xf64>
  %end = scf.for %i = %zero to %n step %one iter_args(%v = %t) -> (tensor<?xf64>) : i64 {
    %s = tfx_tensor.op "Tanh"(%v) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "Mul"(%s, %t) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  }
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %sum = tfx_tensor.op "Sum"(%end, %axis) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %y = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  return %y : f64
}
func.func private @loop.some(%x: f64, %n: i64) -> f64 {
  %limit = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %is_big = arith.cmpf ogt, %x, %limit : f64
  %y, %p = tfx_ad.vjp @loop(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  cf.cond_br %is_big, ^apply, ^not
^apply:
  %d = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %e = arith.mulf %d, %y : f64
  return %e : f64
^not:
  %z = arith.mulf %y, %y : f64
  return %z : f64
}
func.func private @recursion.some(%x: f64, %n: i64) -> f64 {
  %limit = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %is_big = arith.cmpf ogt, %x, %limit : f64
  %y, %p = tfx_ad.vjp @recursion(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  cf.cond_br %is_big, ^apply, ^not
^apply:
  %d = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %e = arith.mulf %d, %y : f64
  return %e : f64
^not:
  %z = arith.mulf %y, %y : f64
  return %z : f64
}
func.func private @tensors.some(%x: f64, %n: i64) -> f64 {
  %limit = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %is_big = arith.cmpf ogt, %x, %limit : f64
  %y, %p = tfx_ad.vjp @tensors(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  cf.cond_br %is_big, ^apply, ^not
^apply:
  %d = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %e = arith.mulf %d, %y : f64
  return %e : f64
^not:
  %z = arith.mulf %y, %y : f64
  return %z : f64
}
func.func private @compare(%name: !tfx_host.string, %low: f64, %high: f64, %a: f64, %b: f64) {
  %hh = arith.constant 2.0e-5 : f64
  %tolerance = arith.constant 1.0e-6 : f64
  %exact = arith.constant 1.0e-10 : f64
  %difference = arith.subf %high, %low : f64
  %q = arith.divf %difference, %hh : f64
  %error = arith.subf %a, %q : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  %ab = arith.subf %a, %b : f64
  %ab_size = math.absf %ab : f64
  %ab_same = arith.cmpf olt, %ab_size, %exact : f64
  tfx_host.print "{}: {} {}"(%name, %fits, %ab_same) : !tfx_host.string, i1, i1
  return
}
func.func public @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  %h = arith.constant 1.0e-5 : f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64
  // CHECK: loop: true true
  %loop = tfx_host.string "loop"
  %loop.l = func.call @loop.some(%low, %n) : (f64, i64) -> f64
  %loop.h = func.call @loop.some(%high, %n) : (f64, i64) -> f64
  %loop.r = tfx_ad.gradient @loop.some(%x, %n) wrt [0] : (f64, i64) -> f64
  %loop.y, %loop.f = tfx_ad.jvp @loop.some(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%loop, %loop.l, %loop.h, %loop.r, %loop.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: recursion: true true
  %recursion = tfx_host.string "recursion"
  %recursion.l = func.call @recursion.some(%low, %n) : (f64, i64) -> f64
  %recursion.h = func.call @recursion.some(%high, %n) : (f64, i64) -> f64
  %recursion.r = tfx_ad.gradient @recursion.some(%x, %n) wrt [0] : (f64, i64) -> f64
  %recursion.y, %recursion.f = tfx_ad.jvp @recursion.some(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%recursion, %recursion.l, %recursion.h, %recursion.r, %recursion.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: tensors: true true
  %tensors = tfx_host.string "tensors"
  %tensors.l = func.call @tensors.some(%low, %n) : (f64, i64) -> f64
  %tensors.h = func.call @tensors.some(%high, %n) : (f64, i64) -> f64
  %tensors.r = tfx_ad.gradient @tensors.some(%x, %n) wrt [0] : (f64, i64) -> f64
  %tensors.y, %tensors.f = tfx_ad.jvp @tensors.some(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%tensors, %tensors.l, %tensors.h, %tensors.r, %tensors.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  return
}
