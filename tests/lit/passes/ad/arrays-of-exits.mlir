// The array of a path that nobody reads, after an early exit, has no elements: the derivative counts
// them, since the zero of an array has as many.
//
// RUN: tfx-opt %s --tfx-extract -o - 2>/dev/null | FileCheck %s --check-prefix=UNREAD
// RUN: tfxc run %s 0.5 0 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: tfxc run %s 0.5 3 2>/dev/null | FileCheck %s --check-prefix=THREE
// RUN: tfx-opt %s --tfx-deabstract 2>/dev/null | tfxc interpret - 0.5 3 | FileCheck %s --check-prefix=THREE

// UNREAD: %[[UNREAD:.*]] = tfx_host.undef : !tfx_host.array<f64>
// UNREAD: tfx_host.array_count %[[UNREAD]]
// NONE:   -0.5: -1.0 -1.0
// THREE:  -0.479425538604203: -0.8775825618903728 -0.8775825618903728
func.func private @f(%x: f64, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %first = arith.constant 0 : index
  %more.than.n = arith.addi %n, %i1 : i64
  %count = arith.index_cast %more.than.n : i64 to index
  %filled = tfx_host.array_fill %x, %count : !tfx_host.array<f64>
  cf.br ^loop(%i0, %filled : i64, !tfx_host.array<f64>)
^loop(%i: i64, %array: !tfx_host.array<f64>):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^done(%array : !tfx_host.array<f64>)
^body:
  %sine = math.sin %x : f64
  %new = tfx_host.array_set %sine into %filled[%first] : !tfx_host.array<f64>
  %ends = arith.cmpi eq, %i, %i2 : i64
  cf.cond_br %ends, ^done(%array : !tfx_host.array<f64>), ^next
^next:
  %j = arith.addi %i, %i1 : i64
  cf.br ^loop(%j, %new : i64, !tfx_host.array<f64>)
^done(%last: !tfx_host.array<f64>):
  %read = tfx_host.array_get %last[%first] : !tfx_host.array<f64>
  %tensor = tfx_tensor.from_scalar %read : f64
  %weights = tfx_tensor.const dense<[1.0, -2.0]> : tensor<2xf64>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %products = tfx_tensor.op "Mul"(%tensor, %weights) : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %sum = tfx_tensor.op "Sum"(%products, %axis) : (tensor<2xf64>, tensor<i32>) -> tensor<f64>
  %y = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  return %y : f64
}
func.func @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  %v, %t = tfx_ad.jvp @f(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %g = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}: {} {}"(%v, %t, %g) : f64, f64, f64
  return
}
