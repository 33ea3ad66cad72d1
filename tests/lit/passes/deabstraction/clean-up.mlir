// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-clean-up))' --verify-roundtrip | FileCheck %s

// Blocks that only lead to each other are merged. Unused operations without effects are erased, with the operations that only
// they used, and so are unreachable blocks. A loop stays, and a constant stays where it is.

// CHECK-LABEL: func.func @clean(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<f32>)
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[A:.*]], ^[[LOOP:.*]](%[[Y]] : tensor<f32>)
// CHECK-NEXT:  ^[[LOOP]](%[[Z:.*]]: tensor<f32>):
// CHECK-NEXT:    %[[ONE:.*]] = tfx_tensor.const dense<1.0
// CHECK-NEXT:    %[[W:.*]] = tfx_tensor.op "AddV2"(%[[Z]], %[[ONE]])
// CHECK-NEXT:    tfx_tensor.const dense<1> : tensor<1xi32>
// CHECK-NEXT:    tfx_tensor.op "RandomUniform"
// CHECK-NEXT:    tfx_host.print "{}"(%[[W]])
// CHECK-NEXT:    cf.br ^[[LOOP]](%[[W]] : tensor<f32>)
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    cf.br ^[[LOOP]](%[[X]] : tensor<f32>)
// CHECK-NEXT:  }
func.func @clean(%p: i1, %x: tensor<f32>) {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  cf.br ^next(%y : tensor<f32>)
^next(%y1: tensor<f32>):
  cf.br ^last
^loop(%z: tensor<f32>):
  %unused = tfx_tensor.op "Exp"(%z) : (tensor<f32>) -> tensor<f32>
  %also = tfx_tensor.op "Exp"(%unused) : (tensor<f32>) -> tensor<f32>
  cf.br ^body
^last:
  cf.cond_br %p, ^a, ^loop(%y1 : tensor<f32>)
^a:
  cf.br ^loop(%x : tensor<f32>)
^body:
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %w = tfx_tensor.op "AddV2"(%z, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %shape = tfx_tensor.const dense<1> : tensor<1xi32>
  %effect = tfx_tensor.op "RandomUniform"(%shape) {dtype = f32} : (tensor<1xi32>) -> tensor<1xf32>
  tfx_host.print "{}"(%w) : tensor<f32>
  cf.br ^loop(%w : tensor<f32>)
^dead:
  cf.br ^dead
}

// A switch forwards no result of an operation with several results: MLIR could not read it again.

// CHECK-LABEL: func.func @switch(
// CHECK-NEXT:    %[[R:.*]]:2 = call @two()
// CHECK-NEXT:    cf.switch %{{.*}} : i32, [
// CHECK-NEXT:      default: ^[[JOIN:.*]](%{{.*}} : i32),
// CHECK-NEXT:      0: ^[[A:bb[0-9]+]],
// CHECK-NEXT:      1: ^[[B:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    tfx_host.print "{}"(%[[R]]#0)
// CHECK-NEXT:    return %[[R]]#0
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    cf.br ^[[JOIN]](%[[R]]#1 : i32)
// CHECK-NEXT:  ^[[JOIN]](%[[X:.*]]: i32):
// CHECK-NEXT:    return %[[X]]
func.func private @two() -> (i32, i32)
func.func @switch(%n: i32) -> i32 {
  %a, %b = func.call @two() : () -> (i32, i32)
  cf.switch %n : i32, [default: ^join(%n : i32), 0: ^join(%b : i32), 1: ^alone(%a : i32)]
^alone(%y: i32):
  tfx_host.print "{}"(%y) : i32
  return %y : i32
^join(%x: i32):
  return %x : i32
}

// Values that only use each other in a cycle are unused: a block argument, computations on it, and an array. The loop condition stays.

// CHECK-LABEL: func.func @circles(
// CHECK-SAME:    %[[X:.*]]: i32, %[[N:.*]]: i32)
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[HEAD:.*]](%[[ONE]] : i32)
// CHECK-NEXT:  ^[[HEAD]](%[[I:.*]]: i32):
// CHECK-NEXT:    %[[J:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK-NEXT:    %[[MORE:.*]] = arith.cmpi slt, %[[J]], %[[N]]
// CHECK-NEXT:    cf.cond_br %[[MORE]], ^[[HEAD]](%[[J]] : i32), ^[[EXIT:.*]]
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    return
func.func @circles(%x: i32, %n: i32) {
  %one = arith.constant 1 : i32
  %array = tfx_host.array(%x, %x) : !tfx_host.array<i32>
  cf.br ^head(%x, %one, %array, %x : i32, i32, !tfx_host.array<i32>, i32)
^head(%a: i32, %i: i32, %b: !tfx_host.array<i32>, %c: i32):
  %d = arith.addi %a, %c : i32
  %e = arith.muli %c, %a : i32
  %j = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %j, %n : i32
  cf.cond_br %more, ^head(%d, %j, %b, %e : i32, i32, !tfx_host.array<i32>, i32), ^exit(%d : i32)
^exit(%f: i32):
  return
}
