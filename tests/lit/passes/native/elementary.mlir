// The elementary functions of f32 in native code differ from those of f64, rounded, by at most 2
// units in the last place, and erfc by at most 6: for half a million numbers of each sign, of all
// magnitudes, denormal ones included, and for zeros, infinities and NaN.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: tfxc run %s --executor native | FileCheck %s
// RUN: tfxc run %s --executor native --native-vectors 16 | FileCheck %s
// RUN: tfxc run %s --executor native -O0 | FileCheck %s
// RUN: tfxc run %s --executor native --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: native code: 17 calls
//
// CHECK: positive: {{[012]}} {{[012]}} {{[012]}} {{[012]}} {{[012]}} {{[0-6]$}}
// The exponential in a sigmoid overflows where the result is denormal.
// CHECK: negative: {{[012]}} {{[012]}} {{[012]}} {{[0-9]+}} {{[012]}} {{[012]$}}
// CHECK: exp [ 1. 1. inf 0. NaN ]
// CHECK: log [-inf -inf inf NaN NaN]
// CHECK: tanh [ 0. -0. 1. -1. NaN ]
// CHECK: sigmoid [ 0.5 0.5 1. 0. NaN ]
// CHECK: erf [ 0. -0. 1. -1. NaN ]
// CHECK: erfc [ 1. 1. 0. 2. NaN ]

!F = tensor<?xf32>
!D = tensor<?xf64>
!I = tensor<?xi32>
!B = tensor<?xi1>
!S = tensor<i32>

func.func private @functions(%x: !F) -> (!F, !F, !F, !F, !F, !F) {
  %0 = tfx_tensor.op "Exp"(%x) : (!F) -> !F
  %1 = tfx_tensor.op "Log"(%x) : (!F) -> !F
  %2 = tfx_tensor.op "Tanh"(%x) : (!F) -> !F
  %3 = tfx_tensor.op "Sigmoid"(%x) : (!F) -> !F
  %4 = tfx_tensor.op "Erf"(%x) : (!F) -> !F
  %5 = tfx_tensor.op "Erfc"(%x) : (!F) -> !F
  return %0, %1, %2, %3, %4, %5 : !F, !F, !F, !F, !F, !F
}

// The largest distance of rounded f64 numbers, in units in the last place.
func.func private @distance(%y: !F, %exact: !D) -> tensor<i32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %rounded = tfx_tensor.op "Cast"(%exact) : (!D) -> !F
  %is = tfx_tensor.op "IsNan"(%rounded) : (!F) -> !B
  %a = tfx_tensor.op "Bitcast"(%y) : (!F) -> !I
  %b = tfx_tensor.op "Bitcast"(%rounded) : (!F) -> !I
  %d = tfx_tensor.op "Sub"(%a, %b) : (!I, !I) -> !I
  %e = tfx_tensor.op "Abs"(%d) : (!I) -> !I
  %f = tfx_tensor.op "SelectV2"(%is, %zero, %e) : (!B, tensor<i32>, !I) -> !I
  %g = tfx_tensor.op "Max"(%f, %axis) : (!I, tensor<i32>) -> tensor<i32>
  return %g : tensor<i32>
}

func.func private @distances(%from: i32, %to: i32) -> (!S, !S, !S, !S, !S, !S) {
  %step = tfx_tensor.const dense<4093> : tensor<i32>
  %first = tfx_tensor.from_scalar %from : i32
  %last = tfx_tensor.from_scalar %to : i32
  %bits = tfx_tensor.op "Range"(%first, %last, %step) : (tensor<i32>, tensor<i32>, tensor<i32>) -> !I
  %x = tfx_tensor.op "Bitcast"(%bits) : (!I) -> !F
  %y:6 = func.call @functions(%x) : (!F) -> (!F, !F, !F, !F, !F, !F)
  %d = tfx_tensor.op "Cast"(%x) : (!F) -> !D
  %e0 = tfx_tensor.op "Exp"(%d) : (!D) -> !D
  %e1 = tfx_tensor.op "Log"(%d) : (!D) -> !D
  %e2 = tfx_tensor.op "Tanh"(%d) : (!D) -> !D
  %e3 = tfx_tensor.op "Sigmoid"(%d) : (!D) -> !D
  %e4 = tfx_tensor.op "Erf"(%d) : (!D) -> !D
  %e5 = tfx_tensor.op "Erfc"(%d) : (!D) -> !D
  %r0 = func.call @distance(%y#0, %e0) : (!F, !D) -> tensor<i32>
  %r1 = func.call @distance(%y#1, %e1) : (!F, !D) -> tensor<i32>
  %r2 = func.call @distance(%y#2, %e2) : (!F, !D) -> tensor<i32>
  %r3 = func.call @distance(%y#3, %e3) : (!F, !D) -> tensor<i32>
  %r4 = func.call @distance(%y#4, %e4) : (!F, !D) -> tensor<i32>
  %r5 = func.call @distance(%y#5, %e5) : (!F, !D) -> tensor<i32>
  return %r0, %r1, %r2, %r3, %r4, %r5 : !S, !S, !S, !S, !S, !S
}

func.func @main() {
  %zero = arith.constant 0 : i32
  %infinity = arith.constant 0x7f800001 : i32
  %least = arith.constant 0x80000000 : i32
  %negative = arith.constant 0xff800001 : i32
  %p:6 = func.call @distances(%zero, %infinity) : (i32, i32) -> (!S, !S, !S, !S, !S, !S)
  tfx_host.print "positive: {} {} {} {} {} {}"(%p#0, %p#1, %p#2, %p#3, %p#4, %p#5) : !S, !S, !S, !S, !S, !S
  %n:6 = func.call @distances(%least, %negative) : (i32, i32) -> (!S, !S, !S, !S, !S, !S)
  tfx_host.print "negative: {} {} {} {} {} {}"(%n#0, %n#1, %n#2, %n#3, %n#4, %n#5) : !S, !S, !S, !S, !S, !S
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %special = tfx_tensor.const dense<[0.0, -0.0, 0x7f800000, 0xff800000, 0x7fc00000]> : tensor<5xf32>
  %size = tfx_tensor.const dense<1> : tensor<1xi32>
  %one = tfx_tensor.const dense<false> : tensor<1xi1>
  %x = tfx_tensor.op "Reverse"(%special, %one) : (tensor<5xf32>, tensor<1xi1>) -> !F
  %y:6 = func.call @functions(%x) : (!F) -> (!F, !F, !F, !F, !F, !F)
  tfx_host.print "exp {}"(%y#0) : !F
  tfx_host.print "log {}"(%y#1) : !F
  tfx_host.print "tanh {}"(%y#2) : !F
  tfx_host.print "sigmoid {}"(%y#3) : !F
  tfx_host.print "erf {}"(%y#4) : !F
  tfx_host.print "erfc {}"(%y#5) : !F
  return
}
