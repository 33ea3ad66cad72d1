// A function that is differentiated applies a pullback twice: the cotangents of what the loop has
// kept are added, on the host and in the graph.
//
// RUN: tfxc run %s 2.0 3 | FileCheck %s
// RUN: tfx-opt %s --tfx-deabstract | tfxc interpret - 2.0 3 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 2.0 3 --executor tensorflow | FileCheck %s %}

func.func private @power(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (f64) : i64 {
    %q = arith.mulf %p, %x : f64
    scf.yield %q : f64
  }
  return %r : f64
}
// n x^(n-1) + n x^n
func.func private @twice(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %p = tfx_ad.vjp @power(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d = tfx_host.apply %p(%one) : !tfx_host.closure<(f64) -> f64>
  %e = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %s = arith.addf %d, %e : f64
  return %s : f64
}
// Once in one arm and twice in the other: one of the tapes is empty.
func.func private @sometimes(%x: f64, %n: i64, %c: i1) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %p = tfx_ad.vjp @power(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d = tfx_host.apply %p(%one) : !tfx_host.closure<(f64) -> f64>
  cf.cond_br %c, ^more, ^end(%d : f64)
^more:
  %e = tfx_host.apply %p(%x) : !tfx_host.closure<(f64) -> f64>
  %s = arith.addf %d, %e : f64
  cf.br ^end(%s : f64)
^end(%r: f64):
  return %r : f64
}

!T = tensor<2xf64>
func.func private @tensor_power(%x: !T, %n: i64) -> !T {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = tfx_tensor.const dense<1.0> : !T
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (!T) : i64 {
    %q = tfx_tensor.op "Mul"(%p, %x) : (!T, !T) -> !T
    scf.yield %q : !T
  }
  return %r : !T
}
func.func private @tensor_twice(%x: !T, %n: i64) -> f64 {
  %one = tfx_tensor.const dense<1.0> : !T
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %y, %p = tfx_ad.vjp @tensor_power(%x, %n) wrt [0] : (!T, i64) -> (!T, !tfx_host.closure<(!T) -> !T>)
  %d = tfx_host.apply %p(%one) : !tfx_host.closure<(!T) -> !T>
  %e = tfx_host.apply %p(%x) : !tfx_host.closure<(!T) -> !T>
  %s = tfx_tensor.op "AddV2"(%d, %e) : (!T, !T) -> !T
  %sum = tfx_tensor.op "Sum"(%s, %axis) : (!T, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  return %r : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  // n (n-1) x^(n-2) + n^2 x^(n-1)
  // CHECK: 36.0 48.0
  %y, %d = tfx_ad.gradient @twice(%x, %n) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "{} {}"(%y, %d) : f64, f64
  // CHECK-NEXT: 12.0 48.0
  %true = arith.constant true
  %c1 = arith.constant 1 : i64
  %is_small = arith.cmpi slt, %n, %c1 : i64
  %is_large = arith.cmpi sge, %n, %c1 : i64
  %a = tfx_ad.gradient @sometimes(%x, %n, %is_small) wrt [0] : (f64, i64, i1) -> f64
  %b = tfx_ad.gradient @sometimes(%x, %n, %is_large) wrt [0] : (f64, i64, i1) -> f64
  tfx_host.print "{} {}"(%a, %b) : f64, f64
  // At 2 and 1.
  // CHECK-NEXT: {{\[}}48. 15.]
  %t = tfx_tensor.const dense<[2.0, 1.0]> : !T
  %g = tfx_ad.gradient @tensor_twice(%t, %n) wrt [0] : (!T, i64) -> !T
  tfx_host.print "{}"(%g) : !T
  return
}
