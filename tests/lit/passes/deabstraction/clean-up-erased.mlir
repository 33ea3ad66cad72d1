// RUN: tfx-opt %s --cse --tfx-clean-up | FileCheck %s
// RUN: tfx-opt %s --cse --tfx-clean-up -o %t.once
// RUN: tfx-opt %t.once --cse --tfx-clean-up | diff %t.once -

// Two existentials of equal parts keep a tuple each, in their own blocks: a tuple that crosses regions has no host code.
tfx_host.protocol @Counting {count: (!tfx_host.param<"Self">, i32) -> i32}
func.func private @take(!tfx_host.any<@Counting>)

// CHECK-LABEL: func.func @main
// CHECK:         %[[FIRST:.*]] = tfx_host.make_tuple(%arg1, %arg2)
// CHECK-NEXT:    tfx_host.erase %[[FIRST]]
// CHECK:         ^bb1:
// CHECK-NEXT:    %[[SECOND:.*]] = tfx_host.make_tuple(%arg1, %arg2)
// CHECK-NEXT:    tfx_host.erase %[[SECOND]]
func.func @main(%c: i1, %n: i32, %t: tensor<4xi32>) {
  %one = tfx_host.make_tuple(%n, %t) : i32, tensor<4xi32>
  %a = tfx_host.erase %one {conforming = tuple<i32, tensor<4xi32>>} : tuple<i32, tensor<4xi32>> to !tfx_host.any<@Counting>
  func.call @take(%a) : (!tfx_host.any<@Counting>) -> ()
  cf.cond_br %c, ^more, ^end
^more:
  %other = tfx_host.make_tuple(%n, %t) : i32, tensor<4xi32>
  %b = tfx_host.erase %other {conforming = tuple<i32, tensor<4xi32>>} : tuple<i32, tensor<4xi32>> to !tfx_host.any<@Counting>
  func.call @take(%b) : (!tfx_host.any<@Counting>) -> ()
  cf.br ^end
^end:
  return
}
