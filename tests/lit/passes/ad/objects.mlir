// Derivatives through objects, compared with central differences and between the modes: objects
// that are made in the function, in a loop, and passed to functions that change them, also to one
// that calls itself; objects that are parameters, with structs and tensors as fields; second
// derivatives.
//
// RUN: tfxc run %s 0.7 3 2>&1 | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t
// RUN: tfxc interpret %t 0.7 4 | FileCheck %s
// RUN: tfxc interpret %t 0.4 0 | FileCheck %s

tfx_host.struct @Pair {left: f64, count: i64, right: f64}
tfx_host.class @Cell {value: f64, steps: i64}
tfx_host.class @Model {w: f64, pair: !tfx_host.struct<@Pair>, t: tensor<2xf64>}
!Cell = !tfx_host.object<@Cell>
!Model = !tfx_host.object<@Model>
!Pair = !tfx_host.struct<@Pair>
!T = tuple<f64, tuple<f64, f64>, tensor<2xf64>>

func.func private @step(%c: !Cell, %x: f64) {
  %r = tfx_host.member_ref %c["value"] : !Cell -> !tfx_host.ref<f64>
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  %s = math.sin %v : f64
  %p = arith.mulf %s, %x : f64
  tfx_host.store %p, %r : f64
  // A second reference to the same field.
  %again = tfx_host.member_ref %c["value"] : !Cell -> !tfx_host.ref<f64>
  %w = tfx_host.load %again : !tfx_host.ref<f64>
  %q = arith.addf %w, %x : f64
  tfx_host.store %q, %again : f64
  %n = tfx_host.member_ref %c["steps"] : !Cell -> !tfx_host.ref<i64>
  %k = tfx_host.load %n : !tfx_host.ref<i64>
  %one = arith.constant 1 : i64
  %next = arith.addi %k, %one : i64
  tfx_host.store %next, %n : i64
  return
}
// Two objects that are different, one of them new in each iteration.
func.func private @made(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
  %c = tfx_host.new(%x, %zero) : (f64, i64) -> !Cell
  %r = tfx_host.member_ref %c["value"] : !Cell -> !tfx_host.ref<f64>
  scf.for %i = %zero to %n step %one : i64 {
    func.call @step(%c, %x) : (!Cell, f64) -> ()
    %v = tfx_host.load %r : !tfx_host.ref<f64>
    %d = tfx_host.new(%v, %i) : (f64, i64) -> !Cell
    func.call @step(%d, %half) : (!Cell, f64) -> ()
    %is_big = arith.cmpf ogt, %v, %half : f64
    scf.if %is_big {
      %rd = tfx_host.member_ref %d["value"] : !Cell -> !tfx_host.ref<f64>
      %w = tfx_host.load %rd : !tfx_host.ref<f64>
      tfx_host.store %w, %r : f64
    }
  }
  %y = tfx_host.load %r : !tfx_host.ref<f64>
  %rn = tfx_host.member_ref %c["steps"] : !Cell -> !tfx_host.ref<i64>
  %steps = tfx_host.load %rn : !tfx_host.ref<i64>
  %number = arith.sitofp %steps : i64 to f64
  %z = arith.mulf %y, %number : f64
  %sum = arith.addf %z, %y : f64
  return %sum : f64
}

// A function that calls itself with its object.
func.func private @descend(%c: !Cell, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi eq, %n, %zero : i64
  %r = tfx_host.member_ref %c["value"] : !Cell -> !tfx_host.ref<f64>
  cf.cond_br %is_end, ^end, ^more
^end:
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
^more:
  func.call @step(%c, %x) : (!Cell, f64) -> ()
  %less = arith.subi %n, %one : i64
  %y = func.call @descend(%c, %x, %less) : (!Cell, f64, i64) -> f64
  %w = tfx_host.load %r : !tfx_host.ref<f64>
  %z = arith.mulf %y, %w : f64
  return %z : f64
}
func.func private @recursion(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %c = tfx_host.new(%x, %zero) : (f64, i64) -> !Cell
  %y = func.call @descend(%c, %x, %n) : (!Cell, f64, i64) -> f64
  return %y : f64
}

// An object that is a parameter.
func.func private @loss(%m: !Model, %x: f64) -> f64 {
  %w = tfx_host.member_ref %m["w"] : !Model -> !tfx_host.ref<f64>
  %pair = tfx_host.member_ref %m["pair"] : !Model -> !tfx_host.ref<!Pair>
  %left = tfx_host.field_ref %pair["left"] : !tfx_host.ref<!Pair> -> !tfx_host.ref<f64>
  %t = tfx_host.member_ref %m["t"] : !Model -> !tfx_host.ref<tensor<2xf64>>
  %a = tfx_host.load %w : !tfx_host.ref<f64>
  %b = tfx_host.load %left : !tfx_host.ref<f64>
  %ab = arith.mulf %a, %b : f64
  %s = math.sin %ab : f64
  tfx_host.store %s, %left : f64
  %all = tfx_host.load %pair : !tfx_host.ref<!Pair>
  %l = tfx_host.extract %all["left"] : !Pair -> f64
  %r = tfx_host.extract %all["right"] : !Pair -> f64
  %scalar = tfx_tensor.from_scalar %l : f64
  %old = tfx_host.load %t : !tfx_host.ref<tensor<2xf64>>
  %new = tfx_tensor.op "Mul"(%old, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  tfx_host.store %new, %t : tensor<2xf64>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %sum = tfx_tensor.op "Sum"(%new, %axis) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %number = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  %lr = arith.mulf %l, %r : f64
  %y = arith.addf %number, %lr : f64
  %z = arith.mulf %y, %x : f64
  return %z : f64
}
func.func private @model(%x: f64, %n: i64) -> !Model {
  %half = arith.constant 0.5 : f64
  %p = tfx_host.make_struct(%x, %n, %half) : (f64, i64, f64) -> !Pair
  %c = tfx_tensor.const dense<[0.7, 1.3]> : tensor<2xf64>
  %scalar = tfx_tensor.from_scalar %x : f64
  %t = tfx_tensor.op "Mul"(%c, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %m = tfx_host.new(%x, %p, %t) : (f64, !Pair, tensor<2xf64>) -> !Model
  return %m : !Model
}
// All fields of the model are functions of x: the sum of their derivatives, times those by x.
func.func private @of_model(%x: f64, %n: i64) -> f64 {
  %m = func.call @model(%x, %n) : (f64, i64) -> !Model
  %y = func.call @loss(%m, %x) : (!Model, f64) -> f64
  return %y : f64
}
func.func private @total(%d: !T, %dx: f64) -> f64 {
  %w = tfx_host.tuple_get %d[0] : !T
  %p = tfx_host.tuple_get %d[1] : !T
  %l = tfx_host.tuple_get %p[0] : tuple<f64, f64>
  %t = tfx_host.tuple_get %d[2] : !T
  %c = tfx_tensor.const dense<[0.7, 1.3]> : tensor<2xf64>
  %tc = tfx_tensor.op "Mul"(%t, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %sum = tfx_tensor.op "Sum"(%tc, %axis) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %number = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  %a = arith.addf %w, %l : f64
  %b = arith.addf %a, %number : f64
  %y = arith.addf %b, %dx : f64
  return %y : f64
}

func.func private @made.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @made(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @recursion.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @recursion(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
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
  // CHECK: made: true true
  %made = tfx_host.string "made"
  %made.l = func.call @made(%low, %n) : (f64, i64) -> f64
  %made.h = func.call @made(%high, %n) : (f64, i64) -> f64
  %made.r = tfx_ad.gradient @made(%x, %n) wrt [0] : (f64, i64) -> f64
  %made.y, %made.f = tfx_ad.jvp @made(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%made, %made.l, %made.h, %made.r, %made.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: made 2: true true
  %made2 = tfx_host.string "made 2"
  %made2.l = func.call @made.d(%low, %n) : (f64, i64) -> f64
  %made2.h = func.call @made.d(%high, %n) : (f64, i64) -> f64
  %made2.r = tfx_ad.gradient @made.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %made2.y, %made2.f = tfx_ad.jvp @made.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%made2, %made2.l, %made2.h, %made2.r, %made2.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: recursion: true true
  %recursion = tfx_host.string "recursion"
  %recursion.l = func.call @recursion(%low, %n) : (f64, i64) -> f64
  %recursion.h = func.call @recursion(%high, %n) : (f64, i64) -> f64
  %recursion.r = tfx_ad.gradient @recursion(%x, %n) wrt [0] : (f64, i64) -> f64
  %recursion.y, %recursion.f = tfx_ad.jvp @recursion(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%recursion, %recursion.l, %recursion.h, %recursion.r, %recursion.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: recursion 2: true true
  %recursion2 = tfx_host.string "recursion 2"
  %recursion2.l = func.call @recursion.d(%low, %n) : (f64, i64) -> f64
  %recursion2.h = func.call @recursion.d(%high, %n) : (f64, i64) -> f64
  %recursion2.r = tfx_ad.gradient @recursion.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %recursion2.y, %recursion2.f = tfx_ad.jvp @recursion.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%recursion2, %recursion2.l, %recursion2.h, %recursion2.r, %recursion2.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()

  // The gradient by an object, and the directional derivative along the tangent of all fields. A
  // request changes the object as a call does.
  // CHECK-NEXT: model: true true
  %model = tfx_host.string "model"
  %model.l = func.call @of_model(%low, %n) : (f64, i64) -> f64
  %model.h = func.call @of_model(%high, %n) : (f64, i64) -> f64
  %m = func.call @model(%x, %n) : (f64, i64) -> !Model
  %d, %dx = tfx_ad.gradient @loss(%m, %x) wrt [0, 1] : (!Model, f64) -> (!T, f64)
  %model.r = func.call @total(%d, %dx) : (!T, f64) -> f64
  %zero = arith.constant 0.0 : f64
  %c = tfx_tensor.const dense<[0.7, 1.3]> : tensor<2xf64>
  %tp = tfx_host.make_tuple(%one, %zero) : f64, f64
  %tangent = tfx_host.make_tuple(%one, %tp, %c) : f64, tuple<f64, f64>, tensor<2xf64>
  %other = func.call @model(%x, %n) : (f64, i64) -> !Model
  %y, %model.f = tfx_ad.jvp @loss(%other, %x) tangents(%tangent, %one : !T, f64) wrt [0, 1] : (!Model, f64) -> (f64, f64)
  func.call @compare(%model, %model.l, %model.h, %model.r, %model.f) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: changed: true true true
  %called = func.call @model(%x, %n) : (f64, i64) -> !Model
  %unused = func.call @loss(%called, %x) : (!Model, f64) -> f64
  %expected = func.call @loss(%called, %x) : (!Model, f64) -> f64
  %after_gradient = func.call @loss(%m, %x) : (!Model, f64) -> f64
  %after_jvp = func.call @loss(%other, %x) : (!Model, f64) -> f64
  %is_same = arith.cmpf oeq, %expected, %after_gradient : f64
  %is_same_too = arith.cmpf oeq, %expected, %after_jvp : f64
  %pulled = func.call @model(%x, %n) : (f64, i64) -> !Model
  %v, %pull = tfx_ad.vjp @loss(%pulled, %x) wrt [0] : (!Model, f64) -> (f64, !tfx_host.closure<(f64) -> !T>)
  %after_vjp = func.call @loss(%pulled, %x) : (!Model, f64) -> f64
  %is_same_again = arith.cmpf oeq, %expected, %after_vjp : f64
  tfx_host.print "changed: {} {} {}"(%is_same, %is_same_too, %is_same_again) : i1, i1, i1
  // The pullback keeps what it needs, although the object has changed.
  // CHECK-NEXT: pullback: true
  %pd = tfx_host.apply %pull(%one) : !tfx_host.closure<(f64) -> !T>
  %total = func.call @total(%pd, %dx) : (!T, f64) -> f64
  %difference = arith.subf %total, %model.r : f64
  %size = math.absf %difference : f64
  %exact = arith.constant 1.0e-12 : f64
  %is_exact = arith.cmpf olt, %size, %exact : f64
  tfx_host.print "pullback: {}"(%is_exact) : i1
  return
}
