// Loops whose tensors are unused, and a loop whose only used result is a scalar: w decreases from 0.5 by 0.125 four times, and only its value
// is used.
//
// RUN: tfxc run %s 4 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      loss 0.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<2xf32>
!F = !tfx_host.closure<(!T) -> !T>
func.func private @minus(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Sub"(%x, %by) : (!T, !T) -> !T
  return %y : !T
}
func.func private @repeat(%n: i32, %f: !F, %x: !T) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> !T : i32 {
    %b = tfx_host.apply %f(%a) : !F
    scf.yield %b : !T
  }
  return %r : !T
}
func.func @main(%n: i32) {
  %w0 = tfx_tensor.const dense<0.5> : !T
  %by = tfx_tensor.const dense<0.125> : !T
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %f = tfx_host.closure @minus(%by) : (!T) -> !F
  %unused = func.call @repeat(%n, %f, %w0) : (i32, !F, !T) -> !T
  %w = func.call @repeat(%n, %f, %w0) : (i32, !F, !T) -> !T
  %m = tfx_tensor.op "Mean"(%w, %axis) : (!T, tensor<i32>) -> tensor<f32>
  %loss = tfx_tensor.to_scalar %m : tensor<f32> -> f32
  tfx_host.print "loss {}"(%loss) : f32
  return
}
