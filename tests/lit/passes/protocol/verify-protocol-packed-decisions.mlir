// A random program (seed 1069152 of an earlier generator): the condition of a loop depends on a
// tensor that arrives in a message of two scalars.
//
// RUN: tfx-opt %s --tfx-compile-graph -o /dev/null

module {
  func.func private @decide() -> i1
  func.func @main(%arg0: f32, %arg1: f32, %arg2: tensor<i32>) -> (i32, tensor<2x2xi32>) {
    %0 = tfx_host.var : !tfx_host.ref<i32>
    %c6_i32 = arith.constant 6 : i32
    tfx_host.store %c6_i32, %0 : i32
    %1 = tfx_tensor.const dense<true> : tensor<i1>
    %2 = tfx_host.var : !tfx_host.ref<tensor<i1>>
    tfx_host.store %1, %2 : tensor<i1>
    cf.br ^bb2
  ^bb1:  // pred: ^bb3
    %3 = tfx_tensor.const dense<1> : tensor<2x2xi32>
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %c-1 = arith.constant -1 : index
    %c1_i64 = arith.constant 1 : i64
    cf.br ^bb6(%c1_i64, %3 : i64, tensor<2x2xi32>)
  ^bb2:  // 3 preds: ^bb0, ^bb3, ^bb6
    %4 = tfx_host.load %0 : !tfx_host.ref<i32>
    %c1_i32 = arith.constant 1 : i32
    %5 = arith.cmpi slt, %4, %c1_i32 : i32
    cf.cond_br %5, ^bb7, ^bb3
  ^bb3:  // pred: ^bb2
    %6 = tfx_tensor.const dense<100> : tensor<4xi32>
    %7 = tfx_tensor.op "Minimum"(%6, %6) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %8 = tfx_host.load %2 : !tfx_host.ref<tensor<i1>>
    %9 = tfx_tensor.to_scalar %8 : tensor<i1> -> i1
    cf.cond_br %9, ^bb2, ^bb1
  ^bb4(%10: index):  // 3 preds: ^bb5, ^bb6, ^bb6
    %c1_i32_0 = arith.constant 1 : i32
    tfx_host.store %c1_i32_0, %0 : i32
    %true = arith.constant true
    cf.cond_br %true, ^bb7, ^bb5
  ^bb5:  // pred: ^bb4
    tfx_host.store %8, %2 : tensor<i1>
    %11 = call @decide() : () -> i1
    cf.cond_br %11, ^bb4(%10 : index), ^bb6(%c1_i64, %3 : i64, tensor<2x2xi32>)
  ^bb6(%12: i64, %13: tensor<2x2xi32>):  // 2 preds: ^bb1, ^bb5
    tfx_host.print "p19 {}"(%7) : tensor<4xi32>
    cf.switch %c2147483647_i32 : i32, [
      default: ^bb4(%c-1 : index),
      0: ^bb4(%c-1 : index),
      2: ^bb2
    ]
  ^bb7:  // 2 preds: ^bb2, ^bb4
    %c5_i32 = arith.constant 5 : i32
    %14 = tfx_tensor.const dense<1> : tensor<2x2xi32>
    return %c5_i32, %14 : i32, tensor<2x2xi32>
  }
}
