// A loop that is evaluated at compile time leaves a branch to the code after it. The argument there
// is the forwarded value, so equal operations on them are merged, and a second run finds nothing.

// RUN: tfx-opt --tfx-deabstract %s | FileCheck %s
// RUN: tfx-opt --tfx-deabstract %s > %t
// RUN: tfx-opt --tfx-deabstract %t | diff %t -

// CHECK-LABEL: func.func @once(
// CHECK-COUNT-1: math.sin
// CHECK-NOT: math.sin
// CHECK: return
func.func @once(%x: f32, %t: tensor<f32>) -> (f32, tensor<f32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %start = arith.constant 0.5 : f32
  cf.br ^header(%zero, %start : i64, f32)
^header(%i: i64, %m: f32):
  %go = arith.cmpi slt, %i, %three : i64
  cf.cond_br %go, ^body, ^after(%x, %m : f32, f32)
^body:
  %j = arith.addi %i, %one : i64
  %n = arith.mulf %m, %start : f32
  cf.br ^header(%j, %n : i64, f32)
^after(%y: f32, %alpha: f32):
  %leaky = tfx_tensor.op "LeakyRelu"(%t) computed(alpha = %alpha : f32) : (tensor<f32>) -> tensor<f32>
  %sine = math.sin %y : f32
  %again = math.sin %x : f32
  %sum = arith.addf %sine, %again : f32
  return %sum, %leaky : f32, tensor<f32>
}
