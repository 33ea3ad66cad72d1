// RUN: tfx-opt --tfx-constexpr %s | FileCheck %s
//
// A loop that was evaluated to its end is erased. The block after it then has one predecessor, and the size that is
// forwarded to it is a constant: a second run of the pass would change nothing.

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
