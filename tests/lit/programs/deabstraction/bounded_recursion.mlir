// Recursion on tensors: x^5 by squaring, for x = 3: 243. By default it runs on the host, with a remark; if the option requests it, each depth becomes a function,
// and no recursion remains.
//
// RUN: tfxc run %s 3 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: tfxc run %s 3 --unroll-recursion 8 2>&1 | FileCheck %s --implicit-check-not=remark
// RUN: %if tensorflow %{ tfxc run %s 3 --unroll-recursion 8 --executor tensorflow 2>&1 | FileCheck %s --implicit-check-not=remark %}
// RUN: tfx-opt %s --tfx-deabstract=unroll-recursion=8 2>&1 | FileCheck %s --check-prefix=IR --implicit-check-not=call
//
// CHECK: y = 243.0
// SAID:  remark: '@power' is recursive (@power -> @power), so its calls stay on the host; write a loop instead
// IR-COUNT-5: "Mul"
// IR-NOT:     "Mul"

!T = tensor<f32>

func.func private @power(%x: !T, %n: i32) -> !T {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %last = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %last, ^done, ^more
^done:
  %one = tfx_tensor.const dense<1.0> : !T
  return %one : !T
^more:
  %half = arith.divsi %n, %c2 : i32
  %y = func.call @power(%x, %half) : (!T, i32) -> !T
  %rest = arith.remsi %n, %c2 : i32
  %odd = arith.cmpi eq, %rest, %c1 : i32
  %square = tfx_tensor.op "Mul"(%y, %y) : (!T, !T) -> !T
  cf.cond_br %odd, ^once, ^even
^once:
  %z = tfx_tensor.op "Mul"(%square, %x) : (!T, !T) -> !T
  return %z : !T
^even:
  return %square : !T
}

func.func @main(%s: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %s : f32
  %c5 = arith.constant 5 : i32
  %y = func.call @power(%x, %c5) : (!T, i32) -> !T
  return %y : !T
}
