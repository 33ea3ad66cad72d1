// Recursion of constant depth is unrolled if the option requests it.
//
// RUN: split-file %s %t
// RUN: tfx-opt %t/unrolled.mlir --tfx-deabstract=unroll-recursion=20 --split-input-file | FileCheck %t/unrolled.mlir --implicit-check-not=remark
// RUN: tfx-opt %t/stays.mlir --tfx-deabstract=unroll-recursion=20 --split-input-file --verify-diagnostics | FileCheck %t/stays.mlir
// RUN: tfx-opt %t/shared.mlir --tfx-deabstract=unroll-recursion=20 | FileCheck %t/shared.mlir --implicit-check-not=func.func

//--- unrolled.mlir

!T = tensor<2x2xf32>

// Each step is a copy without its test.
// CHECK-LABEL: func.func @cube(
// CHECK-SAME:    %[[X:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[A]])
// CHECK-NEXT:    return %[[B]]
// CHECK-NOT:   func.func
func.func private @power(%x: !T, %n: i32) -> !T {
  %c1 = arith.constant 1 : i32
  %last = arith.cmpi eq, %n, %c1 : i32
  cf.cond_br %last, ^done, ^more
^done:
  return %x : !T
^more:
  %m = arith.subi %n, %c1 : i32
  %y = func.call @power(%x, %m) : (!T, i32) -> !T
  %z = tfx_tensor.op "MatMul"(%x, %y) : (!T, !T) -> !T
  return %z : !T
}
func.func @cube(%x: !T) -> !T {
  %c3 = arith.constant 3 : i32
  %y = func.call @power(%x, %c3) : (!T, i32) -> !T
  return %y : !T
}

// -----

!T = tensor<2xf32>

// Two functions that call each other, with a variable that counts, and a condition in each step that is known only at run time.
// CHECK-LABEL: func.func @both(
// CHECK:         tfx_tensor.op "Neg"
// CHECK:         cf.cond_br
// CHECK:         tfx_tensor.op "Exp"
// CHECK:         tfx_tensor.op "Neg"
// CHECK-NOT:     "Exp"
// CHECK-NOT:     call
// CHECK:         return
// CHECK-NOT:   func.func
func.func private @even(%x: !T, %n: i64, %go: i1) -> !T {
  %c0 = arith.constant 0 : i64
  %v = tfx_host.var : !tfx_host.ref<i64>
  tfx_host.store %n, %v : i64
  %y = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  %k = tfx_host.load %v : !tfx_host.ref<i64>
  %more = arith.cmpi sgt, %k, %c0 : i64
  %r = scf.if %more -> !T {
    %s = scf.if %go -> !T {
      %z = func.call @odd(%y, %k, %go) : (!T, i64, i1) -> !T
      scf.yield %z : !T
    } else {
      scf.yield %x : !T
    }
    scf.yield %s : !T
  } else {
    scf.yield %y : !T
  }
  return %r : !T
}
func.func private @odd(%x: !T, %n: i64, %go: i1) -> !T {
  %c1 = arith.constant 1 : i64
  %y = tfx_tensor.op "Exp"(%x) : (!T) -> !T
  %m = arith.subi %n, %c1 : i64
  %z = func.call @even(%y, %m, %go) : (!T, i64, i1) -> !T
  return %z : !T
}
func.func @both(%x: !T, %go: i1) -> !T {
  %c1 = arith.constant 1 : i64
  %y = func.call @even(%x, %c1, %go) : (!T, i64, i1) -> !T
  return %y : !T
}

//--- shared.mlir

!T = tensor<2xf32>

// Calls with the same constants share a copy: the copies for 3 and for 2 have two calls each, so they are graph functions.
// CHECK-DAG:     func.func private @fib_{{[0-9]+}}(
// CHECK-DAG:     func.func private @fib_{{[0-9]+}}(
// CHECK-DAG:     func.func @main(
func.func private @fib(%x: !T, %n: i32) -> !T {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %last = arith.cmpi slt, %n, %c2 : i32
  cf.cond_br %last, ^done, ^more
^done:
  return %x : !T
^more:
  %m = arith.subi %n, %c1 : i32
  %k = arith.subi %n, %c2 : i32
  %y = func.call @fib(%x, %m) : (!T, i32) -> !T
  %z = func.call @fib(%x, %k) : (!T, i32) -> !T
  %a = tfx_tensor.op "Exp"(%y) : (!T) -> !T
  %b = tfx_tensor.op "Neg"(%z) : (!T) -> !T
  %c = tfx_tensor.op "Tanh"(%a) : (!T) -> !T
  %d = tfx_tensor.op "Sin"(%b) : (!T) -> !T
  %e = tfx_tensor.op "Cos"(%d) : (!T) -> !T
  %s = tfx_tensor.op "AddV2"(%c, %e) : (!T, !T) -> !T
  return %s : !T
}
func.func @main(%x: !T) -> !T {
  %c5 = arith.constant 5 : i32
  %y = func.call @fib(%x, %c5) : (!T, i32) -> !T
  return %y : !T
}

//--- stays.mlir

!T = tensor<2xf32>

// The depth is not a constant.
// CHECK-LABEL: func.func private @deep(
// CHECK:         call @deep
// CHECK-LABEL: func.func @unknown(
// CHECK:         call @deep(
// expected-remark @below {{'@deep' is recursive (@deep -> @deep), so its calls stay on the host; write a loop instead}}
func.func private @deep(%x: !T, %n: i32) -> !T {
  %c1 = arith.constant 1 : i32
  %last = arith.cmpi eq, %n, %c1 : i32
  cf.cond_br %last, ^done, ^more
^done:
  return %x : !T
^more:
  %m = arith.subi %n, %c1 : i32
  %z = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  // expected-note @below {{called here}}
  %y = func.call @deep(%z, %m) : (!T, i32) -> !T
  return %y : !T
}
func.func @unknown(%x: !T, %n: i32) -> !T {
  %y = func.call @deep(%x, %n) : (!T, i32) -> !T
  return %y : !T
}

// -----

!T = tensor<2xf32>

// The depth is above the limit; that of a second call with another constant is not.
// CHECK-LABEL: func.func @limited(
// CHECK:         call @deep(
// CHECK-NOT:     call
// CHECK:         tfx_tensor.op "Neg"
// CHECK-NOT:     call
// CHECK:         return
// expected-remark @below {{'@deep' is recursive (@deep -> @deep), so its calls stay on the host; write a loop instead}}
func.func private @deep(%x: !T, %n: i32) -> !T {
  %c1 = arith.constant 1 : i32
  %last = arith.cmpi eq, %n, %c1 : i32
  cf.cond_br %last, ^done, ^more
^done:
  return %x : !T
^more:
  %m = arith.subi %n, %c1 : i32
  %z = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  // expected-note @below {{called here}}
  %y = func.call @deep(%z, %m) : (!T, i32) -> !T
  return %y : !T
}
func.func @limited(%x: !T) -> !T {
  %c2 = arith.constant 2 : i32
  %c100 = arith.constant 100 : i32
  %y = func.call @deep(%x, %c100) : (!T, i32) -> !T
  %z = func.call @deep(%y, %c2) : (!T, i32) -> !T
  return %z : !T
}

// -----

!T = tensor<2xf32>

// A constant that does not change does not bound the depth.
// CHECK-LABEL: func.func @same(
// CHECK:         call @again(
// expected-remark @below {{'@again' is recursive (@again -> @again), so its calls stay on the host; write a loop instead}}
func.func private @again(%x: !T, %n: i32, %stop: i1) -> !T {
  cf.cond_br %stop, ^done, ^more
^done:
  return %x : !T
^more:
  %z = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  // expected-note @below {{called here}}
  %y = func.call @again(%z, %n, %stop) : (!T, i32, i1) -> !T
  return %y : !T
}
func.func @same(%x: !T, %stop: i1) -> !T {
  %c2 = arith.constant 2 : i32
  %y = func.call @again(%x, %c2, %stop) : (!T, i32, i1) -> !T
  return %y : !T
}
