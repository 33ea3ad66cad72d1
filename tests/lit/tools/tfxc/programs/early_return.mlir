// A return from the middle of a loop.
//
// RUN: tfxc run %s 3 --stats 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %if tensorflow %{ tfxc run %s 3 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefix=EARLY %}
// RUN: tfxc run %s 30 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %if tensorflow %{ tfxc run %s 30 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=LATE %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=FIRST %}
//
// EARLY:      y = [-8.  8.]
// EARLY-NEXT: k = 3
// EARLY:      no channels
// LATE:       y = [ 1024. -1024.]
// LATE-NEXT:  k = 10
// FIRST:      y = [-1.  1.]
// FIRST-NEXT: k = 0

func.func @main(%n: i32 {tfx.name = "n"}) -> (tensor<2xf32> {tfx.name = "y"}, i32 {tfx.name = "k"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %x0 = tfx_tensor.const dense<[1.0, -1.0]> : tensor<2xf32>
  cf.br ^header(%zero, %x0 : i32, tensor<2xf32>)
^header(%i: i32, %x: tensor<2xf32>):
  %go = arith.cmpi slt, %i, %ten : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %found = arith.cmpi eq, %i, %n : i32
  cf.cond_br %found, ^early, ^latch
^early:
  %neg = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %neg, %i : tensor<2xf32>, i32
^latch:
  %d = tfx_tensor.op "AddV2"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %d : i32, tensor<2xf32>)
^exit:
  return %x, %ten : tensor<2xf32>, i32
}
