// The elementary functions of f64 in native code differ from those of the interpreter by at most 2
// units in the last place, tanh by at most 4, of which 2 are the interpreter's: for half a million
// numbers of each sign, of all magnitudes, denormal ones included, and for zeros, infinities and
// NaN. An operation on an explicit device has no native code.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: tfxc run %s --executor native --native-vectors 16 | FileCheck %s
// RUN: tfxc run %s --executor native -O0 | FileCheck %s
// RUN: tfxc run %s --executor native --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: native code: 9 calls
//
// CHECK: positive: {{[012]}} {{[012]}} {{[0-4]$}}
// CHECK: negative: {{[012]}} {{[012]}} {{[0-4]$}}
// CHECK: exp [ 1. 1. inf 0. NaN ]
// CHECK: log [-inf -inf inf NaN NaN]
// CHECK: tanh [ 0. -0. 1. -1. NaN ]

!D = tensor<?xf64>
!I = tensor<?xi64>
!S = tensor<i64>

// A cluster of three operations is compiled.
func.func private @same(%x: !D) -> !D {
  %0 = tfx_tensor.op "Neg"(%x) : (!D) -> !D
  %1 = tfx_tensor.op "Neg"(%0) : (!D) -> !D
  return %1 : !D
}

func.func private @functions(%x: !D) -> (!D, !D, !D) {
  %0 = tfx_tensor.op "Exp"(%x) : (!D) -> !D
  %1 = tfx_tensor.op "Log"(%x) : (!D) -> !D
  %2 = tfx_tensor.op "Tanh"(%x) : (!D) -> !D
  %3 = func.call @same(%0) : (!D) -> !D
  %4 = func.call @same(%1) : (!D) -> !D
  %5 = func.call @same(%2) : (!D) -> !D
  return %3, %4, %5 : !D, !D, !D
}

// The largest distance, in units in the last place.
func.func private @distance(%y: !D, %exact: !D) -> !S {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %zero = tfx_tensor.const dense<0> : !S
  %is = tfx_tensor.op "IsNan"(%exact) : (!D) -> tensor<?xi1>
  %a = tfx_tensor.op "Bitcast"(%y) : (!D) -> !I
  %b = tfx_tensor.op "Bitcast"(%exact) : (!D) -> !I
  %d = tfx_tensor.op "Sub"(%a, %b) : (!I, !I) -> !I
  %e = tfx_tensor.op "Abs"(%d) : (!I) -> !I
  %f = tfx_tensor.op "SelectV2"(%is, %zero, %e) : (tensor<?xi1>, !S, !I) -> !I
  %g = tfx_tensor.op "Max"(%f, %axis) : (!I, tensor<i32>) -> !S
  return %g : !S
}

func.func private @distances(%from: i64, %to: i64) -> (!S, !S, !S) {
  %step = tfx_tensor.const dense<17592186040319> : !S
  %first = tfx_tensor.from_scalar %from : i64
  %last = tfx_tensor.from_scalar %to : i64
  %bits = tfx_tensor.op "Range"(%first, %last, %step) : (!S, !S, !S) -> !I
  %x = tfx_tensor.op "Bitcast"(%bits) : (!I) -> !D
  %y:3 = func.call @functions(%x) : (!D) -> (!D, !D, !D)
  %e0 = tfx_tensor.op "Exp"(%x) {device = "/device:CPU:0"} : (!D) -> !D
  %e1 = tfx_tensor.op "Log"(%x) {device = "/device:CPU:0"} : (!D) -> !D
  %e2 = tfx_tensor.op "Tanh"(%x) {device = "/device:CPU:0"} : (!D) -> !D
  %r0 = func.call @distance(%y#0, %e0) : (!D, !D) -> !S
  %r1 = func.call @distance(%y#1, %e1) : (!D, !D) -> !S
  %r2 = func.call @distance(%y#2, %e2) : (!D, !D) -> !S
  return %r0, %r1, %r2 : !S, !S, !S
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %infinity = arith.constant 0x7ff0000000000001 : i64
  %least = arith.constant 0x8000000000000000 : i64
  %negative = arith.constant 0xfff0000000000001 : i64
  %p:3 = func.call @distances(%zero, %infinity) : (i64, i64) -> (!S, !S, !S)
  tfx_host.print "positive: {} {} {}"(%p#0, %p#1, %p#2) : !S, !S, !S
  %n:3 = func.call @distances(%least, %negative) : (i64, i64) -> (!S, !S, !S)
  tfx_host.print "negative: {} {} {}"(%n#0, %n#1, %n#2) : !S, !S, !S
  %special = tfx_tensor.const dense<[0.0, -0.0, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000]> : tensor<5xf64>
  %one = tfx_tensor.const dense<false> : tensor<1xi1>
  %x = tfx_tensor.op "Reverse"(%special, %one) : (tensor<5xf64>, tensor<1xi1>) -> !D
  %y:3 = func.call @functions(%x) : (!D) -> (!D, !D, !D)
  tfx_host.print "exp {}"(%y#0) : !D
  tfx_host.print "log {}"(%y#1) : !D
  tfx_host.print "tanh {}"(%y#2) : !D
  return
}
