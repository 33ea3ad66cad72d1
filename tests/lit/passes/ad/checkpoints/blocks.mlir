// The gradient of a loop with checkpoints is that of the loop without, for each scheme: a loop of blocks with
// code before its condition, and with a second exit; the attribute is that of the function.
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

func.func private @none(%x: f64, %k: f64, %n: i64) -> f64
    attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 2.0 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %v: f64):
  %c = math.cos %v : f64
  %u = arith.addf %v, %c : f64
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%u : f64)
^body:
  %s = math.sin %u : f64
  %p = arith.mulf %s, %k : f64
  %is_large = arith.cmpf ogt, %p, %most : f64
  cf.cond_br %is_large, ^end(%p : f64), ^next
^next:
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %p : i64, f64)
^end(%y: f64):
  return %y : f64
}

func.func private @periodic(%x: f64, %k: f64, %n: i64) -> f64
    attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<4>>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 2.0 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %v: f64):
  %c = math.cos %v : f64
  %u = arith.addf %v, %c : f64
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%u : f64)
^body:
  %s = math.sin %u : f64
  %p = arith.mulf %s, %k : f64
  %is_large = arith.cmpf ogt, %p, %most : f64
  cf.cond_br %is_large, ^end(%p : f64), ^next
^next:
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %p : i64, f64)
^end(%y: f64):
  return %y : f64
}

func.func private @binomial(%x: f64, %k: f64, %n: i64) -> f64
    attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 2.0 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %v: f64):
  %c = math.cos %v : f64
  %u = arith.addf %v, %c : f64
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%u : f64)
^body:
  %s = math.sin %u : f64
  %p = arith.mulf %s, %k : f64
  %is_large = arith.cmpf ogt, %p, %most : f64
  cf.cond_br %is_large, ^end(%p : f64), ^next
^next:
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %p : i64, f64)
^end(%y: f64):
  return %y : f64
}

func.func private @single(%x: f64, %k: f64, %n: i64) -> f64
    attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 2.0 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %v: f64):
  %c = math.cos %v : f64
  %u = arith.addf %v, %c : f64
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%u : f64)
^body:
  %s = math.sin %u : f64
  %p = arith.mulf %s, %k : f64
  %is_large = arith.cmpf ogt, %p, %most : f64
  cf.cond_br %is_large, ^end(%p : f64), ^next
^next:
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %p : i64, f64)
^end(%y: f64):
  return %y : f64
}

func.func private @auto(%x: f64, %k: f64, %n: i64) -> f64
    attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<auto>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 2.0 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %v: f64):
  %c = math.cos %v : f64
  %u = arith.addf %v, %c : f64
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%u : f64)
^body:
  %s = math.sin %u : f64
  %p = arith.mulf %s, %k : f64
  %is_large = arith.cmpf ogt, %p, %most : f64
  cf.cond_br %is_large, ^end(%p : f64), ^next
^next:
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %p : i64, f64)
^end(%y: f64):
  return %y : f64
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
