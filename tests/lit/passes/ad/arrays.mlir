// Arrays with derivatives: as parameters and results, in structs, carried by loops, changed, passed
// to functions that stay functions, and with tensors as elements; in each mode.
//
// RUN: tfxc run %s 3 | FileCheck %s
// RUN: tfx-opt %s --tfx-deabstract | tfxc interpret - 3 | FileCheck %s

!A = !tfx_host.array<f64>

// The sum of x[i]^3, by a loop over an array of any length.
func.func private @cubes(%a: !A) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %a : !A
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %x = tfx_host.array_get %a[%i] : !A
    %xx = arith.mulf %x, %x : f64
    %xxx = arith.mulf %xx, %x : f64
    %t = arith.addf %s, %xxx : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

// The elements times k, each of which the loop replaces: an array that a loop carries.
func.func private @scaled(%a: !A, %k: f64) -> !A {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %a : !A
  %all = scf.for %i = %first to %n step %one iter_args(%b = %a) -> (!A) {
    %x = tfx_host.array_get %b[%i] : !A
    %y = arith.mulf %x, %k : f64
    %c = tfx_host.array_set %y into %b[%i] : !A
    scf.yield %c : !A
  }
  return %all : !A
}
func.func private @both(%a: !A, %k: f64) -> f64 {
  %b = func.call @scaled(%a, %k) : (!A, f64) -> !A
  %y = func.call @cubes(%b) : (!A) -> f64
  return %y : f64
}

// The prefix sums: each iteration reads what the one before has written.
func.func private @prefix(%a: !A) -> f64 attributes {no_inline} {
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %a : !A
  %all = scf.for %i = %one to %n step %one iter_args(%b = %a) -> (!A) {
    %before = arith.subi %i, %one : index
    %x = tfx_host.array_get %b[%before] : !A
    %y = tfx_host.array_get %b[%i] : !A
    %s = arith.mulf %x, %y : f64
    %c = tfx_host.array_set %s into %b[%i] : !A
    scf.yield %c : !A
  }
  %last = arith.subi %n, %one : index
  %y = tfx_host.array_get %all[%last] : !A
  return %y : f64
}
func.func private @calls(%a: !A) -> f64 {
  %y = func.call @prefix(%a) : (!A) -> f64
  %z = func.call @cubes(%a) : (!A) -> f64
  %s = arith.addf %y, %z : f64
  return %s : f64
}

// An array that is filled, and two that a branch chooses from.
func.func private @filled(%x: f64, %y: f64, %n: i64) -> f64 {
  %count = arith.index_cast %n : i64 to index
  %a = tfx_host.array_fill %x, %count : !A
  %b = tfx_host.array(%y, %x, %y, %y) : !A
  %two = arith.constant 2 : i64
  %is_small = arith.cmpi slt, %n, %two : i64
  %c = scf.if %is_small -> (!A) {
    scf.yield %b : !A
  } else {
    scf.yield %a : !A
  }
  %s = func.call @cubes(%c) : (!A) -> f64
  return %s : f64
}

// A struct with an array, and a count that has no derivative.
tfx_host.struct @Model {weights: !tfx_host.array<f64>, steps: i64, bias: f64}
func.func private @model(%m: !tfx_host.struct<@Model>, %x: f64) -> f64 {
  %w = tfx_host.extract %m["weights"] : !tfx_host.struct<@Model> -> !A
  %b = tfx_host.extract %m["bias"] : !tfx_host.struct<@Model> -> f64
  %k = arith.mulf %b, %x : f64
  %y = func.call @both(%w, %k) : (!A, f64) -> f64
  return %y : f64
}

// Tensors of any shape.
!T = !tfx_host.array<tensor<?xf64>>
func.func private @tensors(%a: !T) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %n = tfx_host.array_count %a : !T
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %x = tfx_host.array_get %a[%i] : !T
    %xx = tfx_tensor.op "Square"(%x) : (tensor<?xf64>) -> tensor<?xf64>
    %r = tfx_tensor.op "Sum"(%xx, %axis) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
    %y = tfx_tensor.to_scalar %r : tensor<f64> -> f64
    %t = arith.addf %s, %y : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

func.func private @show(%a: !A) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %x = tfx_host.array_get %a[%zero] : !A
  %y = tfx_host.array_get %a[%one] : !A
  %z = tfx_host.array_get %a[%two] : !A
  tfx_host.print "[{}, {}, {}]"(%x, %y, %z) : f64, f64, f64
  return
}

// The squared norm of the gradient, for second derivatives.
func.func private @norm(%a: !A) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = tfx_ad.gradient @calls(%a) wrt [0] : (!A) -> !A
  %n = tfx_host.array_count %g : !A
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %x = tfx_host.array_get %g[%i] : !A
    %xx = arith.mulf %x, %x : f64
    %t = arith.addf %s, %xx : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %a = tfx_host.array(%one, %two, %three) : !A

  // CHECK: 36.0
  %y, %g = tfx_ad.gradient @cubes(%a) wrt [0] value : (!A) -> (f64, !A)
  tfx_host.print "{}"(%y) : f64
  // CHECK-NEXT: [3.0, 12.0, 27.0]
  func.call @show(%g) : (!A) -> ()

  // 8 * the sum of cubes: by a 24 x^2, by k 3 k^2 * 36.
  // CHECK-NEXT: [24.0, 96.0, 216.0]
  // CHECK-NEXT: 432.0
  %ga, %gk = tfx_ad.gradient @both(%a, %two) wrt [0, 1] : (!A, f64) -> (!A, f64)
  func.call @show(%ga) : (!A) -> ()
  tfx_host.print "{}"(%gk) : f64

  // The product of all, and the sum of cubes.
  // CHECK-NEXT: [9.0, 15.0, 29.0]
  %gc = tfx_ad.gradient @calls(%a) wrt [0] : (!A) -> !A
  func.call @show(%gc) : (!A) -> ()

  // CHECK-NEXT: 9.0 0.0
  %gx, %gy = tfx_ad.gradient @filled(%one, %two, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "{} {}"(%gx, %gy) : f64, f64

  // A result is an array; its pullback is applied twice.
  %b, %pull = tfx_ad.vjp @scaled(%a, %two) wrt [0, 1] : (!A, f64) -> (!A, !tfx_host.closure<(!A) -> (!A, f64)>)
  // CHECK-NEXT: [2.0, 4.0, 6.0]
  func.call @show(%b) : (!A) -> ()
  // CHECK-NEXT: [2.0, 4.0, 6.0]
  // CHECK-NEXT: 14.0
  %d:2 = tfx_host.apply %pull(%a) : !tfx_host.closure<(!A) -> (!A, f64)>
  func.call @show(%d#0) : (!A) -> ()
  tfx_host.print "{}"(%d#1) : f64
  // CHECK-NEXT: [4.0, 8.0, 12.0]
  // CHECK-NEXT: 28.0
  %e:2 = tfx_host.apply %pull(%b) : !tfx_host.closure<(!A) -> (!A, f64)>
  func.call @show(%e#0) : (!A) -> ()
  tfx_host.print "{}"(%e#1) : f64

  // Forward mode.
  // CHECK-NEXT: [2.0, 4.0, 6.0]
  // CHECK-NEXT: [3.0, 6.0, 9.0]
  %v, %tv = tfx_ad.jvp @scaled(%a, %two) tangents(%a, %one : !A, f64) wrt [0, 1] : (!A, f64) -> (!A, !A)
  func.call @show(%v) : (!A) -> ()
  func.call @show(%tv) : (!A) -> ()
  // CHECK-NEXT: 42.0 126.0
  %w, %tw = tfx_ad.jvp @calls(%a) tangents(%a : !A) wrt [0] : (!A) -> (f64, f64)
  tfx_host.print "{} {}"(%w, %tw) : f64, f64

  // Second derivatives: reverse over reverse and forward over reverse.
  %r = tfx_ad.gradient @norm(%a) wrt [0] : (!A) -> !A
  // CHECK-NEXT: [314.0, 472.0, 1110.0]
  func.call @show(%r) : (!A) -> ()
  %u, %f = tfx_ad.jvp @norm(%a) tangents(%a : !A) wrt [0] : (!A) -> (f64, f64)
  // CHECK-NEXT: 4588.0
  tfx_host.print "{}"(%f) : f64

  // The tangent of a struct has no part for the count.
  %m = tfx_host.make_struct(%a, %n, %two) : (!A, i64, f64) -> !tfx_host.struct<@Model>
  %gm = tfx_ad.gradient @model(%m, %one) wrt [0] : (!tfx_host.struct<@Model>, f64) -> tuple<!A, f64>
  %gw = tfx_host.tuple_get %gm[0] : tuple<!A, f64>
  %gb = tfx_host.tuple_get %gm[1] : tuple<!A, f64>
  // CHECK-NEXT: [24.0, 96.0, 216.0]
  // CHECK-NEXT: 432.0
  func.call @show(%gw) : (!A) -> ()
  tfx_host.print "{}"(%gb) : f64

  // Each tangent has the shape of its element.
  %p = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %q = tfx_tensor.const dense<[3.0]> : tensor<1xf64>
  %pp = tfx_tensor.op "Identity"(%p) : (tensor<2xf64>) -> tensor<?xf64>
  %qq = tfx_tensor.op "Identity"(%q) : (tensor<1xf64>) -> tensor<?xf64>
  %ts = tfx_host.array(%pp, %qq) : !T
  %gt = tfx_ad.gradient @tensors(%ts) wrt [0] : (!T) -> !T
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %t0 = tfx_host.array_get %gt[%i0] : !T
  %t1 = tfx_host.array_get %gt[%i1] : !T
  // CHECK-NEXT: {{\[}}2. 4.] {{\[}}6.]
  tfx_host.print "{} {}"(%t0, %t1) : tensor<?xf64>, tensor<?xf64>
  return
}
