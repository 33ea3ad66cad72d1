// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-differentiate)' >%t
// RUN: FileCheck %s <%t
// RUN: FileCheck %s --check-prefix=LINE <%t

// A straight line: each cotangent is a sum over the uses.

func.func private @f(%x: f64, %y: f64) -> f64 {
  %a = arith.mulf %x, %y : f64
  %b = math.sin %a : f64
  %c = arith.addf %b, %x : f64
  return %c : f64
}

// CHECK-LABEL: func.func @both
// The caller has the arguments already; the forward function returns the product.
// CHECK: %[[F:.+]]:2 = call @[[FORWARD:f.forward[_0-9]*]](%arg0, %arg1)
// CHECK: call @[[BACKWARD:f.backward[_0-9]*]](%{{.+}}, %[[F]]#1, %arg1, %arg0)
func.func @both(%x: f64, %y: f64) -> (f64, f64, f64) {
  %v, %dx, %dy = tfx_ad.gradient @f(%x, %y) wrt [0, 1] value : (f64, f64) -> (f64, f64, f64)
  return %v, %dx, %dy : f64, f64, f64
}

// A loop: the backward loop runs as often, and pops what the forward loop pushes.

func.func private @power(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = arith.constant 1.0 : f64
  cf.br ^head(%zero, %first : i64, f64)
^head(%i: i64, %p: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^done
^body:
  %q = arith.mulf %p, %x : f64
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %q : i64, f64)
^done:
  return %p : f64
}
func.func @slope(%x: f64, %n: i64) -> f64 {
  %dx = tfx_ad.gradient @power(%x, %n) wrt [0] : (f64, i64) -> f64
  return %dx : f64
}

// CHECK: func.func private @power.backward
// CHECK: scf.while
// CHECK: tfx_ad.pop
// CHECK: func.func private @power.forward
// CHECK: scf.while
// CHECK: tfx_ad.push

// LINE: func.func private @f.backward(%arg0: f64, %arg1: f64,
// LINE-NEXT: %[[COS:.+]] = math.cos %arg1
// LINE-NEXT: arith.mulf %arg0, %[[COS]]
