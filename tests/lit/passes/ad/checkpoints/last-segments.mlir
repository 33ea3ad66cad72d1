// A loop may end where a segment ends. Then the last segment runs the condition only, and two
// segments end at the last iteration; the cotangents of the results enter the last one only. Here
// the condition computes the results from values from outside, and the results have no shape of
// their own: an array, and a tensor of unknown size.
//
// RUN: sed s/PLAN/none/ %s > %t.none.mlir
// RUN: sed 's/PLAN/periodic<2>/' %s > %t.periodic.mlir
// RUN: sed 's/PLAN/binomial<2>/' %s > %t.binomial.mlir
// RUN: tfxc run %t.none.mlir 0 | FileCheck %s --check-prefix=NONE
// RUN: tfxc run %t.periodic.mlir 0 | FileCheck %s --check-prefix=NONE
// RUN: tfxc run %t.binomial.mlir 0 | FileCheck %s --check-prefix=NONE
// RUN: tfxc run %t.none.mlir 1 | FileCheck %s --check-prefix=ONE
// RUN: tfxc run %t.periodic.mlir 1 | FileCheck %s --check-prefix=ONE
// RUN: tfxc run %t.binomial.mlir 1 | FileCheck %s --check-prefix=ONE
// RUN: tfxc run %t.none.mlir 4 | FileCheck %s --check-prefix=FOUR
// RUN: tfxc run %t.periodic.mlir 4 | FileCheck %s --check-prefix=FOUR
// RUN: tfxc run %t.binomial.mlir 4 | FileCheck %s --check-prefix=FOUR
// RUN: tfxc run %t.none.mlir 5 | FileCheck %s --check-prefix=FIVE
// RUN: tfxc run %t.periodic.mlir 5 | FileCheck %s --check-prefix=FIVE
// RUN: tfxc run %t.binomial.mlir 5 | FileCheck %s --check-prefix=FIVE
//
// NONE: 2.0 1.0 [1. 1.] 1.0 [1. 1.]
// ONE:  4.0 1.0 [1.5 1.5] 4.0 [2.5 2.5]
// FOUR: 32.0 1.0 [5.0625 5.0625] 80.0 [13.1875 13.1875]
// FIVE: 64.0 1.0 [7.59375 7.59375] 192.0 [20.78125 20.78125]

!A = !tfx_host.array<f64>

func.func private @f(%x: !A, %t: tensor<?xf64>, %k: f64, %w: tensor<?xf64>, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 1 : index
  %factor = tfx_tensor.const dense<1.5> : tensor<f64>
  %far = tfx_tensor.const dense<1.0e+3> : tensor<f64>
  %y:3 = scf.while (%a = %x, %u = %t, %i = %zero) : (!A, tensor<?xf64>, i64)
      -> (!A, tensor<?xf64>, i64) {
    %e = tfx_host.array_get %a[%first] : !A
    %p = arith.mulf %e, %k : f64
    %b = tfx_host.array_set %p into %a[%first] : !A
    %v = tfx_tensor.op "AddV2"(%u, %w) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %is_early = arith.cmpi slt, %i, %n : i64
    %axes = tfx_tensor.const dense<0> : tensor<1xi32>
    %sum = tfx_tensor.op "Sum"(%v, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
    %is_near = tfx_tensor.op "Less"(%sum, %far) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %near = tfx_tensor.to_scalar %is_near : tensor<i1> -> i1
    %more = arith.andi %is_early, %near : i1
    scf.condition(%more) %b, %v, %i : !A, tensor<?xf64>, i64
  } do {
  ^bb0(%a: !A, %u: tensor<?xf64>, %i: i64):
    %v = tfx_tensor.op "Mul"(%u, %factor) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %next = arith.addi %i, %one : i64
    scf.yield %a, %v, %next : !A, tensor<?xf64>, i64
  } attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<PLAN>}
  %p = tfx_host.array_get %y#0[%first] : !A
  %q = tfx_host.array_get %y#0[%last] : !A
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %sum = tfx_tensor.op "Sum"(%y#1, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  %pq = arith.addf %p, %q : f64
  %pqr = arith.addf %pq, %r : f64
  return %pqr : f64
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %x = arith.constant 1.0 : f64
  %k = arith.constant 2.0 : f64
  %a = tfx_host.array(%x, %x) : !A
  %size = tfx_tensor.const dense<2> : tensor<1xi32>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %t = tfx_tensor.op "Fill"(%size, %one) : (tensor<1xi32>, tensor<f64>) -> tensor<?xf64>
  %da, %dt, %dk, %dw = tfx_ad.gradient @f(%a, %t, %k, %t, %n) wrt [0, 1, 2, 3]
    : (!A, tensor<?xf64>, f64, tensor<?xf64>, i64) -> (!A, tensor<?xf64>, f64, tensor<?xf64>)
  %first = arith.constant 0 : index
  %last = arith.constant 1 : index
  %p = tfx_host.array_get %da[%first] : !A
  %q = tfx_host.array_get %da[%last] : !A
  tfx_host.print "{} {} {} {} {}"(%p, %q, %dt, %dk, %dw)
    : f64, f64, tensor<?xf64>, f64, tensor<?xf64>
  return
}
