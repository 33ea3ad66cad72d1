// The gradient of a loop with checkpoints is that of the loop without, for each scheme: a loop over a tensor that
// grows, so the shapes of zeros are those of the iteration.
//
// RUN: tfxc run %s 0.3 0.7 0 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 1 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 2 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: tfxc interpret %t.mlir 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: %if tensorflow %{ tfxc run %s 0.3 0.7 17 --executor tensorflow | FileCheck %s --check-prefix=SAME %}
//
// SAME:      none: [[VALUE:.+]]
// SAME-NEXT: periodic: [[VALUE]]
// SAME-NEXT: binomial: [[VALUE]]
// SAME-NEXT: single: [[VALUE]]
// SAME-NEXT: auto: [[VALUE]]

// The values, rounded: sums are added in another order.
func.func private @rounded(%x: f64) -> f64 {
  %scale = arith.constant 1.0e+9 : f64
  %large = arith.mulf %x, %scale : f64
  %near = math.roundeven %large : f64
  %r = arith.divf %near, %scale : f64
  return %r : f64
}

func.func private @none(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %k : f64
  %first = tfx_tensor.from_scalar %x : f64
  %start = tfx_tensor.op "ExpandDims"(%first, %axis) : (tensor<f64>, tensor<i32>) -> tensor<?xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<?xf64>) : i64 {
    %p = tfx_tensor.op "Mul"(%v, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %t = tfx_tensor.op "Sin"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "ConcatV2"(%t, %start, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}

func.func private @periodic(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %k : f64
  %first = tfx_tensor.from_scalar %x : f64
  %start = tfx_tensor.op "ExpandDims"(%first, %axis) : (tensor<f64>, tensor<i32>) -> tensor<?xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<?xf64>) : i64 {
    %p = tfx_tensor.op "Mul"(%v, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %t = tfx_tensor.op "Sin"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "ConcatV2"(%t, %start, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<4>>}
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}

func.func private @binomial(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %k : f64
  %first = tfx_tensor.from_scalar %x : f64
  %start = tfx_tensor.op "ExpandDims"(%first, %axis) : (tensor<f64>, tensor<i32>) -> tensor<?xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<?xf64>) : i64 {
    %p = tfx_tensor.op "Mul"(%v, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %t = tfx_tensor.op "Sin"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "ConcatV2"(%t, %start, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>}
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}

func.func private @single(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %k : f64
  %first = tfx_tensor.from_scalar %x : f64
  %start = tfx_tensor.op "ExpandDims"(%first, %axis) : (tensor<f64>, tensor<i32>) -> tensor<?xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<?xf64>) : i64 {
    %p = tfx_tensor.op "Mul"(%v, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %t = tfx_tensor.op "Sin"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "ConcatV2"(%t, %start, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>}
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}

func.func private @auto(%x: f64, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %k : f64
  %first = tfx_tensor.from_scalar %x : f64
  %start = tfx_tensor.op "ExpandDims"(%first, %axis) : (tensor<f64>, tensor<i32>) -> tensor<?xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<?xf64>) : i64 {
    %p = tfx_tensor.op "Mul"(%v, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %t = tfx_tensor.op "Sin"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %w = tfx_tensor.op "ConcatV2"(%t, %start, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<auto>}
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %k: f64 {tfx.name = "k"}, %n: i64 {tfx.name = "n"}) {
  %y.none, %dx.none, %dk.none = tfx_ad.gradient @none(%x, %k, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %ry.none = func.call @rounded(%y.none) : (f64) -> f64
  %rx.none = func.call @rounded(%dx.none) : (f64) -> f64
  %rk.none = func.call @rounded(%dk.none) : (f64) -> f64
  tfx_host.print "none: {} {} {}"(%ry.none, %rx.none, %rk.none) : f64, f64, f64
  %y.periodic, %dx.periodic, %dk.periodic = tfx_ad.gradient @periodic(%x, %k, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %ry.periodic = func.call @rounded(%y.periodic) : (f64) -> f64
  %rx.periodic = func.call @rounded(%dx.periodic) : (f64) -> f64
  %rk.periodic = func.call @rounded(%dk.periodic) : (f64) -> f64
  tfx_host.print "periodic: {} {} {}"(%ry.periodic, %rx.periodic, %rk.periodic) : f64, f64, f64
  %y.binomial, %dx.binomial, %dk.binomial = tfx_ad.gradient @binomial(%x, %k, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %ry.binomial = func.call @rounded(%y.binomial) : (f64) -> f64
  %rx.binomial = func.call @rounded(%dx.binomial) : (f64) -> f64
  %rk.binomial = func.call @rounded(%dk.binomial) : (f64) -> f64
  tfx_host.print "binomial: {} {} {}"(%ry.binomial, %rx.binomial, %rk.binomial) : f64, f64, f64
  %y.single, %dx.single, %dk.single = tfx_ad.gradient @single(%x, %k, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %ry.single = func.call @rounded(%y.single) : (f64) -> f64
  %rx.single = func.call @rounded(%dx.single) : (f64) -> f64
  %rk.single = func.call @rounded(%dk.single) : (f64) -> f64
  tfx_host.print "single: {} {} {}"(%ry.single, %rx.single, %rk.single) : f64, f64, f64
  %y.auto, %dx.auto, %dk.auto = tfx_ad.gradient @auto(%x, %k, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %ry.auto = func.call @rounded(%y.auto) : (f64) -> f64
  %rx.auto = func.call @rounded(%dx.auto) : (f64) -> f64
  %rk.auto = func.call @rounded(%dk.auto) : (f64) -> f64
  tfx_host.print "auto: {} {} {}"(%ry.auto, %rx.auto, %rk.auto) : f64, f64, f64
  return
}
