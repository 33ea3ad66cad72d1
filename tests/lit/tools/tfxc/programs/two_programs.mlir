// Two programs, started alternately from a loop on the host: recursion keeps their functions apart.
//
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
//
// CHECK-DAG: y = [243. 243.]
// CHECK-DAG: program power_graph, started 6 times
// CHECK-DAG: program times_graph, started 12 times

func.func private @power(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^base, ^more
^base:
  %ones = tfx_tensor.op "OnesLike"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %ones : tensor<2xf32>
^more:
  %m = arith.subi %n, %one : i32
  %p = func.call @power(%x, %m) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %r = tfx_tensor.op "Mul"(%p, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @times(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^base, ^more
^base:
  %zeros = tfx_tensor.op "ZerosLike"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %zeros : tensor<2xf32>
^more:
  %m = arith.subi %n, %one : i32
  %p = func.call @times(%x, %m) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %r = tfx_tensor.op "AddV2"(%p, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @main() -> (tensor<2xf32> {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %x0 = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf32>
  cf.br ^header(%zero, %x0 : i32, tensor<2xf32>)
^header(%i: i32, %x: tensor<2xf32>):
  %go = arith.cmpi slt, %i, %three : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %a = func.call @power(%x, %i) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %b = func.call @times(%a, %three) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %b : i32, tensor<2xf32>)
^exit:
  return %x : tensor<2xf32>
}
