// Rules with functions of one mode: the other mode is their transpose, also for a foreign function,
// in a loop, with structs and tensors, and for second derivatives.
//
// RUN: tfxc run %s --link %S/Inputs/foreign.c 2.0 | FileCheck %s

// Only forward mode; the factor is not that of the body.
func.func private @cube(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @cube.jvp>} {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %x : f64
  return %y : f64
}
func.func private @cube.jvp(%x: f64, %dx: f64) -> (f64, f64) {
  %thirty = arith.constant 30.0 : f64
  %y = func.call @cube(%x) : (f64) -> f64
  %xx = arith.mulf %x, %x : f64
  %slope = arith.mulf %xx, %thirty : f64
  %dy = arith.mulf %slope, %dx : f64
  return %y, %dy : f64, f64
}

// Only reverse mode, of a foreign function.
func.func private @cube_root(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @cube_root.forward, backward = @cube_root.backward>}
func.func private @cube_root.forward(%x: f64) -> (f64, f64) {
  %y = func.call @cube_root(%x) : (f64) -> f64
  return %y, %y : f64, f64
}
func.func private @cube_root.backward(%y: f64, %dy: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %yy = arith.mulf %y, %y : f64
  %d = arith.mulf %yy, %three : f64
  %dx = arith.divf %dy, %d : f64
  return %dx : f64
}

// A loop in a rule: the tangents go through it.
func.func private @powers(%x: f64, %k: i64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @powers.jvp>} {
  return %x : f64
}
func.func private @powers.jvp(%x: f64, %k: i64, %dx: f64) -> (f64, f64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %dy = scf.for %i = %c0 to %k step %c1 iter_args(%d = %dx) -> (f64) : i64 {
    %e = arith.mulf %d, %x : f64
    scf.yield %e : f64
  }
  return %x, %dy : f64, f64
}

// Structs and tensors, with two results.
tfx_host.struct @Line {slope: tensor<2xf64>, steps: i64, offset: f64}
func.func private @at(%l: !tfx_host.struct<@Line>, %x: f64) -> (f64, tensor<2xf64>) attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], jvp = @at.jvp>} {
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> tensor<2xf64>
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %y = arith.mulf %b, %x : f64
  return %y, %a : f64, tensor<2xf64>
}
func.func private @at.jvp(%l: !tfx_host.struct<@Line>, %x: f64, %dl: tuple<tensor<2xf64>, f64>, %dx: f64) -> (f64, tensor<2xf64>, f64, tensor<2xf64>) {
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %y, %z = func.call @at(%l, %x) : (!tfx_host.struct<@Line>, f64) -> (f64, tensor<2xf64>)
  %da = tfx_host.tuple_get %dl[0] : tuple<tensor<2xf64>, f64>
  %db = tfx_host.tuple_get %dl[1] : tuple<tensor<2xf64>, f64>
  %p = arith.mulf %db, %x : f64
  %q = arith.mulf %b, %dx : f64
  %dy = arith.addf %p, %q : f64
  %dz = tfx_tensor.op "AddV2"(%da, %da) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %y, %z, %dy, %dz : f64, tensor<2xf64>, f64, tensor<2xf64>
}
func.func private @line(%l: !tfx_host.struct<@Line>, %x: f64) -> f64 {
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %y, %z = func.call @at(%l, %x) : (!tfx_host.struct<@Line>, f64) -> (f64, tensor<2xf64>)
  %zz = tfx_tensor.op "Square"(%z) : (tensor<2xf64>) -> tensor<2xf64>
  %s = tfx_tensor.op "Sum"(%zz, %axis) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %t = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %r = arith.addf %y, %t : f64
  return %r : f64
}

func.func private @repeated(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (f64) : i64 {
    %z = func.call @cube(%y) : (f64) -> f64
    scf.yield %z : f64
  }
  return %r : f64
}
func.func private @root(%x: f64) -> f64 {
  %four = arith.constant 4.0 : f64
  %p = arith.mulf %x, %four : f64
  %y = func.call @cube_root(%p) : (f64) -> f64
  return %y : f64
}
func.func private @slope(%x: f64) -> f64 {
  %d = tfx_ad.gradient @cube(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @root.slope(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @root(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}

func.func @main(%x: f64 {tfx.name = "x"}) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2 : i64
  // 30 x^2, and 60 x.
  // CHECK: 120.0 120.0
  %a = tfx_ad.gradient @cube(%x) wrt [0] : (f64) -> f64
  %b = tfx_ad.gradient @slope(%x) wrt [0] : (f64) -> f64
  tfx_host.print "{} {}"(%a, %b) : f64, f64
  // 30 x^2 * 30 (x^3)^2
  // CHECK-NEXT: 230400.0
  %c = tfx_ad.gradient @repeated(%x, %two) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%c) : f64
  // 4 / (3 y^2) with y = 2, and the derivative of that, -32 / (9 y^5).
  // CHECK-NEXT: 2.0 0.333{{[0-9]+}} 0.333{{[0-9]+}}
  // CHECK-NEXT: -0.111{{[0-9]+}}
  %y, %d = tfx_ad.jvp @root(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  %e = tfx_ad.gradient @root(%x) wrt [0] : (f64) -> f64
  tfx_host.print "{} {} {}"(%y, %d, %e) : f64, f64, f64
  %f = tfx_ad.gradient @root.slope(%x) wrt [0] : (f64) -> f64
  tfx_host.print "{}"(%f) : f64
  // x^2
  // CHECK-NEXT: 4.0
  %g = tfx_ad.gradient @powers(%x, %two) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%g) : f64
  // By the slope: 4 a. By the offset: x. By x: the offset.
  // CHECK-NEXT: {{\[}}12. 20.] 2.0 7.0
  %slope = tfx_tensor.const dense<[3.0, 5.0]> : tensor<2xf64>
  %seven = arith.constant 7.0 : f64
  %l = tfx_host.make_struct(%slope, %two, %seven) : (tensor<2xf64>, i64, f64) -> !tfx_host.struct<@Line>
  %dl, %dx = tfx_ad.gradient @line(%l, %x) wrt [0, 1] : (!tfx_host.struct<@Line>, f64) -> (tuple<tensor<2xf64>, f64>, f64)
  %da = tfx_host.tuple_get %dl[0] : tuple<tensor<2xf64>, f64>
  %db = tfx_host.tuple_get %dl[1] : tuple<tensor<2xf64>, f64>
  tfx_host.print "{} {} {}"(%da, %db, %dx) : tensor<2xf64>, f64, f64
  return
}
