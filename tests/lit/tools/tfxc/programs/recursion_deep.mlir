// A thousand nested calls, each with its own graph that runs during the call: it sends a value before and receives one after, and some print.
//
// RUN: tfxc run %s 1000 --stats 2>&1 | FileCheck %s --check-prefixes=CHECK,DEEP
// RUN: %if tensorflow %{ tfxc run %s 20 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=CHECK,SHORT %}
//
// CHECK:      bottom [1. 4.]
// DEEP-NEXT:  at 500: [ 501. 2004.]
// DEEP-NEXT:  at 1000: [1001. 4004.]
// DEEP-NEXT:  y = [1001. 4004.]
// DEEP:       started 1001 times
// SHORT-NEXT: y = [21. 84.]
// SHORT:      started 21 times

func.func @sum(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi eq, %n, %zero : i32
  cf.cond_br %stop, ^base, ^more
^base:
  tfx_host.print "bottom {}"(%x) : tensor<2xf32>
  return %x : tensor<2xf32>
^more:
  %m = arith.subi %n, %one : i32
  %root = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %again = tfx_tensor.op "Square"(%root) : (tensor<2xf32>) -> tensor<2xf32>
  %rest = func.call @sum(%again, %m) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %all = tfx_tensor.op "Add"(%rest, %again) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %every = arith.constant 500 : i32
  %rem = arith.remsi %n, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %show, ^print, ^done
^print:
  tfx_host.print "at {}: {}"(%n, %all) : i32, tensor<2xf32>
  cf.br ^done
^done:
  return %all : tensor<2xf32>
}
func.func @main(%n: i32) -> (tensor<2xf32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[1.0, 4.0]> : tensor<2xf32>
  %y = func.call @sum(%x, %n) : (tensor<2xf32>, i32) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
