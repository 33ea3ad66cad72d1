// Arrays of structs: as parameters, results and captures, in each mode. The tangent is an array of
// the tangents of the structs.
//
// RUN: tfxc run %s 3 2>/dev/null | FileCheck %s
// RUN: tfx-opt %s --tfx-deabstract | tfxc interpret - 3 | FileCheck %s

tfx_host.struct @Point {x: f64, y: f64}
!P = !tfx_host.struct<@Point>
!Ps = !tfx_host.array<!P>

// The sum of x^2 y.
func.func private @sum(%points: !Ps) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %points : !Ps
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %p = tfx_host.array_get %points[%i] : !Ps
    %x = tfx_host.extract %p["x"] : !P -> f64
    %y = tfx_host.extract %p["y"] : !P -> f64
    %xx = arith.mulf %x, %x : f64
    %xxy = arith.mulf %xx, %y : f64
    %t = arith.addf %s, %xxy : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

// The points with x and y exchanged, and y times k.
func.func private @mirrored(%points: !Ps, %k: f64) -> !Ps {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %points : !Ps
  %all = scf.for %i = %first to %n step %one iter_args(%ps = %points) -> (!Ps) {
    %p = tfx_host.array_get %ps[%i] : !Ps
    %x = tfx_host.extract %p["x"] : !P -> f64
    %y = tfx_host.extract %p["y"] : !P -> f64
    %ky = arith.mulf %k, %y : f64
    %q = tfx_host.make_struct(%ky, %x) : (f64, f64) -> !P
    %qs = tfx_host.array_set %q into %ps[%i] : !Ps
    scf.yield %qs : !Ps
  }
  return %all : !Ps
}

// Layers with a tensor, and with a count that has no derivative.
tfx_host.struct @Layer {weight: tensor<2xf64>, steps: i64, name: !tfx_host.string, bias: f64}
!L = !tfx_host.struct<@Layer>
!Ls = !tfx_host.array<!L>
!T = tuple<tensor<2xf64>, f64>
!Ts = !tfx_host.array<!T>
func.func private @network(%layers: !Ls, %input: tensor<2xf64>) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %n = tfx_host.array_count %layers : !Ls
  %out = scf.for %i = %first to %n step %one iter_args(%h = %input) -> (tensor<2xf64>) {
    %l = tfx_host.array_get %layers[%i] : !Ls
    %w = tfx_host.extract %l["weight"] : !L -> tensor<2xf64>
    %b = tfx_host.extract %l["bias"] : !L -> f64
    %scalar = tfx_tensor.from_scalar %b : f64
    %wh = tfx_tensor.op "Mul"(%w, %h) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %next = tfx_tensor.op "AddV2"(%wh, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    scf.yield %next : tensor<2xf64>
  }
  %s = tfx_tensor.op "Sum"(%out, %axis) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %y = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %y : f64
}

// Enums in an array.
tfx_host.enum @Shape {circle(f64), box(f64, i64, f64)}
!E = !tfx_host.enum<@Shape>
!Es = !tfx_host.array<!E>
func.func private @area(%shapes: !Es) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %shapes : !Es
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %e = tfx_host.array_get %shapes[%i] : !Es
    %a = func.call @area_of(%e) : (!E) -> f64
    %t = arith.addf %s, %a : f64
    scf.yield %t : f64
  }
  return %sum : f64
}
func.func private @area_of(%e: !E) -> f64 {
  tfx_host.switch_enum %e : !E ["circle" -> ^circle, "box" -> ^box]
^circle(%r: f64):
  %rr = arith.mulf %r, %r : f64
  return %rr : f64
^box(%a: f64, %n: i64, %b: f64):
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}
func.func private @show_shape(%e: !E) {
  tfx_host.switch_enum %e : !E ["circle" -> ^circle, "box" -> ^box]
^circle(%r: f64):
  tfx_host.print "circle {}"(%r) : f64
  return
^box(%a: f64, %n: i64, %b: f64):
  tfx_host.print "box {} {} {}"(%a, %n, %b) : f64, i64, f64
  return
}

func.func private @show(%points: !Ps) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %p = tfx_host.array_get %points[%i0] : !Ps
  %q = tfx_host.array_get %points[%i1] : !Ps
  %px = tfx_host.extract %p["x"] : !P -> f64
  %py = tfx_host.extract %p["y"] : !P -> f64
  %qx = tfx_host.extract %q["x"] : !P -> f64
  %qy = tfx_host.extract %q["y"] : !P -> f64
  tfx_host.print "{} {}, {} {}"(%px, %py, %qx, %qy) : f64, f64, f64, f64
  return
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %f3 = arith.constant 3.0 : f64
  %f4 = arith.constant 4.0 : f64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %p = tfx_host.make_struct(%f1, %f2) : (f64, f64) -> !P
  %q = tfx_host.make_struct(%f3, %f4) : (f64, f64) -> !P
  %points = tfx_host.array(%p, %q) : !Ps

  // 2xy and x^2.
  // CHECK: 38.0
  // CHECK-NEXT: 4.0 1.0, 24.0 9.0
  %v, %g = tfx_ad.gradient @sum(%points) wrt [0] value : (!Ps) -> (f64, !Ps)
  tfx_host.print "{}"(%v) : f64
  func.call @show(%g) : (!Ps) -> ()

  // CHECK-NEXT: 4.0 1.0, 8.0 3.0
  // CHECK-NEXT: 2.0 2.0, 4.0 6.0
  // CHECK-NEXT: 14.0
  %m, %pull = tfx_ad.vjp @mirrored(%points, %f2) wrt [0, 1] : (!Ps, f64) -> (!Ps, !tfx_host.closure<(!Ps) -> (!Ps, f64)>)
  func.call @show(%m) : (!Ps) -> ()
  %d:2 = tfx_host.apply %pull(%points) : !tfx_host.closure<(!Ps) -> (!Ps, f64)>
  func.call @show(%d#0) : (!Ps) -> ()
  tfx_host.print "{}"(%d#1) : f64

  // CHECK-NEXT: 6.0 1.0, 12.0 3.0
  %w, %t = tfx_ad.jvp @mirrored(%points, %f2) tangents(%points, %f1 : !Ps, f64) wrt [0, 1] : (!Ps, f64) -> (!Ps, !Ps)
  func.call @show(%t) : (!Ps) -> ()

  // Two layers: w2 (w1 h + b1) + b2.
  %h = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %w1 = tfx_tensor.const dense<[3.0, 4.0]> : tensor<2xf64>
  %w2 = tfx_tensor.const dense<[5.0, 6.0]> : tensor<2xf64>
  %name = tfx_host.string "layer"
  %l1 = tfx_host.make_struct(%w1, %n, %name, %f1) : (tensor<2xf64>, i64, !tfx_host.string, f64) -> !L
  %l2 = tfx_host.make_struct(%w2, %n, %name, %f2) : (tensor<2xf64>, i64, !tfx_host.string, f64) -> !L
  %layers = tfx_host.array(%l1, %l2) : !Ls
  %gl = tfx_ad.gradient @network(%layers, %h) wrt [0] : (!Ls, tensor<2xf64>) -> !Ts
  %t1 = tfx_host.array_get %gl[%i0] : !Ts
  %t2 = tfx_host.array_get %gl[%i1] : !Ts
  %dw1 = tfx_host.tuple_get %t1[0] : !T
  %db1 = tfx_host.tuple_get %t1[1] : !T
  %dw2 = tfx_host.tuple_get %t2[0] : !T
  %db2 = tfx_host.tuple_get %t2[1] : !T
  // CHECK-NEXT: {{\[}} 5. 12.] 11.0 {{\[}}4. 9.] 2.0
  tfx_host.print "{} {} {} {}"(%dw1, %db1, %dw2, %db2) : tensor<2xf64>, f64, tensor<2xf64>, f64

  %e1 = tfx_host.make_enum "box"(%f3, %n, %f4) : (f64, i64, f64) -> !E
  %e2 = tfx_host.make_enum "circle"(%f4) : (f64) -> !E
  %shapes = tfx_host.array(%e1, %e2) : !Es
  %ge = tfx_ad.gradient @area(%shapes) wrt [0] : (!Es) -> !Es
  %s1 = tfx_host.array_get %ge[%i0] : !Es
  %s2 = tfx_host.array_get %ge[%i1] : !Es
  // CHECK-NEXT: box 4.0 3 3.0
  // CHECK-NEXT: circle 8.0
  func.call @show_shape(%s1) : (!E) -> ()
  func.call @show_shape(%s2) : (!E) -> ()
  return
}
