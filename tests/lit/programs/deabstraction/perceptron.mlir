// A struct of weights and biases, forward as a method, and a step as an inout method that takes the derivative of the loss as a closure. One layer, x = [1,
// 2], w = [0, 0], target 5, rate 0.125: error -5, w = [0.625, 1.25], b = 0.625; then error 3.75 - 5 = -1.25, w = [0.78125, 1.5625], b = 0.78125.
//
// RUN: tfxc run %s 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      error -5.0
// CHECK-NEXT: error -1.25
// CHECK-NEXT: w = [0.78125 1.5625 ]
// CHECK-NEXT: b = 0.78125
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!V = tensor<2xf32>
!T = tensor<f32>
!Slope = !tfx_host.closure<(!T) -> !T>
tfx_host.struct @Model {w: !V, b: !T}
!M = !tfx_host.struct<@Model>
func.func private @predict(%m: !M, %x: !V) -> !T {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %w = tfx_host.extract %m["w"] : !M -> !V
  %b = tfx_host.extract %m["b"] : !M -> !T
  %p = tfx_tensor.op "Mul"(%w, %x) : (!V, !V) -> !V
  %s = tfx_tensor.op "Sum"(%p, %axis) : (!V, tensor<i32>) -> !T
  %y = tfx_tensor.op "Add"(%s, %b) : (!T, !T) -> !T
  return %y : !T
}
func.func private @fit(%m: !tfx_host.ref<!M>, %x: !V, %rate: !T, %slope: !Slope) {
  %now = tfx_host.load %m : !tfx_host.ref<!M>
  %y = func.call @predict(%now, %x) : (!M, !V) -> !T
  %e = tfx_host.apply %slope(%y) : !Slope
  tfx_host.print "error {}"(%e) : !T
  %d = tfx_tensor.op "Mul"(%e, %rate) : (!T, !T) -> !T
  %dw = tfx_tensor.op "Mul"(%x, %d) : (!V, !T) -> !V
  %w = tfx_host.extract %now["w"] : !M -> !V
  %b = tfx_host.extract %now["b"] : !M -> !T
  %w1 = tfx_tensor.op "Sub"(%w, %dw) : (!V, !V) -> !V
  %b1 = tfx_tensor.op "Sub"(%b, %d) : (!T, !T) -> !T
  %m1 = tfx_host.insert %w1 into %now["w"] : !V, !M
  %m2 = tfx_host.insert %b1 into %m1["b"] : !T, !M
  tfx_host.store %m2, %m : !M
  return
}
func.func private @difference(%target: !T, %y: !T) -> !T {
  %e = tfx_tensor.op "Sub"(%y, %target) : (!T, !T) -> !T
  return %e : !T
}
func.func @main(%n: i32) -> (!V {tfx.name = "w"}, !T {tfx.name = "b"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = tfx_tensor.const dense<[1.0, 2.0]> : !V
  %w0 = tfx_tensor.const dense<0.0> : !V
  %b0 = tfx_tensor.const dense<0.0> : !T
  %target = tfx_tensor.const dense<5.0> : !T
  %rate = tfx_tensor.const dense<0.125> : !T
  %m0 = tfx_host.make_struct(%w0, %b0) : (!V, !T) -> !M
  %v = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m0, %v : !M
  %slope = tfx_host.closure @difference(%target) : (!T) -> !Slope
  scf.for %i = %zero to %n step %one : i32 {
    func.call @fit(%v, %x, %rate, %slope) : (!tfx_host.ref<!M>, !V, !T, !Slope) -> ()
  }
  %m = tfx_host.load %v : !tfx_host.ref<!M>
  %w = tfx_host.extract %m["w"] : !M -> !V
  %b = tfx_host.extract %m["b"] : !M -> !T
  return %w, %b : !V, !T
}
