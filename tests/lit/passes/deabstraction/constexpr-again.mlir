// RUN: tfx-opt --tfx-constexpr %s | FileCheck %s
//
// A loop that has run to its end goes. Then the block after it has one way in, and the size that it is
// handed is a constant: a second run of the pass would find nothing more to do.

// CHECK-LABEL: func.func @after_a_loop(
// CHECK-NOT:     tfx_tensor.from_scalar
// CHECK:         tfx_tensor.const dense<1> : tensor<i32>
// CHECK-NOT:     tfx_tensor.from_scalar
func.func @after_a_loop(%x: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %never = arith.cmpi slt, %one, %one : i32
  cf.cond_br %never, ^sum(%one : i32), ^head(%one : i32)
^head(%i: i32):
  %true = arith.constant true
  cf.cond_br %true, ^exit, ^body
^body:
  cf.cond_br %never, ^sum(%i : i32), ^head(%i : i32)
^sum(%n: i32):
  %size = tfx_tensor.from_scalar %n : i32
  %sum = tfx_tensor.op "AddV2"(%x, %size) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %sum : tensor<i32>
^exit:
  return %x : tensor<i32>
}
