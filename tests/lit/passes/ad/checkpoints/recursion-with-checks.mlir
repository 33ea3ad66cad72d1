// A loop with checkpoints calls a function that calls itself, and that calls code with checks of
// bounds. These succeed again when an iteration runs again. The gradient is that without
// checkpoints.
//
// RUN: sed s/SCHEME/none/ %s > %t.none.mlir
// RUN: sed s/SCHEME/'binomial<1>'/ %s > %t.binomial.mlir
// RUN: tfxc run %t.none.mlir 0.3 4 > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: tfxc run %t.binomial.mlir 0.3 4 | diff %t.expected -
// CHECK: gradient: {{-?[0-9]+}}

func.func private @chain(%values: !tfx_host.array<f64>, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<SCHEME>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  cf.br ^loop(%zero, %start : i64, f64)
^loop(%i: i64, %y: f64):
  %goes_on = arith.cmpi sle, %i, %n : i64
  cf.cond_br %goes_on, ^body, ^end
^body:
  %count = tfx_host.array_count %values : !tfx_host.array<f64>
  %index = arith.index_cast %i : i64 to index
  %at = arith.remui %index, %count : index
  %value = tfx_host.array_get %values[%at] : !tfx_host.array<f64>
  %product = arith.mulf %y, %value : f64
  %sin = math.sin %product : f64
  %next = arith.addi %i, %one : i64
  cf.br ^loop(%next, %sin : i64, f64)
^end:
  return %y : f64
}

func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_more = arith.cmpi sgt, %n, %zero : i64
  cf.cond_br %is_more, ^more, ^rest(%x : f64)
^more:
  %less = arith.subi %n, %one : i64
  %inner = func.call @f(%x, %less) : (f64, i64) -> f64
  cf.br ^rest(%inner : f64)
^rest(%y: f64):
  %z = math.cos %y : f64
  %values = tfx_host.array(%x, %y, %z) : !tfx_host.array<f64>
  %w = func.call @chain(%values, %n) : (!tfx_host.array<f64>, i64) -> f64
  %sum = arith.addf %z, %w : f64
  return %sum : f64
}

func.func private @g(%x: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<SCHEME>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^loop(%zero, %x : i64, f64)
^loop(%i: i64, %y: f64):
  %goes_on = arith.cmpi slt, %i, %n : i64
  cf.cond_br %goes_on, ^body, ^end
^body:
  %z = func.call @f(%y, %i) : (f64, i64) -> f64
  %next = arith.addi %i, %one : i64
  cf.br ^loop(%next, %z : i64, f64)
^end:
  return %y : f64
}

func.func @main(%x: f64, %n: i64) {
  %g = tfx_ad.gradient @g(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "gradient: {}"(%g) : f64
  return
}
