// A program without tensors has no graph and needs no TensorFlow; its scalars pass through arithmetic, loops and calls.
//
// RUN: env TFX_TENSORFLOW_DIR=%t/nowhere tfxc run %s --executor tensorflow 10 | FileCheck %s
// RUN: tfxc build %s -o %t && %t 10 | FileCheck %s
//
// CHECK:      step 0: 0
// CHECK:      step 9: 45
// CHECK-NEXT: sum = 45
// CHECK-NEXT: mean = 4.5

func.func private @mean(%sum: i64, %n: i64) -> f64 {
  %s = arith.sitofp %sum : i64 to f64
  %k = arith.sitofp %n : i64 to f64
  %m = arith.divf %s, %k : f64
  return %m : f64
}

func.func @main(%n: i64 {tfx.name = "n"}) -> (i64 {tfx.name = "sum"}, f64 {tfx.name = "mean"}) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> i64 : i64 {
    %next = arith.addi %s, %i : i64
    tfx_host.print "step {}: {}"(%i, %next) : i64, i64
    scf.yield %next : i64
  }
  %mean = func.call @mean(%sum, %n) : (i64, i64) -> f64
  return %sum, %mean : i64, f64
}
