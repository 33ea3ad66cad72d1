// A value that `tfx_ad.save` marks is kept, and not computed again. It is the same value as its
// operand, and derivatives go through it.
//
// RUN: tfx-opt %s --tfx-differentiate=remarks=true 2>%t.err | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: tfxc run %s 0.3 5 | FileCheck %s
// RUN: tfxc interpret %s --entry plain_value 0.3 5 | FileCheck %s --check-prefix=VALUE
// RUN: tfxc interpret %s --entry saved_value 0.3 5 | FileCheck %s --check-prefix=VALUE
//
// CHECK:      plain [[SLOPE:.+]]
// CHECK-NEXT: saved [[SLOPE]]
// CHECK-NEXT: forward 1.5759050749650
// CHECK-NEXT: struct [[SLOPE]]
// VALUE: result0 = 0.34479694

tfx_host.struct @Pair {left: f64, right: f64}

// A product is cheaper to compute again than to keep, but this one is marked.
// IR-LABEL:     func.func private @saved.forward(
// IR-COUNT-3:     tfx_ad.push
// IR-NOT:         tfx_ad.push
// IR-LABEL:     func.func private @saved.backward_0(
// IR-NOT:       tfx_ad.save
func.func private @plain(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // REMARK-DAG: :[[#@LINE+1]]:10: remark: the derivative computes this value again in each iteration: that costs less than to keep it
    %p = arith.mulf %v, %x : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %w = arith.mulf %s, %p : f64
    %u = arith.addf %w, %x : f64
    scf.yield %u : f64
  }
  return %y : f64
}
func.func private @saved(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // REMARK-DAG: :[[#@LINE+1]]:10: remark: the derivative keeps this value of each iteration, about 8 bytes: 'tfx_ad.save' marks it
    %p = arith.mulf %v, %x : f64
    %k = tfx_ad.save %p : f64
    %q = arith.addf %k, %v : f64
    %s = math.sin %q : f64
    %w = arith.mulf %s, %p : f64
    %u = arith.addf %w, %x : f64
    scf.yield %u : f64
  }
  return %y : f64
}
// Of a struct, each part is marked.
func.func private @parts(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %p = arith.mulf %v, %x : f64
    %q = arith.addf %p, %v : f64
    %pair = tfx_host.make_struct(%p, %q) : (f64, f64) -> !tfx_host.struct<@Pair>
    %k = tfx_ad.save %pair : !tfx_host.struct<@Pair>
    %left = tfx_host.extract %k["left"] : !tfx_host.struct<@Pair> -> f64
    %right = tfx_host.extract %k["right"] : !tfx_host.struct<@Pair> -> f64
    %s = math.sin %right : f64
    %w = arith.mulf %s, %left : f64
    %u = arith.addf %w, %x : f64
    scf.yield %u : f64
  }
  return %y : f64
}
func.func @plain_value(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) -> f64 {
  %y = func.call @plain(%x, %n) : (f64, i64) -> f64
  return %y : f64
}
func.func @saved_value(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) -> f64 {
  %y = func.call @saved(%x, %n) : (f64, i64) -> f64
  return %y : f64
}
func.func @main(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  %one = arith.constant 1.0 : f64
  %a = tfx_ad.gradient @plain(%x, %n) wrt [0] : (f64, i64) -> f64
  %b = tfx_ad.gradient @saved(%x, %n) wrt [0] : (f64, i64) -> f64
  %y, %c = tfx_ad.jvp @saved(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %d = tfx_ad.gradient @parts(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "plain {}"(%a) : f64
  tfx_host.print "saved {}"(%b) : f64
  tfx_host.print "forward {}"(%c) : f64
  tfx_host.print "struct {}"(%d) : f64
  return
}
